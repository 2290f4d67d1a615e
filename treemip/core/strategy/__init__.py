"""How to solve, never what: settings, starts, and what an answer and a start say together."""
