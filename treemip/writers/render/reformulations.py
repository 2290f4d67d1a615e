"""Reformulations that scripts state themselves, and the facts about the model that they rest on.

Absolute values, extremes and products with a binary are the inequalities of `reform/formulas.py`
over names of the script; an implication is a row with its big-M, which every dialect prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from treemip.core.lower.frame import Frame
from treemip.core.reform.formulas import ABS, ABS_ATTAINED, MAX, MAX_ATTAINED, PRODUCT, Inequality
from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Constraint, Guard
from treemip.core.source.span import Source, Span
from treemip.writers.render.expressions import ATOM, SIGN, SUM, Dialect, Verbatim
from treemip.writers.render.programs import ProgramDialect
from treemip.writers.render.text import one_line

# ------------------------------------------------------------------------- facts


@dataclass(frozen=True)
class Ranges:
    """Least and greatest value of each argument of a function that must be attained exactly.

    The arguments of result r are offsets[r] .. offsets[r + 1] of `low` and `high`. names, sorts,
    columns: labels of the results as in model.blocks.Index, by the function's free indices.
    """

    offsets: np.ndarray
    low: np.ndarray
    high: np.ndarray
    names: tuple[str, ...]
    sorts: tuple[str, ...]
    columns: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class ReformFacts:
    """What reformulation proved about a model.

    big_m: M of each row, by name of the family and side (1 for <=, -1 for >=). ranges: of functions
    that need binaries, by their places in the text, block after block. degree: "linear",
    "quadratic" or "nonlinear", where products with a binary are linear. curved: whether the
    objective is not linear, such products counted. lower, upper: bounds of the model's columns,
    tightened by rows of one variable; empty where the declared ones hold.
    """

    big_m: Mapping[tuple[str, int], np.ndarray] = field(default_factory=dict)
    ranges: Mapping[tuple[Span, str], Sequence[Ranges]] = field(default_factory=dict)
    degree: str = "linear"
    curved: bool = False
    lower: np.ndarray = field(default_factory=lambda: np.zeros(0))
    upper: np.ndarray = field(default_factory=lambda: np.zeros(0))


# ---------------------------------------------------------------------- formulas

_NOWHERE = Span(Source("", ""), 0, 0)
ONE, TWO = (t.Const(value=v, span=_NOWHERE) for v in (1.0, 2.0))


def named(text: str, binds: int = ATOM) -> Verbatim:
    """A name of the script as a leaf of a formula."""
    return Verbatim(text=text, binds=binds, span=_NOWHERE)


def written(write: Dialect, e: t.Typed, least: int) -> Verbatim:
    """An expression written now, as a leaf of formulas that mention it several times."""
    return named(write.text(e, least), least)


PRODUCT_OF_BINARIES = {
    "first": Inequality("w <= b"),
    "second": Inequality("w <= x"),
    "both": Inequality("w >= b + x - 1"),
}
"""w = b x with both binary, w in 0..1."""


def formulas() -> dict[str, dict[str, str]]:
    """The inequalities of `reform/formulas.py` over the names in the templates of scripts."""
    absolute = {"y": "result", "a": "argument", "z": "positive"}
    absolute |= {"l": "min(low, 0)", "u": "max(high, 0)"}
    maximum = {"y": "result", "s": "(top - low)", "z": "pick"}
    product = {"b": "u", "x": "v", "l": "low", "u": "high"}
    stated = {
        "absolute": (ABS | ABS_ATTAINED, absolute),
        "maximum": ({"bound": MAX, "attained": MAX_ATTAINED}, maximum),
        "product": (PRODUCT, product),
    }
    return {
        name: {key: one.written(names) for key, one in inequalities.items()}
        for name, (inequalities, names) in stated.items()
    }


def relaxed_by(write: ProgramDialect, guards: Sequence[Guard]) -> t.Typed:
    """How many of the guards do not hold: M times this relaxes a row that all of them ask for."""
    off = []
    for guard in guards:
        value = (
            guard.value if isinstance(guard.value, t.Const) else written(write, guard.value, SIGN)
        )
        off.append(switched_off(written(write, guard.left, SIGN), value))
    return reduce(_plus, off)


def switched_off(guard: t.Typed, value: t.Typed) -> t.Typed:
    """0 where the binary `guard` has its required value, 0 or 1, else 1."""
    if not isinstance(value, t.Const):
        return _plus(value, _times(_minus(ONE, _times(TWO, value)), guard))
    return _minus(ONE, guard) if value.value == 1 else guard


def _plus(left: t.Typed, right: t.Typed) -> t.Arithmetic:
    return t.Arithmetic(op="+", left=left, right=right, span=_NOWHERE)


def _minus(left: t.Typed, right: t.Typed) -> t.Arithmetic:
    return t.Arithmetic(op="-", left=left, right=right, span=_NOWHERE)


def _times(left: t.Typed, right: t.Typed) -> t.Arithmetic:
    return t.Arithmetic(op="*", left=left, right=right, span=_NOWHERE)


def _negative(e: t.Typed) -> t.Typed:
    return t.Negation(operand=e, span=_NOWHERE)


# -------------------------------------------------------------- rows of a family

MIRRORED = {"<=": ">=", ">=": "<="}
PROVEN = "greatest violation that the variables' bounds allow"


@dataclass(frozen=True)
class Row:
    """left op right, `suffix` being what lowering adds to the family's name for it.

    slack: what big-M adds to the right side (subtracts with >=).
    """

    left: t.Typed
    op: str
    right: t.Typed
    suffix: str = ""
    slack: t.Arithmetic | None = None

    def pieces(self, write: Dialect) -> list[str]:
        """`left`, `<= right`, `+ M * (1 - z)`: a long row can be broken between them."""
        left, right = write.text(self.left, SUM), write.text(self.right, SUM)
        sign = write.relations[self.op]
        if self.slack is None:
            return [left, f"{sign} {right}"]
        upper = self.op == "<="
        if right == "0":
            big_m, off = self.slack.left, self.slack.right
            slack = self.slack if upper else _times(_negative(big_m), off)
            return [left, f"{sign} {write.text(slack, SUM)}"]
        return [left, f"{sign} {right}", f"{'+' if upper else '-'} {write.text(self.slack, SUM)}"]


def rows(c: Constraint) -> list[Row]:
    """One row, or two where the relation has two ends: the ends come last in each."""
    r = c.relation
    if r.op2 is None or r.right2 is None:
        return [Row(r.left, r.op, r.right)]
    if r.left.degree or r.right2.degree:
        first = Row(r.left, r.op, r.right, "_first")
        return [first, Row(r.right, r.op2, r.right2, "_second")]
    return [Row(r.right, MIRRORED[r.op], r.left), Row(r.right, r.op2, r.right2)]


def implied(
    write: ProgramDialect, c: Constraint, row: Row, facts: ReformFacts, frame: Frame
) -> Iterator[Row]:
    """A row of an implication with its big-M: the spec's, or the one that bounds prove.

    An equation becomes two rows. frame: the rows of the family.
    """
    for op, side in (("<=", 1), (">=", -1)):
        if row.op not in ("=", op):
            continue
        off = relaxed_by(write, c.guards)
        if c.big_m is not None:
            big_m = written(write, c.big_m, SIGN)
        else:
            name = _proven(write, c, row.suffix, side, frame, facts)
            inside = write.scope.index(c.domain.names)
            big_m = named(f"{name}[{inside}]" if inside else name)
        slack = _times(big_m, off)
        yield Row(row.left, op, row.right, row.suffix, slack)


def _proven(
    write: ProgramDialect, c: Constraint, suffix: str, side: int, frame: Frame, facts: ReformFacts
) -> str:
    """The table of the M that the bounds prove, one for each row of the family."""
    values = facts.big_m[c.name + suffix, side]
    both = (c.name + suffix, -side) in facts.big_m
    wish = f"M_{c.name}{suffix}" + (("_upper" if side > 0 else "_lower") if both else "")
    name = write.names.of(("M", c.name, suffix, side), wish)
    write.add_rows(name, c, frame, values, PROVEN)
    return name


def remark(c: Constraint) -> str:
    """The name, the paper's number, and the module that states it."""
    parts = [c.name, c.tag, f"from {c.module}" if c.module not in ("", "spec") else ""]
    return one_line(" ".join(parts))
