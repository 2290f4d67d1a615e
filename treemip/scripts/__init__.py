"""The spec as a program over indexed sets that runs with a modelling package, without treemip."""
