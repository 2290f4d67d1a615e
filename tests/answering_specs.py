"""Specs of one split whose leaves answer values, distributions, treatments or elements that the
spec lists, with tiny data."""

import numpy as np

X = {"a": [1, 2, 3, 4, 5, 1.0], "b": [2, 1, 5, 4, 1, 7.0]}
PRICE = [3.0, 3.5, 9.0, 9.5, 10.0, 2.5]

ROUTING = """
topology complete(depth = 1);

var coef {t in branches, j in features} binary;
var bias {t in branches} >= 0, <= 10;
var go   {i in points} binary means routed[i,left(root)];
let reach {i in points, l in leaves} = if l = left(root) then go[i] else 1 - go[i];

subject to
  one_feature {t in branches}: sum {j in features} coef[t,j] = 1;
  go_left  {i in points}: go[i] = 1 ==> dot(coef[root,*], x[i,*]) <= bias[root] by big_m(20);
  go_right {i in points}: go[i] = 0 ==> dot(coef[root,*], x[i,*]) >= bias[root] + 0.5 by big_m(20);

route left when dot(coef[t,*], x[i,*]) <= bias[t];
"""

CONSTANT_L1 = (
    'data "t" { label price number; }'
    + ROUTING
    + """
var leaf_value {l in leaves} >= 0, <= 20 means given_value[l];
var off {i in points} >= 0, <= 40 means abs(predicted[i] - y[i]);
minimize sum {i in points} off[i];
subject to
  above {i in points}: off[i] >= predicted[i] - y[i];
  below {i in points}: off[i] >= y[i] - predicted[i];
predict value leaf_value[l];
"""
)

CONSTANT_L2 = (
    'data "t" { label price number; }'
    + ROUTING
    + """
var leaf_value {l in leaves} >= 0, <= 20 means given_value[l];
var predicted  {i in points} >= 0, <= 20;
minimize sum {i in points} (predicted[i] - y[i]) ^ 2;
subject to
  on_left  {i in points}: go[i] = 1 ==> predicted[i] = leaf_value[left(root)];
  on_right {i in points}: go[i] = 0 ==> predicted[i] = leaf_value[right(root)];
predict value leaf_value[l];
"""
)

LINEAR_L1 = (
    'data "t" { label price number; scale minmax; }'
    + ROUTING.replace("0.5 by", "0.1 by")
    + """
var base       {l in leaves} >= -60, <= 60;
var leaf_slope {l in leaves, j in features} >= -60, <= 60 means given_slope[l,j];
var predicted  {i in points} >= -200, <= 200;
var off {i in points} >= 0, <= 200 means abs(predicted[i] - y[i]);
minimize sum {i in points} off[i]
  + 0.01 * sum {l in leaves, j in features} abs(leaf_slope[l,j]);
subject to
  above {i in points}: off[i] >= predicted[i] - y[i];
  below {i in points}: off[i] >= y[i] - predicted[i];
  left_value  {i in points}:
    go[i] = 1 ==> predicted[i] = base[left(root)] + dot(leaf_slope[left(root),*], x[i,*]);
  right_value {i in points}:
    go[i] = 0 ==> predicted[i] = base[right(root)] + dot(leaf_slope[right(root),*], x[i,*]);
predict value base[l] + dot(leaf_slope[l,*], x[i,*]);
"""
)

SHARES = (
    'data "t" { label class; }'
    + ROUTING
    + """
var label  {l in leaves, k in classes} >= 0, <= 1;
var chance {i in points, k in classes} >= 0, <= 1
  means sum {l in leaves} routed[i,l] * given_label[l,k];
minimize sum {i in points, k in classes} (chance[i,k] - (if y[i] = k then 1 else 0)) ^ 2;
subject to
  whole {l in leaves}: sum {k in classes} label[l,k] = 1;
  on_left  {i in points, k in classes}: go[i] = 1 ==> chance[i,k] = label[left(root),k];
  on_right {i in points, k in classes}: go[i] = 0 ==> chance[i,k] = label[right(root),k];
predict distribution label[l,*];
"""
)

TREATMENTS = (
    'data "t" { label none; group drug; number effect; number propensity; use a, b; }'
    + ROUTING
    + """
var give    {l in leaves, k in values(drug)} binary means given_drug[l,k];
var follows {i in points, l in leaves} binary
  means routed[i,l] * given_drug[l,drug[i]];
maximize value: sum {i in points, l in leaves} effect[i] / propensity[i] * follows[i,l];
subject to
  one_drug {l in leaves}: sum {k in values(drug)} give[l,k] = 1;
  passes   {i in points, l in leaves}: follows[i,l] <= reach[i,l];
  given    {i in points, l in leaves}: follows[i,l] <= give[l,drug[i]];
  both     {i in points, l in leaves}: follows[i,l] >= reach[i,l] + give[l,drug[i]] - 1;
predict class argmax {k in values(drug)} give[l,k];
"""
)

DRUGS = {
    **X,
    "drug": ["one", "two", "one", "two", "one", "two"],
    "effect": [4.0, 1.0, 1.0, 5.0, 2.0, 2.0],
    "propensity": [0.5, 0.5, 0.25, 0.5, 0.75, 0.5],
}

ACTIONS = (
    'data "t" { label none; number gain; use a, b; }'
    + ROUTING
    + """
set acts = {"one", "two", "none"};
param worth {i in points, k in acts} =
  if k = "one" then gain[i] else if k = "two" then 1 - gain[i] else 0.75;
var give {l in leaves, k in acts} binary means given_acts[l,k];
var done {i in points, k in acts} binary means sum {l in leaves} routed[i,l] * given_acts[l,k];
maximize value: sum {i in points, k in acts} worth[i,k] * done[i,k];
subject to
  one_act {l in leaves}: sum {k in acts} give[l,k] = 1;
  is_done {i in points}: sum {k in acts} done[i,k] = 1;
  as_told {i in points, l in leaves, k in acts}: done[i,k] <= give[l,k] + 1 - reach[i,l];
predict class argmax {k in acts} give[l,k];
"""
)

GAINS = {**X, "gain": [0.5, 2.0, -3.0, -1.0, 0.0, 4.0]}

KIND = ["p", "q", "q", "q", "p", "p"]


def parts(margin: float = 0.5) -> list[np.ndarray]:
    """All ways to part the six points by one feature, with room for the margin, bool (6,)."""
    found = []
    for values in map(np.array, X.values()):
        ends = [values.min() - 1, *np.unique(values)]
        found += [values <= end for end in ends if end >= 0]
    return found
