"""The files that colour texts, made from the grammar and `colour_states.py`: `make docs` writes
them, `make check` says when they are out of date."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from colour_kinds import CALLED
from colour_states import Rule, states
from colour_words import literals
from tree_sitter_files import choices, emacs_words, helix_highlights, highlights

ROOT = Path(__file__).parents[2]

MADE = "Made by `make docs` from grammars/tree.lark; do not edit."

NOT_IN_NAMES = "²³¹¼-¾⁰-₎⅐-↋"


def python(pattern: str) -> str:
    """A pattern for Python's `re`."""
    found = literals()
    return (
        pattern.replace("<NAME>", found["NAME"])
        .replace("<NUMBER>", found["NUMBER"])
        .replace("<END>", rf"(?![^\W{NOT_IN_NAMES}])")
    )


def unicode(pattern: str) -> str:
    """A pattern for JavaScript and Oniguruma, which know letters by their Unicode property."""
    number = literals()["NUMBER"].replace(r"\w", r"[\p{L}\p{N}_]")
    number = re.sub(r"\((?!\?)", "(?:", number)
    letter = rf"(?![{NOT_IN_NAMES}])[\p{{L}}\p{{N}}_]"
    return (
        pattern.replace("<NAME>", rf"(?!\p{{Nd}}){letter}(?:{letter})*")
        .replace("<NUMBER>", number)
        .replace("<END>", rf"(?!{letter})")
    )


def _written(rule: Rule | str, dialect: Any) -> dict[str, Any]:
    if isinstance(rule, str):
        return {"include": rule}
    said: dict[str, Any] = {"match": dialect(rule.pattern)}
    said |= {"kind": rule.kind} if rule.kind else {}
    said |= {"push": rule.push} if rule.push else {}
    return said | ({"pop": True} if rule.pop else {})


def written(dialect: Any) -> dict[str, list[dict[str, Any]]]:
    return {name: [_written(rule, dialect) for rule in rules] for name, rules in states().items()}


def colours() -> str:
    """grammars/colours.json, for `treemip.core.syntax.colours`."""
    said = {"made": MADE, "states": written(python)}
    return json.dumps(said, indent=1, ensure_ascii=False) + "\n"


# ------------------------------------------------------------------------------- TextMate


def textmate() -> str:
    """The TextMate grammar of the extension for VS Code, which other editors read as well."""
    found = states()
    grammar = {
        "information_for_contributors": [MADE],
        "name": "treemip",
        "scopeName": "source.treemip",
        "fileTypes": ["tree"],
        "patterns": [{"include": "#file"}, {"include": "#unknown"}],
        "repository": {
            "comment": {"match": "#.*$", "name": _scope("comment")},
            "escape": {"match": r'\\["\\]', "name": "constant.character.escape.treemip"},
            **{name: {"patterns": _patterns(rules, found)} for name, rules in found.items()},
            "unknown": {"match": r"\S", "name": _scope("unknown")},
        },
    }
    return json.dumps(grammar, indent=1, ensure_ascii=False) + "\n"


def _scope(kind: str) -> str:
    return f"{CALLED[kind].textmate}.treemip"


def _patterns(rules: list[Rule | str], found: dict[str, list[Rule | str]]) -> list[dict[str, Any]]:
    """The rules that stay in a state or enter another; those that leave it are its `end`."""
    kept = [rule for rule in rules if isinstance(rule, str) or not rule.pop]
    return [{"include": "#comment"}, *(_pattern(rule, found) for rule in kept)]


def _pattern(rule: Rule | str, found: dict[str, list[Rule | str]]) -> dict[str, Any]:
    if isinstance(rule, str):
        return {"include": f"#{rule}"}
    pattern = unicode(rule.pattern)
    if not rule.push:
        inside = {"patterns": [{"include": "#escape"}]} if rule.kind == "string" else {}
        named = {"name": _scope(rule.kind), **inside} if rule.kind else {}
        whole = {"captures": {"0": named}} if inside else named
        return {"match": pattern, **whole}
    ends = [each for each in found[rule.push] if isinstance(each, Rule) and each.pop]
    return {
        "begin": pattern,
        **_captures("beginCaptures", [rule], 0),
        "end": "|".join(f"({unicode(each.pattern)})" for each in ends),
        **_captures("endCaptures", ends, 1),
        "patterns": [{"include": f"#{rule.push}"}, {"include": "#unknown"}],
    }


def _captures(key: str, rules: list[Rule], first: int) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for number, rule in enumerate(rules, first):
        if rule.kind:
            inside = {"patterns": [{"include": "#escape"}]} if rule.kind == "string" else {}
            named[str(number)] = {"name": _scope(rule.kind), **inside}
    return {key: named} if named else {}


# ----------------------------------------------------------------------------- CodeMirror


def codemirror() -> str:
    """The states of the CodeMirror mode, as a module."""
    tags = {kind: called.codemirror for kind, called in CALLED.items()}
    said = {"tags": tags, "states": written(unicode)}
    text = json.dumps(said, indent=1, ensure_ascii=False)
    return f"// {MADE}\nexport default {text};\n"


FILES = {
    "grammars/colours.json": colours,
    "editors/vscode/syntaxes/treemip.tmLanguage.json": textmate,
    "editors/codemirror/states.js": codemirror,
    "editors/tree-sitter-treemip/words.json": choices,
    "editors/tree-sitter-treemip/queries/highlights.scm": highlights,
    "editors/helix/queries/treemip/highlights.scm": helix_highlights,
    "editors/emacs/treemip-ts-words.el": emacs_words,
}
"""The text of each file by its path from the root."""
