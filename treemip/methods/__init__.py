"""Ways to a solution through parts of a model: separation, selection, decomposition."""
