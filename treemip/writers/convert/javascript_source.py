"""A tree as a module of JavaScript that needs nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from treemip.core.instance.feature import Feature
from treemip.writers.convert.c_source import CExpressions, c_number
from treemip.writers.convert.raw_limits import NO_VALUE
from treemip.writers.convert.raw_splits import RawTree
from treemip.writers.convert.source_text import (
    is_text,
    marks_of,
    needed_parts,
    places_of,
)

HEAD = """\
// A decision tree, written by treemip: a module of ECMAScript that needs nothing else.
//
// predict(row) is the {answer} of one row: an object with the raw value of each column by its name,
// a number or a text without blanks around it. null, NaN and "" are missing values. What the tree
// refuses is a RangeError, and a column that is not there or of another type a TypeError.
"""

WORDS = frozenset(
    re.findall(
        r"\w+",
        "arguments await catch class debugger delete enum eval export extends false finally "
        "function implements import in instanceof interface let new null package private "
        "protected public super this throw true try typeof undefined var with yield",
    )
)
"""Words of JavaScript; those of C and Python no column is called by anyway."""

PARTS = {
    "_cell": """\
function _cell(row, column, type) {
  const value = row[column];
  if (value === null || typeof value === type) return value;
  throw new TypeError(`${JSON.stringify(value)} in column '${column}', which is a ${type} or null`);
}
""",
    "_missing": """\
function _missing(column, fill) {
  if (fill === null) throw new RangeError(`no value in column '${column}'`);
  return fill;
}
""",
    "_number": """\
function _number(row, column, marks, fill) {
  const value = _cell(row, column, "number");
  if (value === null || Number.isNaN(value) || marks.includes(value)) return _missing(column, fill);
  if (!Number.isFinite(value)) throw new RangeError(`${value} in column '${column}'`);
  return value;
}
""",
    "_level": """\
// The position of a level; -1 for a value that training did not have, where the tree takes such.
function _level(row, column, type, levels, marks, fill, unseen) {
  const value = _cell(row, column, type);
  const none = value === null || value === "" || Number.isNaN(value);
  if (none || marks.includes(value)) return _missing(column, fill);
  const known = levels.find((each) => each[0] === value);
  if (known !== undefined || unseen) return known?.[1] ?? -1;
  throw new RangeError(`'${value}' in column '${column}', which training did not have`);
}
""",
    "_between": """\
function _between(share, lower, upper) {
  return share === 1 ? upper : lower + (upper - lower) * share;
}
""",
    "_logistic": """\
