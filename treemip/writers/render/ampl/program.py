"""A spec and its instance as three files for AMPL: model, data and commands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from treemip.core.instance.instance import Instance
from treemip.core.lower.frame import Frame
from treemip.core.resolve.spec import Constraint, ObjectiveSpec
from treemip.core.resolve.typed import Symbol
from treemip.writers.render.ampl.declarations import Parts, comment_on
from treemip.writers.render.ampl.derived import row_of
from treemip.writers.render.ampl.dialect import AmplDialect, indexing
from treemip.writers.render.ampl.layout import data_text, declarations, quoted, spaced, statement
from treemip.writers.render.expressions import SUM
from treemip.writers.render.names import AMPL, Names, reserve
from treemip.writers.render.reformulations import ReformFacts, implied, remark, rows
from treemip.writers.render.tables import ScriptData
from treemip.writers.render.text import heading, one_line

SOLVERS = {"linear": "highs", "quadratic": "gurobi", "nonlinear": "ipopt"}


@dataclass(frozen=True)
class AmplFiles:
    model: str
    data: str
    run: str


def ampl_files(
    instance: Instance, constraints: Sequence[Constraint], facts: ReformFacts, stem: str
) -> AmplFiles:
    """`stem`.mod, `stem`.dat and `stem`.run. Raises E601 for what AMPL cannot say."""
    spec = instance.spec
    data, names = ScriptData(instance), Names(AMPL)
    reserve(names, instance, scalars=False)
    write = AmplDialect(data, names)
    parts = Parts(write, facts)
    objective, name = _objective(write, spec.objective)
    families = [text for c in constraints if (text := constraint(parts, c))]
    variables = [variable(parts, s) for s in spec.variables if _wanted(write, s)]
    degree = "quadratic" if facts.degree == "linear" and parts.curved else facts.degree
    sections = [
        ("sets and parameters, in the data file", declarations(data.tables, parts.domains), "\n"),
        ("what follows from them", parts.known, "\n"),
        ("variables", variables, "\n"),
        ("definitions", parts.derived, "\n\n"),
        ("objective", [objective], "\n"),
        ("constraints", families, "\n\n"),
    ]
    blocks = [
        f"# ---- {title}\n\n{between.join(texts)}\n" for title, texts, between in sections if texts
    ]
    head = _head(*heading(spec), stem, degree)
    return AmplFiles("\n".join([head, *blocks]), data_text(data.tables), _run(stem, name, degree))


def _objective(write: AmplDialect, objective: ObjectiveSpec | None) -> tuple[str, str]:
    """The statement, and the objective's name."""
    if objective is None:
        name = write.names.fresh("nothing")
        return f"minimize {name}: 0;", name
    value = write.text(objective.value)
    name = write.names.fresh(objective.name or "objective")
    note = f"# {one_line(objective.tag)}\n" if objective.tag else ""
    return note + statement(f"{objective.sense} {name}:", value), name


def _wanted(write: AmplDialect, s: Symbol) -> bool:
    return s in write.symbols or write.data.frame(s)[0].size > 0


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


# ------------------------------------------------------- variables, constraints


def variable(parts: Parts, s: Symbol) -> str:
    """`var coef {t in branches, j in features} >= -1, <= 1;` with its comment."""
    write = parts.write
    with write.scope.opened(empty=True):
        over = indexing(write, s.domain.binders, s.domain.guard)
        limits = [
            f"{sign} {write.text(e, SUM)}"
            for op, e in s.bounds
            for sign in ((">=", "<=") if op == "=" else (op,))
        ]
    kind = {"binary": "binary", "integer": "integer"}.get(s.kind, "")
    if limits and kind == "binary":  # which has bounds of its own
        kind, limits = "integer", [">= 0", "<= 1", *limits]
    words = [spaced(f"var {write.of(s)}", over), kind]
    line = " ".join(w for w in words if w)
    return comment_on(s) + (f"{line} {', '.join(limits)};" if limits else f"{line};")


def constraint(parts: Parts, c: Constraint) -> str:
    """A family of rows under its name and the paper's equation; empty where its domain is."""
    write = parts.write
    evaluator = write.data.evaluator
    frame, _ = evaluator.sets.expand(c.domain.binders, c.domain.guard, Frame.empty())
    if not frame.size:
        return ""
    with write.scope.opened(empty=True):
        over = indexing(write, c.domain.binders, c.domain.guard)
        for name, local_set in c.local_sets:
            parts.add_local(c.name, name, local_set)
        texts = _rows(parts, c, frame)
        lines = [f"# {remark(c)}"]
        lines += [row_of(write, c.name + suffix, over, text) for suffix, text in texts]
    return "\n".join(lines)


def _rows(parts: Parts, c: Constraint, frame: Frame) -> list[tuple[str, str]]:
    """What each row's name ends with, and the row."""
    write, r = parts.write, c.relation
    if not c.guards and r.right2 is not None and not (r.left.degree or r.right2.degree):
        middle = f"{write.text(r.left, SUM)} {r.op} {write.text(r.right, SUM)}"
        return [("", f"{middle} {r.op2} {write.text(r.right2, SUM)}")]
    texts = []
    for k, row in enumerate(rows(c)):
        suffix = "" if r.right2 is None else ("_first", "_second")[k]
        if not c.guards:
            texts.append((suffix, " ".join(row.pieces(write))))
            continue
        relaxed = list(implied(write, c, row, parts.facts, frame))
        for one in relaxed:
            side = ("_upper" if one.op == "<=" else "_lower") if len(relaxed) > 1 else ""
            texts.append((suffix + side, " ".join(one.pieces(write))))
    return texts
