"""Expressions over frames: an Instance to the columnar Model."""
