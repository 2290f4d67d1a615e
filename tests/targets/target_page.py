"""docs/targets.md, made of the table's declarations, which the tests prove.

python tests/targets/target_page.py docs/targets.md
"""

from __future__ import annotations

import sys
from pathlib import Path

from target_axes import OWN, SOLVERS, TARGETS
from target_rules import UNSUPPORTED, rule_of
from target_table import CASES, Case

HEAD = """# Targets and solvers

<!-- Made by `python tests/targets/target_page.py docs/targets.md`; do not edit. -->

What was solved through which target by which solver. Every formulation of the library stands here
with tiny data (4 or 8 points, one or three branches, within the limits of the free licences). Every
cell is run by [tests/targets](../tests/targets) (`make test` runs one of each kind and reason,
`make truth` the others): **yes** means that the solver's answer has the
optimum that stands with the formulation, to 1e-6, and that its tree was verified and gets as many
points wrong; a number is the reason, at the end of the page, why not, and the test fails when
such a cell begins to work. An empty cell cannot be.

| target | is |
|---|---|
| `mps`, `lp`, `mof.json`, `nl` | `treemip compile -o model.mps` and so on, portable |
| `mps --fixed` | MPS in fixed columns, with short names |
| `mps --for`, `lp --for` | the file written for the solver of the column |
| `solve` | `treemip solve --solver NAME` |
| `to_highs` and the other `to_` | `Compiled.to_highs()`, solved by the tool's own call |

Solvers get a tolerance of 1e-9 where they take one. `gurobi`, `cplex`, `xpress` and `copt` are the
PyPI packages without a licence; `cbc`, `glpk` and `lp_solve` are Debian's programs; `cpsat` is
OR-Tools' CP-SAT, which proves nothing of models with real columns; `ortools` is its own reader and
its SCIP; `ipopt` is CasADi's, with its reader of NL files, and finds the
best of ten local solutions. SCIP gets MathOptFormat from a reader of the tests, since none but JuMP
reads it. In the row `to_mosek` HiGHS solves the file that MOSEK writes of its model. MOSEK
itself solves nothing without a licence and is not here. Programs of `treemip export` are run by
tests/render.
"""


def page() -> str:
    reasons: list[str] = list(dict.fromkeys(rule.why for rule in UNSUPPORTED))
    sections = [_section(name, case, reasons) for name, case in CASES.items()]
    listed = [f"{k}. {_sentence(why)}" for k, why in enumerate(reasons, 1)]
    return "\n".join([HEAD, *sections, "## Reasons", "", *listed]) + "\n"


def _section(name: str, case: Case, reasons: list[str]) -> str:
    errors = f"{case.errors} error" + "s" * (case.errors != 1)
    lines = [f"## {name}", "", f"{case.kind}; optimum {case.optimum:.9g}, {errors}", ""]
    lines += [_row(["target", *SOLVERS]), _row(["---"] * (1 + len(SOLVERS)))]
    for target in TARGETS:
        marks = [_mark(name, target, solver, reasons) for solver in SOLVERS]
        lines.append(_row([f"`{target}`", *marks]))
    return "\n".join([*lines, ""])


def _mark(formulation: str, target: str, solver: str, reasons: list[str]) -> str:
    if OWN.get(target, solver) != solver:
        return ""
    rule = rule_of(formulation, target, solver)
    return "yes" if rule is None else str(1 + reasons.index(rule.why))


def _row(items: list[str]) -> str:
    return "| " + " | ".join(items) + " |"


def _sentence(why: str) -> str:
    return why[0].upper() + why[1:] + "."


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
