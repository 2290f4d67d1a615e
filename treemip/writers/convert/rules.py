"""A tree as rules: one for each leaf, in the units of the raw columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple
from fractions import Fraction

from treemip.core.instance.encodings import Number
from treemip.core.instance.feature import Feature
from treemip.core.instance.missing_columns import MISSING, Indicator
from treemip.core.resolve.settings.data_spec import number_text
from treemip.core.tree.answers import ClassAnswer, DistributionAnswer
from treemip.writers.convert.arriving import Range, exclude, with_limit
from treemip.writers.convert.phrases import class_names, shares_text
from treemip.writers.convert.raw_splits import (
    OPPOSITE,
    Leaf,
    Limit,
    Path,
    RawTree,
    Sum,
    Term,
    Values,
    level_names,
    levels_left,
    named_levels,
    paths,
    scaling,
    splits,
)
from treemip.writers.convert.source_text import fill_name
from treemip.writers.convert.words import on_one_line, plus, sum_of

Condition = Limit | Range | Values | tuple[Sum, bool]
"""What holds on a path: of a sum, whether it is left of its threshold."""


NumberText = Callable[[float], str]


def rules(tree: RawTree, number: NumberText = number_text) -> str:
    """`if petal_length < 2.45 then setosa`, a line for each leaf that rows can reach.

    number: how numbers are written; in full, so that the rules answer as the tree does.

    The conditions on one column are joined. Sums are computed anew in raw units, without rounding
    but of their coefficients: a row within rounding error of a threshold may go another way.
    """
    lines = []
    for node, path in paths(tree.root):
        if isinstance(node, Leaf):
            conditions = _joined(path)
            if conditions is not None:
                answer = _answer(tree, node.node, number) + _points(tree, node)
                text = " and ".join(_text(condition, number) for condition in conditions)
                lines.append(f"if {text} then {answer}" if text else answer)
    compared = {s.feature.column for s in splits(tree.root) if isinstance(s, Limit)}
    notes = [
        note
        for feature in tree.features
        for note in _notes(feature, feature.column in compared, number)
    ]
    sums = [split for split in splits(tree.root) if isinstance(split, Sum)]
    if tree.predicts_values:
        sums += [tree.value_of(leaf) for leaf in tree.leaves]
    terms = [term for split in sums for term in split.terms]
    notes += dict.fromkeys(note for term in terms for note in _term_notes(term, number))
    if any(_is_condition(term) for term in terms):
        notes.append("[...] is 1 where it holds, else 0")
    return "\n".join(map(on_one_line, [*lines, *([""] if notes else []), *notes])) + "\n"


def _joined(path: Path) -> list[Condition] | None:
    """The conditions of a path, at most two for a column; None where they exclude each other."""
    found: dict[object, Condition] = {}
    for branch, left in path:
        split = branch.split
        if isinstance(split, Sum):
            found[split, left] = (split, left)
            continue
        condition = split if left else split.opposite
        column = condition.feature.column
        before = found.get(column)
        if condition.feature.levels is not None:
            assert not isinstance(condition, Limit)
            allowed = levels_left(condition)
            allowed = allowed & before.left if isinstance(before, Values) else allowed
            found[column] = Values(condition.feature, allowed)
            if not allowed:
                return None
        elif condition.feature.keeps_missing:
            assert not isinstance(condition, Values)
            known = before if isinstance(before, Range) else Range(condition.feature)
            found[column] = known = known.narrowed(condition)
            if known.empty:
                return None
        else:
            assert isinstance(condition, Limit)
            sides = {side: found.get((column, side)) for side in "<>"}
            limits = {side: limit for side, limit in sides.items() if isinstance(limit, Limit)}
            limits = with_limit(limits, condition)
            found |= {(column, side): limit for side, limit in limits.items()}
            if exclude(limits):
                return None
    return list(found.values())


def _notes(feature: Feature, compared: bool, number: NumberText) -> Iterator[str]:
    """How rules treat values that need one of their own. compared: whether a split of this
    column alone compares it with a number."""
    if feature.fill is not None:
        filled = number(feature.fill) if feature.levels is None else fill_name(feature)
        yield f"{feature.column}: a missing value counts as {filled}"
    if compared and feature.keeps_missing:
        yield f"{feature.column}: a missing value meets no comparison with a number"
    if feature.levels is not None and feature.takes_unseen:
        names = ", ".join(level_names(feature))
        yield f"{feature.column}: in training {names}; any other value is in no set"


# ------------------------------------------------------------------------- conditions in words


def _text(condition: Condition, number: NumberText) -> str:
    if isinstance(condition, Limit):
        return f"{condition.feature.column} {condition.operator} {number(condition.number)}"
    if isinstance(condition, Range):
        return _range_text(condition, number)
    if isinstance(condition, Values):
        inside, names = named_levels(condition)
        if len(names) == 1:
            return f"{condition.feature.column} is {'' if inside else 'not '}{names[0]}"
        return f"{condition.feature.column} {'' if inside else 'not '}in {{{', '.join(names)}}}"
    split, left = condition
    operator = "<" if split.strict else "<="
    return sum_text(split, operator if left else OPPOSITE[operator], number)


def _range_text(condition: Range, number: NumberText) -> str:
    column = condition.feature.column
    limits = " and ".join(_text(limit, number) for limit in condition.limits)
    if condition.missing and limits:
        return f"({limits} or {column} is {MISSING})"
    return limits or f"{column} is {'' if condition.missing else 'not '}{MISSING}"


def sum_text(split: Sum, operator: str, number: NumberText = number_text) -> str:
    """The sum in raw units: what scaling subtracts is on the side of the threshold."""
    factors, constant = _in_raw_units(split)
    threshold = float(Fraction(split.threshold) - constant)
    return f"{_terms_text(factors, number) or '0'} {operator} {number(threshold)}"


def _points(tree: RawTree, leaf: Leaf) -> str:
    """How many training points a leaf that answers a class has, and each class's share of them."""
    if tree.shares is None or tree.tree.counts is None or tree.tree.answer.kind != "class":
        return ""
    count = int(tree.tree.counts[[leaf.node, *leaf.others]].sum())
    points = "1 point" if count == 1 else f"{count or 'no'} points"
    return f"  ({points}: {shares_text(tree.tree, tree.shares[leaf.node], always=True)})"


