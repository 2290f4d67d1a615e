"""The path from a text to a verified tree, for programs."""
