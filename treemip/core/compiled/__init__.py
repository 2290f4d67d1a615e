"""Hot loops, compiled."""