// 1 / (1 + exp(-u)), after fdlibm; Math.exp differs by machine.
function _logistic(u) {
  const v = -Math.min(Math.abs(u), 745.5);
  const power = v * 1.44269504088896338700 + 6755399441055744 - 6755399441055744; // rounded
  const high = v - power * 6.93147180369123816490e-01;
  const low = power * 1.90821492927058770002e-10;
  const rest = high - low;
  const square = rest * rest;
  let series = 0;
  for (const factor of [
    4.13813679705723846039e-08, -1.65339022054652515390e-06, 6.61375632143793436117e-05,
    -2.77777777770155933842e-03, 1.66666666666666019037e-01,
  ]) series = square * (factor + series);
  series = rest - series;
  let small = 1 - (low - (rest * series) / (2 - series) - high);
  // 2^power in two factors, each of which is a normal double and made without rounding.
  const half = Math.floor(-power / 2);
  for (const part of [half, -power - half]) {
    let factor = 1;
    for (let k = 0; k < part; k++) factor /= 2;
    small *= factor;
  }
  return (u >= 0 ? 1 : small) / (1 + small);
}
""",
}


@dataclass(frozen=True)
class JavaScriptExpressions(CExpressions):
    """As in C, but for calls and names."""

    words, indent = WORDS, "  "

    def missing(self, feature: Feature, absent: bool) -> str:
        if feature.levels is None:
            return f"{'' if absent else '!'}Number.isNaN({self.value(feature)})"
        return super().missing(feature, absent)

    def between(self, share: str, lower: float, upper: float) -> str:
        return f"_between({share}, {c_number(lower)}, {c_number(upper)})"

    def product(self, weight: float, factor: str) -> str:
        return f"{c_number(weight)} * {factor}"


def javascript_source(tree: RawTree) -> str:
    """The text of a module with `predict(row)`, and `CLASSES`; where probabilities are known also
    with `probabilities(row)`."""
    expressions, answer = JavaScriptExpressions(tree), "value" if tree.predicts_values else "class"
    text = HEAD.replace("{answer}", answer)
    if not tree.predicts_values:
        text += f"\nexport const CLASSES = {json.dumps(tree.tree.class_values.tolist())};\n"
    if tree.is_randomized:
        body = ["  const chances = probabilities(row);"]
        body += ["  return CLASSES[chances.indexOf(Math.max(...chances))];"]
        text += _function("predict", body)
        text += _function("probabilities", [*_reads(expressions), *_randomized(expressions)])
    elif tree.shares is not None:
        text += "\n".join(_leaves(tree))
        text += _function("predict", ["  return CLASSES[LEAVES[_leaf(row)][0]];"])
        text += _function("probabilities", ["  return LEAVES[_leaf(row)][1].slice();"])
        nodes = expressions.nodes(lambda leaf: _leaf(tree, leaf))
        text += _function("_leaf", [*_reads(expressions), *nodes], exported=False)
    else:
        nodes = expressions.nodes(lambda leaf: _answer(expressions, leaf))
        text += _function("predict", [*_reads(expressions), *nodes])
    return text + "".join(f"\n{part}" for part in needed_parts(PARTS, text))


def _function(name: str, body: list[str], exported: bool = True) -> str:
    export = "export " * exported
    return "\n".join([f"\n{export}function {name}(row) {{", *body, "}\n"])


def _leaves(tree: RawTree) -> Iterator[str]:
    """The table of leaves: the position of the class and the probabilities of each."""
    assert tree.shares is not None
    yield "\nconst LEAVES = ["
    for leaf in tree.leaves:
        yield f"  [{int(tree.tree.leaf_class[leaf])}, {tree.shares[leaf].tolist()!r}],"
    yield "];\n"


def _answer(expressions: JavaScriptExpressions, leaf: int) -> str:
    tree = expressions.tree
    if tree.predicts_values:
        return f"return {expressions.leaf_value(leaf)};"
    k = int(tree.tree.leaf_class[leaf])
    return f"return CLASSES[{k}]; // {json.dumps(tree.tree.classes[k])}"


def _leaf(tree: RawTree, leaf: int) -> str:
    name = json.dumps(tree.tree.classes[int(tree.tree.leaf_class[leaf])])
    return f"return {tree.leaves.index(leaf)}; // {name}"


def _reads(expressions: JavaScriptExpressions) -> Iterator[str]:
    """A line for each column, which gives its value or the position of its level, or refuses it."""
    for feature in expressions.tree.features:
        marks = json.dumps(marks_of(expressions.tree, feature))
        fill = "null"
        if feature.levels is None:
            fill = fill if feature.fill is None else c_number(feature.fill)
            fill = "NaN" if feature.keeps_missing else fill
            call = f"_number(row, {json.dumps(feature.column)}, {marks}, {fill})"
        else:
            kind = "string" if is_text(feature) else "number"
            levels = json.dumps(list(places_of(feature).items()))
            fill = fill if feature.fill is None else str(int(feature.fill))
            fill = str(NO_VALUE) if feature.keeps_missing else fill
            options = f"{levels}, {marks}, {fill}, {json.dumps(feature.takes_unseen)}"
            call = f'_level(row, {json.dumps(feature.column)}, "{kind}", {options})'
        yield f"  const {expressions.value(feature)} = {call};"


def _randomized(expressions: JavaScriptExpressions) -> Iterator[str]:
    yield "  const _p1 = 1.0;"
    for heap, total in expressions.chances_of_branches():
        yield f"  const _left{heap} = _logistic({total});"
        yield f"  const _p{2 * heap} = _p{heap} * _left{heap};"
        yield f"  const _p{2 * heap + 1} = _p{heap} * (1.0 - _left{heap});"
    yield "  return ["
    yield from (f"    {addends}," for addends in expressions.chances_of_classes())
    yield "  ];"
