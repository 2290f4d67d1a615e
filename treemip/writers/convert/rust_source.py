"""A tree as Rust that needs nothing but the standard library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from treemip.core.instance.feature import Feature
from treemip.writers.convert.c_source import CExpressions, c_number
from treemip.writers.convert.raw_limits import NO_VALUE
from treemip.writers.convert.raw_splits import (
    UNSEEN,
    RawTree,
)
from treemip.writers.convert.source_text import (
    fill_name,
    is_text,
    marks_of,
    needed_parts,
    places_of,
)

HEAD = """\
//! A decision tree, written by treemip; it needs nothing but the standard library.
//!
//! `predict(&row)` is {answer},
//! or `None` where the tree refuses the row.
//! Numbers are raw; NaN is a missing one, "" a missing text. Texts have no blanks around them.

#![allow(unused_parens)]
"""

WORDS = frozenset(
    re.findall(
        r"\w+",
        "as async await become box crate dyn enum false fn gen impl let loop macro match mod move "
        "mut override priv pub ref self super trait true try type typeof unsized use virtual "
        "where yield abstract final do between greatest logistic",
    )
)
"""Words of Rust and functions of the module; by those of C and Python no column is called."""

PARTS = {
    "between": """\
fn between(share: f64, lower: f64, upper: f64) -> f64 {
    if share == 1.0 { upper } else { lower + (upper - lower) * share }
}
""",
    "greatest": """\
fn greatest(values: &[f64]) -> usize {
    let mut best = 0;
    for (k, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = k;
        }
    }
    best
}
""",
    "logistic": """\
/// 1 / (1 + exp(-u)), after fdlibm; the library's exp differs by machine.
fn logistic(u: f64) -> f64 {
    let v = -u.abs().min(745.5);
    let power = (v * 1.44269504088896338700).round_ties_even();
    let high = v - power * 6.93147180369123816490e-01;
    let low = power * 1.90821492927058770002e-10;
    let rest = high - low;
    let square = rest * rest;
    let mut series = 0.0;
    for factor in [
        4.13813679705723846039e-08,
        -1.65339022054652515390e-06,
        6.61375632143793436117e-05,
        -2.77777777770155933842e-03,
        1.66666666666666019037e-01,
    ] {
        series = square * (factor + series);
    }
    series = rest - series;
    let mut small = 1.0 - ((low - (rest * series) / (2.0 - series)) - high);
    // 2^power in two factors, of which each is a normal double.
    let half = power as i64 / 2;
    for part in [half, power as i64 - half] {
        small *= f64::from_bits(((1023 + part) as u64) << 52);
    }
    (if u >= 0.0 { 1.0 } else { small }) / (1.0 + small)
}
""",
}

RANDOMIZED = """\
pub fn predict(row: &Row) -> Option<usize> {
    probabilities(row).map(|chances| greatest(&chances))
}
"""

LEAF = """\
pub fn predict(row: &Row) -> Option<usize> {
    leaf(row).map(|k| LEAVES[k].0)
}

pub fn probabilities(row: &Row) -> Option<{shares}> {
    leaf(row).map(|k| LEAVES[k].1)
}

/// The position of a row's leaf."""


@dataclass(frozen=True)
class RustExpressions(CExpressions):
    """As in C, but for choices and names."""

    words = WORDS
    branch = ("if {} {{", "}")

    def missing(self, feature: Feature, absent: bool) -> str:
        if feature.levels is None:
            return f"{'' if absent else '!'}{self.value(feature)}.is_nan()"
        return super().missing(feature, absent)

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"(if {condition} {{ {yes} }} else {{ {no} }})"

    def between(self, share: str, lower: float, upper: float) -> str:
        return f"between({share}, {c_number(lower)}, {c_number(upper)})"

    def product(self, weight: float, factor: str) -> str:
        return f"{c_number(weight)} * {factor}"


def rust_source(tree: RawTree) -> str:
    """The text of a module with `Row`, `CLASSES` and `predict`; where probabilities are known also
    with `probabilities`."""
    expressions = RustExpressions(tree)
    answer = "the number of the row's class in `CLASSES`"
    answer += ",\n//! `probabilities(&row)` the probability of each" * (tree.shares is not None)
    classes = (
        f"\npub const CLASSES: &[&str] = &[{', '.join(map(rust_string, tree.tree.classes))}];\n"
    )
    if tree.predicts_values:
        answer, classes = "the row's value", ""
    lifetime = "<'a>" if any(map(is_text, tree.features)) else ""
    code = [
        f"pub struct Row{lifetime} {{",
        *_fields(expressions),
        "}",
        "",
        *_functions(expressions),
    ]
    text = "\n".join([HEAD.replace("{answer}", answer) + classes, *code, ""])
    return text + "".join(f"\n{part}" for part in needed_parts(PARTS, text))


