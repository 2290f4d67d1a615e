"""Tables too large to learn from as they are: equal rows become one, with their number."""
