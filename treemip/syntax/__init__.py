"""The grammar, the nodes it makes, and the formatter. Knows nothing of names or data."""
