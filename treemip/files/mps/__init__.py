"""MPS files."""
