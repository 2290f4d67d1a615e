"""scikit-learn's picture of decision boundaries and treemip's own show the same regions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.inspection import DecisionBoundaryDisplay

import treemip
from treemip.sklearn import OptimalTreeClassifier

figure = pytest.importorskip("matplotlib.figure", reason="Matplotlib is not installed")


def test_a_display_has_the_regions_of_the_tree() -> None:
    data = load_iris(as_frame=True)
    x = data.data[["petal length (cm)", "petal width (cm)"]].iloc[::3]
    y = data.target_names[data.target.iloc[::3]]
    tree = OptimalTreeClassifier(depth=2).fit(x, y)
    left, right = figure.Figure().subplots(1, 2)
    display = DecisionBoundaryDisplay.from_estimator(
        tree, x, grid_resolution=60, response_method="predict", ax=left
    )
    places = pd.DataFrame(
        {name: grid.ravel() for name, grid in zip(x, (display.xx0, display.xx1), strict=True)}
    )
    shown = tree.classes_[np.asarray(display.response).ravel().astype(int)]
    assert (shown == tree.tree_.predict(places)).all()
    assert len(set(shown.tolist())) == 3
    axes = treemip.plot.regions(tree.tree_, x, tuple(x), ax=right, resolution=60)
    assert axes is right
    assert (right.get_xlabel(), right.get_ylabel()) == (left.get_xlabel(), left.get_ylabel())
