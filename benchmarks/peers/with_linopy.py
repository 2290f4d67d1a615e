"""The formulations by linopy on its sparse path, written by to_file's io_api "mps" (highspy).

Model(sparse=True) keeps `@` with a constant as one sparse product and constraints in CSR.
"""

from __future__ import annotations

import linopy
import numpy as np
from binoct import binoct, sizes
from command import run
from soct import EPSILON, LEFT, RIGHT, soct
from xarray import DataArray


def _model() -> linopy.Model:
    linopy.options["semantics"] = "v1"
    return linopy.Model(sparse=True)


def _range(size: int, name: str, first: int = 0):
    return DataArray(np.arange(first, first + size), dims=name, name=name).to_index()


def write_soct(table: str, depth: int, target: str) -> None:
    s = soct(table, depth)
    i, j = _range(len(s.y), "i"), _range(s.x.shape[1], "j")
    t, leaf, k = _range(s.branches, "t"), _range(s.leaves, "l"), _range(s.class_count, "k")
    m = _model()
    active = m.add_variables(coords=[t], binary=True, name="active")
    reach = m.add_variables(coords=[i, _range(s.nodes, "node")], binary=True, name="reach")
    label = m.add_variables(coords=[leaf, k], binary=True, name="label")
    hit = m.add_variables(coords=[i, leaf], name="hit")
    coef = m.add_variables(-1, 1, coords=[t, j], name="coef")
    bias = m.add_variables(-1, 1, coords=[t], name="bias")
    norm = m.add_variables(0, 1, coords=[t, j], name="norm")

    def part(nodes: slice, index):
        return reach.isel(node=nodes).rename(node=index.name).assign_coords({index.name: index})

    above, left, right = part(slice(0, s.branches), t), part(LEFT, t), part(RIGHT, t)
    at_leaf = part(slice(s.branches, None), leaf)
    x = DataArray(s.x, coords=[i, j])
    big_m = DataArray(s.big_m, coords=[i])
    own_label = (1 * label.sel(k=DataArray(s.y, coords=[i]))).drop_vars("k")
    m.add_objective(hit.sum(), sense="max")
    m.add_constraints(at_leaf.sum("l") == 1, name="one_leaf")
    m.add_constraints(above - left - right == 0, name="flow")
    m.add_constraints(label.sum("k") == 1, name="one_label")
    m.add_constraints(hit - at_leaf <= 0, name="hit_reach")
    m.add_constraints(hit - own_label <= 0, name="hit_label")
    m.add_constraints(right - active <= 0, name="no_split")
    m.add_constraints(active.sum() <= s.branches, name="budget")
    m.add_constraints(norm.sum("j") <= 1, name="unit_norm")
    m.add_constraints(norm - coef >= 0, name="norm_above")
    m.add_constraints(norm + coef >= 0, name="norm_below")
    dot = coef @ x - (1 * bias).expand_dims(i=i)
    m.add_constraints(dot + big_m * left <= big_m, name="go_left")
    m.add_constraints(dot - (big_m + EPSILON) * right >= -big_m, name="go_right")
    m.to_file(target, io_api="mps", progress=False)


def write_binoct(table: str, depth: int, target: str) -> None:
    s = binoct(table, depth)
    i, f, d = _range(s.points, "i"), _range(s.features, "f"), _range(s.bits, "d")
    n, leaf, c = _range(s.branches, "n"), _range(s.leaves, "l"), _range(s.class_count, "c")
    v = _range(len(s.feature), "v")
    m = _model()
    coef = m.add_variables(coords=[n, f], binary=True, name="coef")
    bit = m.add_variables(coords=[n, d], binary=True, name="bit")
    reach = m.add_variables(0, 1, coords=[i, leaf], name="reach")
    label = m.add_variables(coords=[leaf, c], binary=True, name="label")
    error = m.add_variables(0, coords=[leaf, c], name="error")
    m.add_objective(error.sum())
    m.add_constraints(coef.sum("f") == 1, name="one_feature")
    m.add_constraints(reach.sum("l") == 1, name="one_leaf")
    m.add_constraints(label.sum("c") == 1, name="one_label")

    def given(matrix, *coords):
        return DataArray(matrix.toarray(), coords=coords)

    upper, lower = (given(side, v, i) for side in (s.upper, s.lower))
    above, below = (given(side, f, i) for side in (s.above, s.below))
    many, fewer = (DataArray(sizes(side), coords=[v]) for side in (s.upper, s.lower))
    extreme = DataArray(sizes(s.above) + sizes(s.below), coords=[f])
    pick = DataArray(s.feature[:, None] == f.to_numpy(), coords=[v, f]).astype(float)
    left_path, right_path = given(s.left_path, v, d), given(s.right_path, v, d)
    for b in range(s.branches):
        left = reach.isel(l=s.leaves_under(2 * b + 1)).sum("l")
        right = reach.isel(l=s.leaves_under(2 * b + 2)).sum("l")
        tests, bits = coef.isel(n=b, drop=True), bit.isel(n=b, drop=True)
        m.add_constraints(
            left @ upper + tests @ (many * pick) + bits @ (many * left_path)
            <= many * (1 + left_path.sum("d")),
            name=f"bar_left{b}",
        )
        m.add_constraints(
            right @ lower + tests @ (fewer * pick) - bits @ (fewer * right_path) <= fewer,
            name=f"bar_right{b}",
        )
        m.add_constraints(
            left @ above + right @ below + extreme * tests <= extreme, name=f"extremes{b}"
        )
    members = DataArray(s.y[:, None] == c.to_numpy(), coords=[i, c]).astype(float)
    size = DataArray(s.class_sizes, coords=[c])
    m.add_constraints(reach @ members - size * label - error <= 0, name="leaf_error")
    m.to_file(target, io_api="mps", progress=False)


if __name__ == "__main__":
    run(soct=write_soct, binoct=write_binoct)
