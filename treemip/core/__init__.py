"""From a text and its data to a model, to any solver and back to a verified tree."""
