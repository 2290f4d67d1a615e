from dataclasses import replace

import numpy as np

from treemip import load
from treemip.core.reform.reform import reform

model = load("specs/iris_binoct.tree", depth=1).compile().reformed.original
first, *others = model.rows
free = replace(first, lower=first.lower - np.inf, upper=first.upper + np.inf)
assert reform(model).model.row_count == model.row_count
assert reform(model.with_(rows=(free, *others))).model.row_count == model.row_count - first.length
