"""Marks of other notations: AMPL's, Python's, LaTeX's, and those copied from a PDF.

Each mark is reported once and replaced by what it stands for, so that the rest can be read.
"""

# ruff: noqa: RUF001 (characters easily confused are what these tables are about)

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

from treemip.core.source.diagnostic import Diagnostic, Edit, Fix, Report
from treemip.core.source.span import Source
from treemip.core.syntax.scan import NAME, Lexeme, lexeme_at, scan

MEANT = {
    "==": "=", "===": "=", "=<": "<=", "<>": "!=", ":=": "=", "**": "^",
    "&&": "and", "&": "and", "||": "or", "!": "not", "->": "==>", "...": "..",
    "≤": "<=", "⩽": "<=", "≦": "<=", "≥": ">=", "⩾": ">=", "≧": ">=", "≠": "!=", "＝": "=",
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-",
    "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "÷": "/", "∕": "/",
    "∈": "in", "∉": "not in", "∑": "sum", "∏": "prod", "∧": "and", "∨": "or", "¬": "not",
    "⇒": "==>", "⟹": "==>", "→": "==>", "…": "..",
    "²": "^2", "³": "^3",
    r"\le": "<=", r"\leq": "<=", r"\ge": ">=", r"\geq": ">=", r"\ne": "!=", r"\neq": "!=",
    r"\cdot": "*", r"\times": "*", r"\in": "in", r"\notin": "not in", r"\sum": "sum",
    r"\prod": "prod", r"\land": "and", r"\lor": "or", r"\Rightarrow": "==>", r"\implies": "==>",
}  # fmt: skip
"""Found text to the language's own."""

ADVICE = {
    "=>": (">=", "write >= for 'at least', ==> for an implication"),
    "<=>": ("==>", "write two implications with ==>"),
    "|": (":", "write ':' before a condition, 'or' between two"),
    "∀": ("", "put the indices of a constraint after its name: name {i in points}: ..."),
    r"\forall": ("", "put the indices of a constraint after its name: name {i in points}: ..."),
    "∞": ("", "for an infinite bound, leave the bound out"),
    "√": ("", "write ^0.5"),
    "‖": ("", "write norm1(...), normsq(...) or norminf(...)"),
}
"""Found text to what it is taken for and the remedy, where the remedy is not simply `write …`."""

OF_SETS = {
    "union": "j in a or j in b",
    "inter": "j in a and j in b",
    "intersect": "j in a and j in b",
    "diff": "j in a and j not in b",
    "setminus": "j in a and j not in b",
    "symdiff": "(j in a and j not in b) or (j in b and j not in a)",
}
"""Other languages' operators of sets, and the condition that says the same."""


def of_sets(word: str) -> str:
    """How to write what an operator of sets of another language says; empty for other words."""
    if word not in OF_SETS:
        return ""
    return f"sets are stated by conditions: {{j in features : {OF_SETS[word]}}}"


_OPERATORS = sorted((*MEANT, *ADVICE), key=len, reverse=True)

_FOREIGN = re.compile(
    rf"""
    (?P<escape>   "(?:\\.|[^"\\\n])*" )
  | (?P<unclosed> "[^\n]* )
  | (?P<quotes>   [“”„‟«»‘’'`](?P<inside>[^\n“”„‟«»‘’'`"]*)[“”„‟«»‘’'`] )
  | (?P<remark>   //[^\n]* | /\*(?s:.*?)(?:\*/|\Z) )
  | (?P<digits>   (?:\.[0-9]+|[0-9]+(?:\.(?!\.)[0-9]*)?)(?:\w|\.(?!\.))* )
  | (?P<such>     s\.t\.?(?!\w) )
  | (?P<latex>    \\[A-Za-z]+ )
  | (?P<operator> {"|".join(map(re.escape, _OPERATORS))} )
    """,
    re.VERBOSE,
)

_BARE_PATH = re.compile(r"[ \t]+(?P<path>[\w~-]*[./\\:][\w.:/\\~-]*\w)")


def lexemes(source: Source, report: Report) -> list[Lexeme]:
    """The text as the language's own lexemes, comments left out, and an `end` at its end."""
    read = list(_Reader(source, report).run())
    return [*read, Lexeme("end", "", len(source.text), len(source.text))]


