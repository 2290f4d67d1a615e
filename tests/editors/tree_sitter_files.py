"""What the tree-sitter grammar and its users take from the words of the language: choices of words,
and the queries for colours.

No two patterns of a query take the same node, so that it does not matter whether the first or the
last one wins: editors differ in that.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from colour_kinds import CALLED
from colour_words import CHOICES, marks, words

DECLARING = (
    "tree_name", "param", "set", "tree", "var", "let", "concept", "term",
    "objective", "later", "constraint", "local_set",
)  # fmt: skip
"""Nodes whose name they declare; their kind is "declared"."""

MODULES = (
    "formulation name", "formulation kind", "use module", "split module", "split kind",
    "topology kind",
)  # fmt: skip
"""Nodes and their fields that name what the library has."""

HELIX = {
    "number": "constant.numeric",
    "module": "namespace",
    "property": "variable.other.member",
    "constant": "constant",
    "keyword.operator": "keyword.control",
    "variable.builtin": "variable.builtin",
}
"""What Helix calls a capture, where that is not what others call it."""

HEAD = "; Made by `make docs` from grammars/tree.lark; do not edit.\n"


def choices() -> str:
    """words.json: choices of words in the grammar."""
    said = {role: words()[role] for role in sorted(CHOICES)}
    return json.dumps(said, indent=1) + "\n"


def highlights(rename: Callable[[str], str] = lambda name: name) -> str:
    """queries/highlights.scm."""

    def capture(kind: str) -> str:
        return f"@{rename(CALLED[kind].tree_sitter)}"

    own = words()
    heads, infix = _heads_and_others()
    return HEAD + "\n".join([
        f"(comment) {capture('comment')}",
        f"(string) {capture('string')}",
        f"(number) {capture('number')}",
        "",
        f"{_one_of(sorted(heads - set(own['body'])))} {capture('head')}",
        *(f'(let "{word}" {capture("head")})' for word in own["body"]),
        *(f'(local_set "{word}" {capture("word")})' for word in own["body"]),
        f"{_one_of(sorted(infix))} {capture('word')}",
        f"(reduction operator: _ {capture('reduction')})",
        f"(var kind: _ {capture('kind')})",
        "",
        *(f"({node} name: (identifier) {capture('declared')})" for node in DECLARING),
        *(
            f"({node} {field}: (identifier) {capture('module')})"
            for node, field in (each.split() for each in MODULES)
        ),
        f"(setting key: (identifier) {capture('setting')})",
        f"(word (identifier) {capture('choice')})",
        *(
            f"({node} name: (identifier) {capture('name')}.parameter)"
            for node in ("binder", "parameter", "named")
        ),
        f"(method (identifier) {capture('name')})",
        f"(drop row: (identifier) {capture('name')})",
        f"(press (identifier) {capture('name')})",
        "",
        *_names(capture),
        "",
        f"{_one_of(marks())} {capture('operator')}",
        f'["(" ")" "[" "]" "{{" "}}"] @{rename("punctuation.bracket")}',
        f'[";" "," ":"] {capture("punctuation")}',
    ]) + "\n"  # fmt: skip


def _heads_and_others() -> tuple[set[str], set[str]]:
    """Keywords that begin statements, and all others that stand in no field."""
    own = words()
    heads = {*own["heads"], *own["subject"]}
    return heads, {*own["keywords"]} - heads - {*own["kinds"], *own["reductions"]}


def _names(capture: Callable[[str], str]) -> list[str]:
    """Names in expressions: those of the language as they are used there, and all others."""
    own = words()
    plain = {"set": "sets", "constant": "constants", "term": "terms"}
    indexed = {"table": "tables", "concept": "concepts"}
    alone = {word for role in plain.values() for word in own[role]}
    with_index = {word for role in indexed.values() for word in own[role]} - alone
    return [
        *(_name(capture(kind), set(own[role]), "") for kind, role in plain.items()),
        *(
            _name(capture(kind), set(own[role]) - alone, " . (subscript)")
            for kind, role in indexed.items()
        ),
        _name(capture("function"), set(own["functions"]) - alone, " . (arguments)"),
        # All that is left, by what stands behind the name.
        _name(capture("name"), alone, " .", negated=True),
        _name(capture("name"), alone | with_index, " . (subscript)", negated=True),
        _name(capture("name"), alone | set(own["functions"]), " . (arguments)", negated=True),
    ]


def _name(capture: str, found: set[str], behind: str, negated: bool = False) -> str:
    if negated:
        test = f'(#not-match? {capture} "^({"|".join(sorted(found))})$")'
    else:
        test = f"(#any-of? {capture} {' '.join(json.dumps(word) for word in sorted(found))})"
    return f"((name . (identifier) {capture}{behind})\n {test})"


def _one_of(texts) -> str:
    return "[" + " ".join(f'"{text}"' for text in texts) + "]"


def helix_highlights() -> str:
    return highlights(lambda name: HELIX.get(name, name))


def emacs_words() -> str:
    """editors/emacs/treemip-ts-words.el: the same words as lists of Emacs Lisp."""
    own = words()
    heads, others = _heads_and_others()
    lists = {
        "heads": sorted(heads),
        "words": sorted(others),
        "kinds": own["kinds"],
        "functions": own["functions"],
        "names": sorted({w for role in ("tables", "concepts", "terms") for w in own[role]}),
        "sets": own["sets"],
        "constants": own["constants"],
        "operators": [mark for mark in marks() if mark != "*"],
    }
    said = [
        ";;; treemip-ts-words.el --- Words of treemip  -*- lexical-binding: t; -*-\n",
        ";; Made by `make docs' from grammars/tree.lark; do not edit.\n",
        ";;; Code:\n",
        *(
            f"(defconst treemip-ts-{name}\n  '({' '.join(json.dumps(word) for word in found)}))\n"
            for name, found in lists.items()
        ),
        "(provide 'treemip-ts-words)\n;;; treemip-ts-words.el ends here\n",
    ]
    return "\n".join(said)
