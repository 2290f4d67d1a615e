"""Exact reformulations, one rewriting per file, each with its inverse."""
