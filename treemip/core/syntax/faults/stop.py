"""The place where a parse stopped, and the fault named there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from treemip.core.source.diagnostic import Diagnostic, Related
from treemip.core.source.span import Source, Span
from treemip.core.syntax.faults.machine import Machine, statement_words
from treemip.core.syntax.scan import Lexeme

CLOSERS = {"(": ")", "[": "]", "{": "}"}
TERMINAL = {")": "RPAR", "]": "RSQB", "}": "RBRACE"}
TEXT = {"RPAR": ")", "RSQB": "]", "LBRACE": "{", "RBRACE": "}", "COLON": ":", "SEMICOLON": ";"}

FAR = 5
"""Lexemes that must parse after an attempted fix before it counts."""


@dataclass(frozen=True)
class Fault:
    """A diagnostic, and how the parse continues after it.

    insert: terminals to feed to the parser before the lexeme, or in its place where it is
    `consumed`; None to skip the rest of the unit. restart: drop the unit and begin it again with
    `insert`. rewind: then read the unit's lexemes once more.
    """

    diagnostic: Diagnostic
    insert: tuple[str, ...] | None = None
    consumed: bool = False
    restart: bool = False
    rewind: bool = False


@dataclass(frozen=True)
class Stop:
    """The parser rejects `ahead[0]`, the next lexeme.

    A unit is a statement, a constraint under `subject to` or a setting in a block. unit: its
    lexemes so far; opened: its brackets that are still open; safe: the parser at its beginning;
    block: the opening brace of the data, strategy or default block around it; before: the last
    lexeme that was accepted.
    """

    source: Source
    machine: Machine
    safe: Machine
    unit: Sequence[Lexeme]
    opened: Sequence[Lexeme]
    block: Lexeme | None
    before: Lexeme | None
    ahead: Sequence[Lexeme]

    @property
    def lexeme(self) -> Lexeme:
        return self.ahead[0]

    @property
    def text(self) -> str:
        return self.lexeme.text

    @property
    def at_end(self) -> bool:
        return self.lexeme.kind == "end"

    @property
    def first_on_line(self) -> bool:
        start = self.before.end if self.before else 0
        return self.before is None or "\n" in self.source.text[start : self.lexeme.start]

    # --------------------------------------------------------------------- trials

    def accepts(self, *terminals: str) -> bool:
        return self.machine.accepts(*terminals)

    def fits_after(self, *terminals: str, far: int = FAR, skip: int = 0) -> bool:
        """Whether parsing could go on with these terminals in place of `skip` lexemes."""
        machine = self.machine.copy()
        if not machine.feed(*terminals):
            return False
        for at, lexeme in enumerate(self.ahead[skip : skip + far], start=skip):
            if not machine.feed(self.terminal(machine, at)):
                return False
            if lexeme.text == ";":
                break
        return True

    def first_fit(self, *insertions: tuple[str, ...]) -> tuple[str, ...] | None:
        return next((i for i in insertions if self.fits_after(*i)), None)

    def terminal(self, machine: Machine, at: int = 0) -> str:
        brace = len(self.ahead) > at + 1 and self.ahead[at + 1].text == "{"
        return machine.terminal(self.ahead[at], brace)

    # -------------------------------------------------------------------- context

    @cached_property
    def in_settings(self) -> bool:
        return self.safe.accepts("NAME") and not self.safe.accepts("VAR")

    @cached_property
    def in_constraint(self) -> bool:
        """The unit is a constraint, or is one after the word `cut`."""
        if not self.unit:
            return False
        under = self.safe.accepts("NAME", "COLON")
        named = self.safe.terminal(self.unit[0]) == "NAME"
        return (under and named) or self.unit[0].text == "cut"

    @cached_property
    def has_colon(self) -> bool:
        """A ':' stands in the unit outside brackets: the head of the constraint is over."""
        depth = 0
        for lexeme in self.unit:
            depth += (lexeme.text in CLOSERS) - (lexeme.text in TERMINAL)
            if depth == 0 and lexeme.text == ":":
                return True
        return False

    def closes_later(self) -> bool:
        """The brackets open here are all closed before the next ';'."""
        stack = [CLOSERS[b.text] for b in self.opened]
        for lexeme in self.ahead:
            if lexeme.text == ";" or lexeme.kind == "end":
                break
            if lexeme.text in CLOSERS:
                stack.append(CLOSERS[lexeme.text])
            elif lexeme.text in TERMINAL and (not stack or stack.pop() != lexeme.text):
                return False
        return not stack

    def begins_statement(self) -> bool:
        return self.first_on_line and self.text in statement_words()

    # ------------------------------------------------------------------- messages

    def here(self) -> Span:
        return self.span(self.lexeme)

    def span(self, first: Lexeme, last: Lexeme | None = None) -> Span:
        """The place of a lexeme, or of all from one to another."""
        return self.source.span(first.start, (last or first).end)

    def behind(self) -> Span:
        """The place just after the lexeme before, where something is missing."""
        end = self.before.end if self.before else self.lexeme.start
        return self.source.span(end, end)

    def place_before(self) -> Span:
        """The place just before the lexeme, where something can be inserted."""
        return self.source.span(self.lexeme.start, self.lexeme.start)

    def opening(self, opener: Lexeme) -> tuple[Related, ...]:
        """Where a bracket was opened, unless that is seen in the same excerpt anyway."""
        span = self.span(opener)
        return () if span.line == self.behind().line else (Related(span, "opened here"),)


def shown(lexeme: Lexeme) -> str:
    """A lexeme for a message."""
    if lexeme.kind == "end":
        return "the end of the text"
    if lexeme.kind == "string":
        return f"the string {lexeme.text}" if len(lexeme.text) < 30 else "the string"
    return f"'{lexeme.text}'"
