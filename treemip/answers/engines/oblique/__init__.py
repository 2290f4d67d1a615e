"""Proofs for oblique trees whose optimum is worse than the trivial bound."""
