"""Proofs for margin trees: branch and bound over the sides of points and the features of branches."""
