"""Expressions as text: formulas for reading, and programs for modelling packages and AMPL."""
