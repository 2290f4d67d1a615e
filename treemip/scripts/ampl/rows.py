"""The spec's variables and constraints as statements of AMPL."""

from __future__ import annotations

from treemip.lower.frame import Frame
from treemip.resolve.spec import Constraint
from treemip.resolve.typed import Symbol
from treemip.scripts.ampl.definitions import remark as about
from treemip.scripts.ampl.indexing import indexing
from treemip.scripts.ampl.layout import spaced, statement
from treemip.scripts.ampl.parts import Parts
from treemip.scripts.expressions import SUM
from treemip.scripts.relations import End, ends, remark
from treemip.scripts.relaxed import Relaxed, relaxations


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
    return about(s) + (f"{line} {', '.join(limits)};" if limits else f"{line};")


def constraint(parts: Parts, c: Constraint) -> str:
    """A family of rows under its name and the paper's equation; empty where its domain is."""
    write = parts.write
    evaluator = write.known.evaluator
    frame, _ = evaluator.sets.expand(c.domain.binders, c.domain.guard, Frame.empty())
    if not frame.size:
        return ""
    with write.scope.opened(empty=True):
        over = indexing(write, c.domain.binders, c.domain.guard)
        for name, found in c.local_sets:
            parts.add_local(c.name, name, found)
        rows = _rows(parts, c, frame)
        lines = [f"# {remark(c)}"]
        for suffix, row in rows:
            said = write.names.fresh(c.name + suffix)
            lines.append(statement(f"s.t. {spaced(said, over)}:", row))
    return "\n".join(lines)


def _rows(parts: Parts, c: Constraint, frame: Frame) -> list[tuple[str, str]]:
    """What each row's name ends with, and the row."""
    write, r = parts.write, c.relation
    if c.guard is None and r.right2 is not None and not (r.left.degree or r.right2.degree):
        middle = f"{write.text(r.left, SUM)} {r.op} {write.text(r.right, SUM)}"
        return [("", f"{middle} {r.op2} {write.text(r.right2, SUM)}")]
    found = []
    for k, end in enumerate(ends(c)):
        suffix = "" if r.right2 is None else ("_first", "_second")[k]
        if c.guard is None:
            found.append((suffix, _plain(parts, end)))
            continue
        rows = list(relaxations(write, c, end, parts.decided, frame))
        for row in rows:
            side = ("_upper" if row.side > 0 else "_lower") if len(rows) > 1 else ""
            found.append((suffix + side, _relaxed(parts, row)))
    return found


def _plain(parts: Parts, end: End) -> str:
    write = parts.write
    return f"{write.text(end.left, SUM)} {end.op} {write.text(end.right, SUM)}"


def _relaxed(parts: Parts, r: Relaxed) -> str:
    left, right = parts.write.text(r.end.left, SUM), parts.write.text(r.end.right, SUM)
    sign, slack = ("<=", "+") if r.side > 0 else (">=", "-")
    if right == "0":
        return f"{left} {sign} {slack.strip('+')}{r.big_m} * {r.off}"
    return f"{left} {sign} {right} {slack} {r.big_m} * {r.off}"
