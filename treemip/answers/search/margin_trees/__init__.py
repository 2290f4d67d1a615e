"""Search for margin trees: each branch is a support vector machine."""