class _Reader:
    def __init__(self, source: Source, report: Report) -> None:
        self.source = source
        self.report = report
        self.met: Counter[str] = Counter()
        self.first: dict[str, Diagnostic] = {}
        self.edits: dict[str, list[Edit]] = {}

    def run(self) -> Iterator[Lexeme]:
        text, at = self.source.text, 0
        while at < len(text):
            own = lexeme_at(text, at)
            foreign = None if _is_own(own) else _FOREIGN.match(text, at)
            if foreign is not None:
                yield from self.foreign(foreign)
                at = foreign.end()
            elif own is not None:
                if own.kind == "stray":
                    self.stray(own)
                elif own.kind != "comment":
                    yield own
                at = own.end
                if own.text == "data":
                    for path in self.bare_path(at):
                        yield path
                        at = path.end
            else:
                at += 1
        for what, diagnostic in self.first.items():
            edits = tuple(self.edits.get(what, ()))
            self.report.add(_counted(diagnostic, self.met[what] - 1, edits))

    def bare_path(self, start: int) -> Iterator[Lexeme]:
        """The string meant by a path without quotes after `data`, if there is one."""
        match = _BARE_PATH.match(self.source.text, start)
        if match:
            message = "the path of the data file must be in quotes"
            remedy = f'write data "{match["path"]}"'
            path = match["path"].replace("\\", "\\\\")
            self.note(match["path"], "E104", message, match.span("path"), remedy, f'"{path}"')
            yield Lexeme("string", '""', *match.span("path"))

    def foreign(self, match: re.Match[str]) -> Iterator[Lexeme]:
        assert match.lastgroup is not None
        return self._READERS[match.lastgroup](self, match.group(), match.start(), match)

    def note(
        self,
        what: str,
        code: str,
        message: str,
        place: tuple[int, int],
        remedy: str,
        meant: str | None = None,
    ) -> None:
        """Report at the first place only; further places of the same mark are counted.

        meant: what an editor can put in the place, in all places at once.
        """
        self.met[what] += 1
        span = self.source.span(*place)
        if what not in self.first:
            self.first[what] = Diagnostic(code, message, span, remedy)
        if meant is not None:
            self.edits.setdefault(what, []).append(Edit(span, self._apart(meant, *place)))

    def _apart(self, meant: str, start: int, end: int) -> str:
        """A word with blanks where other words are next to it: `i∈S` becomes `i in S`."""
        if not meant[:1].isalpha():
            return meant
        before, after = self.source.text[:start][-1:], self.source.text[end : end + 1]
        blank_before = " " if before.isalnum() or before in (")", "]", "}", "_") else ""
        return blank_before + meant + (" " if after.isalnum() else "")

    def stray(self, lexeme: Lexeme) -> None:
        self.note(
            lexeme.text,
            "E103",
            f"stray character {named(lexeme.text)}",
            (lexeme.start, lexeme.end),
            "delete it",
            "",
        )

    # ------------------------------------ one method for each group of _FOREIGN

    def _operator(self, text: str, start: int, _match: re.Match[str]) -> Iterator[Lexeme]:
        meant, remedy = ADVICE.get(text) or (MEANT[text], f"write {MEANT[text]}")
        shown = f"'{text}'" if text.isascii() else named(text)
        message = f"{shown} is not an operator of the language"
        edit = None if text in ADVICE else meant
        self.note(text, "E103", message, (start, start + len(text)), remedy, edit)
        return _standing(meant, start, start + len(text))

    def _latex(self, text: str, start: int, match: re.Match[str]) -> Iterator[Lexeme]:
        if text in MEANT or text in ADVICE:
            return self._operator(text, start, match)
        message = f"'{text}' is LaTeX"
        remedy = "write the name without the backslash"
        self.note(text, "E103", message, (start, start + len(text)), remedy, text[1:])
        return _standing(text[1:], start, start + len(text))

    def _such(self, text: str, start: int, _match: re.Match[str]) -> Iterator[Lexeme]:
        end = start + len(text)
        message, meant = f"'{text}' is not in the language", "subject to"
        self.note(text, "E103", message, (start, end), f"write {meant}", meant)
        return _standing("subject to", start, end)

    def _remark(self, text: str, start: int, _match: re.Match[str]) -> Iterator[Lexeme]:
        opened = text[:2]
        message = f"'{opened}' does not begin a comment"
        meant = "#" if opened == "//" else None
        self.note(opened, "E103", message, (start, start + 2), "a comment begins with #", meant)
        return iter(())

    def _quotes(self, text: str, start: int, match: re.Match[str]) -> Iterator[Lexeme]:
        message = f"a string needs plain double quotes, not {text[0]} {text[-1]}"
        remedy = f'write "{match["inside"]}"'
        end = start + len(text)
        inside = match["inside"].replace("\\", "\\\\")
        self.note(text[0], "E103", message, (start, end), remedy, f'"{inside}"')
        yield Lexeme("string", f'"{match["inside"]}"'.replace("\\", ""), start, end)

    def _escape(self, text: str, start: int, _match: re.Match[str]) -> Iterator[Lexeme]:
        wrong = re.search(r'\\[^"\\]', re.sub(r'\\["\\]', "  ", text))
        place = start + (wrong.start() if wrong else 0)
        message = "a backslash in a string must be doubled"
        remedy = r"write \\ for a backslash and \" for a quote; a path may also be written with /"
        self.note("\\", "E104", message, (place, place + 2), remedy)
        doubled = re.sub(r'\\(["\\]?)', lambda m: m[0] if m[1] else r"\\", text)
        whole = Edit(self.source.span(start, start + len(text)), doubled)
        self.edits.setdefault("\\", []).append(whole)
        yield Lexeme("string", '""', start, start + len(text))

    def _unclosed(self, text: str, start: int, _match: re.Match[str]) -> Iterator[Lexeme]:
        closed = re.match(r'"[^;{}#\]]*', text.rstrip())
        end = start + len(closed.group().rstrip() if closed else text)
        message = "the string is not closed"
        remedy = 'a string ends with " on the line where it starts'
        fix = Fix.write(self.source.span(end, end), '"')
        self.report.error("E102", message, self.source.span(start, end), remedy, fix=fix)
        yield Lexeme("string", '""', start, end)
        yield from scan_from(self.source.text, end, start + len(text))

    def _digits(self, text: str, start: int, _match: re.Match[str]) -> Iterator[Lexeme]:
        end = start + len(text)
        remedy = number_remedy(text)
        span, meant = self.source.span(start, end), number_meant(text)
        fix = Fix.write(span, meant) if meant else None
        self.report.error("E104", f"'{text}' is not a number", span, remedy, fix=fix)
        yield Lexeme("number", "0", start, end)

    _READERS: ClassVar[dict[str, Callable[..., Iterator[Lexeme]]]] = {
        "escape": _escape,
        "unclosed": _unclosed,
        "quotes": _quotes,
        "remark": _remark,
        "digits": _digits,
        "such": _such,
        "latex": _latex,
        "operator": _operator,
    }
    """By the group of `_FOREIGN` that matched."""


