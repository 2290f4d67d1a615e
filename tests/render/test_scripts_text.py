"""The text of scripts: whole ones, their names, and what is refused."""

from __future__ import annotations

import ast
import builtins
import subprocess
import sys

import pytest
from exported import (
    BINARY,
    CREDIT,
    FORMULATIONS,
    MRCT,
    NONLINEAR,
    ONE,
    QUADRATIC,
    SIDES,
    SMALL,
    compiled,
)

import treemip
from treemip.api.exporting import script_files
from treemip.core.source.diagnostic import TreemipError
from treemip.writers.render.names import FRAME, Names
from treemip.writers.render.python import program
from treemip.writers.render.python.program import PACKAGES as TARGETS

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
@pytest.mark.parametrize("name", [*FORMULATIONS, "attained", "mm_svm_oct", "mrct_sparse"])
def test_names_of_the_frame_are_kept_from_the_spec(target, name, monkeypatch):
    """Nothing at the top of a script is defined twice, and FRAME has all that templates define."""
    monkeypatch.setattr(program, "pruned", lambda text: text)
    text = {**FORMULATIONS, **SIDES, **QUADRATIC, **NONLINEAR}[name]
    if name in NONLINEAR and target in ("cvxpy", "gurobipy"):
        text = FORMULATIONS["oct"]
    script, _ = compiled(text).to_script(target)
    frame, _, own = script.partition("# ----------------------------------------------------------")
    assert set(_defined(frame)) <= FRAME
    mine = [n for n in _defined(own) if n not in ("objective", "solve", "main")]
    assert len(mine) == len(set(mine))
    assert not set(mine) & (FRAME | set(dir(builtins)))


@pytest.mark.parametrize("target", TARGETS)
def test_scripts_have_no_dead_code_and_no_long_lines(target, tmp_path):
    """Ruff finds no name that is not used, none that is not defined, and 100 columns kept."""
    pytest.importorskip("ruff")
    texts = {**FORMULATIONS, **SIDES, **QUADRATIC}
    if target in ("pyomo", "pyscipopt"):
        texts |= NONLINEAR
    for name, text in texts.items():
        script, _ = compiled(text).to_script(target)
        assert "treemip" not in script.partition('"""\n')[2]
        (tmp_path / f"{name}.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--line-length=100"]
    command += ["--no-cache", "--select=F,E501,E7,B", "--ignore=E741,B905,B023,E731", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


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


@pytest.mark.parametrize("target", ["cvxpy", "gurobipy"])
def test_nonlinear_models_are_refused_where_they_become_so(target):
    with pytest.raises(TreemipError) as raised:
        compiled(NONLINEAR["mrct"]).to_script(target)
    (found,) = raised.value.diagnostics
    assert (found.code, found.span.text[:8]) == ("E601", "logistic")
    assert found.message == (
        f"scripts for {target} can state linear and quadratic models only, and this is nonlinear"
    )
    assert "pyomo, pyscipopt" in found.remedy


def test_what_scip_cannot_compute_is_refused_there():
    with pytest.raises(TreemipError) as raised:
        compiled(MRCT.replace("gamma = 6", "gamma = 512")).to_script("pyscipopt")
    (found,) = raised.value.diagnostics
    assert (found.code, found.span.text[:8]) == ("E601", "logistic")
    assert found.message == "SCIP cannot compute 'logistic' of -898.844 .. 898.844"


def test_products_that_are_not_convex_are_refused_by_cvxpy():
    text = QUADRATIC["mm_svm_oct"] + ' subject to a: coef[root,"age"] * coef[root,"amount"] <= 1;'
    assert refusal(text, "cvxpy") == (
        "E601: cvxpy takes products of variables that are not binary where they are convex only, "
        "and these are not"
    )
    both = QUADRATIC["margot_norm2"] + " subject to a: 1 <= normsq(coef[root,*]) <= 2;"
    assert refusal(both, "cvxpy").startswith("E601: cvxpy takes products")


@pytest.mark.parametrize("target", ["cvxpy", "pyomo"])
def test_products_without_bounds_are_refused(target):
    text = BINARY + ONE + "split univariate by oct; var far >= 0; minimize far * active[root];"
    text += " subject to cap: far <= 3;"
    assert refusal(text, target) == (
        "E601: a product of a binary with a variable that is declared without bounds needs "
        "another package"
    )


def test_an_unknown_package():
    assert refusal(FORMULATIONS["oct"], "gams") == "E902: there are no scripts for 'gams'"


@pytest.mark.parametrize("target", TARGETS)
def test_a_function_of_a_bound_index_is_refused_where_it_stands(target):
    text = SMALL + ONE + "split univariate by binoct; subject to"
    text += " a {f in features, d in 0..max_depth(code[f])}: bit[root,d] <= coef[root,f];"
    with pytest.raises(TreemipError) as raised:
        compiled(text).to_script(target)
    (found,) = raised.value.diagnostics
    assert found.span.text == "max_depth(code[f])"
    assert found.message == "'max_depth' of a bound index cannot be exported"
    assert found.remedy


@pytest.mark.parametrize("target", ["pyomo", "gurobipy", "ampl"])
def test_a_function_of_products_that_needs_binaries_is_refused(target):
    text = "var a binary; var v >= -1, <= 2; minimize v; subject to r: abs(a * v) >= 0.5;"
    with pytest.raises(
        treemip.TreemipError, match="products where its value must be exact"
    ) as caught:
        script_files(treemip.loads(text).compile(), target, "model")
    assert caught.value.diagnostics[0].code == "E601"
