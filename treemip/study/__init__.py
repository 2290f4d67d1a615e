"""What is built on the path: sweeps, comparisons, estimators, notebooks, first specs, reports."""
