"""Trees and proofs from spec and data alone: searches, exact engines, and starts for solvers."""
