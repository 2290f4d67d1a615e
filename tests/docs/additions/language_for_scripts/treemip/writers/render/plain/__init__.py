"""A spec's objective in plain text, beside the tables that it takes."""
