"""The text of scripts: whole ones, their names, and what is refused."""

from __future__ import annotations

import ast
import builtins

import pytest
from exported import BINARY, CREDIT, FORMULATIONS, ONE, SIDES, compiled

from treemip.scripts.names import FRAME, Names
from treemip.scripts.python.render import TARGETS
from treemip.source.diagnostic import TreemipError

pytest.importorskip("jinja2", reason="templates are filled by jinja2")

# implications with and without an M of their own, abs that must be attained, a definition
GOLDEN = (
    CREDIT.replace("label class", "use age, amount; label class")
    + ONE
    + """split oblique by soct;
let tilt {t in branches} = sum {j in features} abs(coef[t,j]);
maximize found: sum {i in points} weight[i] * correct[i] - 0.5 * features_used;
subject to
  steep {t in branches}: tilt[t] >= 0.25 * active[t];
"""
)


@pytest.mark.parametrize("target", TARGETS)
def test_a_whole_script(target, golden):
    script, data = compiled(GOLDEN).to_script(target)
    golden(f"golden/{target}.txt", script)
    golden("golden/data.json", data)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", [*FORMULATIONS, "attained"])
def test_names_of_the_frame_are_kept_from_the_spec(target, name):
    """Nothing at the top of a script is defined twice, and FRAME has all that templates define."""
    text = {**FORMULATIONS, **SIDES}[name]
    if (target, name) == ("cvxpy", "mm_svm_oct"):
        text = FORMULATIONS["oct"]
    script, _ = compiled(text).to_script(target)
    frame, _, own = script.partition("# ----------------------------------------------------------")
    assert set(_defined(frame)) <= FRAME
    mine = [n for n in _defined(own) if n not in ("objective", "solve", "main")]
    assert len(mine) == len(set(mine))
    assert not set(mine) & (FRAME | set(dir(builtins)))


def _defined(text: str) -> list[str]:
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign):
            found += [t.id for t in node.targets if isinstance(t, ast.Name)]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found += [a.asname or a.name for a in node.names]
    return found


def test_names_move_aside():
    names = Names()
    assert names.of("a", "lambda") == "lambda_"
    assert names.of("a", "anything") == "lambda_"
    assert names.fresh("values(sex)") == "values_sex"
    assert names.bound("i", set()) == "i"
    assert names.fresh("i") == "i_"
    assert names.bound("sum", set()) == "sum_"
    assert names.bound("i", {"i"}) == "i__"


def refusal(text: str, target: str) -> str:
    with pytest.raises(TreemipError) as raised:
        compiled(text).to_script(target)
    (found,) = raised.value.diagnostics
    assert found.remedy
    return f"{found.code}: {found.message}"


@pytest.mark.parametrize("target", TARGETS)
def test_nonlinear_models_are_refused(target):
    said = refusal(CREDIT + ONE + "split randomized by mrct;", target)
    assert said == "E601: nonlinear models cannot be exported as scripts"


def test_quadratic_models_are_refused_by_cvxpy():
    said = refusal(FORMULATIONS["mm_svm_oct"], "cvxpy")
    assert said == "E601: cvxpy with integers takes no products of variables that are not binary"


@pytest.mark.parametrize("target", ["cvxpy", "pyomo"])
def test_products_without_bounds_are_refused(target):
    text = BINARY + ONE + "split univariate by oct; var far >= 0; minimize far * active[root];"
    text += " subject to cap: far <= 3;"
    assert refusal(text, target) == (
        "E601: a product of a binary with a variable that is declared without bounds needs "
        "another package"
    )


def test_an_unknown_package():
    assert refusal(FORMULATIONS["oct"], "ampl") == "E902: no scripts can be written for 'ampl'"
