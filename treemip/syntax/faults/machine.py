"""The grammar's LALR table run by hand, without making a tree.

A state is a short list of numbers, so one may try a lexeme, look what would be accepted, and go
back to an earlier state, all of which finding faults and going on after them needs.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift

from treemip.syntax.scan import Lexeme
from treemip.syntax.tables import parser

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
        """Take terminals in turn; False, and no change, where one of them cannot stand."""
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
        """What a lexeme is in this place: a keyword where one may stand, else a name."""
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
    found = [t for t in parser().terminals if re.fullmatch(t.pattern.to_regexp(), text)]
    found.sort(key=lambda t: (-t.priority, not isinstance(t.pattern, PatternStr)))
    return tuple(t.name for t in found)


@lru_cache(maxsize=1)
def statement_words() -> dict[str, str]:
    """The words that begin a statement, with their terminals, in the order of the grammar."""
    machine = Machine()
    return {w: next(t for t in _terminals(w) if machine.accepts(t)) for w in STATEMENT_WORDS}
