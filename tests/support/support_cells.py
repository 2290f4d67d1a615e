"""Every formulation with every objective term and every side constraint, each solved on tiny data.

Nothing of class trees is listed here by name: formulations are the library's with classes, terms
the vocabulary's, side constraints the specs of specs/constraints, whose texts are taken as they are
but for the split. OTHERS are formulations whose leaves answer something else: they have the terms
and side constraints that do without classes.
What a formulation cannot do is found out by trying.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

from suite import class_formulations

import treemip
from treemip.core.resolve.modules import library_module
from treemip.core.resolve.saved_trees import takes_file
from treemip.core.resolve.sorts import Degree
from treemip.core.resources import specs_path
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse

ROWS = (1, 2, 3, 4, 13, 6, 11, 8, 9, 10)
"""Rows of credit-24.csv, in both classes of both sexes as far as the specs need them."""

TOPOLOGY = 'topology shape "((. .) .)";'
SETTINGS = 'label class positive "good"; group sex; drop housing;'
FORMS = ("scale minmax;", "bin quantile(2);", "scale standard;")
"""What a formulation may require of the features; the first that will do is taken."""

SECONDS = 10.0
SMOOTH_SECONDS = 2.0
"""Of a smooth term's cells, whose proofs may take hours; where no tree is found, SECONDS."""

OTHERS: dict[str, str] = {
    "ort": "label rate number; group sex; drop housing, class;",
    "ort_linear": "label rate number; drop housing, class, sex;",
    "ost_grid": "label none; number time, event; drop housing, class;",
    "prescriptive_ipw": (
        "label none; group treatment; number outcome, propensity; drop housing, class;"
    ),
    "share_trees": "label class; drop housing;",
}
"""Formulations whose leaves do not answer classes; their data settings, of columns of `table`."""

OWN = "its own"
NONE = "none"


@dataclass(frozen=True)
class Cell:
    """How one combination ended.

    outcome: "solved" (optimal), "found" (by a local solver, or within the time limit), each with a
    verified tree; "none" where two solvers prove that there is no tree; "refused" with the error's
    code and message; anything else is a fault of treemip. `cap` is the row that a message asked
    for, when one was needed.
    """

    formulation: str
    term: str
    side: str
    outcome: str
    code: str = ""
    said: str = ""
    cap: str = ""

    @property
    def sound(self) -> bool:
        return self.outcome in ("solved", "found", "none", "refused")


def formulations() -> tuple[str, ...]:
    """Those whose leaves answer classes, then the others."""
    return (*class_formulations(), *OTHERS)


def terms(formulation: str = "") -> tuple[str, ...]:
    """The formulation's own objective, then every term that it may have; parameters without a
    default are 2. Of OTHERS none is smooth, to save time."""
    every = (OWN, *(_called(s) for s in _terms() if not takes_file(s)))
    if formulation not in OTHERS:
        return every
    return tuple(t for t in every if not is_smooth(t) and _does_without_classes(t, NONE))


@cache
def _does_without_classes(term: str, side: str) -> bool:
    """Whether regression trees are refused for something else than classes, or not at all."""
    try:
        treemip.loads(text_of("ort", term, side, FORMS[0]), data=table("ort"))
    except TreemipError as error:
        return all(d.code != "E206" for d in error.diagnostics)
    return True


@cache
def is_smooth(term: str) -> bool:
    """Whether a term is smooth and nonlinear in itself, so that its proofs take their time."""
    if term == OWN:
        return False
    degrees = [_degree(formulation, term) for formulation in class_formulations()]
    return all(d is Degree.NONLINEAR for d in degrees if d is not None)


def _degree(formulation: str, term: str) -> Degree | None:
    """The objective's degree; None where the formulation does not have what the term speaks of."""
    try:
        objective = treemip.loads(text_of(formulation, term, NONE, FORMS[0])).spec.objective
    except TreemipError:
        return None
    return objective.value.degree if objective is not None else None


