"""The solvers. Each module or folder here is one, and all that treemip knows of it.

A new one is a new file with a `SOLVER`; see treemip/core/solving/solver.py for what that holds.
"""
