"""The exact engine for univariate trees of any shape and any sums."""
