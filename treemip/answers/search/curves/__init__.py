"""How the best answer of a leaf follows from what its points are worth, a curve each."""
