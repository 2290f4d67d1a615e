"""MathOptFormat files."""
