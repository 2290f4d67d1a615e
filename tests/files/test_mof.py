"""MathOptFormat files read back by a strict reader, over random models."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mps_reader
import numpy as np
import pytest
from file_models import INF, Builder, every_bound, grid, objective, quadratic, sparse
from hypothesis import given
from hypothesis import strategies as st
from probes import indicators, quadratic_row
from random_models import EXACT, MANY

from treemip.core.files.mof import write_mof
from treemip.core.model.blocks import (
    Function,
    Functions,
    Implications,
    Index,
    Kind,
    Method,
    Rows,
    SparseRows,
)
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import TreemipError

CONSTANT = "objective_constant"
SETS = {
    "EqualTo": ["value", "value"],
    "Interval": ["lower", "upper"],
    "GreaterThan": ["lower", None],
    "LessThan": [None, "upper"],
}


def read(text: str) -> mps_reader.Content:
    """All of a file; KeyError or AssertionError where it has something else."""
    said = json.loads(text)
    assert list(said) == ["version", "name", "variables", "objective", "constraints"]
    assert said["version"] == {"major": 1, "minor": 2}
    content = mps_reader.Content(name=said["name"])
    content.columns = {v["name"]: (-INF, INF) for v in said["variables"]}
    assert len(content.columns) == len(said["variables"])
    assert said["objective"]["sense"] in ("min", "max")
    costs, content.products, constant = function(said["objective"]["function"])
    content.costs = costs
    if constant:
        content.columns[CONSTANT], content.costs[CONSTANT] = (1.0, 1.0), constant
    for one in said["constraints"]:
        ends = dict(one["set"])
        kind = ends.pop("type")
        if one["function"]["type"] == "Variable":
            of_column(content, one["function"]["name"], kind, ends)
            continue
        entries, products, constant = function(one["function"])
        assert not products and constant == 0
        assert one["name"] not in content.rows
        content.rows[one["name"]] = pair(kind, ends)
        content.entries |= {(one["name"], column): c for column, c in entries.items()}
    return content


def of_column(content: mps_reader.Content, name: str, kind: str, ends: dict[str, float]) -> None:
    low, high = content.columns[name]
    if kind in ("Integer", "ZeroOne"):
        content.integer.add(name)
        own = (0.0, 1.0) if kind == "ZeroOne" else (-INF, INF)
    else:
        assert (low, high) in ((-INF, INF), (0.0, 1.0))
        own = pair(kind, ends)
    content.columns[name] = max(low, own[0]), min(high, own[1])


def pair(kind: str, ends: dict[str, float]) -> tuple[float, float]:
    low, high = SETS[kind]
    assert set(ends) == {low, high} - {None}
    return (ends[low] if low else -INF), (ends[high] if high else INF)


def function(said: dict[str, Any]) -> tuple[dict, dict, float]:
    curved = said["type"] == "ScalarQuadraticFunction"
    assert curved or said["type"] == "ScalarAffineFunction"
    terms = said["affine_terms" if curved else "terms"]
    entries = {t["variable"]: t["coefficient"] for t in terms}
    assert len(entries) == len(terms)
    products = {
        (t["variable_1"], t["variable_2"]): t["coefficient"]
        for t in said.get("quadratic_terms", [])
    }
    return entries, products, said["constant"]


def test_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "m.mof.json.gz"
    write_mof(quadratic(), path)
    assert (
        gzip.decompress(path.read_bytes()).decode()
        == """\
{"version": {"major": 1, "minor": 2}, "name": "squares",
"variables":[
{"name":"x(1)"},
{"name":"x(2)"}],
"objective":{"sense":"max","function":{"type":"ScalarQuadraticFunction","affine_terms":[\
{"coefficient":1,"variable":"x(1)"}],"quadratic_terms":[\
{"coefficient":-2,"variable_1":"x(1)","variable_2":"x(1)"},\
{"coefficient":-1,"variable_1":"x(1)","variable_2":"x(2)"},\
{"coefficient":-6,"variable_1":"x(2)","variable_2":"x(2)"}],"constant":2.5}},
"constraints":[
{"name":"sum","function":{"type":"ScalarAffineFunction","terms":[\
{"coefficient":1,"variable":"x(1)"},{"coefficient":1,"variable":"x(2)"}],"constant":0},\
"set":{"type":"LessThan","upper":100}},
{"function":{"type":"Variable","name":"x(1)"},"set":{"type":"Interval","lower":-10,"upper":10}},
{"function":{"type":"Variable","name":"x(2)"},"set":{"type":"Interval","lower":-10,"upper":10}}]}
"""
    )


def test_quadratic_rows(tmp_path: Path) -> None:
    path = tmp_path / "m.mof.json"
    write_mof(quadratic_row()[0], path)
    row = json.loads(path.read_text())["constraints"][0]
    assert row["name"] == "curved"
    assert function(row["function"]) == ({}, {("x", "x"): 2, ("x", "y"): 1, ("y", "y"): 2}, 0)
    assert row["set"] == {"type": "LessThan", "upper": 3}


Guarded = tuple[dict[str, float], tuple[float, float], str, float]


def implication(said: dict[str, Any]) -> Guarded:
    """Entries, sides, binary and its value; of JuMP's reader "one" is a binary that is 1."""
    form, held = said["function"], said["set"]
    assert form["type"] == "VectorAffineFunction" and form["constants"] == [0, 0]
    head, *terms = form["terms"]
    assert head["output_index"] == 1 and head["scalar_term"]["coefficient"] == 1
    assert all(term["output_index"] == 2 for term in terms)
    entries = {t["scalar_term"]["variable"]: t["scalar_term"]["coefficient"] for t in terms}
    assert len(entries) == len(terms) and set(held) == {"type", "set", "activate_on"}
    ends = dict(held["set"])
    value = {"one": 1.0, "zero": 0.0}[held["activate_on"]]
    sides = pair(ends.pop("type"), ends)
    return {k: v for k, v in entries.items() if v}, sides, head["scalar_term"]["variable"], value


