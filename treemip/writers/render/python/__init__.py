"""Scripts for Python modelling packages."""
