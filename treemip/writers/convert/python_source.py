"""A tree as a Python module that needs nothing but Python."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass

from treemip.core.instance.feature import Feature
from treemip.writers.convert import python_parts
from treemip.writers.convert.raw_splits import (
    RawTree,
    level_names,
)
from treemip.writers.convert.source_text import (
    Expressions,
    fill_name,
    needed_parts,
    other_texts,
)

HEAD = '''"""A decision tree, written by treemip; it needs nothing but Python.

predict(row) is the {answer} of one row: a mapping from column names to raw values, numbers or texts
as a data file has them. None, NaN and "" are missing values. What the tree refuses is a ValueError.
"""

import math
'''

PREDICT_LEAF = '''
def predict(row):
    """The class of a row."""
    return _LEAVES[_leaf(row)][0]


def probabilities(row):
    """The probability of each class."""
    return _LEAVES[_leaf(row)][1]


def _leaf(row):
    """The position of a row's leaf."""
'''.strip("\n").split("\n")

PARTS = {
    name: inspect.getsource(function)
    for name, function in vars(python_parts).items()
    if inspect.isfunction(function)
}


@dataclass(frozen=True)
class PythonExpressions(Expressions):
    branch = ("if {}:", "")

    def number(self, value: float) -> str:
        return repr(float(value))

    def value(self, feature: Feature) -> str:
        return self.names[feature.column]

    def missing(self, feature: Feature, absent: bool) -> str:
        if feature.levels is None:
            return f"{'' if absent else 'not '}math.isnan({self.value(feature)})"
        return f"{self.value(feature)} {'==' if absent else '!='} ''"

    def joined(self, first: str, both: bool, second: str) -> str:
        return f"{first} {'and' if both else 'or'} {second}"

    def member(self, feature: Feature, names: list[str], inside: bool) -> str:
        if len(names) == 1:
            return f"{self.value(feature)} {'==' if inside else '!='} {names[0]!r}"
        return f"{self.value(feature)} {'in' if inside else 'not in'} {tuple(names)!r}"

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"({yes} if {condition} else {no})"

    def looked_up(self, feature: Feature, table: tuple[float, ...]) -> str:
        *known, unseen = table
        entries = dict(zip(level_names(feature), known, strict=True))
        shown = {name: entry for name, entry in entries.items() if entry != unseen}
        if len(shown) == 1 and unseen == 0.0:
            ((name, entry),) = shown.items()
            return f"({entry!r} if {self.value(feature)} == {name!r} else 0.0)"
        return f"{entries!r}.get({self.value(feature)}, {unseen!r})"

    def between(self, share: str, lower: float, upper: float) -> str:
        return f"_between({share}, {lower!r}, {upper!r})"


def python_source(tree: RawTree) -> str:
    """The text of a module with `predict(row)`, and `CLASSES`; where probabilities are known also
    with `probabilities(row)`."""
    expressions = PythonExpressions(tree)
    reads = [f"    {line}" for line in _reads(expressions)]
    if tree.is_randomized:
        body = [*_randomized(expressions, reads)]
    elif tree.shares is not None:
        body = [*_leaves(tree), *PREDICT_LEAF, *reads]
        body += expressions.nodes(lambda leaf: _leaf(tree, leaf))
    else:
        body = ["def predict(row):", f'    """The {_answer_name(tree)} of a row."""', *reads]
        body += expressions.nodes(lambda leaf: _answer(expressions, leaf))
    code = "\n".join(body)
    head = HEAD.replace("{answer}", _answer_name(tree))
    if not tree.predicts_values:
        head += f"\nCLASSES = {tuple(tree.tree.class_values.tolist())!r}\n"
    text = f"{head}\n\n{code}\n"
    return text + "".join(f"\n\n{part}" for part in needed_parts(PARTS, code))


def _answer_name(tree: RawTree) -> str:
    return "value" if tree.predicts_values else "class"


def _leaves(tree: RawTree) -> Iterator[str]:
    """The table of leaves: the class and the probabilities of each."""
    assert tree.shares is not None
    yield "_LEAVES = ("
    for leaf in tree.leaves:
        shares = tuple(tree.shares[leaf].tolist())
        yield f"    ({_class(tree, leaf)}, {shares!r}),"
    yield ")"
    yield from ("", "")


def _leaf(tree: RawTree, leaf: int) -> str:
    return f"return {tree.leaves.index(leaf)}  # {_class(tree, leaf)}"


def _reads(expressions: PythonExpressions) -> Iterator[str]:
    """A line for each column, which gives its value or refuses it."""
    marks = expressions.tree.tree.fitted_encoder().marks
    for feature in expressions.tree.features:
        options = f", marks={marks!r}" if marks else ""
        if feature.levels is None:
            options = (f", fill={feature.fill!r}" if feature.fill is not None else "") + options
            options = (", fill=math.nan" if feature.keeps_missing else "") + options
            yield f"{expressions.value(feature)} = _number(row, {feature.column!r}{options})"
            continue
        fill = "" if feature.keeps_missing else fill_name(feature)
        options = (f", fill={fill!r}" if fill is not None else "") + options
        options += ", numeric=True" if feature.levels.numeric else ""
        options += ", unseen=True" if feature.takes_unseen else ""
        if others := other_texts(feature):
            names = {text: level_names(feature)[k] for text, k in others.items()}
            options += f", others={names!r}"
        arguments = f"row, {feature.column!r}, {level_names(feature)!r}{options}"
        yield f"{expressions.value(feature)} = _level({arguments})"


def _answer(expressions: PythonExpressions, leaf: int) -> str:
    if expressions.tree.predicts_values:
        return f"return {expressions.leaf_value(leaf)}"
    return f"return {_class(expressions.tree, leaf)}"


def _class(tree: RawTree, leaf: int) -> str:
    return repr(tree.tree.class_values.tolist()[tree.tree.leaf_class[leaf]])


# ------------------------------------------------------------------------- randomized trees


def _randomized(expressions: PythonExpressions, reads: list[str]) -> Iterator[str]:
    yield "def predict(row):"
    yield '    """The most probable class of a row."""'
    yield "    chances = probabilities(row)"
    yield "    return CLASSES[chances.index(max(chances))]"
    yield from ("", "", "def probabilities(row):", '    """The probability of each class."""')
    yield from reads
    yield "    _p1 = 1.0"
    for heap, total in expressions.chances_of_branches():
        yield f"    _left = _logistic({total})"
        yield f"    _p{2 * heap} = _p{heap} * _left"
        yield f"    _p{2 * heap + 1} = _p{heap} * (1.0 - _left)"
    yield "    return ("
    yield from (f"        {addends}," for addends in expressions.chances_of_classes())
    yield "    )"
