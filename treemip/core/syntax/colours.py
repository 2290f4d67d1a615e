"""What each part of a text is, for colours: also of texts that are not finished, or fragments.

The states with their rules are in `grammars/colours.json`, which `make docs` makes from the grammar
together with the files of all editors, so that a text looks alike wherever it is shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from treemip.core.resources import grammar_path


class Part(NamedTuple):
    """kind is one of KINDS; start and end are offsets."""

    kind: str
    start: int
    end: int


KINDS = {
    "comment": "comment",
    "string": "string",
    "number": "number",
    "head": "keyword",
    "word": "keyword",
    "kind": "keyword",
    "reduction": "keyword",
    "declared": "name",
    "module": "name",
    "setting": "name",
    "choice": "name",
    "function": "name",
    "set": "name",
    "table": "name",
    "constant": "name",
    "concept": "name",
    "term": "name",
    "name": "name",
    "operator": "operator",
    "punctuation": "punctuation",
    "unknown": "unknown",
}
"""Every kind of part, and what it is for the grammar."""


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    kind: str
    push: str
    pop: bool


_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"#[^\n]*")


def parts(text: str) -> Iterator[Part]:
    """All parts of a text in their order, without spaces: whatever stands between two is space."""
    states = _states()
    stack = ["file"]
    at = 0
    while at < len(text):
        if comment := _COMMENT.match(text, at):
            yield Part("comment", at, comment.end())
            at = comment.end()
            continue
        for rule in states[stack[-1]]:
            if match := rule.pattern.match(text, at):
                break
        else:
            space = _SPACE.match(text, at)
            if not space:
                yield Part("unknown", at, at + 1)
            at = space.end() if space else at + 1
            continue
        if match.end() > at:
            yield Part(rule.kind, at, match.end())
        at = match.end()
        if rule.pop:
            stack.pop()
        if rule.push:
            stack.append(rule.push)


@lru_cache(maxsize=1)
def _states() -> dict[str, list[_Rule]]:
    path = grammar_path().with_name("colours.json")
    said = json.loads(path.read_text(encoding="utf-8"))["states"]
    return {name: list(_rules(name, said)) for name in said}


def _rules(name: str, said: dict[str, list[dict[str, Any]]]) -> Iterator[_Rule]:
    for rule in said[name]:
        if "include" in rule:
            yield from _rules(rule["include"], said)
        else:
            pattern = re.compile(rule["match"], re.MULTILINE)
            yield _Rule(pattern, rule.get("kind", ""), rule.get("push", ""), rule.get("pop", False))
