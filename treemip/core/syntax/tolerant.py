"""A text with faults as a syntax tree all the same: for editors, while it is being typed.

Missing marks are put where white space stands, and what cannot be read is replaced by blanks, so
that every place of the tree is the same place of the text. The parser is the one there is.
"""

from __future__ import annotations

from dataclasses import dataclass

from lark.exceptions import UnexpectedInput

from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.nodes import File
from treemip.core.syntax.parse import built, check_limits, parse
from treemip.core.syntax.tables import parser

ATTEMPTS = 40
"""Statements that are left out one by one where the search for faults did not find the reason."""

LONGEST = 200_000
"""Characters of a text with faults that is read around them, which takes a second."""

Gap = tuple[int, int]


@dataclass(frozen=True)
class TolerantFile:
    """faults: as `parse` reports them. gaps: the places (start, end) that `file` leaves out."""

    file: File
    faults: tuple[Diagnostic, ...] = ()
    gaps: tuple[Gap, ...] = ()


def parse_tolerant(source: Source) -> TolerantFile:
    """The statements of a text that can be read, with its faults. Raises nothing for any text."""
    try:
        return TolerantFile(parse(source))
    except TreemipError as error:
        faults = error.diagnostics
    try:
        check_limits(source)
    except TreemipError:
        return TolerantFile(_nothing(source), faults, ((0, len(source.text)),))
    return _without_faults(source, faults)


def _nothing(source: Source) -> File:
    return File(statements=(), span=source.span(0, len(source.text)))


def _without_faults(source: Source, faults: tuple[Diagnostic, ...]) -> TolerantFile:
    from treemip.core.syntax.faults.recover import read_all

    if len(source.text) > LONGEST:
        return TolerantFile(_nothing(source), faults, ((0, len(source.text)),))
    reading = read_all(source)
    page = _Page(source.text, sorted(reading.units))
    for start, end, marks in reading.repairs:
        if marks is not None and not page.write(start, end, marks):
            page.leave_out(start, end)
    for start, end, marks in reading.repairs:
        if marks is None:
            page.leave_out(start, end)
    for lexeme, terminal in reading.taken:
        if terminal and source.text[lexeme.start : lexeme.end] != lexeme.text:
            page.leave_out(lexeme.start, lexeme.end)  # a mark of another notation
    for fault in faults if not reading.repairs else ():
        for edit in fault.fix.edits if fault.fix else ():
            page.leave_out(edit.span.start, edit.span.end)
        if fault.span is not None:
            page.leave_out(fault.span.start, fault.span.end)
    return TolerantFile(page.parsed(source), faults, page.gaps)


class _Page:
    """The characters of a text, some of them replaced."""

    def __init__(self, text: str, units: list[Gap]) -> None:
        self.units = units
        self.characters, self.end = list(text), len(text)
        self.blank: list[Gap] = []

    @property
    def text(self) -> str:
        return "".join(self.characters)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return tuple(sorted(set(self.blank)))

    def write(self, start: int, end: int, marks: str) -> bool:
        """Put marks in a place and the white space before it; False where there is no room."""
        if start >= self.end:
            self.characters += list(marks)  # the text ends here
            return True
        room = start
        while room > 0 and end - room < len(marks) and self.characters[room - 1].isspace():
            room -= 1
        if end - room < len(marks):
            return False
        filled = marks + " " * (end - room - len(marks))
        self.characters[room:end] = list(filled)
        return True

    def leave_out(self, start: int, end: int) -> bool:
        """Blank the units that a place is in; False where all of it was blank before."""
        touched = [u for u in self.units if u[0] <= end and start <= u[1]]
        inside = [u for u in touched if u[0] < end and start < u[1]] or touched
        changed = False
        for first, last in [*inside, (start, end)]:
            part = self.characters[first:last]
            blank = [c if c.isspace() else " " for c in part]
            changed |= blank != part
            self.characters[first:last] = blank
            self.blank.append((first, last))
        return changed

    def parsed(self, source: Source) -> File:
        """The tree of what is left; without statements where nothing else parses."""
        for _ in range(ATTEMPTS):
            mended = Source(source.name, self.text)
            try:
                tree = parser().parse(mended.text)
            except UnexpectedInput as error:
                if not self._give_way(error.pos_in_stream):
                    break
                continue
            try:
                return built(tree, mended)
            except TreemipError as error:
                spans = [d.span for d in error.diagnostics if d.span is not None]
                blanked = [self.leave_out(s.start, s.end) for s in spans]
                if not any(blanked):
                    break
        self.blank.append((0, len(source.text)))
        return _nothing(Source(source.name, " " * len(source.text)))

    def _give_way(self, at: int | None) -> bool:
        """Leave out the unit where the parser stopped and, if that is blank, the one before."""
        end = len(self.characters) if at is None or at < 0 else at
        around = [first for first, last in self.units if first <= end < last]
        before = self.text[: max(around, default=end)].rstrip()
        if before.endswith("to") and "subject" in before[-200:]:  # without a constraint
            start = before.rindex("subject")
            if not before[start:].removeprefix("subject").removesuffix("to").strip():
                return self.leave_out(start, len(before))
        if end < len(self.characters) and self.leave_out(end, end + 1):
            return True
        before = self.text[:end].rstrip()
        return self.leave_out(max(0, len(before) - 1), len(before))
