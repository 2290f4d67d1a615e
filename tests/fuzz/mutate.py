"""Texts changed at random: words, lines and characters lost, doubled, exchanged, put in."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

TOKEN = re.compile(r'#[^\n]*|"[^"\n]*"|\w+(?:\.\d+)?|==>|[<>!]=|\.\.|\s+|.', re.DOTALL)

NUMBERS = ["0", "-1", "1", "2", "3", "0.5", "1e-9", "1e-320", "1e308", "1e309", "-1e308", "0.0",
           "1000000", "9007199254740993", "1" * 40, "1e-400", "0.1e1", "1e", "00", "1.", ".5",
           "nan", "inf", "1_000", "0x10", "1" + "0" * 5000]  # fmt: skip
WORDS = ["points", "features", "classes", "nodes", "branches", "leaves", "last_branches", "root",
         "left", "right", "parent", "ancestors", "leaves_under", "sum", "max", "min", "prod",
         "argmax", "argmin", "abs", "exp", "log", "sqrt", "round", "logistic", "ord", "card",
         "position",
         "depth", "norm1", "norminf", "normsq", "dot", "level", "values", "point", "features_of",
         "sorted", "thresholds", "bisect", "inner", "mid", "lo", "hi", "next", "reach", "label",
         "coef", "bias", "active", "uses", "occupied", "correct", "predicts", "slack", "x", "y",
         "weight", "class_count", "eps", "beta", "alpha", "M", "binary", "integer", "free", "if",
         "then", "else", "let", "in", "and", "or", "not", "when", "unless", "by", "big_m", "means",
         "param", "var", "set", "tree", "term", "concept", "minimize", "maximize", "subject",
         "subject to", "route", "predict", "drop", "requires", "advise", "strategy", "data",
         "topology", "split", "cut", "group", "encode onehot;", "scale minmax;", "bin thresholds;",
         "weight w;", "label c number;", "label none;", "number v1;", "missing impute(0) c;",
         "missing side;", "missing side v1;", "missing indicator(mean) v1;",
         "number", "none", "missing", "train 0.5", "complete(depth = 2)", "import",
         "while"]  # fmt: skip
KINDRED = [
    ["points", "features", "classes", "nodes", "branches", "leaves", "last_branches"],
    ["left", "right", "parent"],
    ["ancestors", "left_ancestors", "right_ancestors", "leaves_under"],
    ["sum", "max", "min", "prod", "argmax", "argmin"],
    ["abs", "exp", "log", "sqrt", "floor", "ceil", "round", "logistic", "ord", "card", "depth"],
    ["norm1", "norminf", "normsq"],
    ["+", "-", "*", "/", "^"],
    ["<=", ">=", "=", "<", ">", "!="],
    ["0", "1", "2", "0.5", "7", "1000000", "1e300", "1e-9"],
    ["i", "j", "k", "l", "t", "n", "f", "v", "c", "m", "g", "h", "root", "positive", "negative"],
    ["reach", "label", "coef", "bias", "active", "uses", "occupied", "correct", "predicts", "slack",
     "uses_anywhere", "confusion", "recall", "points_in"],
    ["misclassified", "accuracy", "balanced_error", "splits", "features_used", "leaves_used",
     "distinct_features", "total_slack", "l1", "linf", "margin", "l0_local", "log_global"],
    ["x", "y", "weight", "class_count", "eps", "beta", "alpha", "M", "cost"],
    ["binary", "integer", "free"],
    ["minimize", "maximize"],
    ["soct", "octh", "svm1_odt", "oct", "binoct", "flow_oct", "margot", "mm_svm_oct", "mrct"],
    ["oblique", "univariate", "margin", "randomized"],
    ["quantile", "thresholds", "minmax", "onehot", "zscore", "width"],
    ["complete", "shape", "diagram"],
]  # fmt: skip
MARKS = [*"(){}[];,:=<>+-*/^.\"#'\\|&!%@$?~`", "==>", "<=", ">=", "!=", "..", "**", "==", "->"]
CHARACTERS = ["é", "東", "∑", "≤", "\u00a0", "\u200b", "\u202e", "\ufeff", "\x00", "\x1b[31m",
              "\x7f", "\t", "\r", "\r\n", "\x0c", "\u2028", "\u0301", "ß", "İ", "²", "½",
              "“", "\u2013", "\ud7ff", "\U0010ffff"]  # fmt: skip


def mutated(text: str, others: list[str], dice: random.Random) -> str:
    """The text after one to four changes; `others` are texts to take pieces from.

    Half of them change nothing but words and numbers for others, which most often parses.
    """
    gentle = dice.random() < 0.5
    for _ in range(dice.choice([1, 1, 1, 1, 2, 2, 3, 4])):
        change = dice.choice(GENTLE) if gentle else dice.choices(CHANGES, WEIGHTS)[0]
        text = change(text, others, dice)
    return text


def _tokens(change: Callable[[list[str], list[str], random.Random], None]) -> Change:
    def changed(text: str, others: list[str], dice: random.Random) -> str:
        tokens = TOKEN.findall(text) or [""]
        change(tokens, others, dice)
        return "".join(tokens)

    return changed


def _some(tokens: list[str], dice: random.Random) -> int:
    """The place of a token that is no space."""
    places = [k for k, token in enumerate(tokens) if token.strip() and token[0] != "#"]
    return dice.choice(places) if places else 0


def _delete(tokens: list[str], others: list[str], dice: random.Random) -> None:
    k = _some(tokens, dice)
    del tokens[k : k + dice.choice([1, 1, 1, 2, 5])]


def _double(tokens: list[str], others: list[str], dice: random.Random) -> None:
    k = _some(tokens, dice)
    tokens[k:k] = tokens[k : k + dice.choice([1, 1, 3, 9])]


def _swap(tokens: list[str], others: list[str], dice: random.Random) -> None:
    k, m = _some(tokens, dice), _some(tokens, dice)
    tokens[k], tokens[m] = tokens[m], tokens[k]


def _word(tokens: list[str], others: list[str], dice: random.Random) -> None:
    tokens[_some(tokens, dice)] = dice.choice(WORDS)


def _kindred(tokens: list[str], others: list[str], dice: random.Random) -> None:
    """A word for another of its kind: often still a spec, of another meaning."""
    groups = {word: group for group in KINDRED for word in group}
    places = [k for k, token in enumerate(tokens) if token in groups]
    if places:
        k = dice.choice(places)
        tokens[k] = dice.choice(groups[tokens[k]])


def _own_word(tokens: list[str], others: list[str], dice: random.Random) -> None:
    tokens[_some(tokens, dice)] = tokens[_some(tokens, dice)]


def _mark(tokens: list[str], others: list[str], dice: random.Random) -> None:
    tokens.insert(_some(tokens, dice), dice.choice(MARKS))


def _number(tokens: list[str], others: list[str], dice: random.Random) -> None:
    places = [k for k, token in enumerate(tokens) if token[:1].isdecimal()]
    k = dice.choice(places) if places else _some(tokens, dice)
    tokens[k] = dice.choice(NUMBERS)


def _bracketed(tokens: list[str], others: list[str], dice: random.Random) -> None:
    k, times = _some(tokens, dice), dice.choice([1, 1, 3, 40])
    opening, closing = dice.choice(["()", "{}", "[]", '""', "(}"])
    tokens[k] = opening * times + tokens[k] + closing * dice.choice([times, times, times - 1, 0])


def _splice(text: str, others: list[str], dice: random.Random) -> str:
    """Some statements or lines of another text, put in anywhere between lines."""
    pieces = re.split(r"(?<=;)\s*\n|\n", dice.choice(others))
    k = dice.randrange(len(pieces))
    piece = "\n".join(pieces[k : k + dice.choice([1, 1, 2, 5])])
    lines = text.split("\n")
    lines.insert(dice.randrange(len(lines) + 1), piece)
    return "\n".join(lines)


def _line(text: str, others: list[str], dice: random.Random) -> str:
    lines = text.split("\n")
    k, m = dice.randrange(len(lines)), dice.randrange(len(lines))
    way = dice.randrange(3)
    if way == 0:
        del lines[k]
    elif way == 1:
        lines.insert(m, lines[k])
    else:
        lines[k], lines[m] = lines[m], lines[k]
    return "\n".join(lines)


def _character(text: str, others: list[str], dice: random.Random) -> str:
    k = dice.randrange(len(text) + 1)
    return text[:k] + dice.choice(CHARACTERS) + text[k + dice.choice([0, 0, 1]) :]


def _cut(text: str, others: list[str], dice: random.Random) -> str:
    return text[: dice.randrange(len(text) + 1)]


Change = Callable[[str, list[str], random.Random], str]
_TABLE: list[tuple[Change, int]] = [
    (_tokens(_delete), 4),
    (_tokens(_double), 2),
    (_tokens(_swap), 3),
    (_tokens(_kindred), 6),
    (_tokens(_word), 6),
    (_tokens(_own_word), 4),
    (_tokens(_mark), 2),
    (_tokens(_number), 5),
    (_tokens(_bracketed), 2),
    (_splice, 4),
    (_line, 2),
    (_character, 1),
    (_cut, 1),
]
CHANGES = [change for change, _ in _TABLE]
WEIGHTS = [weight for _, weight in _TABLE]
GENTLE = [_tokens(_kindred), _tokens(_kindred), _tokens(_kindred), _tokens(_number)]
