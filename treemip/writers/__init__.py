"""A model or a tree in other notations: scripts, mathematics, pictures, pages, other languages."""
