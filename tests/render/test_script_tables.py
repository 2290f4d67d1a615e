"""Data files: JSON and AMPL from the same tables."""

from __future__ import annotations

import json

from treemip.core.resolve.sorts import CLASS, FEATURE, NODE, NUMBER, POINT, SetOf
from treemip.writers.render.ampl.layout import data_text, declarations
from treemip.writers.render.tables import Table, json_text, plain

TABLES = {
    "classes": Table((), [["it's", "no"]], (), SetOf(CLASS)),
    "y": Table(([1, 2],), ["it's", "no"], (POINT,), CLASS, "class of a point"),
    "x": Table(([1, 1, 2, 2], ["a", "b c"] * 2), [0.1, 1, 1e-300, -2.5], (POINT, FEATURE)),
    "above": Table(([1, 2],), [[], [1]], (NODE,), SetOf(NODE)),
    "cap": Table((), [float("inf")], (), NUMBER),
    "ragged": Table(([1, 1, 2], [2, 3, 3]), [5, 6, 7], (NODE, NODE)),
}


def test_json():
    assert json.loads(json_text(TABLES)) == {
        "classes": ["it's", "no"],
        "y": [[1, "it's"], [2, "no"]],
        "x": [[1, "a", 0.1], [1, "b c", 1], [2, "a", 1e-300], [2, "b c", -2.5]],
        "above": [[1, []], [2, [1]]],
        "cap": float("inf"),
        "ragged": [[1, 2, 5], [1, 3, 6], [2, 3, 7]],
    }


def test_ampl():
    assert (
        data_text(TABLES)
        == """set classes := 'it''s' 'no';
param y :=
 1 'it''s'  2 'no';
param x : 'a' 'b c' :=
 1 0.1 1
 2 1e-300 -2.5;
set above[1] := ;
set above[2] := 1;
param cap := Infinity;
param ragged :=
 1 2 5
 1 3 6
 2 3 7;
"""
    )


def test_declarations_put_first_what_has_no_indices():
    domains = {"y": "{points}", "x": "{points, features}", "above": "{nodes}"}
    assert declarations(TABLES, domains | {"ragged": "{nodes, nodes}"}) == [
        "set classes;",
        "param cap;",
        "param y {points} symbolic;  # class of a point",
        "param x {points, features};",
        "set above {nodes};",
        "param ragged {nodes, nodes};",
    ]


def test_whole_numbers_are_whole():
    assert [plain(v) for v in (2.0, 0.5, -0.0, 1e300)] == [2, 0.5, 0, 1e300]
    assert repr(plain(2.0)) == "2"
