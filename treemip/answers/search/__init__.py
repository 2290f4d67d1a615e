"""Good trees without a solver.

A search reads from the spec what a tree is worth, as sums over points, and improves many trees
branch by branch. `start.py` is the entrance.
"""