def scan_from(text: str, start: int, end: int) -> Iterator[Lexeme]:
    """The language's own lexemes of a part of a text, comments and strays left out."""
    for lexeme in scan(text[start:end]):
        if lexeme.kind not in ("comment", "stray"):
            yield Lexeme(lexeme.kind, lexeme.text, start + lexeme.start, start + lexeme.end)


def _is_own(lexeme: Lexeme | None) -> bool:
    """Whether a lexeme is surely the language's; an `=` may yet begin a foreign `==`."""
    if lexeme is None or lexeme.kind in ("comment", "string", "number"):
        return True
    return lexeme.text in ("==>", "!=") or (lexeme.kind == "name" and lexeme.text != "s")


def _standing(meant: str, start: int, end: int) -> Iterator[Lexeme]:
    """The lexemes of the meant text, all standing where the foreign one stood."""
    return (Lexeme(x.kind, x.text, start, end) for x in scan(meant))


def _counted(diagnostic: Diagnostic, more: int, edits: tuple[Edit, ...]) -> Diagnostic:
    """The diagnostic with how many more places there are, and the change of all of them."""
    places = "1 more place" if more == 1 else f"{more} more places"
    remedy = diagnostic.remedy + (f" (the same at {places})" if more else "")
    fix = None
    if edits:
        title = Fix.write(edits[0].span, edits[0].text).title
        fix = Fix(title + (f", also at {places}" if more else ""), edits)
    return replace(diagnostic, remedy=remedy, fix=fix)


def named(character: str) -> str:
    """`'²' (U+00B2 SUPERSCRIPT TWO)`; what cannot be seen is named only."""
    name = unicodedata.name(character, "a control character")
    shown = f"'{character}' " if character.isprintable() else ""
    return f"{shown}(U+{ord(character):04X} {name})"


def number_meant(text: str) -> str:
    """The number, or product, that was meant; empty where that is open."""
    if re.fullmatch(r"\.[0-9]+", text):
        return f"0{text}"
    if re.fullmatch(r"[0-9]+\.", text):
        return f"{text}0"
    if re.fullmatch(r"[0-9.]+[eE]", text):
        return ""
    split = re.fullmatch(rf"([0-9]+(?:\.[0-9]+)?)({NAME})", text)
    return f"{split[1]} * {split[2]}" if split else ""


def number_remedy(text: str) -> str:
    if re.fullmatch(r"\.[0-9]+|[0-9]+\.", text):
        return f"write {number_meant(text)}"
    if re.fullmatch(r"[0-9.]+[eE]", text):
        return f"an exponent needs digits: {text}5"
    split = re.fullmatch(rf"([0-9]+(?:\.[0-9]+)?)({NAME})", text)
    if split:
        return f"a name begins with a letter; a product is written {split[1]} * {split[2]}"
    return "write numbers like 3, 0.5 or 1.5e-3"
