"""Sweeps: one spec solved with many values of what varies, and cross-validation."""
