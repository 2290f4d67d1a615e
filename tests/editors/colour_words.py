"""The words of the language by what they are, read from the grammar, the builtin names and the
vocabulary: a word that is new there is coloured after `make docs`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from lark.grammar import Rule, Symbol
from lark.lexer import TerminalDef
from lark.parsers.grammar_analysis import calculate_sets

from treemip.core.resolve import builtins
from treemip.core.resolve.modules import library_statements
from treemip.core.resources import grammar_path
from treemip.core.syntax import nodes as n
from treemip.core.syntax.tables import from_grammar

Words = dict[str, list[str]]

CHOICES = {
    "kinds": "KIND",
    "presses": "PRESS",
    "reductions": "REDUCE",
    "senses": "SENSE",
    "requires": "REQUIRE",
}
"""Terminals of the grammar that are a choice of words."""


@cache
def words() -> Words:
    """Every word by its role; each list is sorted."""
    keywords = _keywords()
    every = {word for found in keywords.values() for word in found}
    own = _own_roles(keywords)
    placed = {word for found in own.values() for word in found}
    roles = {"keywords": every, "infix": every - placed, **own, **_names()}
    return {role: sorted(found) for role, found in roles.items()}


def _own_roles(keywords: dict[str, list[str]]) -> dict[str, set[str]]:
    """Words that begin something, or stand in one kind of statement only; all others stand
    between or behind expressions."""
    first = _first()

    def begin(rule: str) -> set[str]:
        return {word for symbol in first[rule] for word in keywords.get(symbol.name, [])}

    def within(rule: str) -> set[str]:
        names = {symbol.name for each in _under(rule) for symbol in each.expansion}
        return {word for name in names for word in keywords.get(name, [])}

    reductions, heads = set(keywords["REDUCE"]), begin("statement")
    prefix = begin("expr") | begin("condition")
    rules = {word for name in _in_rules() for word in keywords.get(name, [])} - heads
    return {
        **{role: set(keywords[name]) for role, name in CHOICES.items()},
        "heads": heads,
        "prefix": prefix - reductions,
        "body": begin("body") - prefix,
        "default": begin("default") - prefix,
        "subject": within("subject") & set(keywords["TO"]),
        "later": begin("later"),
        "module": set(keywords["SPLITS"]) | set(keywords["BY"]),
        "drop": (begin("drop_when") | begin("drop_unless")),
        "rule": rules,
        "before_value": set().union(*(keywords[name] for name in _before_values())),
    }


def _in_rules() -> set[str]:
    return {s.name for name in ("route", "predict") for r in _rules(name) for s in r.expansion}


def _before_values() -> set[str]:
    """The words of `route` and `predict` behind which an expression stands."""
    return {
        word.name
        for name in ("route", "predict")
        for rule in _rules(name)
        for word, following in zip(rule.expansion, rule.expansion[1:], strict=False)
        if following.name == "expr" and word.name in _keywords()
    }


@cache
def _grammar() -> tuple[list[TerminalDef], list[Rule]]:
    made = from_grammar(grammar_path().read_bytes())
    return made.terminals, made.rules


def _rules(name: str) -> list[Rule]:
    return [rule for rule in _grammar()[1] if rule.origin.name == name]


@cache
def _first() -> dict[str, set[Symbol]]:
    first, _, _ = calculate_sets(_grammar()[1])
    return {symbol.name: found for symbol, found in first.items()}


def _under(name: str, seen: set[str] | None = None) -> list[Rule]:
    """The rules of a symbol and of all symbols in them."""
    seen = {name} if seen is None else seen
    found = _rules(name)
    for rule in list(found):
        for symbol in rule.expansion:
            if symbol.name not in seen:
                seen.add(symbol.name)
                found += _under(symbol.name, seen)
    return found


@cache
def _keywords() -> dict[str, list[str]]:
    """The words of every terminal that is a word, or a choice of words."""
    texts = {t.name: t.pattern.value for t in _grammar()[0]}
    plain = {name: [text] for name, text in texts.items() if re.fullmatch("[a-z]+", text)}
    choice = {name: re.match(r"\(([a-z|]+)\)", text) for name, text in texts.items()}
    return plain | {name: found[1].split("|") for name, found in choice.items() if found}


def _names() -> dict[str, Iterable[str]]:
    """Names that the language and the vocabulary give."""
    said = library_statements("vocabulary")
    return {
        "sets": builtins.BASE_SETS,
        "constants": (*builtins.CONSTANTS, *builtins.NUMBERS),
        "tables": builtins.DATA,
        "functions": builtins.FUNCTION_NAMES,
        "concepts": [s.name for s in said if isinstance(s, n.Concept)],
        "terms": [s.name for s in said if isinstance(s, n.Term)],
    }


def literals() -> dict[str, str]:
    """The patterns of strings, numbers and names, as the grammar has them."""
    texts = {t.name: t.pattern.value for t in _grammar()[0]}
    return {name: texts[name] for name in ("NAME", "NUMBER", "STRING", "COMMENT")}


def marks() -> list[str]:
    """Operators of the grammar, longest first: no bracket, and none that parts or ends."""
    patterns = {t.pattern.value for t in _grammar()[0] if not set("[]") & set(t.pattern.value)}
    texts = {sign for each in patterns for sign in re.sub(r"[\\()?:]", "", each).split("|")}
    found = {text for text in texts if re.fullmatch(r"[-+*/^<>=!.]+", text)}
    return sorted(found, key=lambda text: (-len(text), text))
