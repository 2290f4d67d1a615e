"""Indices that leave a declaration's domain in every topology; others only lowering knows."""

from __future__ import annotations

import pytest
from spec_texts import resolved, said


@pytest.mark.parametrize(
    ("row", "pointed"),
    [
        ("{l in leaves}: active[l] <= 1", "active[l]"),
        ("{t in left_children}: active[t] <= 1", "active[t]"),
        ("{t in last_branches}: active[right(t)] <= 1", "active[right(t)]"),
        ("{t in branches, k in classes}: label[t,k] <= 1", "label[t,k]"),
        ('{l in leaves}: label[parent(l),"a"] <= 1', 'label[parent(l),"a"]'),
        (': label[root,"a"] <= 1', 'label[root,"a"]'),
        ("{t in nodes}: reach[point(1),parent(t)] <= 1", "parent(t)"),
        ("{l in leaves}: reach[point(1),left(l)] <= 1", "left(l)"),
        (": sum {t in branches} sum {l in leaves} active[l] <= 1", "active[l]"),
    ],
)
def test_outside_in_every_topology(row: str, pointed: str) -> None:
    assert said(f"subject to own {row};") == [("E401", pointed)]


@pytest.mark.parametrize(
    "row",
    [
        "{t in nodes : t in branches}: active[t] <= 1",
        "{t in nodes, s in branches : s = t}: active[t] <= 1",
        "{t in branches}: (if t in leaves then active[left(t)] else active[t]) <= 1",
        '{t in branches, l in leaves_under(t)}: label[l,"a"] <= 1',
        "{t in branches : t != root}: active[parent(t)] <= active[t]",
        "{l in leaves}: active[parent(l)] <= 1",
        "{t in left_children}: active[parent(t)] <= 1",
        "{t in nodes}: sum {s in branches : s = t} active[t] <= 1",
        "{l in leaves}: card({s in ancestors(l) : s != parent(l)}) * bias[root] <= 1",
    ],
)
def test_what_a_condition_narrows(row: str) -> None:
    assert resolved(f"subject to own {row};").constraints


@pytest.mark.parametrize("number", ["0", "4", "1.5", "2.000001"])
def test_numbers_outside_a_range(number: str) -> None:
    text = f"var z {{k in 1..3}}; minimize z[{number}];"
    assert said(text) == [("E401", f"z[{number}]")]


@pytest.mark.parametrize("number", ["1", "3", "card(points)", "1 + 1"])
def test_numbers_that_may_be_inside_a_range(number: str) -> None:
    assert resolved(f"var z {{k in 0.5..3}}; minimize z[{number}];").objective
