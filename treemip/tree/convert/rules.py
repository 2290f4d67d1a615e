"""A tree as rules: one for each leaf, in the units of the raw columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from treemip.instance.encoder import Feature
from treemip.instance.encodings import MinMax
from treemip.resolve.settings.data_spec import number_text
from treemip.source.render import visible
from treemip.tree.answers import ClassAnswer, DistributionAnswer
from treemip.tree.convert.raw_splits import (
    OPPOSITE,
    Leaf,
    Limit,
    RawTree,
    Split,
    Sum,
    Term,
    Values,
    ordinal,
    paths,
    scaling,
    splits,
    takes_unseen,
)
from treemip.tree.convert.source_text import fill_name, level_names, membership
from treemip.tree.draw import class_names, shares_text

Condition = Limit | Values | tuple[Sum, bool]
"""What holds on a path: of a sum, whether it is left of its threshold."""


def rules(tree: RawTree) -> str:
    """`if petal_length < 2.45 then setosa`, a line for each leaf that rows can reach.

    The conditions on one column are joined. Sums are computed anew in raw units, without rounding
    but of their coefficients: a row within rounding error of a threshold may go another way.
    """
    lines = []
    for node, path in paths(tree.root):
        if isinstance(node, Leaf):
            conditions = _joined(path)
            if conditions is not None:
                answer = _answer(tree, node.node)
                text = " and ".join(_text(condition) for condition in conditions)
                lines.append(f"if {text} then {answer}" if text else answer)
    notes = [note for feature in tree.features for note in _notes(feature)]
    sums = [split for split in splits(tree.root) if isinstance(split, Sum)]
    if tree.predicts_values:
        sums += [tree.value_of(leaf) for leaf in tree.leaves]
    if any(term.table or term.edge is not None for split in sums for term in split.terms):
        notes.append("[...] is 1 where it holds, else 0")
    shown = [visible(line.replace("\r", "\\r").replace("\n", "\\n")) for line in [*lines, *notes]]
    rest = ["", *shown[len(lines) :]] if notes else []
    return "\n".join([*shown[: len(lines)], *rest]) + "\n"


def _joined(path: tuple[tuple[Split, bool], ...]) -> list[Condition] | None:
    """The conditions of a path, at most two for a column; None where they exclude each other."""
    found: dict[object, Condition] = {}
    for split, left in path:
        if isinstance(split, Sum):
            found[split, left] = (split, left)
            continue
        condition = split if left else split.opposite
        column = condition.feature.column
        if isinstance(condition, Values):
            before = found.get(column)
            if isinstance(before, Values):
                condition = replace(condition, left=before.left & condition.left)
            found[column] = condition
            if not condition.left:
                return None
            continue
        side = condition.operator[0]
        other = found.get((column, side))
        if not isinstance(other, Limit) or _tighter(condition, other):
            found[column, side] = condition
        lower, upper = found.get((column, ">")), found.get((column, "<"))
        if isinstance(lower, Limit) and isinstance(upper, Limit) and _end(lower) > _end(upper):
            return None
    return list(found.values())


def _end(limit: Limit) -> int:
    """The last double that meets a limit, as a position among the doubles."""
    return ordinal(limit.number) + {"<": -1, ">": 1}.get(limit.operator, 0)


def _tighter(limit: Limit, other: Limit) -> bool:
    ends = _end(limit), _end(other)
    return ends[0] < ends[1] if limit.operator[0] == "<" else ends[0] > ends[1]


def _notes(feature: Feature) -> Iterator[str]:
    """What becomes of values that need a rule of their own."""
    if feature.fill is not None:
        filled = number_text(feature.fill) if feature.levels is None else fill_name(feature)
        yield f"{feature.column}: a missing value counts as {filled}"
    if feature.levels is not None and takes_unseen(feature):
        names = ", ".join(level_names(feature))
        yield f"{feature.column}: in training {names}; any other value is in no set"


# ------------------------------------------------------------------------- conditions in words


def _text(condition: Condition) -> str:
    if isinstance(condition, Limit):
        return f"{condition.feature.column} {condition.operator} {number_text(condition.number)}"
    if isinstance(condition, Values):
        inside, names = membership(condition)
        if len(names) == 1:
            return f"{condition.feature.column} is {'' if inside else 'not '}{names[0]}"
        return f"{condition.feature.column} {'' if inside else 'not '}in {{{', '.join(names)}}}"
    split, left = condition
    operator = "<" if split.strict else "<="
    return sum_text(split, operator if left else OPPOSITE[operator])


def sum_text(split: Sum, operator: str) -> str:
    """The sum in raw units: what scaling subtracts is on the side of the threshold."""
    factors, constant = _in_raw_units(split)
    threshold = float(Fraction(split.threshold) - constant)
    return f"{_terms_text(factors) or '0'} {operator} {number_text(threshold)}"


def _answer(tree: RawTree, leaf: int) -> str:
    """What a leaf answers; a value in raw units, which is exact but for rounding."""
    answer = tree.tree.answer
    if isinstance(answer, ClassAnswer):
        return class_names(tree.tree)[answer.leaf[leaf]]
    if isinstance(answer, DistributionAnswer):
        return shares_text(tree.tree, answer.shares[leaf])
    factors, added = _in_raw_units(tree.value_of(leaf))
    constant = float(Fraction(tree.base_of(leaf)) + added)
    text = _terms_text(factors)
    if not text:
        return number_text(constant)
    sign = "-" if constant < 0 else "+"
    return f"{text} {sign} {number_text(abs(constant))}" if constant else text


def _terms_text(factors: dict[str, Fraction]) -> str:
    text = ""
    for name, factor in factors.items():
        sign = ("-" if not text else " - ") if factor < 0 else ("" if not text else " + ")
        size = number_text(abs(float(factor)))
        text += sign + ("" if size == "1" else f"{size} ") + name
    return text


def _in_raw_units(split: Sum) -> tuple[dict[str, Fraction], Fraction]:
    """Factors of raw columns and of conditions on them, and the constant that scaling adds."""
    factors: dict[str, Fraction] = {}
    constant = Fraction(0)
    for term in split.terms:
        for name, factor in _addends(term):
            if name:
                factors[name] = factors.get(name, Fraction(0)) + factor
            else:
                constant += factor
    return factors, constant


def _addends(term: Term) -> Iterator[tuple[str, Fraction]]:
    """What a term adds: factors of the raw column or of conditions on it, of "" a constant."""
    column, weight = term.feature.column, Fraction(term.weight)
    if term.table is not None:
        *known, unseen = (Fraction(entry) for entry in term.table)
        yield "", weight * unseen
        for name, entry in zip(level_names(term.feature), known, strict=True):
            if entry != unseen:
                yield f"[{column} is {name}]", weight * (entry - unseen)
        return
    if term.edge is not None:
        yield f"[{column} >= {number_text(term.edge)}]", weight
        return
    how = scaling(term.finish)
    if isinstance(how, float):
        yield "", weight * Fraction(how)
        return
    origin, unit = (Fraction(part) for part in how or (0.0, 1.0))
    lower, upper = Fraction(0), Fraction(1)
    if isinstance(term.finish, MinMax):
        lower, upper = Fraction(term.finish.lower), Fraction(term.finish.upper)
    yield column, weight * (upper - lower) / unit
    yield "", weight * (lower - (upper - lower) * origin / unit)
