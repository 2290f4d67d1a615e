"""AMPL's files as text: whole ones, what each mentions declared before, terms written out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from exported import FORMULATIONS, NONLINEAR, ONE, QUADRATIC, SIDES, SMALL, compiled
from test_scripts_text import GOLDEN

import treemip
from treemip.api.exporting import script_files
from treemip.core.resolve import typed as t
from treemip.writers.render.ampl.dialect import substituted
from treemip.writers.render.ampl.layout import WIDTH
from treemip.writers.render.names import AMPL

WHOLE = {
    "linear": GOLDEN,
    "quadratic": QUADRATIC["margot_norm2"],
    "nonlinear": NONLINEAR["mrct_sparse"],
}
ALL = {**FORMULATIONS, **SIDES, **QUADRATIC, **NONLINEAR}
DECLARED = re.compile(r"^(?:set|param|var|s\.t\.|minimize|maximize) (\w+)", re.M)
WORDS = {
    *("set", "param", "var", "minimize", "maximize", "symbolic", "binary", "integer", "in", "not"),
    *("and", "or", "if", "then", "else", "sum", "prod", "max", "min", "card", "abs", "exp", "log"),
    *("sqrt", "tanh", "ceil", "floor", "round", "dimen"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_files(name, golden):
    for file, text in script_files(compiled(WHOLE[name]), "ampl", name).items():
        golden(f"golden/ampl/{file}", text)


@pytest.mark.parametrize("name", ALL)
def test_every_name_is_declared_once_and_before_its_use(name):
    files = script_files(compiled(ALL[name]), "ampl", "m")
    model = _bare(files["m.mod"])
    declared = DECLARED.findall(model)
    assert len(declared) == len(set(declared))
    assert not AMPL & set(declared)
    known: set[str] = set()
    for statement in model.split(";"):
        own = DECLARED.findall(statement.strip())
        dummies = set(re.findall(r"[{,] *(\w+) in ", statement))
        for parts in re.findall(r"\(([\w, ]+)\) in ", statement):
            dummies |= set(re.findall(r"\w+", parts))
        names = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", statement)) - {"s", "t"} - dummies
        names |= {n for n in ("s", "t") if re.search(rf"(?<![\w.]){n}(?![\w.])", statement)}
        assert names - dummies - set(own) - WORDS <= known, statement
        assert not dummies & known, statement
        known |= set(own)


@pytest.mark.parametrize("name", ALL)
def test_the_data_file_has_what_the_model_lacks_and_nothing_else(name):
    files = script_files(compiled(ALL[name]), "ampl", "m")
    statements = _bare(files["m.mod"]).split(";")
    wanted = {
        DECLARED.match(s.strip())[1]
        for s in statements
        if re.match(r"(?:set|param) ", s.strip()) and ":=" not in s
    }
    assert wanted == set(re.findall(r"^(?:set|param) (\w+)", files["m.dat"], re.M))
    objective = re.search(r"^(?:minimize|maximize) (\w+)", _bare(files["m.mod"]), re.M)[1]
    assert f'printf "objective %.17g\\n", {objective};' in files["m.run"]


@pytest.mark.parametrize("name", ALL)
def test_lines_fit_where_they_can_be_broken(name):
    model = script_files(compiled(ALL[name]), "ampl", "m")["m.mod"]
    long = [line for line in model.splitlines() if len(line) > WIDTH]
    assert not long


def _bare(model: str) -> str:
    """Without comments and quoted texts."""
    return re.sub(r"'(?:[^']|'')*'", "''", re.sub(r"#.*", "", model))


def test_numbers_keep_all_their_digits():
    random = np.random.default_rng(0)
    frame = {"a": random.random(40).tolist(), "b": (random.random(40) * 1e-9).tolist()}
    frame["class"] = ["p" if r % 3 else "q" for r in range(40)]
    text = """data "memory" { label class; }
topology complete(depth = 1);
split univariate by binoct;
"""
    data = script_files(treemip.loads(text, data=frame).compile(), "ampl", "m")["m.dat"]
    rows = re.search(r"param x : 'a' 'b' :=\n(.*?);", data, re.S)[1].split()
    assert [float(v) for v in rows[1::3]] == frame["a"]
    assert [float(v) for v in rows[2::3]] == frame["b"]


def test_files_with_blanks_in_their_names():
    run = script_files(compiled(FORMULATIONS["oct"]), "ampl", "my model")["my model.run"]
    assert "model 'my model.mod';\ndata 'my model.dat';" in run


@pytest.mark.parametrize("name", ["two\nlines", "two\r\nlines"])
def test_names_of_several_lines_are_refused(name):
    data = {name: [0.0, 1.0, 0.5, 0.25], "k": ["a", "b", "a", "b"]}
    text = 'data "memory" { label k; } topology complete(depth = 1); split oblique by soct;'
    made = treemip.loads(text, data=data).compile()
    with pytest.raises(treemip.TreemipError, match="AMPL has no names of several lines") as raised:
        script_files(made, "ampl", "model")
    assert raised.value.diagnostics[0].code == "E601"


def objective(text):
    spec = treemip.loads(text).spec
    return spec.objective.value


def test_every_mention_is_replaced_and_the_rest_kept():
    text = SMALL + ONE + "split oblique by octh; term tilt(most) ="
    text += " sum {t in branches : depth(t) < most} max(0, active[t] - most);"
    text += " minimize misclassified + tilt(0.5);"
    mention = objective(text).right
    assert mention.symbol.parameters == ("most",)
    value = mention.symbol.value
    found = substituted(value, {"most": mention.arguments[0]})
    assert "most" in value.free
    assert not found.free
    assert found.binders[0].conditions[0].right == t.Const(value=0.5, span=value.span)
    assert substituted(value, {}) is value
    assert substituted(value, {"least": mention.arguments[0]}) is value
