"""The tables of `answers.py`, one module each."""
