"""A spec and its instance as three files: model, data and commands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from treemip.instance.instance import Instance
from treemip.resolve.spec import Constraint, ObjectiveSpec
from treemip.resolve.typed import Symbol
from treemip.scripts.ampl.data import data_text, declarations
from treemip.scripts.ampl.expressions import AmplExpressions, quoted
from treemip.scripts.ampl.layout import statement
from treemip.scripts.ampl.parts import Parts
from treemip.scripts.ampl.reserved import RESERVED
from treemip.scripts.ampl.rows import constraint, variable
from treemip.scripts.decided import Decided
from treemip.scripts.heading import heading, one_line
from treemip.scripts.known import Known
from treemip.scripts.names import Names, reserve

SOLVERS = {"linear": "highs", "quadratic": "gurobi", "nonlinear": "ipopt"}


@dataclass(frozen=True)
class AmplFiles:
    model: str
    data: str
    run: str


def ampl_files(
    instance: Instance, constraints: Sequence[Constraint], decided: Decided, stem: str
) -> AmplFiles:
    """`stem`.mod, `stem`.dat and `stem`.run. Raises E601 for what AMPL cannot say."""
    spec = instance.spec
    known, names = Known(instance), Names(RESERVED)
    reserve(names, instance, scalars=False)
    write = AmplExpressions(known, names)
    parts = Parts(write, decided)
    objective, name = _objective(write, spec.objective)
    rows = [text for c in constraints if (text := constraint(parts, c))]
    variables = [variable(parts, s) for s in spec.variables if _wanted(write, s)]
    degree = "quadratic" if decided.degree == "linear" and parts.curved else decided.degree
    sections = [
        ("sets and parameters, in the data file", declarations(known.tables, parts.domains), "\n"),
        ("what follows from them", parts.known, "\n"),
        ("variables", variables, "\n"),
        ("definitions", parts.derived, "\n\n"),
        ("objective", [objective], "\n"),
        ("constraints", rows, "\n\n"),
    ]
    texts = [
        f"# ---- {title}\n\n{between.join(said)}\n" for title, said, between in sections if said
    ]
    head = _head(*heading(spec), stem, degree)
    return AmplFiles("\n".join([head, *texts]), data_text(known.tables), _run(stem, name, degree))


def _objective(write: AmplExpressions, said: ObjectiveSpec | None) -> tuple[str, str]:
    if said is None:
        name = write.names.fresh("nothing")
        return f"minimize {name}: 0;", name
    value = write.text(said.value)
    name = write.names.fresh(said.name or "objective")
    note = f"# {one_line(said.tag)}\n" if said.tag else ""
    return note + statement(f"{said.sense} {name}:", value), name


def _wanted(write: AmplExpressions, s: Symbol) -> bool:
    return s in write.symbols or write.known.frame(s)[0].size > 0


def _head(name: str, paper: str, stem: str, degree: str) -> str:
    stem = one_line(stem)
    how = [f"    ampl {stem}.run"]
    if degree == "linear":
        how.append(f"    glpsol --math {stem}.mod --data {stem}.dat")
        about = "Linear, and in the part of AMPL that GNU MathProg reads too."
    else:
        about = f"{degree.capitalize()}: AMPL's own, which GNU MathProg does not read."
    lines = [
        f"{one_line(name)}, written by treemip for AMPL.",
        *wrap(one_line(paper), 98),
        "",
        about,
        "Points are called by their row in the data, nodes by their number: the root is 1, the",
        "children of t are 2t and 2t + 1.",
        "",
        *how,
    ]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def _run(stem: str, objective: str, degree: str) -> str:
    solver = SOLVERS[degree]
    exact = "" if degree == "nonlinear" else f"option {solver}_options 'mipgap=0';\n"
    return (
        f"# ampl {one_line(stem)}.run, in this folder\n"
        f"model {_file(f'{stem}.mod')};\ndata {_file(f'{stem}.dat')};\n"
        f"option solver {solver};\n{exact}solve;\n"
        f'printf "status %s\\n", solve_result;\nprintf "objective %.17g\\n", {objective};\n'
    )


def _file(name: str) -> str:
    """A file's name as AMPL reads it."""
    return name if re.fullmatch(r"[\w.-]+", name, re.ASCII) else quoted(name)
