"""Formulations that are not the library's: what decides is what a spec means.

Copies of the library's formulations under other names are proven like these, and own variables,
rows and objectives are held against a solver that has neither start nor engine.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from renamed import renamed, wholly_renamed
from suite import one_in

import treemip
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.univariate import fits
from treemip.api.result import Result

ROOT = Path(__file__).parents[2]
DATA = ROOT / "specs" / "data"
CREDIT = "use duration, amount, age;"
LIBRARY = {
    "oct": f"label class; {CREDIT} scale minmax;",
    "binoct": f"label class; {CREDIT}",
    "flow_oct": f"label class; {CREDIT} bin quantile(4);",
    "ort": "label amount number; use duration, age; scale minmax;",
}


@pytest.mark.parametrize(("rename", "name"), one_in(3, [renamed, wholly_renamed], LIBRARY))
def test_a_renamed_copy_is_proven_like_the_librarys(
    rename: Callable[[str, str], str], name: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.tree").write_text(rename(name, "mine"))
    found = []
    for by in (name, "mine"):
        spec = tmp_path / "spec.tree"
        spec.write_text(
            f'data "{DATA}/credit-24.csv" {{ {LIBRARY[name]} }} topology complete(depth = 2);\n'
            f"split univariate by {by};\n"
        )
        found.append(treemip.load(spec).compile().solve(time_limit=30))
    demand_same(*found)


def test_a_renamed_prescriptive_formulation_is_proven_like_the_librarys(tmp_path: Path) -> None:
    text = (ROOT / "specs" / "trial.tree").read_text().replace('"data/', f'"{DATA}/')
    (tmp_path / "mine.tree").write_text(renamed("prescriptive_dr", "mine"))
    (tmp_path / "spec.tree").write_text(text.replace("by prescriptive_dr", "by mine"))
    (tmp_path / "own.tree").write_text(text)
    names = ("own.tree", "spec.tree")
    demand_same(*(treemip.load(tmp_path / n).compile().solve(time_limit=30) for n in names))


def demand_same(one: Result, other: Result) -> None:
    assert one.optimality is not None and other.optimality is not None
    assert (one.verdict, one.answer.solver) == (other.verdict, other.answer.solver)
    assert other.optimality.proven and other.optimality.by == "an exact engine"
    assert other.objective == pytest.approx(one.objective)


# -------------------------------------------------------------------- against a solver

GROUP = """let mistakes {g in values(sex)} = sum {i in points : sex[i] = g} (1 - correct[i]);
var worst >= 0 means max {g in values(sex)} mistakes[g];
"""
RATE = """let rate {g in values(sex)} =
  sum {i in points : sex[i] = g} predicts[i,"1"] / card({i in points : sex[i] = g});
var apart >= 0 means abs(rate["a"] - rate["b"]);
"""
OWN = {
    "worst group": GROUP
    + """minimize worst + 0.01 * misclassified;
subject to least {g in values(sex)}: worst >= mistakes[g];""",
    "parity": RATE
    + """minimize misclassified + 3 * apart;
subject to one: apart >= rate["a"] - rate["b"]; other: apart >= rate["b"] - rate["a"];""",
    "worst group by its rows": GROUP.replace("means max {g in values(sex)} mistakes[g]", "")
    + """minimize worst + 0.01 * misclassified;
subject to least {g in values(sex)}: worst >= mistakes[g];""",
    "parity by its rows": RATE.replace('means abs(rate["a"] - rate["b"])', "")
    + """minimize misclassified + 3 * apart;
subject to one: apart >= rate["a"] - rate["b"]; other: rate["b"] - rate["a"] <= apart;""",
    "own counts": """var n {l in leaves} integer >= 0; var m {k in classes} >= 0;
minimize sum {k in classes} (1 + ord(k)) * m[k] + 0.1 * splits;
subject to size {l in leaves}: n[l] = points_in[l]; most {l in leaves}: n[l] <= 5;
  wrong {k in classes}: sum {i in points : y[i] = k} (1 - correct[i]) = m[k];""",
    "depth used": """minimize misclassified
  + 0.4 * (max {t in branches} (1 + depth(t)) * active[t]);""",
    "errors of far classes": """minimize sum {i in points, k in classes}
  abs(ord(k) - ord(y[i])) * predicts[i,k] + 0.3 * splits;""",
    "first split": 'minimize misclassified; subject to first: coef[root,"a0"] = 1;',
    "first split with sizes": """minimize misclassified; subject to first: coef[root,"a0"] = 1;
  size {l in leaves}: points_in[l] >= 2 * occupied[l];""",
    "tied": """minimize misclassified;
