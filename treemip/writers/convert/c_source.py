"""A tree as a C99 header that needs nothing but the standard library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from treemip.core.instance.encoder import Feature
from treemip.writers.convert.raw_limits import NO_VALUE
from treemip.writers.convert.raw_splits import (
    RawTree,
    level_names,
)
from treemip.writers.convert.source_text import (
    Expressions,
    is_text,
    marks_of,
    places_of,
)

CLASS_ANSWER = """\
   tree_predict(&row) is the number of the row's class in tree_classes, or -1 where the tree refuses
   the row."""

VALUE_ANSWER = """\
   tree_predict(&row) is the row's value as a double, or NaN where the tree
   refuses the row."""


@dataclass(frozen=True)
class CExpressions(Expressions):
    """A numeric column is a double; another one the position of its level, -1 for none."""

    def number(self, value: float) -> str:
        return c_number(value)

    def value(self, feature: Feature) -> str:
        return self.names[feature.column]

    def missing(self, feature: Feature, absent: bool) -> str:
        if feature.levels is None:
            return f"{'' if absent else '!'}isnan({self.value(feature)})"
        return f"{self.value(feature)} {'==' if absent else '!='} {NO_VALUE}"

    def joined(self, first: str, both: bool, second: str) -> str:
        second = f"({second})" if "||" in second or "&&" in second else second
        return f"{first} {'&&' if both else '||'} {second}"

    def member(self, feature: Feature, names: list[str], inside: bool) -> str:
        own = level_names(feature)
        tests = [
            f"{self.value(feature)} {'==' if inside else '!='} {own.index(name)}" for name in names
        ]
        return (" || " if inside else " && ").join(tests)

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"({condition} ? {yes} : {no})"

    def looked_up(self, feature: Feature, table: tuple[float, ...]) -> str:
        # The levels in the order of their entries: few entries differ from the last one.
        *known, unseen = table
        text = c_number(unseen)
        for k, entry in enumerate(known):
            if entry != unseen:
                text = self.choose(f"{self.value(feature)} == {k}", c_number(entry), text)
        return text

    def between(self, share: str, lower: float, upper: float) -> str:
        return f"tree_between({share}, {c_number(lower)}, {c_number(upper)})"

    def product(self, weight: float, factor: str) -> str:
        return f"tree_product({c_number(weight)}, {factor})"


def c_source(tree: RawTree) -> str:
    """The text of a header with `struct tree_row`, `tree_classes` and `tree_predict`."""
    expressions = CExpressions(tree)
    if tree.is_randomized:
        body = list(_randomized(expressions))
    else:
        body = list(expressions.nodes(lambda leaf: _answer(expressions, leaf)))
    parts = {
        "ANSWER": VALUE_ANSWER if tree.predicts_values else CLASS_ANSWER,
        "WHAT": "value" if tree.predicts_values else "class",
        "RESULT": "double" if tree.predicts_values else "int",
        "CLASSES": "" if tree.predicts_values else _classes(tree),
        "FIELDS": "\n".join(_fields(expressions)) or "    char unused;",
        "LEVELS": "\n".join(_levels(expressions)),
        "READS": "\n".join(_reads(expressions)),
        "NODES": "\n".join(body),
    }
    template = files(__package__).joinpath("tree.h.txt").read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda m: parts[m[1]], template).replace("\n\n\n", "\n\n")


def _classes(tree: RawTree) -> str:
    names = ", ".join(c_string(name) for name in tree.tree.classes)
    count = len(tree.tree.classes)
    return f"#define TREE_CLASSES {count}\nstatic const char *const tree_classes[] = {{{names}}};"


def c_number(value: float) -> str:
    return repr(float(value))


def c_string(text: str) -> str:
    """A literal of UTF-8 bytes, which no compiler reads as a trigraph or a longer escape."""
    plain = {ord(c) for c in map(chr, range(32, 127))} - set(b'"\\?')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'


def _comment(text: str) -> str:
    return c_string(text).replace("*/", "*\\057")


def _fields(expressions: CExpressions) -> Iterator[str]:
    for feature in expressions.tree.features:
        name = expressions.value(feature)
        kind = "const char *" if is_text(feature) else "double "
        yield f"    {kind}{name}; /* {_comment(feature.column)} */"


def _levels(expressions: CExpressions) -> Iterator[str]:
    """The cells of each categorical column, first those that are the names of its levels."""
    for feature in expressions.tree.features:
        if feature.levels is None:
            continue
        name, places = expressions.value(feature), places_of(feature)
        kind = "const char *const" if is_text(feature) else "const double"
        cells = ", ".join(_literal(cell) for cell in places)
        yield f"static {kind} tree_{name}[] = {{{cells}}};"
        if others := list(places.values())[len(level_names(feature)) :]:
            yield f"static const int tree_{name}_same[] = {{{', '.join(map(str, others))}}};"


def _literal(cell: str | float) -> str:
    return c_string(cell) if isinstance(cell, str) else c_number(cell)


def _reads(expressions: CExpressions) -> Iterator[str]:
    """Lines that give each column's value, or refuse it: return -1, or NaN in place of a value."""
    refuse = "return NAN;" if expressions.tree.predicts_values else "return -1;"
    for feature in expressions.tree.features:
        read = _number if feature.levels is None else _level
        yield from read(expressions, feature, refuse)


