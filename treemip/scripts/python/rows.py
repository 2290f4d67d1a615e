"""A family of rows as loops of Python."""

from __future__ import annotations

from textwrap import indent

from treemip.lower.frame import Frame
from treemip.resolve.spec import Constraint
from treemip.scripts.decided import Decided
from treemip.scripts.expressions import SUM
from treemip.scripts.python.expressions import PythonExpressions
from treemip.scripts.python.layout import BREAK, STEP, WIDTH, called, index_tuple
from treemip.scripts.relations import ends, remark
from treemip.scripts.relaxed import Relaxed, relaxations


def constraint_lines(write: PythonExpressions, c: Constraint, decided: Decided) -> str:
    """Loops over the domain around one `state(…)`; empty where the domain is."""
    binders, guard = c.domain.binders, c.domain.guard
    frame, _ = write.known.evaluator.sets.expand(binders, guard, Frame.empty())
    if not frame.size:
        return ""
    with write.scope.opened(empty=True):
        lines = [f"# {remark(c)}"]
        depth = 0
        for clause in write.clauses(binders, guard):
            lines.append(f"{STEP * depth}{clause}:")
            depth += 1
        for name, found in c.local_sets:
            over = write.text(found)
            lines.append(f"{STEP * depth}{write.scope.bind(name)} = {over}")
        bound = [write.scope[n] for n in c.domain.names]
        parts = [f'"{c.name}"', index_tuple(bound) if bound else "()"]
        parts += _relations(write, c, decided, frame)
    lines.append(indent(called("state", parts, WIDTH - len(STEP) * depth), STEP * depth))
    return "\n".join(lines)


def _relations(
    write: PythonExpressions, c: Constraint, decided: Decided, frame: Frame
) -> list[str]:
    """The rows of one index: one, or two for an equation with a big-M and for two ends."""
    found = []
    for end in ends(c):
        if c.guard is None:
            sign = "==" if end.op == "=" else end.op
            left, right = write.text(end.left, SUM), write.text(end.right, SUM)
            found.append(f"{left}{BREAK}{sign} {right}")
        else:
            found += [_relaxed(write, r) for r in relaxations(write, c, end, decided, frame)]
    return found


def _relaxed(write: PythonExpressions, r: Relaxed) -> str:
    left, right = write.text(r.end.left, SUM), write.text(r.end.right, SUM)
    sign, slack = ("<=", "+") if r.side > 0 else (">=", "-")
    if right == "0":
        return f"{left}{BREAK}{sign} {slack.strip('+')}{r.big_m} * {r.off}"
    return f"{left}{BREAK}{sign} {right}{BREAK}{slack} {r.big_m} * {r.off}"
