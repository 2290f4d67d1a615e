"""Exact methods for kinds of specs that need no solver."""
