"""A tree as a C99 header that needs nothing but the standard library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from treemip.core.instance.feature import Feature
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

PROBABILITIES = """
   tree_probabilities(&row, p) has the same answer, and puts the probability of each class into the
   TREE_CLASSES doubles of p, NAN where it is refused."""

VALUE_ANSWER = """\
   tree_predict(&row) is the row's value as a double, or NaN where the tree
   refuses the row."""

RANDOMIZED = """
static inline int tree_predict(const struct tree_row *row) {
    double probabilities[TREE_CLASSES];
    return tree_probabilities(row, probabilities);
}"""

LEAF = """
static inline int tree_predict(const struct tree_row *row) {
    int leaf = tree_leaf(row);
    return leaf < 0 ? -1 : tree_leaf_class[leaf];
}

static inline int tree_probabilities(const struct tree_row *row, double *probabilities) {
    int leaf = tree_leaf(row);
    for (int k = 0; k < TREE_CLASSES; k++)
        probabilities[k] = leaf < 0 ? NAN : tree_leaf_probabilities[leaf][k];
    return leaf < 0 ? -1 : tree_leaf_class[leaf];
}"""


@dataclass(frozen=True)
class CExpressions(Expressions):
    """A numeric column is a double; another one the position of its level, -1 for none."""

    words = frozenset({"probabilities"})

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
    """The text of a header with `struct tree_row`, `tree_classes` and `tree_predict`; where
    probabilities are known also with `tree_probabilities`."""
    expressions = CExpressions(tree)
    answer = VALUE_ANSWER if tree.predicts_values else CLASS_ANSWER
    parts = {
        "ANSWER": answer + (PROBABILITIES if tree.shares is not None else ""),
        "WHAT": "value" if tree.predicts_values else "class",
        "CLASSES": "" if tree.predicts_values else _classes(tree),
        "FIELDS": "\n".join(_fields(expressions)) or "    char unused;",
        "LEVELS": "\n".join(_levels(expressions)),
        "FUNCTIONS": "\n".join(_functions(expressions)),
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
        yield f"static {kind} tree_levels_{name}[] = {{{cells}}};"
        if others := list(places.values())[len(level_names(feature)) :]:
            yield f"static const int tree_same_{name}[] = {{{', '.join(map(str, others))}}};"


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
    yield f"    int {name} = {find}(row->{name}, tree_levels_{name}, {cells});"
    if cells > size:
        yield f"    if ({name} >= {size}) {name} = tree_same_{name}[{name} - {size}];"
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


def _functions(expressions: CExpressions) -> Iterator[str]:
    tree = expressions.tree
    if tree.is_randomized:
        yield from _function("int tree_probabilities", expressions, _randomized(expressions))
        yield RANDOMIZED
    elif tree.shares is not None:
        yield from _leaves(tree)
        yield "/* The position of a row's leaf, or -1 where the tree refuses the row. */"
        nodes = expressions.nodes(lambda leaf: _leaf(tree, leaf))
        yield from _function("int tree_leaf", expressions, nodes)
        yield LEAF
    else:
        result = "double" if tree.predicts_values else "int"
        nodes = expressions.nodes(lambda leaf: _answer(expressions, leaf))
        yield from _function(f"{result} tree_predict", expressions, nodes)


def _function(name: str, expressions: CExpressions, body: Iterator[str]) -> Iterator[str]:
    more = ", double *probabilities" if name.endswith("_probabilities") else ""
    yield f"static inline {name}(const struct tree_row *row{more}) {{"
    if more:
        yield "    for (int k = 0; k < TREE_CLASSES; k++) probabilities[k] = NAN;"
    yield "    (void)row;"
    yield from _reads(expressions)
    yield from body
    yield "}"


def _leaves(tree: RawTree) -> Iterator[str]:
    """The class and the probabilities of each leaf."""
    assert tree.shares is not None
    classes = ", ".join(str(int(tree.tree.leaf_class[leaf])) for leaf in tree.leaves)
    yield f"static const int tree_leaf_class[] = {{{classes}}};"
    yield "static const double tree_leaf_probabilities[][TREE_CLASSES] = {"
    for leaf in tree.leaves:
        yield f"    {{{', '.join(map(c_number, tree.shares[leaf]))}}},"
    yield "};"
    yield ""


def _leaf(tree: RawTree, leaf: int) -> str:
    name = _comment(tree.tree.classes[int(tree.tree.leaf_class[leaf])])
    return f"return {tree.leaves.index(leaf)}; /* {name} */"


def _answer(expressions: CExpressions, leaf: int) -> str:
    if expressions.tree.predicts_values:
        return f"return {expressions.leaf_value(leaf)};"
    k = int(expressions.tree.tree.leaf_class[leaf])
    return f"return {k}; /* {_comment(expressions.tree.tree.classes[k])} */"


# ------------------------------------------------------------------------- randomized trees


def _randomized(expressions: CExpressions) -> Iterator[str]:
    yield "    double _left, _p1 = 1.0;"
    for heap, total in expressions.chances_of_branches():
        yield f"    _left = tree_logistic({total});"
        yield f"    double _p{2 * heap} = tree_product(_p{heap}, _left);"
        yield f"    double _p{2 * heap + 1} = tree_product(_p{heap}, 1.0 - _left);"
    for k, addends in enumerate(expressions.chances_of_classes("tree_product({}, {})")):
        yield f"    probabilities[{k}] = {addends};"
    yield "    return tree_greatest(probabilities, TREE_CLASSES);"
