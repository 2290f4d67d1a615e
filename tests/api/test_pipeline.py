"""The page of the path: its stages, that none changes what another gave it, and the loop back where
numbers press variables."""

from __future__ import annotations

import dataclasses
import json
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treemip
from treemip.api import program as programs
from treemip.instance import side_tables
from treemip.lower import bind
from treemip.model.text import to_text
from treemip.source.diagnostic import TreemipError

CSV = "a,b,class\n0,0,no\n0,1,no\n1,0,yes\n1,1,yes\n"
PLAIN = """data "small.csv" { label class; encode onehot; }
topology complete(depth = 1);
split univariate by flow_oct;
"""
PRESSED = PLAIN + "minimize misses: sum {i in points, t in nodes} hit[i,t];\n"


@pytest.fixture
def base(tmp_path) -> Path:
    (tmp_path / "small.csv").write_text(CSV)
    return tmp_path


def test_rows_come_in_where_they_are_pressed(base):
    plain, pressed = (treemip.loads(text, base=base).compile() for text in (PLAIN, PRESSED))
    assert "hit_least" not in [r.name for r in plain.stated.rows]
    assert "hit_least" in [r.name for r in pressed.stated.rows]
    assert pressed.instance.spec.pressed == {("hit", "falls")}


def test_a_model_that_cannot_be_reformulated_is_lowered(base):
    text = PLAIN + "var load;\nvar on binary;\nsubject to r: on = 1 ==> load <= 3;\n"
    compiled = treemip.loads(text, base=base).compile()
    assert "==>" in to_text(compiled.stated)
    with pytest.raises(TreemipError) as error:
        _ = compiled.model
    assert error.value.diagnostics[0].code == "E501"


def test_a_program_keeps_its_spec_where_its_model_has_more_rows(base):
    program = treemip.loads(PRESSED, base=base)
    spec, instance = program.spec, program.instance
    compiled = program.compile()
    assert (program.spec, program.instance) == (spec, instance)
    assert compiled.instance.spec is compiled.program.spec is not spec
    assert compiled.program.instance is compiled.instance is not instance


def test_a_stage_is_made_once_and_not_before_it_is_asked_for(base, monkeypatch):
    made = []
    homes = {"parse": programs, "resolve": programs, "read": side_tables, "bind": bind}
    for name, home in homes.items():
        stage = getattr(home, name)

        def counted(*given, name=name, stage=stage, **named):
            made.append(name)
            return stage(*given, **named)

        monkeypatch.setattr(home, name, counted)
    program = treemip.loads(PLAIN, base=base)
    assert made == ["parse", "resolve"]
    program.compile()
    program.compile()
    assert made == ["parse", "resolve", "read", "bind"]


# -------------------------------------------- What a stage gives is not changed by later ones

EMPTY = """let none = sum {i in points, j in features : x[i,j] > 9} x[i,j];
var z <= 1;
subject to r: z + none <= 1;
"""
CACHES = ("lookups", "_made")
"""Fields of an instance that only keep what follows from the others."""


def held(value: Any, seen: dict[int, Any] | None = None) -> Any:
    """All that an object of the path holds, to be compared: fields, and no caches."""
    seen = {} if seen is None else seen
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tolist()
    if dataclasses.is_dataclass(value) or isinstance(value, tuple | list | dict | frozenset):
        if id(value) in seen:
            return "seen before"
        seen[id(value)] = value
    if dataclasses.is_dataclass(value):
        names = [f.name for f in dataclasses.fields(value) if f.name not in CACHES]
        own = {name: getattr(value, name) for name in names}
        kept = {
            k for k in vars(value) if isinstance(getattr(type(value), k, None), cached_property)
        }
        assert vars(value).keys() - kept - {*CACHES} == own.keys()
        return type(value).__name__, held(own, seen)
    if isinstance(value, dict):
        return [(held(key, seen), held(each, seen)) for key, each in value.items()]
    if isinstance(value, tuple | list):
        return [held(each, seen) for each in value]
    if isinstance(value, frozenset):
        return sorted(map(repr, value))
    return repr(value) if not hasattr(value, "__dict__") else held(vars(value), seen)


@pytest.mark.parametrize("text", [PLAIN, PRESSED, PLAIN + EMPTY])
def test_no_stage_changes_what_another_gave_it(base, text):
    program = treemip.loads(text, base=base)
    before: dict[str, tuple[Any, Any]] = {}

    def given(**products: Any) -> None:
        for name, (product, was) in before.items():
            assert held(product) == was, f"{name} has changed by {', '.join(products)}"
        for name, product in products.items():
            assert type(product).__dataclass_params__.frozen, name
            before[name] = product, held(product)

    given(file=program.file)
    given(spec=program.spec)
    given(data=program.data)
    given(instance=program.instance)
    compiled = program.compile()
    given(lowered=compiled.lowered)
    given(reformed=compiled.reformed)
    result = compiled.solve("highs", start="none")
    given(answer=result.answer, report=result.report)
    result.others, result.train_score, result.near_optimal(2, 0.5, 0.1)
    given()


def test_warnings_of_a_stage_are_in_what_it_gives(base):
    compiled = treemip.loads(PLAIN + EMPTY, base=base).compile()
    assert [w.code for w in compiled.lowered.model.warnings] == ["W401"]
    assert "W401" not in [w.code for w in compiled.instance.warnings]
    assert compiled.warnings == compiled.program.compile().warnings


# --------------------------------- The time each stage took, as a result and its tree.json have it

X = np.arange(12.0).reshape(6, 2)
TEXT = 'data "t" { label class; scale minmax; } topology complete(depth = 1); '


def test_a_solve_says_what_reading_compiling_and_verifying_took(tmp_path: Path) -> None:
    program = treemip.loads(TEXT + "split oblique by soct;", (X, np.arange(6) % 2))
    result = program.compile().solve("highs")
    stages = ["read", "compile", "search", "start", "solve", "verify"]
    assert list(result.seconds) == stages
    assert all(seconds > 0 for seconds in result.seconds.values())
    result.save(tmp_path / "tree.json")
    said = json.loads((tmp_path / "tree.json").read_text())["seconds"]
    assert said == {stage: round(seconds, 6) for stage, seconds in result.seconds.items()}


def test_a_second_compile_does_not_read_again() -> None:
    program = treemip.loads(TEXT + "split oblique by soct;", (X, np.arange(6) % 2))
    first, second = program.compile(), program.compile()
    assert first.seconds is not second.seconds
    assert second.seconds["read"] < 1e-3
