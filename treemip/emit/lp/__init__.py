"""LP files."""