def _functions(expressions: RustExpressions) -> Iterator[str]:
    tree = expressions.tree
    shares = f"[f64; {len(tree.tree.classes)}]"
    if tree.is_randomized:
        yield RANDOMIZED
        yield from _function("pub fn probabilities", shares, expressions, _randomized(expressions))
    elif tree.shares is not None:
        yield f"const LEAVES: &[(usize, {shares})] = &["
        for leaf in tree.leaves:
            numbers = ", ".join(map(c_number, tree.shares[leaf]))
            yield f"    ({int(tree.tree.leaf_class[leaf])}, [{numbers}]),"
        yield "];\n"
        yield LEAF.replace("{shares}", shares)
        nodes = expressions.nodes(lambda leaf: _leaf(tree, leaf))
        yield from _function("fn leaf", "usize", expressions, nodes)
    else:
        result = "f64" if tree.predicts_values else "usize"
        nodes = expressions.nodes(lambda leaf: _answer(expressions, leaf))
        yield from _function("pub fn predict", result, expressions, nodes)


def _function(
    name: str, result: str, expressions: RustExpressions, body: Iterator[str]
) -> Iterator[str]:
    row = "row" if expressions.tree.features else "_row"
    yield f"{name}({row}: &Row) -> Option<{result}> {{"
    yield from _reads(expressions)
    yield from body
    yield "}"


def rust_string(text: str) -> str:
    plain = {*map(chr, range(32, 127))} - set('"\\')
    return '"' + "".join(c if c in plain else f"\\u{{{ord(c):x}}}" for c in text) + '"'


def _fields(expressions: RustExpressions) -> Iterator[str]:
    for feature in expressions.tree.features:
        kind = "&'a str" if is_text(feature) else "f64"
        yield f"    /// {rust_string(feature.column)}"
        yield f"    pub {expressions.value(feature)}: {kind},"


def _reads(expressions: RustExpressions) -> Iterator[str]:
    """Lines that give each column's value, the position of its level, or refuse it."""
    for feature in expressions.tree.features:
        name = expressions.value(feature)
        missing, field = _missing(expressions, feature), f"row.{name}"
        if feature.levels is None:
            filled = "return None" if feature.fill is None else c_number(feature.fill)
            filled = "f64::NAN" if feature.keeps_missing else filled
            yield f"    let {name} = if {missing} {{ {filled} }} else {{ {field} }};"
            yield f"    if {name}.is_infinite() {{"
            yield "        return None;"
            yield "    }"
            continue
        filled = "return None" if fill_name(feature) is None else str(int(feature.fill or 0))
        filled = str(NO_VALUE) if feature.keeps_missing else filled
        yield f"    let {name}: i32 = if {missing} {{"
        yield f"        {filled}"
        for level, place in places_of(feature).items():
            yield f"    }} else if {field} == {_literal(feature, level)} {{"
            yield f"        {place}"
        yield f"    }} else {{\n        {UNSEEN}\n    }};"
        if not feature.takes_unseen:
            yield f"    if {name} == {UNSEEN} {{\n        return None;\n    }}"


def _literal(feature: Feature, cell: str | float) -> str:
    return rust_string(str(cell)) if is_text(feature) else c_number(float(cell))


def _missing(expressions: RustExpressions, feature: Feature) -> str:
    """Whether a row has no value of the column."""
    field = f"row.{expressions.value(feature)}"
    marks = (_literal(feature, mark) for mark in marks_of(expressions.tree, feature))
    empty = "is_empty" if is_text(feature) else "is_nan"
    return " || ".join([f"{field}.{empty}()", *(f"{field} == {mark}" for mark in marks)])


def _answer(expressions: RustExpressions, leaf: int) -> str:
    if expressions.tree.predicts_values:
        return f"return Some({expressions.leaf_value(leaf)});"
    k = int(expressions.tree.tree.leaf_class[leaf])
    return f"return Some({k}); // {rust_string(expressions.tree.tree.classes[k])}"


def _leaf(tree: RawTree, leaf: int) -> str:
    name = rust_string(tree.tree.classes[int(tree.tree.leaf_class[leaf])])
    return f"return Some({tree.leaves.index(leaf)}); // {name}"


def _randomized(expressions: RustExpressions) -> Iterator[str]:
    yield "    let _p1 = 1.0;"
    for heap, total in expressions.chances_of_branches():
        yield f"    let _left = logistic({total});"
        yield f"    let _p{2 * heap} = _p{heap} * _left;"
        yield f"    let _p{2 * heap + 1} = _p{heap} * (1.0 - _left);"
    yield "    Some(["
    yield from (f"        {addends}," for addends in expressions.chances_of_classes())
    yield "    ])"
