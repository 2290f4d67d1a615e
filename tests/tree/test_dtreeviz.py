"""dtreeviz draws a univariate tree by its scikit-learn adapter, as docs/convert.md says."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from converted_trees import table
from test_scikit import tree_of_numbers

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
dtreeviz = pytest.importorskip("dtreeviz", reason="dtreeviz is not installed")

PAGE = Path(__file__).parents[2] / "docs" / "convert.md"


@pytest.mark.filterwarnings("ignore")
def test_the_recipe_of_the_page_draws_the_splits() -> None:
    (recipe,) = re.findall(r"^```python\n(import dtreeviz.*?)^```$", PAGE.read_text(), re.M | re.S)
    tree = tree_of_numbers("scale minmax", 0)
    frame = pd.DataFrame(table()).dropna()
    names = {"tree": tree, "frame": frame}
    exec(recipe, names)
    model = names["model"]
    shadow = model.shadow_tree  # type: ignore[attr-defined]
    classifier = tree.to_sklearn()
    assert shadow.get_thresholds().tolist() == classifier.tree_.threshold.tolist()
    assert sum(leaf.nsamples() for leaf in shadow.leaves) == len(frame)
