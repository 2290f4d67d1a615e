"""Proofs for oblique trees, needed where the optimum is worse than the trivial bound."""
