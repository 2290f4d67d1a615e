"""Good trees without a solver: search over trees by what the spec's objective and rows ask for."""
