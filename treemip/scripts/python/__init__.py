"""Python over indexed sets, for modelling packages."""
