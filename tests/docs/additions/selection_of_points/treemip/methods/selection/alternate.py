"""Every second point of a cluster."""

from __future__ import annotations

import numpy as np

from treemip.methods.selection.clusters import Cluster


def alternate(cluster: Cluster) -> np.ndarray:
    """Positions in the cluster's rows, int64."""
    return np.arange(0, len(cluster.rows), 2)
