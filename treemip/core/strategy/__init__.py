"""How to solve, never what: settings, starts, and the better of a start and an answer."""
