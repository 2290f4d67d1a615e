"""The tree that comes back: read out of a solution, verified, drawn, saved."""
