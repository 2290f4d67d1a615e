"""The grammar's LALR table, run step by step without building a tree; what it expects next.

A state is a short list of numbers. So the search for faults can try a lexeme, ask what would be
accepted, and return to an earlier state.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift

from treemip.core.syntax.scan import Lexeme
from treemip.core.syntax.tables import parser

END = "$END"

REDUCTIONS = ("sum", "prod", "max", "min", "argmax", "argmin")

STATEMENT_WORDS = (
    "data", "topology", "split", "formulation", "tree", "use", "param", "set", "var", "let",
    "concept", "term", "minimize", "maximize", "subject", "cut", "drop", "requires", "advise",
    "route", "predict", "strategy",
)  # fmt: skip


class Machine:
    def __init__(self, stack: list[int] | None = None) -> None:
        configuration = parser().parse_interactive("").parser_state.parse_conf
        self._states = configuration.states
        self._end = configuration.end_state
        self.stack = stack or [configuration.start_state]

    def copy(self) -> Machine:
        return Machine(list(self.stack))

    def feed(self, *terminals: str) -> bool:
        """Take terminals in turn; False, without a change, if one of them is not allowed."""
        stack = list(self.stack)
        for terminal in terminals:
            while True:
                action = self._states[stack[-1]].get(terminal)
                if action is None:
                    return False
                move, target = action
                if move is Shift:
                    stack.append(target)
                    break
                if target.expansion:
                    del stack[-len(target.expansion) :]
                stack.append(self._states[stack[-1]][target.origin.name][1])
                if stack[-1] == self._end:
                    break
        self.stack = stack
        return True

    def accepts(self, *terminals: str) -> bool:
        return self.copy().feed(*terminals)

    def expected(self) -> set[str]:
        """All terminals that may come next."""
        return {t for t in self._states[self.stack[-1]] if t.isupper() and self.accepts(t)}

    def terminal(self, lexeme: Lexeme, before_brace: bool = False) -> str:
        """The terminal of a lexeme in this place: a keyword where allowed, else a name."""
        candidates = terminals_of(lexeme, before_brace)
        here = self._states[self.stack[-1]]
        return next((c for c in candidates if c in here), candidates[-1] if candidates else "")


def terminals_of(lexeme: Lexeme, before_brace: bool) -> tuple[str, ...]:
    """The terminals a lexeme may be, those the grammar's lexer prefers first."""
    if lexeme.kind == "end":
        return (END,)
    matching = _terminals(lexeme.text)
    if before_brace and lexeme.text in REDUCTIONS:
        return ("REDUCE", *matching)
    return matching


@lru_cache(maxsize=4096)
def _terminals(text: str) -> tuple[str, ...]:
    terminals = [t for t in parser().terminals if re.fullmatch(t.pattern.to_regexp(), text)]
    terminals.sort(key=lambda t: (-t.priority, not isinstance(t.pattern, PatternStr)))
    return tuple(t.name for t in terminals)


@lru_cache(maxsize=1)
def statement_words() -> dict[str, str]:
    """The words that begin a statement, with their terminals, in the order of the grammar."""
    machine = Machine()
    return {w: next(t for t in _terminals(w) if machine.accepts(t)) for w in STATEMENT_WORDS}


@lru_cache(maxsize=1)
def grammar_words() -> tuple[str, ...]:
    """Every word of the grammar, also those that are words in some places only, such as `sum`."""
    patterns = (t.pattern for t in parser().terminals)
    fixed = (p.value if isinstance(p, PatternStr) else _choice(p.value) for p in patterns)
    return tuple(word for text in fixed for word in text.split("|") if word.isalpha())


def _choice(pattern: str) -> str:
    """`binary|integer|free` of a pattern that begins with words in brackets; else nothing."""
    found = re.match(r"\(([a-z|]+)\)", pattern)
    return found[1] if found else ""


_OPERANDS = {"NAME", "NUMBER", "STRING", "LPAR", "LBRACE", "MINUS", "REDUCE", "IF", "NOT"}

_OPERATORS = {"PLUS", "MINUS", "TIMES", "POWER", "AND", "OR"}

_RELATIONS = {"CMP", "EQ", "IN", "NOT"}

_AFTER_NAMES = {"LPAR", "LSQB"}

_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a string",
    "KIND": "'binary', 'integer' or 'free'",
    "CMP": "a relation such as <=",
    "EQ": "'='",
}


def expected(machine: Machine) -> str:
    """`expected ';' or an operator`; empty where there is nothing to tell."""
    words = _words(machine.expected() - {END})
    if not words:
        return ""
    return "expected " + " or ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _words(left: set[str]) -> list[str]:
    words: list[str] = []
    statements = set(statement_words().values())
    if statements <= left:
        words.append("a statement")
        left = left - statements
    if {"NAME", "NUMBER", "LPAR"} <= left:
        words.append("a condition" if "NOT" in left else "an expression")
        left = left - _OPERANDS
    if {"PLUS", "TIMES"} <= left:
        words.append("an operator")
        left = left - _OPERATORS - _AFTER_NAMES
        if "CMP" in left:
            words.append("a relation such as <=")
            left = left - _RELATIONS
    words += [_WORDS[t] for t in sorted(left & _WORDS.keys())]
    marks = sorted(f"'{_text(t)}'" for t in left - _WORDS.keys() if _text(t))
    return marks + words


def _text(terminal: str) -> str:
    """The one text a terminal stands for, if there is one."""
    pattern = next(t.pattern for t in parser().terminals if t.name == terminal)
    return pattern.value if isinstance(pattern, PatternStr) else ""
