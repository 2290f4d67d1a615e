"""The engine's hot loops, compiled."""
