"""How to solve, never what: starts."""
