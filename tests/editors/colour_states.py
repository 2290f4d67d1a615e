"""What colours a text: states with rules, of which the mode of each editor is a translation.

A word of the language is a keyword only where it can stand, so a table of words does not do: the
states follow statements, brackets, and whether an operand or an operator is next. They allow more
than the grammar, and find their way at the next `;` or word that begins a statement, since most
texts in an editor are not finished. A rule looks no further than the end of its line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from colour_words import marks, words

SPACE_OUT = "(?=[^\\s#])"
"""Whatever comes next that is neither space nor comment."""

REST = r"(?=[ \t]*(?:\{|#|$))"
"""Before a `{`, which may also be on the next line."""


@dataclass(frozen=True)
class Rule:
    """What a pattern is; then a state is entered, or the present one left.

    In patterns, `<NAME>` is a name, `<NUMBER>` a number, and `<END>` is where a word ends.
    kind: None for a pattern that takes no text.
    """

    pattern: str
    kind: str | None
    push: str | None = None
    pop: bool = False


def word(found: str | Iterable[str], kind: str, push: str | None = None, pop: bool = False) -> Rule:
    """One of some words; a str is the role of such words."""
    texts = words()[found] if isinstance(found, str) else sorted(found)
    return Rule(f"(?:{'|'.join(texts)})<END>", kind, push, pop)


def mark(texts: Iterable[str], push: str | None = None, pop: bool = False) -> Rule:
    signs = "|".join("".join("\\" + c if c in "*+^." else c for c in t) for t in texts)
    return Rule(f"(?:{signs})", "operator", push, pop)


def point(text: str, push: str | None = None, pop: bool = False) -> Rule:
    return Rule(f"[{text}]", "punctuation", push, pop)


def before(text: str) -> Rule:
    """Leaves a state before some characters, which belong to the state around it."""
    return Rule(f"(?=[{text}])", None, pop=True)


def followed(rule: Rule, by: str) -> Rule:
    return replace(rule, pattern=rule.pattern + by)


CLOSERS = r";)\]}"
STRING = Rule('"(?:[^"\\\\\\n]|\\\\.)*"?', "string")
NUMBER = Rule("<NUMBER>", "number")
NAME = Rule("<NAME>", "name")
OPERATOR = mark(marks())
SOME_MARK = Rule(r"[;,:(){}\[\]]", "punctuation")
BRACKETS = (point("(", "paren"), point(r"\[", "index"), point("{", "brace"))
END = (point(";", pop=True), before("}"))
"""A statement ends by `;`, and where the block around it does."""

AFTER_BRACE = Rule(r"(?<=\})", None, pop=True)

DECLARED = replace(NAME, kind="declared")
NAMED_OBJECTIVE = followed(replace(DECLARED, push="operator"), r'(?=[ \t]*(?:"[^"]*"[ \t]*)?:)')


def heads() -> list[Rule]:
    """The words that begin a statement, each with the state of what follows it."""
    all_words = words()
    states = {
        "block": {"data", "strategy"},
        "objective": set(all_words["senses"]),
        "subject": {"subject"},
        "drop": {"drop"},
        "requirement": set(all_words["requires"]),
        "rule": {"route", "predict"},
        "named": {"formulation", "split", "topology", "use"},
    }
    placed = set().union(*states.values())
    states["declaration"] = set(all_words["heads"]) - placed
    return [word(found, "head", state) for state, found in states.items()]


def names() -> list[Rule]:
    """Names that the language or the vocabulary gives, as they are used."""
    indexed, called = r"(?=[ \t]*\[)", r"(?=[ \t]*\()"
    return [
        followed(word("functions", "function", "operator"), called),
        followed(word("tables", "table", "operator"), indexed),
        followed(word("concepts", "concept", "operator"), indexed),
        word("terms", "term", "operator"),
        word("sets", "set", "operator"),
        word("constants", "constant", "operator"),
    ]


def states() -> dict[str, list[Rule | str]]:
    """The rules of each state, in the order in which they are tried; "file" is the first state.

    A str stands for all rules of that state, none of which leaves it. Rules that leave a state are
    its first ones, as a TextMate grammar tries them first.
    """
    default = followed(word("default", "word", "default"), REST)
    module = [replace(NAME, kind="module", pop=True), replace(STRING, pop=True), before(";({}")]
    return {
        "file": ["heads", replace(DECLARED, push="row"), STRING, NUMBER, OPERATOR, SOME_MARK],
        "heads": heads(),
        # Statements, each to its `;`.
        "declaration": [*END, replace(DECLARED, push="tail"), STRING, SOME_MARK],
        "named": [*END, replace(NAME, kind="module", push="tail"), replace(STRING, push="tail")],
        "row": [*END, "behind"],
        "objective": [*END, NAMED_OBJECTIVE, "operand"],
        "subject": [word("subject", "head", pop=True), Rule(SPACE_OUT, None, pop=True)],
        "requirement": [*END, point("{", "brace"), Rule(SPACE_OUT, None, "value")],
        "rule": [
            *END,
            word("before_value", "word", "value"),
            word(set(words()["rule"]) - set(words()["before_value"]), "word"),
            Rule(SPACE_OUT, None, "value"),
        ],
        "drop": [*END, replace(NAME, push="dropped"), SOME_MARK],
        "dropped": [
            before(";}"),
            point(",", pop=True),
            word("drop", "word", pop=True),
            word("presses", "word"),
            "heads",
            NAME,
        ],
        # Parts of statements.
        "tail": [before(";}"), "behind"],
        "behind": _behind(),
        "module": [*module, Rule(SPACE_OUT, None, pop=True)],
        "default": _braced("inside"),
        "block": [
            AFTER_BRACE,
            *END,
            "heads",
            STRING,
            point("{", "settings"),
            NAME,
            SOME_MARK,
        ],
        "inside": [point("}", pop=True), "file"],
        "settings": [
            point("}", pop=True),
            replace(NAME, kind="setting", push="setting"),
            SOME_MARK,
        ],
        "setting": [
            *END,
            replace(NAME, kind="choice"),
            STRING,
            NUMBER,
            OPERATOR,
            point("(", "paren"),
            SOME_MARK,
        ],
        # Expressions.
        "operand": _operand(),
        "value": [before(CLOSERS), "operand"],
        "given": [before(CLOSERS), default, "operand"],
        "body": [before(CLOSERS), word("body", "word", "local"), "operand"],
        "local": [replace(DECLARED, pop=True), Rule(SPACE_OUT, None, pop=True)],
        "later": [before(CLOSERS), word("senses", "head"), NAMED_OBJECTIVE, default, "operand"],
        "operator": _operator(),
        "reduced": _braced("brace"),
        "paren": [point(")", pop=True), before(r";\]}"), "operand"],
        "index": [point(r"\]", pop=True), before(";)}"), "operand"],
        "brace": [point("}", pop=True), before(r";)\]"), "operand"],
    }


def _braced(inside: str) -> list[Rule | str]:
    """What is left behind its braces, or at once where it has none."""
    return [AFTER_BRACE, before(r"^\s#{"), point("{", inside)]


def _operand() -> list[Rule | str]:
    """Where an operand is next; behind it comes an operator."""
    return [
        word("prefix", "word"),
        followed(word("reductions", "reduction", "reduced"), REST),
        *names(),
        replace(NAME, push="operator"),
        replace(NUMBER, push="operator"),
        replace(STRING, push="operator"),
        Rule("(?=[({])", None, "operator"),
        OPERATOR,
        point(r"\[", "index"),
        SOME_MARK,
    ]


def _operator() -> list[Rule | str]:
    """Where an operator is next, until it comes. A word that begins a statement says that the `;`
    before it is missing."""
    infix = {*words()["infix"], *words()["module"]} - set(words()["later"])
    return [
        before(CLOSERS),
        mark(marks(), pop=True),
        point(",:", pop=True),
        word(infix, "word", pop=True),
        word("later", "word", "later"),
        word("prefix", "word"),
        *BRACKETS,
        "heads",
        STRING,
        NUMBER,
        NAME,
    ]


def _behind() -> list[Rule | str]:
    """Behind a name that is declared: its texts, indices, kind and bounds, meaning and value."""
    value = mark(marks(), "given")
    return [
        STRING,
        *BRACKETS,
        value,
        point(":", "body"),
        word("kinds", "kind"),
        word("module", "word", "module"),
        word(set(words()["infix"]) - set(words()["later"]), "word", "given"),
        "heads",
        NAME,
        NUMBER,
        SOME_MARK,
    ]