@st.composite
def guarded(draw: st.DrawFn) -> Model:
    """Families of rows that a binary guards, each of one side, beside rows that hold always."""
    b = Builder("guarded")
    b.var("x", grid("i", 3), -9, 9)
    b.var("pick", grid("i", 2), 0, 1, Kind.BINARY)
    for name in draw(st.lists(st.sampled_from("pq"), unique=True)):
        b.row(name, [draw(ENTRIES)], *draw(st.sampled_from([(0, INF), (1, 1), (-1, 2)])))
    made = []
    for name in draw(st.lists(st.sampled_from("fgh"), min_size=1, unique=True)):
        rows = draw(st.lists(ENTRIES, min_size=1, max_size=3))
        sides = [draw(ONE_SIDED) for _ in rows]
        low, high = (np.array(end, float) for end in zip(*sides, strict=True))
        guards = np.array(draw(st.lists(st.integers(3, 4), min_size=3, max_size=3))[: len(rows)])
        values = np.array(draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=3, max_size=3)))
        body = Rows(name, grid("i", len(rows)), sparse(rows), low, high)
        count = np.arange(len(rows) + 1)
        guard = SparseRows(count, guards.astype(np.int32), np.ones(len(rows)))
        nothing, value = np.zeros(len(rows)), values[: len(rows)]
        made.append(Implications(body, guard, nothing, value, Method.INDICATOR))
    return b.model(objective([1.0, 0, 0, 2.0]), implications=tuple(made))


ENTRIES = st.dictionaries(st.integers(0, 4), EXACT.filter(bool), max_size=4)
ONE_SIDED = EXACT.flatmap(lambda v: st.sampled_from([(v, v), (v, INF), (-INF, v)]))


@given(model=guarded())
@MANY
def test_implications_are_read_back(model: Model) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mof.json"
        told = write_mof(model, path)
        constraints = json.loads(path.read_text())["constraints"]
    found = [c for c in constraints if c["set"]["type"] == "Indicator"]
    columns = ["x(1)", "x(2)", "x(3)", "pick(1)", "pick(2)"]
    expected = []
    for block in model.implications:
        body = block.body
        for r in range(block.length):
            at = slice(body.matrix.indptr[r], body.matrix.indptr[r + 1])
            own = zip(body.matrix.indices[at], body.matrix.data[at], strict=True)
            entries = {columns[k]: v for k, v in own}
            sides = float(body.lower[r]), float(body.upper[r])
            binary, value = columns[block.guard.indices[r]], float(block.value[r])
            expected.append((f"{block.name}({r + 1})", (entries, sides, binary, value)))
    assert [(c["name"], implication(c)) for c in found] == expected
    assert told.indicators == len(found)
    names = [c["name"] for c in constraints if "name" in c]
    assert len(set(names)) == len(names) == told.rows


def test_the_implications_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "m.mof.json"
    write_mof(indicators()[0], path)
    constraints = json.loads(path.read_text())["constraints"]
    assert [implication(c) for c in constraints[1:5]] == [
        ({"x": 1}, (-INF, 2), "b", 1.0),
        ({"y": 1}, (-INF, 3), "b", 0.0),
        ({"x": 1, "y": 1}, (4, INF), "c", 1.0),
        ({"z": 1}, (1, 1), "c", 0.0),
    ]
    text = path.read_text()
    begun = text.index('{"name":"two"')
    assert text[begun : text.index("},\n{", begun) + 1] == (
        '{"name":"two","function":{"type":"VectorAffineFunction","terms":['
        '{"output_index":1,"scalar_term":{"coefficient":1,"variable":"b"}},\n'
        ' {"output_index":2,"scalar_term":{"coefficient":1,"variable":"y"}}],"constants":[0,0]},'
        '"set":{"type":"Indicator","set":{"type":"LessThan","upper":3},"activate_on":"zero"}}'
    )


def test_what_it_has_not_is_refused(tmp_path: Path) -> None:
    absolute = Functions(
        "size", Function.ABS, Index(), 0, np.array([0, 1]), sparse([{1: 1.0}]), np.zeros(1)
    )
    model = quadratic().with_(functions=(absolute,))
    with pytest.raises(TreemipError, match="MathOptFormat has no 'abs'"):
        write_mof(model, tmp_path / "m.mof.json")
    with pytest.raises(TreemipError, match="MathOptFormat has no section of lazy constraints"):
        write_mof(every_bound(), tmp_path / "m.mof.json", cuts="lazy")
    assert list(tmp_path.iterdir()) == []
