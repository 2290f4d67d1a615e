"""Models in the objects of other packages."""
