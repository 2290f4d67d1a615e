"""The separators, one a file."""
