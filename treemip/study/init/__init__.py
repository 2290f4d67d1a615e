"""A first spec for a table that has none."""