def _number(expressions: CExpressions, feature: Feature, refuse: str) -> Iterator[str]:
    name, missing = expressions.value(feature), _missing(expressions, feature)
    yield f"    double {name} = row->{name};"
    has_marks = bool(marks_of(expressions.tree, feature))
    if feature.fill is None and not has_marks and not feature.keeps_missing:
        yield f"    if (!isfinite({name})) {refuse}"
        return
    if not feature.keeps_missing:
        yield f"    if ({missing}) {_filled(name, feature.fill, refuse)}"
    elif has_marks:
        yield f"    if ({missing}) {name} = NAN;"
    yield f"    if (isinf({name})) {refuse}"


def _level(expressions: CExpressions, feature: Feature, refuse: str) -> Iterator[str]:
    """The position of a level, NO_VALUE for none."""
    name = expressions.value(feature)
    fill = None if feature.fill is None else int(feature.fill)
    fill = NO_VALUE if feature.keeps_missing else fill
    find = "tree_text" if is_text(feature) else "tree_number"
    size, cells = len(level_names(feature)), len(places_of(feature))
    yield f"    int {name} = {find}(row->{name}, tree_{name}, {cells});"
    if cells > size:
        yield f"    if ({name} >= {size}) {name} = tree_{name}_same[{name} - {size}];"
    yield f"    if ({_missing(expressions, feature)}) {_filled(name, fill, refuse)}"
    if not feature.takes_unseen:
        yield f"    {'else if' if fill is not None else 'if'} ({name} < 0) {refuse}"


def _filled(name: str, fill: float | None, refuse: str) -> str:
    return refuse if fill is None else f"{name} = {fill!r};"


def _missing(expressions: CExpressions, feature: Feature) -> str:
    """Whether a row has no value of the column."""
    field, marks = f"row->{expressions.value(feature)}", marks_of(expressions.tree, feature)
    if not is_text(feature):
        return " || ".join([f"isnan({field})", *(f"{field} == {_literal(mark)}" for mark in marks)])
    equal = (f"strcmp({field}, {_literal(mark)}) == 0" for mark in marks)
    return " || ".join([f"{field} == NULL", f"{field}[0] == '\\0'", *equal])


def _answer(expressions: CExpressions, leaf: int) -> str:
    if expressions.tree.predicts_values:
        return f"return {expressions.leaf_value(leaf)};"
    k = int(expressions.tree.tree.leaf_class[leaf])
    return f"return {k}; /* {_comment(expressions.tree.tree.classes[k])} */"


# ------------------------------------------------------------------------- randomized trees


def _randomized(expressions: CExpressions) -> Iterator[str]:
    count = len(expressions.tree.tree.classes)
    yield "    double _left, _p1 = 1.0;"
    yield f"    double _chances[{count}];"
    for heap, total in expressions.chances_of_branches():
        yield f"    _left = tree_logistic({total});"
        yield f"    double _p{2 * heap} = tree_product(_p{heap}, _left);"
        yield f"    double _p{2 * heap + 1} = tree_product(_p{heap}, 1.0 - _left);"
    for k, addends in enumerate(expressions.chances_of_classes("tree_product({}, {})")):
        yield f"    _chances[{k}] = {addends};"
    yield f"    return tree_greatest(_chances, {count});"
