"""The page of the path: its stages in order, and the loop back where numbers press variables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.api import pipeline
from treemip.api.pipeline import Stages, to_model
from treemip.core.model.text import to_text
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source

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


def walked(text: str, base: Path):
    return dict(to_model(Stages(Source("<text>", text), (), base), None, None))


@pytest.mark.parametrize("text", [PLAIN, PRESSED])
def test_the_page_gives_what_users_hold(base, text):
    program = treemip.loads(text, base=base)
    compiled = program.compile()
    stages = walked(text, base)
    assert list(stages) == ["parse", "resolve", "read", "bind", "lower", "reform"]
    assert stages["parse"] == program.file
    assert stages["resolve"].pressed == program.spec.pressed == frozenset()
    assert np.array_equal(stages["read"].train.x, program.data.train.x)
    assert stages["lower"].instance.spec.pressed == compiled.program.spec.pressed
    assert to_text(stages["lower"].model) == to_text(compiled.stated)
    assert to_text(stages["reform"].model) == to_text(compiled.model)


def test_rows_come_in_where_they_are_pressed(base):
    assert "hit_least" not in [r.name for r in walked(PLAIN, base)["lower"].model.rows]
    stages = walked(PRESSED, base)
    assert "hit_least" in [r.name for r in stages["lower"].model.rows]
    assert stages["lower"].instance.spec.pressed == {("hit", "falls")}
    assert stages["bind"].spec is stages["resolve"]


def test_a_model_that_cannot_be_reformulated_is_lowered(base):
    text = PLAIN + "var load;\nvar on binary;\nsubject to r: on = 1 ==> load <= 3;\n"
    walk = to_model(Stages(Source("<text>", text), (), base), None, None)
    stages = dict(next(walk) for _ in range(5))
    assert "==>" in to_text(stages["lower"].model)
    with pytest.raises(TreemipError) as error:
        next(walk)
    assert error.value.diagnostics[0].code == "E501"


def test_a_program_keeps_its_spec_where_its_model_has_more_rows(base):
    program = treemip.loads(PRESSED, base=base)
    spec, instance = program.spec, program.instance
    compiled = program.compile()
    assert (program.spec, program.instance) == (spec, instance)
    assert compiled.instance.spec is compiled.program.spec is not spec
    assert compiled.program.instance is compiled.instance is not instance


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


def test_a_stage_is_made_once_and_not_before_it_is_asked_for(base, monkeypatch):
    made = []
    for name in ("parse", "resolve", "read", "bind"):
        stage = getattr(pipeline, name)

        def counted(*given, name=name, stage=stage, **named):
            made.append(name)
            return stage(*given, **named)

        monkeypatch.setattr(pipeline, name, counted)
    program = treemip.loads(PLAIN, base=base)
    assert made == ["parse", "resolve"]
    program.compile()
    program.compile()
    assert made == ["parse", "resolve", "read", "bind"]
