"""Proofs for margin trees: branch and bound over sides of points and features of branches."""