def combinations(formulation: str) -> list[tuple[str, str, str]]:
    """A formulation's cells: every term with every side constraint, and with none. OTHERS have
    the terms without a side constraint and the side constraints without a term, to save time."""
    return [
        (formulation, term, side)
        for side in sides(formulation)
        for term in terms(formulation)
        if formulation not in OTHERS or term == OWN or side == NONE
    ]


def sides(formulation: str = "") -> tuple[str, ...]:
    """No side constraint, then every spec of specs/constraints that the formulation may have."""
    every = (NONE, *sorted(p.stem for p in (specs_path() / "constraints").glob("*.tree")))
    if formulation not in OTHERS:
        return every
    return tuple(side for side in every if _does_without_classes(OWN, side))


def _terms() -> list[n.Term]:
    return [s for s in _statements("vocabulary") if isinstance(s, n.Term)]


def _called(term: n.Term) -> str:
    given = [
        f"{name} = 2"
        for name, default in zip(term.parameters, term.defaults, strict=True)
        if default is None
    ]
    return f"{term.name}({', '.join(given)})" if given else term.name


def _statements(name: str) -> tuple[n.Statement, ...]:
    found = library_module(name)
    assert found is not None
    return found.statements


@cache
def table(formulation: str = "") -> dict[str, list[object]]:
    """Some rows of credit-24.csv as columns in memory, with those that OTHERS need."""
    return with_answers(_rows(), formulation)


def with_answers(columns: dict[str, list[object]], formulation: str) -> dict[str, list[object]]:
    """The columns of credit-24.csv with those that a formulation of OTHERS needs: what a month of
    the credit costs, as a number, a time or an outcome."""
    if formulation not in OTHERS or "label class" in OTHERS[formulation]:
        return columns
    rate = [
        round(amount / months)  # type: ignore[operator]
        for amount, months in zip(columns["amount"], columns["duration"], strict=True)
    ]
    if "rate" in OTHERS[formulation]:
        return columns | {"rate": rate}
    if "event" in OTHERS[formulation]:
        return columns | {"time": rate, "event": [int(c == "bad") for c in columns["class"]]}
    treatment = ["a" if own == "own" else "b" for own in columns["housing"]]
    return columns | {"treatment": treatment, "outcome": rate, "propensity": [0.5] * len(rate)}


def _rows() -> dict[str, list[object]]:
    with (specs_path() / "data" / "credit-24.csv").open(encoding="utf-8", newline="") as file:
        every = list(csv.DictReader(file))
    rows = [every[number - 1] for number in ROWS]
    return {
        name: [float(r[name]) if r[name].isdigit() else r[name] for r in rows] for name in rows[0]
    }


def kind_of(formulation: str) -> str:
    """The splits that the formulation is of."""
    return next(s.kind for s in _statements(formulation) if isinstance(s, n.Header))


def has_objective(side: str) -> bool:
    """Whether a side constraint is one of the objective."""
    return bool(_side(side)[1])


def text_of(formulation: str, term: str, side: str, form: str) -> str:
    """The spec of a cell: the side's statements with this split and objective."""
    kind = kind_of(formulation)
    settings, said, rest = (SETTINGS, "", []) if side == NONE else _side(side)
    settings = OTHERS.get(formulation, settings)
    parts = [f'data "t" {{ {settings} {form} }}', TOPOLOGY, f"split {kind} by {formulation};"]
    if term != OWN:
        goal = f"minimize goal: {said or 'misclassified'} +"
        goal = _goal(formulation) if formulation in OTHERS else goal
        parts.append(f"{goal} 0.1 * {term};")
    elif said:
        parts.append(f"minimize goal: {said};")
    return "\n".join([*parts, *rest])


@cache
def _goal(formulation: str) -> str:
    """The formulation's own objective by its name, and the sign of a price beside it."""
    text = text_of(formulation, OWN, NONE, FORMS[0])
    objective = treemip.loads(text, data=table(formulation)).spec.objective
    assert objective is not None
    return (
        f"{objective.sense} goal: {objective.name} {'-' if objective.sense == 'maximize' else '+'}"
    )