def _answer(tree: RawTree, leaf: int, number: NumberText) -> str:
    """What a leaf answers; a value in raw units, which is exact but for rounding."""
    answer = tree.tree.answer
    if isinstance(answer, ClassAnswer):
        return class_names(tree.tree)[answer.leaf[leaf]]
    if isinstance(answer, DistributionAnswer):
        return shares_text(tree.tree, answer.shares[leaf])
    factors, added = _in_raw_units(tree.value_of(leaf))
    constant = float(Fraction(tree.base_of(leaf)) + added)
    text = _terms_text(factors, number)
    if not text:
        return number(constant)
    return f"{text} {plus(constant, number)}" if constant else text


def _terms_text(factors: dict[str, Fraction], number: NumberText) -> str:
    return sum_of(((float(factor), name) for name, factor in factors.items()), number)


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
        if term.missing is not None and Fraction(term.missing) != unseen:
            yield f"[{column} is {MISSING}]", weight * (Fraction(term.missing) - unseen)
        return
    if term.edge is not None:
        either = f" or {MISSING}" if term.missing else ""
        yield f"[{column} >= {number_text(term.edge)}{either}]", weight
        return
    if isinstance(term.finish, Indicator):
        yield f"[{column} is {MISSING}]", weight
        return
    how = scaling(term.finish)
    if isinstance(how, float):
        yield "", weight * Fraction(how)
        return
    origin, unit, lower, upper = (Fraction(part) for part in astuple(how))
    yield _name(term), weight * (upper - lower) / unit
    yield "", weight * (lower - (upper - lower) * origin / unit)


def _name(term: Term) -> str:
    """A number in a sum: the raw column, or what it is where values are missing."""
    column = term.feature.column
    return column if term.part is None else term.part.names(column, ())[0]


def _is_condition(term: Term) -> bool:
    return bool(term.table) or term.edge is not None or isinstance(term.finish, Indicator)


def _term_notes(term: Term, number: NumberText) -> Iterator[str]:
    """What stands in a sum for a missing number."""
    if term.part is None or _is_condition(term) or not isinstance(term.finish, Number):
        return
    assert term.missing is not None
    filled = f"{number(term.finish.unscaled(term.missing))} where it is {MISSING}"
    if term.part.end is None:
        yield f"{_name(term)}: {filled}"
        return
    bound = f"at {'least' if term.part.lowest else 'most'} {number(term.part.end)}"
    yield f"{_name(term)}: {term.feature.column}, {bound}; {filled}"
