"""The grammar, the nodes it makes, and the formatter. It knows neither names nor data."""
