"""Rows that are separated while a model is solved, and the separators that find them."""
