"""The report on a saved tree, a page of its own."""
