"""Nodes to text in the canonical layout."""
