"""References that list every tree on a few points: independent of everything in treemip."""
