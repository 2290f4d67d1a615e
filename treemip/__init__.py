"""treemip: optimal decision trees from the paper's own algebra to any solver."""
