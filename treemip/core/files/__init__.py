"""Files: models in each format, starts, maps of names; solutions read back."""
