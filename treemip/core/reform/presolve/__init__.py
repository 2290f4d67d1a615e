"""Smaller models with the same optimum, and the way back to all columns."""
