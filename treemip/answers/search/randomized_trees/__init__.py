"""Search for randomized trees: each branch sends a point left with a probability."""
