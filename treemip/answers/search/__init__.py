"""Good trees without a solver.

A search reads off the spec what a tree is worth, as sums over points, and improves many trees
branch by branch. Begin with `start.py`.
"""
