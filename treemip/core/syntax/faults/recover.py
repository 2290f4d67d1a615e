"""Finds all faults of a text: names one, then continues as if it were fixed or at the next unit.

What an editor asks about a text that has faults is known from the same search: which lexemes were
taken as what, and what may come next at its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from treemip.core.source.diagnostic import Diagnostic, Report
from treemip.core.source.render import by_place
from treemip.core.source.span import Source
from treemip.core.syntax.faults.foreign import lexemes
from treemip.core.syntax.faults.machine import Machine, statement_words
from treemip.core.syntax.faults.rules import classify
from treemip.core.syntax.faults.stop import CLOSERS, TERMINAL, TEXT, Fault, Stop
from treemip.core.syntax.scan import Lexeme

MOST = 20
"""Faults shown in one run."""

_ANY_CONSTRAINT = ("NAME", "COLON", "NUMBER", "EQ", "NUMBER", "SEMICOLON")
_BLOCK_HEADS = {
    "data": ("DATA", "STRING", "LBRACE"),
    "strategy": ("STRATEGY", "LBRACE"),
    "concept": ("CONCEPT", "NAME", "EQ", "DEFAULT", "LBRACE"),
}


def find_faults(source: Source) -> list[Diagnostic]:
    """The faults of a text that does not parse, in the order of the text."""
    return by_place(_Search(source).run().report.diagnostics)


@dataclass
class Reading:
    """A text as far as it could be read.

    taken: its lexemes with the terminals they were taken as, "" of those passed over. units: the
    places (start, end) of statements, settings and constraints. repairs: where a fault was
    repaired, the place (start, end) that the marks stand in for; None where they are no marks.
    """

    faults: list[Diagnostic]
    taken: list[tuple[Lexeme, str]] = field(default_factory=list)
    units: list[tuple[int, int]] = field(default_factory=list)
    repairs: list[tuple[int, int, str | None]] = field(default_factory=list)


def read_all(source: Source, most: int = 200) -> Reading:
    """The text read through, at most `most` faults of it."""
    search = _Search(source, most)
    search.run()
    search.reading.faults = by_place(search.report.diagnostics)
    return search.reading


def stop_at_end(source: Source) -> Stop:
    """Where a text ends, as a place where the parser stopped: its machine says what may follow."""
    search = _Search(source)
    search.lexemes, end = search.lexemes[:-1], search.lexemes[-1:]
    search.run()
    search.lexemes, search.at = [*search.lexemes, *end], len(search.lexemes)
    return search.stop()


class _Search:
    def __init__(self, source: Source, most: int = MOST) -> None:
        self.source, self.most = source, most
        self.report = Report()
        self.reading = Reading([])
        self.lexemes = lexemes(source, self.report)
        self.at = 0
        self.machine = Machine()
        self.blocks: list[Lexeme] = []
        self._new_unit()

    def run(self) -> _Search:
        while self.at < len(self.lexemes) and len(self.report.diagnostics) < self.most:
            terminal = self._terminal()
            if self.machine.feed(terminal):
                self._taken(self.lexemes[self.at], terminal)
                self.reading.taken.append((self.lexemes[self.at], terminal))
                self.at += 1
            else:
                self._stopped()
        self._unit_ends(len(self.source.text))
        return self

    def _terminal(self) -> str:
        following = self.lexemes[self.at + 1] if self.at + 1 < len(self.lexemes) else None
        brace = following is not None and following.text == "{"
        return self.machine.terminal(self.lexemes[self.at], brace)

    # ------------------------------------------------------------------- going on

    def _taken(self, lexeme: Lexeme, terminal: str) -> None:
        """Note where a unit or a block begins or ends."""
        block = lexeme.text == "{" and not self.machine.accepts("COLON")
        if lexeme.text == "}" and not self.opened and self.blocks:
            self.blocks.pop()
            self._unit_ends(lexeme.start)
            self._new_unit()
        elif block:
            self.blocks.append(lexeme)
            self._new_unit()
        elif terminal in ("SEMICOLON", "TO"):
            self._unit_ends(lexeme.end)
            self._new_unit()
        else:
            self.unit.append(lexeme)
            if lexeme.text in CLOSERS:
                self.opened.append(lexeme)
            elif lexeme.text in TERMINAL and self.opened:
                self.opened.pop()

    def _unit_ends(self, end: int) -> None:
        if self.unit:
            self.reading.units.append((self.unit[0].start, end))

    def _new_unit(self) -> None:
        self.unit: list[Lexeme] = []
        self.opened: list[Lexeme] = []
        self.safe = self.machine.copy()
        if not self.safe.accepts("VAR"):
            # Just after `subject to`, or after a default block: a fault in what follows must
            # not make its whole surroundings look unfinished.
            _ = self.safe.feed(*_ANY_CONSTRAINT) or self.safe.feed("SEMICOLON")

    def _stopped(self) -> None:
        fault = classify(self.stop())
        if not self._stands_in() or fault.diagnostic.code == "E108":
            self.report.add(fault.diagnostic)
        if fault.insert is None or not self._inserted(fault):
            self._skip_unit()

    def _stands_in(self) -> bool:
        """The lexeme was put in place of a foreign one, which has been reported already.

        Then only an E108 is reported as well: no operator at all is allowed there.
        """
        lexeme = self.lexemes[self.at]
        return self.source.text[lexeme.start : lexeme.end] != lexeme.text

    def stop(self) -> Stop:
        """The place where the parser is now, which need not have rejected anything."""
        return Stop(
            self.source,
            self.machine,
            self.safe,
            tuple(self.unit),
            tuple(self.opened),
            self.blocks[-1] if self.blocks else None,
            self.lexemes[self.at - 1] if self.at else None,
            self.lexemes[self.at :],
        )

    def _inserted(self, fault: Fault) -> bool:
        """Go on as the fault says; False where that would leave the search where it was."""
        assert fault.insert is not None
        self.at -= len(self.unit) if fault.rewind else 0
        here = self.lexemes[self.at]
        self._note_repair(fault, here)
        if fault.restart:
            self.machine = self.safe.copy()
            self._unit_ends(here.start)
            self._new_unit()
        for terminal in fault.insert:
            if not self.machine.feed(terminal):
                return False
            self._taken(Lexeme("mark", TEXT.get(terminal, ""), here.start, here.start), terminal)
        if fault.consumed:
            self.reading.taken.append((here, ""))
            self.at += 1
            return True
        return self.machine.accepts(self._terminal())

    def _note_repair(self, fault: Fault, here: Lexeme) -> None:
        marks = [TEXT.get(terminal) for terminal in fault.insert or ()]
        end = here.end if fault.consumed else here.start
        if None in marks:
            start = self.unit[0].start if self.unit else here.start
            self.reading.repairs.append((start, end, None))
        else:
            self.reading.repairs.append((here.start, end, "".join(filter(None, marks))))

    # ------------------------------------------------------------------- skipping

    def _skip_unit(self) -> None:
        """Go to the next unit: after a ';', to a '}', into a block, or to a new statement."""
        head = self.unit[0].text if self.unit else self.lexemes[self.at].text
        settings = self.stop().in_settings
        start = self.unit[0].start if self.unit else self.lexemes[self.at].start
        first = self.at
        depth = sum(lexeme.text == "{" for lexeme in self.opened)
        self.machine = self.safe
        for at in range(self.at, len(self.lexemes)):
            lexeme = self.lexemes[at]
            if lexeme.text == "{" and self._begins_block(head, at):
                self.machine.feed(*_BLOCK_HEADS[head])
                self.blocks.append(lexeme)
                self.at = at + 1
                break
            depth += (lexeme.text == "{") - (lexeme.text == "}")
            if depth < 0 and self.blocks:
                self.at = at
                break
            if lexeme.text == ";" or lexeme.kind == "end":
                self.at = at + 1
                break
            if at > self.at and not settings and self._begins_statement(at):
                self.at = at
                break
        else:
            self.at = len(self.lexemes)  # of a text that ends at a cursor
        passed = self.lexemes[first : self.at]
        self.reading.taken += [(lexeme, "") for lexeme in passed]
        self.reading.units.append((start, passed[-1].end if passed else start))
        self.reading.repairs.append((start, passed[-1].end if passed else start, None))
        self._new_unit()

    def _begins_block(self, head: str, at: int) -> bool:
        if head == "concept":
            return self.lexemes[at - 1].text == "default"
        return head in _BLOCK_HEADS and not self.blocks

    def _begins_statement(self, at: int) -> bool:
        """A keyword first on its line; `let` may also stand inside a constraint."""
        word, before = self.lexemes[at], self.lexemes[at - 1]
        first = "\n" in self.source.text[before.end : word.start]
        return first and word.text in statement_words() and word.text != "let"
