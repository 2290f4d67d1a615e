"""MathOptFormat files read back by a strict reader, over random models."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mps_reader
import pytest
from emit_models import INF, every_bound, quadratic
from emit_random import models
from hypothesis import assume, given
from test_lp_readers import check
from test_mps_readers import MANY
from test_profiles import indicators, quadratic_row

from treemip.emit.mof import write_mof
from treemip.model.model import Model
from treemip.source.diagnostic import TreemipError

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


@given(model=models())
@MANY
def test_a_strict_reader_reads_the_model_back(model: Model) -> None:
    assume(model.column_count)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mof.json"
        told = write_mof(model, path)
        content = read(path.read_text())
    check(model, content, 1.0)
    assert (told.rows, told.columns) == (len(content.rows), model.column_count)


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
    assert function(row["function"]) == (
        {},
        {("x", "x"): 2, ("x", "y"): 1, ("y", "y"): 2},
        0,
    )
    assert row["set"] == {"type": "LessThan", "upper": 3}


def test_what_it_has_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TreemipError, match="MathOptFormat has no implications"):
        write_mof(indicators()[0], tmp_path / "m.mof.json")
    with pytest.raises(TreemipError, match="MathOptFormat has no section of lazy constraints"):
        write_mof(every_bound(), tmp_path / "m.mof.json", cuts="lazy")
    assert list(tmp_path.iterdir()) == []
