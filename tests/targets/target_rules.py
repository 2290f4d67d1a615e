"""What does not work, each with the words it fails with and the reason: the one place for both.

A cell that fails and is not named here fails its test; so does one that is named here and works, or
fails with other words. Of several rules for a cell the first holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from target_axes import Cell
from target_table import CASES, KINDS, LINEAR, NONLINEAR, OBJECTIVE, ROWS

EVERY = ()
"""In place of names: all of them."""

INTEGER = (LINEAR, OBJECTIVE, ROWS)
MPS = ("mps", "mps --fixed")
FOR = ("mps --for", "lp --for")
PACKAGES = ("to_gurobi", "to_cplex", "to_xpress", "to_copt", "to_mosek")


@dataclass(frozen=True)
class Rule:
    """Cells by target, solver, and kind of model or formulation; `says`: a part of what is said."""

    targets: tuple[str, ...]
    solvers: tuple[str, ...]
    models: tuple[str, ...]
    says: str
    why: str

    def holds(self, formulation: str, target: str, solver: str) -> bool:
        named = formulation in self.models or CASES[formulation].kind in self.models
        return (
            (target in self.targets)
            and (solver in self.solvers or self.solvers == EVERY)
            and (named or self.models == EVERY)
        )


NO_READER = {
    "highs": "HiGHS does not read",
    "cbc": "CBC says",
    "glpk": "GLPK says",
    "lp_solve": "lp_solve says",
    "gurobi": "Unknown file type",
    "cplex": "Invalid filetype",
    "cpsat": "OR-Tools does not read",
    "ortools": "OR-Tools does not read",
    "ipopt": "File could not be read",
}
"""How a file of another format is refused."""

NO_NL = "the solver reads no NL files"
NO_MOF = "the solver reads no MathOptFormat"
NO_ROWS = "the solver takes no quadratic rows"
NO_MIQP = "HiGHS has no quadratic objectives beside integers"
ANOTHER = "what lp_solve calls LP is another language"

UNSUPPORTED: tuple[Rule, ...] = (
    # ------------------------------------------------------------- whoever the model is from
    Rule(FOR, ("ortools", "ipopt"), EVERY, "E902: there is no profile", "it has no profile"),
    Rule(("solve",), ("ortools",), EVERY, "E902: unknown solver", "treemip does not call OR-Tools"),
    Rule(
        ("lp --for",),
        ("lp_solve",),
        EVERY,
        "E601: lp_solve does not read CPLEX's LP format",
        ANOTHER,
    ),
    Rule(
        ("lp --for",),
        ("cpsat",),
        EVERY,
        "E601: CP-SAT does not read CPLEX's LP format",
        "OR-Tools reads another LP language",
    ),
    *(
        Rule(("nl",), (solver,), EVERY, says, NO_NL)
        for solver, says in NO_READER.items()
        if solver != "ipopt"
    ),
    Rule(("nl",), ("xpress",), EVERY, "no problem or solution read", NO_NL),
    Rule(("nl",), ("copt",), EVERY, "Unknown file type", NO_NL),
    Rule(
        ("to_casadi",),
        ("scip", "glpk", "lp_solve", "gurobi", "cplex", "xpress", "copt", "cpsat", "ortools"),
        EVERY,
        "is not found",
        "CasADi's wheel has no plug-in of this solver",
    ),
    Rule(
        ("to_pyomo",),
        ("lp_solve", "copt", "cpsat", "ortools"),
        EVERY,
        "Pyomo has no solver",
        "Pyomo does not call this solver",
    ),
    # ------------------------------------------------------------- what files do not hold
    Rule(
        ("mps --fixed",),
        EVERY,
        ("ost_grid",),
        "E601: fixed MPS allows 12 characters for a number",
        "its coefficients are logarithms, too long for the 12 characters of fixed MPS",
    ),
    # ------------------------------------------------------------- nonlinear models
    Rule(
        (*MPS, "lp", "mof.json", *FOR, "to_highs", *PACKAGES, "to_cvxpy"),
        EVERY,
        (NONLINEAR,),
        "has no nonlinear functions",
        "linear and quadratic models only",
    ),
    Rule(
        ("solve",),
        ("highs", "cbc", "glpk", "lp_solve", "gurobi", "cplex", "xpress", "copt", "cpsat"),
        (NONLINEAR,),
        "has no nonlinear functions",
        "linear and quadratic models only",
    ),
    Rule(
        ("nl",),
        ("scip",),
        (NONLINEAR,),
        "SCIP: read error",
        "SCIP's reader has no tanh, which stands for the logistic function",
    ),
    Rule(
        ("to_pyomo",),
        ("highs", "gurobi", "cplex", "xpress"),
        (NONLINEAR,),
        "does not support expressions of degree",
        "Pyomo hands it no such models",
    ),
    # ------------------------------------------------------------- Ipopt and integers
    Rule(
        ("nl", "to_casadi", "to_pyomo"),
        ("ipopt",),
        INTEGER,
        "not whole",
        "Ipopt has no integers: it solves the relaxation, which `tree_of` refuses",
    ),
    Rule(("solve",), ("ipopt",), INTEGER, "E601: Ipopt has no integers", "Ipopt has no integers"),
    # ------------------------------------------------------------- what readers do not take
    Rule(
        (*MPS, "lp"),
        EVERY,
        (ROWS,),
        "E601: ",
        "portable files have no quadratic rows: write them for the solver, with `--for`",
    ),
    Rule(
        ("lp",),
        EVERY,
        (OBJECTIVE,),
        "E601: portable LP has no quadratic objective",
        "portable LP files have no products: write them for the solver, with `--for`",
    ),
    Rule(
        (*FOR, "solve"), ("highs", "cbc", "glpk", "lp_solve", "cpsat"), (ROWS,), "E601: ", NO_ROWS
    ),
    Rule(
        (*FOR, "solve"),
        ("cbc", "glpk", "lp_solve", "cpsat"),
        (OBJECTIVE,),
        "E601: ",
        "the solver takes no quadratic objective, or does not find its optimum",
    ),
    Rule((*MPS, *FOR, "to_mosek"), ("highs",), (OBJECTIVE,), "HiGHS does not solve it", NO_MIQP),
    Rule(
        ("solve", "to_highs"),
        ("highs",),
        (OBJECTIVE,),
        "E601: a quadratic objective beside integer variables",
        NO_MIQP,
    ),
    Rule(("to_highs",), ("highs",), (ROWS,), "E601: HiGHS has no quadratic rows", NO_ROWS),
    Rule(("to_mosek",), ("highs",), (ROWS,), "HiGHS does not read", NO_ROWS),
    *(
        Rule(MPS, (s,), (OBJECTIVE,), NO_READER[s], "the reader takes no quadratic objective")
        for s in ("glpk", "lp_solve", "cpsat", "ortools")
    ),
    Rule(MPS, ("ipopt",), EVERY, NO_READER["ipopt"], "CasADi reads NL files only"),
    Rule(("lp", "mof.json"), ("ipopt",), EVERY, NO_READER["ipopt"], "CasADi reads NL files only"),
    Rule(("lp",), ("lp_solve",), (LINEAR,), NO_READER["lp_solve"], ANOTHER),
    Rule(
        ("lp",),
        ("cpsat", "ortools"),
        (LINEAR,),
        NO_READER["ortools"],
        "OR-Tools reads another LP language",
    ),
    *(
        Rule(("mof.json",), (solver,), EVERY, says, NO_MOF)
        for solver, says in NO_READER.items()
        if solver != "ipopt"
    ),
    Rule(
        ("mof.json",), ("xpress",), EVERY, "E606", "Xpress reads nothing there, and does not say so"
    ),
    Rule(("mof.json",), ("copt",), EVERY, "Failed to read JSON solution file", NO_MOF),
    # ------------------------------------------------------------- what modelling tools do not take
    Rule(("to_casadi",), ("highs",), (OBJECTIVE,), "Error in Function::call", NO_MIQP),
    Rule(
        ("to_casadi",),
        ("cbc",),
        (OBJECTIVE, NONLINEAR),
        "Not an LP",
        "CBC gets linear objectives from CasADi",
    ),
    Rule(
        ("to_casadi",),
        ("highs", "cbc"),
        (ROWS, NONLINEAR),
        "its optimum is",
        "CasADi's `qpsol` takes curved rows and objectives as they are at 0, without a word",
    ),
    Rule(("to_pyomo",), ("highs",), (OBJECTIVE,), "A feasible solution was not found", NO_MIQP),
    Rule(("to_pyomo",), ("highs",), (ROWS,), "does not support expressions of degree", NO_ROWS),
    Rule(
        ("to_pyomo",),
        ("cbc", "glpk"),
        (OBJECTIVE, ROWS, NONLINEAR),
        "contains nonlinear terms",
        "Pyomo hands it no such models",
    ),
    Rule(
        ("to_cvxpy",),
        ("highs", "cbc", "glpk"),
        (OBJECTIVE, ROWS),
        "cannot solve this problem",
        "CVXPY hands it no products beside integers",
    ),
    Rule(
        ("to_cvxpy",),
        ("ortools",),
        INTEGER,
        "GLOP cannot solve",
        "CVXPY calls linear solvers of OR-Tools only",
    ),
    Rule(
        ("to_cvxpy",),
        ("lp_solve", "cpsat", "ipopt"),
        INTEGER,
        "is not installed",
        "CVXPY does not call this solver",
    ),
    # ------------------------------------------------------------- what solvers do wrong
    Rule(
        (*MPS, "mps --for", "solve"),
        ("lp_solve",),
        ("oct", "octh"),
        "its optimum is",
        "lp_solve 5.5.2.5 calls a worse tree optimal (treemip calls it feasible)",
    ),
)

assert all(m in KINDS or m in CASES for rule in UNSUPPORTED for m in rule.models)


def rule_of(formulation: str, target: str, solver: str) -> Rule | None:
    """The rule for a cell; None for one that must be solved."""
    found = (rule for rule in UNSUPPORTED if rule.holds(formulation, target, solver))
    return next(found, None)


SLOW = {("binoct", "to_casadi", "cbc"), ("binoct", "to_cvxpy", "cbc")}
"""Cells that take seconds, and that others of their kind stand for."""


def in_suite(cells: Iterable[Cell]) -> set[Cell]:
    """What `make test` runs; `make truth` runs the rest.

    One cell of each rule. Of the cells that must be solved, one for each kind of model, target and
    solver, since formulations of one kind take the same path; the formulations take turns.
    """
    groups: dict[object, list[Cell]] = {}
    for cell in cells:
        if (cell.formulation, cell.target, cell.solver) in SLOW:
            continue
        rule = rule_of(cell.formulation, cell.target, cell.solver)
        path = (CASES[cell.formulation].kind, cell.target, cell.solver)
        groups.setdefault(rule or path, []).append(cell)
    return {group[turn % len(group)] for turn, group in enumerate(groups.values())}
