"""Models in the objects of modelling packages, which are no solvers."""
