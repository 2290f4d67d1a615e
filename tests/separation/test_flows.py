"""Maximum flows and cuts of least capacity against all cuts through the network of a tree."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from random_flow_specs import LAZY, compiled

import treemip
from treemip.methods.separation.flows import Networks
from treemip.methods.separation.separated_model import SeparatedModel


def _point(of: treemip.Compiled, rng: np.random.Generator, integral: bool) -> np.ndarray:
    """Coefficients and labels at random, 0 or 1 with `integral`, the unit of each point's flow
    arriving at the root; float64 (columns,)."""
    x = np.zeros(of.stated.column_count)
    for name in ("coef", "given"):
        block = of.stated.block(name)
        values = rng.integers(0, 2, block.length) if integral else rng.random(block.length) / 2
        x[block.start : block.stop] = values
    hit = of.stated.block("hit")
    x[hit.start : hit.stop] = hit.index.columns[1] == 1
    return x


def _edges(of: treemip.Compiled, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Capacities by the paper: into each node and from it to the sink, float64 (N, nodes)."""
    table, topology = of.instance.table, of.instance.topology
    points, nodes = len(table.y), topology.size
    given = of.stated.block("given")
    label = x[given.start : given.stop].reshape(nodes, -1)
    coef = of.stated.block("coef")
    enter = np.ones((points, nodes))
    for row, t in enumerate(topology.branches):
        width = table.x.shape[1]
        b = x[coef.start + row * width : coef.start + (row + 1) * width]
        enter[:, topology.left[t]] = (table.x == 0) @ b
        enter[:, topology.right[t]] = (table.x == 1) @ b
    return np.minimum(enter, 1.0), np.minimum(label[:, table.y].T, 1.0)


def _cut_capacities(of: treemip.Compiled, x: np.ndarray) -> np.ndarray:
    """Of each set of nodes with the root as the source's side, float64 (cuts, N)."""
    topology = of.instance.topology
    enter, leave = _edges(of, x)
    parent = topology.parent
    cuts = []
    for some in product((False, True), repeat=topology.size - 1):
        inside = np.array((True, *some))
        exits = np.flatnonzero(~inside & inside[np.maximum(parent, 0)])
        cuts.append(leave[:, inside].sum(axis=1) + enter[:, exits].sum(axis=1))
    return np.array(cuts)


@pytest.mark.parametrize("integral", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_maximum_flows_are_minimum_cuts(seed: int, integral: bool) -> None:
    of = compiled(seed, depth=1 + seed % 2)
    x = _point(of, np.random.default_rng(seed), integral)
    networks = Networks(of.instance, of.stated)
    capacities = networks.capacities(x)
    most = networks.maximum(capacities)[:, networks.root]
    assert most == pytest.approx(_cut_capacities(of, x).min(axis=0))


@pytest.mark.parametrize("integral", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_rows_of_the_text_are_the_cuts(seed: int, integral: bool) -> None:
    """A row for each point of which more arrives than its network lets pass; its right side is the
    capacity of the network's least cut."""
    of = compiled(seed, LAZY + ";", depth=1 + seed % 2)
    x = _point(of, np.random.default_rng(seed), integral)
    least = _cut_capacities(of, x).min(axis=0)
    separation = SeparatedModel(of.instance, of.stated, of.model)
    broken = separation.violated(x, True)
    excess = 1.0 - least[least < 1 - 1e-6]
    if not len(excess):
        assert broken is None
        return
    assert broken is not None
    rows = np.zeros((broken.count, of.stated.column_count))
    rows[broken.matrix.row_of, broken.matrix.indices] = broken.matrix.data
    assert rows @ x - broken.upper == pytest.approx(excess)


@pytest.mark.parametrize("seed", range(1, 3))
def test_cuts_hold_for_all_flows(seed: int) -> None:
    """No solution of the stated model breaks a row that was ever given."""
    of = compiled(seed, LAZY + ";")
    plain = compiled(seed).solve(start="none")
    assert plain.answer.values is not None
    solution = plain.answer.values[: of.stated.column_count]
    separation = SeparatedModel(of.instance, of.stated, of.model)
    rng = np.random.default_rng(seed)
    for _ in range(30):
        x = _point(of, rng, False)
        broken = separation.violated(x, False)
        if broken is not None:
            worth = np.bincount(
                broken.matrix.row_of,
                broken.matrix.data * solution[broken.matrix.indices],
                broken.count,
            )
            assert (worth <= broken.upper + 1e-6).all()


@pytest.mark.parametrize("seed", range(2))
def test_routed_flows_fulfil_the_rows(seed: int) -> None:
    """As much arrives as the capacities let, along rows that conserve and limit it."""
    from treemip.core.model.values import row_sums

    of = compiled(seed)
    networks = Networks(of.instance, of.stated)
    x = _point(of, np.random.default_rng(seed), False)
    routed = networks.routed(x)
    most = networks.maximum(networks.capacities(x))[:, networks.root]
    assert networks.arriving(routed) == pytest.approx(np.minimum(1.0, most))
    for block in of.stated.rows:
        if block.name in networks.about_flows:
            body = row_sums(block.matrix, routed)
            assert (body <= block.upper + 1e-9).all(), block.name
            assert (body >= block.lower - 1e-9).all(), block.name
