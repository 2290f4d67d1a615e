"""Ways to a solution through parts of a model: rows separated, points selected, nodes decomposed."""
