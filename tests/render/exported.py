"""Small specs, and their scripts run in a fresh process in which treemip cannot be imported."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import treemip

SPECS = Path(__file__).parents[2] / "specs"
CREDIT = 'data "loans.csv" { label class positive "good"; group sex; scale minmax; }\n'
BINARY = 'data "loans.csv" { label class positive "good"; group sex; bin quantile(2); }\n'
ONE, TWO = "topology complete(depth = 1);\n", "topology complete(depth = 2);\n"

FORMULATIONS = {
    "binoct": CREDIT + ONE + "split univariate by binoct;",
    "flow_oct": BINARY + ONE + "split univariate by flow_oct; minimize misclassified + splits;",
    "margot": CREDIT + TWO + "split margin by margot; minimize l1 + hinge;",
    "oct": CREDIT + ONE + "split univariate by oct;",
    "octh": CREDIT + ONE + "split oblique by octh; minimize misclassified + 0.1 * l1 + 0.2 * linf;"
    " subject to all: points_in[root] <= 12;",
    "soct": CREDIT + ONE + "split oblique by soct;",
    "svm1_odt": CREDIT + ONE + "split oblique by svm1_odt; strategy { cuts leaf_purity; }",
}
SIDES = {
    # a sum of binaries times a binary, which the formulation's own label is
    "products": BINARY + ONE + 'split univariate by flow_oct; minimize confusion["good","bad"];',
    "attained": CREDIT + ONE + "split oblique by octh; subject to"
    ' a {t in branches}: max(coef[t,"age"], coef[t,"amount"]) >= 0.3;'
    " b {t in branches}: min {j in features} coef[t,j] <= -0.25;"
    " c {t in branches}: norminf(coef[t,*]) >= 0.4;",
    "sets": CREDIT
    + ONE
    + """split univariate by oct;
        set doses = {"low", "high"};
        set alike = {i in points, k in points : ord(i) < ord(k) and x[i,"age"] = x[k,"age"]};
        set own {k in classes} = {(i, h) in alike, a in doses : y[i] = k};
        param price {j in features} = table("age": 0.1, "amount": 2, default = 3);
        param swap {k in classes, h in classes} = table("good": table("bad": 1, default = 0),
          default = table("good": 5, default = 0));
        param dose {a in doses} = table("low": 1, "high": 2);
        set some = {j in features : j in {"age", "amount"}};
        var given {i in points, a in doses} binary;
        var together {(i, k) in alike} binary;
        var amount {k in classes, (i, h, a) in own[k]} >= 0;
        minimize misclassified + 0.1 * sum {j in features} price[j] * uses_anywhere[j]
          + 0.01 * sum {i in points, a in doses} dose[a] * given[i,a]
          + 0.1 * sum {(i, k) in alike} together[i,k] + sum {k in classes, h in classes} swap[k,h]
          + 0.1 * sum {k in classes, (i, h, a) in own[k]} dose[a] * amount[k,i,h,a]
          + card(own["good"]) + card({i in points, a in doses : y[i] = "bad"});
        subject to
          one {i in points}: sum {a in doses} given[i,a] = 1;
          high {i in points : ord(i) <= 3}: given[i,"high"] >= 1;
          both {(i, k) in alike : i != k}: together[i,k] >= given[k,"high"] - given[i,"low"];
          any {i in points, k in points : (i, k) in alike and (k, i) not in alike}:
            given[i,"high"] + given[k,"low"] >= 1;
          least {k in classes, (i, h, a) in own[k]}: amount[k,i,h,a] >= ord(a) + ord(k);
          few: sum {j in some} uses_anywhere[j] <= 1;""",
    "prices": CREDIT + ONE + "split oblique by octh; param B = 1; minimize misclassified"
    " + 0.5 * sum {t in branches} max(0, sum {j in features} uses[t,j] - B);",
}
SMALL = CREDIT.replace("label class", "use age, amount; label class")
QUADRATIC = {
    "margot_norm2": SMALL + TWO + "split margin by margot;",
    "mm_svm_oct": CREDIT + ONE + "split margin by mm_svm_oct;",
}
MRCT = SMALL + TWO + "split randomized by mrct(gamma = 6);"
NONLINEAR = {
    "mrct": MRCT,
    "mrct_explicit": MRCT.replace("gamma = 6", "gamma = 6, explicit = 1"),
    "mrct_sparse": MRCT + "minimize expected_cost + 0.1 * l0_local + 0.2 * log_global;",
    "powers": MRCT + "minimize expected_cost + 0.1 * appr1_global(q = 0.5)"
    ' + sum {t in branches} 2 ^ bias[t] + sqrt(1.5 + coef[root,"age"])'
    " / (2 + bias[root]);",
}

RUNNER = """
import contextlib, io, json, runpy, sys
sys.modules["treemip"] = None  # importing it would fail
said = {}
for path in sys.argv[1:]:
    sys.argv = [path, "--values", path + ".values"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(path, run_name="__main__")
    said[path] = out.getvalue()
print(json.dumps(said))
"""


def constraint(name: str) -> str:
    """An example of specs/constraints with a tree of one split."""
    text = (SPECS / "constraints" / f"{name}.tree").read_text()
    return text.replace("../data/", "../../specs/data/").replace("depth = 2", "depth = 1")


@cache
def compiled(text: str) -> treemip.Compiled:
    return treemip.loads(text, base=Path(__file__).parent).compile()


@cache
def optimum(text: str, solver: str = "auto") -> float:
    """treemip's own, once for all tests that compare with it."""
    result = compiled(text).solve(solver=solver, start="none")
    assert result.status == "optimal"
    return result.objective


def run(folder: Path, target: str, models: dict[str, treemip.Compiled]) -> dict[str, dict]:
    """What the scripts of these models say, all in one process: status, objective, values."""
    paths = {}
    for name, model in models.items():
        paths[name] = folder / f"{name}.py"
        script, data = model.to_script(target, paths[name].name)
        paths[name].write_text(script, encoding="utf-8")
        (folder / f"{name}_data.json").write_text(data, encoding="utf-8")
    command = [sys.executable, "-I", "-c", RUNNER, *map(str, paths.values())]
    elsewhere = folder.anchor  # data are found beside the script, not where one happens to be
    done = subprocess.run(
        command, cwd=elsewhere, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    found = {}
    for name, path in paths.items():
        lines = dict(line.split(" ", 1) for line in said[str(path)].splitlines() if " " in line)
        values = Path(f"{path}.values")
        found[name] = {**lines, **(json.loads(values.read_text()) if values.is_file() else {})}
    return found