subject to tied {t in branches, j in features : t != root}: coef[t,j] = coef[left(root),j];""",
    "place of a threshold": "minimize misclassified; subject to low: bias[root] <= 0.3;",
    "implication": """minimize misclassified; subject to
  after {t in branches : t != root}: coef[root,"a0"] = 1 ==> coef[t,"a0"] = 0;""",
    "price of a threshold": "minimize misclassified + 0.3 * bias[root];",
    "price of a branch": "minimize misclassified + 0.6 * active[root] + 0.2 * splits;",
    "price of an own variable": """var more binary; var less >= 0, <= 2;
minimize misclassified + 0.7 * more - 0.1 * less; subject to few: splits + less <= 2 + more;""",
    "rewarded depth": """minimize misclassified
  - 0.3 * (max {t in branches} (1 + depth(t)) * active[t]);""",
    "implication of leaves": """minimize misclassified; subject to
  enough {l in leaves}: label[l,"1"] = 1 ==> points_in[l] >= 3;""",
    "own variable": """var more binary;
minimize misclassified; subject to few: splits <= 1 + more;""",
    "rewarded loss": "minimize 0 - sum {l in leaves} loss[l];",
}
PROVEN = (
    "worst group",
    "worst group by its rows",
    "parity",
    "parity by its rows",
    "own counts",
    "depth used",
    "errors of far classes",
)


def points(seed: int) -> dict[str, list[object]]:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 3, (7, 2)) / 2, rng.integers(0, 2, 7)
    x[:2], y[:2] = [[0, 1], [1, 0]], [0, 1]
    sex = np.array(list("abababa"))
    columns: dict[str, list[object]] = {f"a{j}": x[:, j].tolist() for j in range(2)}
    return columns | {"c": [str(k) for k in y], "sex": sex.tolist()}


def compiled(name: str, seed: int) -> treemip.Compiled:
    depth = 1 if name == "price of a threshold" else 2  # which takes long
    text = (
        f'data "t" {{ label c; group sex; use a0, a1; }} topology complete(depth = {depth});'
        f"split univariate by oct;\n{OWN[name]}"
    )
    return treemip.loads(text, data=points(seed)).compile()


@pytest.mark.parametrize(("seed", "name"), one_in(2, range(2), OWN))
def test_the_answer_is_that_of_a_solver_alone(seed: int, name: str) -> None:
    """Rows that the engine does not know prove nothing false."""
    result = compiled(name, seed).solve(time_limit=30)
    alone = compiled(name, seed).solve("scip", start="none", time_limit=30)
    assert alone.status == "optimal"
    assert result.objective == pytest.approx(alone.objective)
    assert result.answer.bound is not None and result.answer.bound <= alone.objective + 1e-6
    if name in PROVEN:
        assert result.optimality is not None and result.optimality.proven
        assert result.answer.solver in ("engine", "search")


def test_a_note_says_what_stands_in_the_way_of_an_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def notes() -> list[str]:
        result = compiled("rewarded loss", 0).solve(time_limit=30)
        return [n.message for n in result.warnings if "exact engine" in n.message]

    (note,) = notes()
    assert note.endswith("; the solver has the proof")
    monkeypatch.setattr("treemip.api.solving.SETTLED", ())
    (note,) = notes()
    assert note.startswith("the best tree of the exact engine breaks 1 row of 'loss_high'")


@pytest.mark.parametrize(
    ("split", "label", "why"),
    [
        ("ort_linear", "number", "the values of its leaves depend on features"),
        ("ort_linear(squared = 1)", "number", "the values of its leaves depend on features"),
    ],
)
def test_leaves_that_are_no_single_answer_are_not_the_engines(
    split: str, label: str, why: str
) -> None:
    text = f'data "t" {{ label y {label}; scale minmax; }} topology complete(depth = 1);'
    data = {"a": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 2.0, 5.0, 4.0] if label else list("nnyy")}
    instance = treemip.loads(f"{text} split univariate by {split};", data).instance
    assert fits(instance, summed(instance)) == why