@cache
def _side(name: str) -> tuple[str, str, list[str]]:
    """Data settings without scaling, the objective if there is one, and all other statements."""
    source = Source.read(specs_path() / "constraints" / f"{name}.tree")
    settings, goal, rest = "drop housing;", "", []
    for s in parse(source).statements:
        if isinstance(s, n.Data):
            settings += " ".join(w.span.text for w in s.settings if w.key != "scale")
        elif isinstance(s, n.Objective):
            goal = s.value.span.text
        elif not isinstance(s, n.Topology | n.Split):
            rest.append(s.span.text)
    return settings, goal, rest


def run(formulation: str, term: str, side: str) -> Cell:
    """Solve one cell. An E501 is answered with the row that its message proposes."""
    cap = ""
    while True:
        text = text_of(formulation, term, side, form_of(formulation))
        try:
            outcome, said = _solved(text + cap, formulation, is_smooth(term))
            if outcome == "infeasible":
                outcome, said = _doubted(_linear(formulation, side) + cap, formulation)
            return Cell(formulation, term, side, outcome, "", said, cap)
        except TreemipError as error:
            first = error.diagnostics[0]
            proposed = first.remedy.rpartition("by a row of the spec: ")
            if first.code == "E501" and proposed[1] and not cap:
                cap = f"\nsubject to {proposed[2]}"
                continue
            outcome = "failed" if first.code == "E604" else "refused"
            return Cell(formulation, term, side, outcome, first.code, _said(first), cap)


def _said(first: Diagnostic) -> str:
    """The message; where a solver lacks something, with what else there is."""
    message = first.message.split(" (it fails for")[0]
    return f"{message}: {first.remedy}" if first.code == "E601" else message


def _solved(text: str, formulation: str, smooth: bool) -> tuple[str, str]:
    """How solving ends. SCIP may fail at a nonlinear model; with another seed it is another way."""
    compiled = treemip.loads(text, data=table(formulation)).compile(target="portable")
    for seed, seconds in enumerate([SMOOTH_SECONDS, SECONDS, SECONDS] if smooth else [SECONDS]):
        try:
            result = compiled.solve(start="none", time_limit=seconds, threads=1, seed=seed)
        except TreemipError as error:
            if error.diagnostics[0].code != "E604" or seed == 2 or not smooth:
                raise
            continue
        if result.status not in ("time_limit", "no_solution") or result.tree is not None:
            break
    if result.tree is None:
        return result.status, ""
    if not result.verified:
        problems = result.report.problems if result.report else ("no report",)
        return "unverified", "; ".join(problems)
    return ("solved" if result.status == "optimal" else "found"), ""


def _doubted(text: str, formulation: str) -> tuple[str, str]:
    """Whether two solvers find that no tree keeps the rows; the objective does not matter."""
    compiled = treemip.loads(text, data=table(formulation)).compile(target="portable")
    said = [
        compiled.solve(s, start="none", time_limit=SECONDS, threads=1).status
        for s in ("scip", "highs")
    ]
    return ("none", "") if said == ["infeasible"] * 2 else ("disagree", ", ".join(said))


def _linear(formulation: str, side: str) -> str:
    """A spec of the side constraint with a linear objective, whichever."""
    form = form_of(formulation)
    if formulation not in OTHERS:
        return text_of(formulation, "misclassified", side, form)
    return f"{text_of(formulation, OWN, side, form)}\nminimize plain: splits;"


@cache
def form_of(formulation: str) -> str:
    """The first form of the features that the formulation's requirements accept."""
    for form in FORMS:
        try:
            program = treemip.loads(text_of(formulation, OWN, NONE, form), data=table(formulation))
            program.compile()
        except TreemipError as error:
            if error.diagnostics[0].code == "E307":
                continue
        return form
    return FORMS[0]
