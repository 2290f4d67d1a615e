"""AMPL: a model over indexed sets, its data, and the commands that solve it."""
