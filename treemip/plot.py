"""Pictures for programs under their public name, see `writers/plot.py`."""

from treemip.writers.plot import regions, save

__all__ = ["regions", "save"]
