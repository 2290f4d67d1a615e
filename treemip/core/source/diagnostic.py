"""Diagnostics: what is wrong, where, where it was used from, and how to fix it.

Every user error is a `TreemipError` that carries diagnostics, never a bare string. A `Diagnostic`
about a text needs a span; `Diagnostic.outside` is for the few that have none (a missing file, an
option). A `Report` collects several, so that one run shows all errors.

Where a remedy is a change of the text, a `Fix` says it for editors, which can make it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NoReturn, ParamSpec, TypeVar

from treemip.core.source.codes import TITLES
from treemip.core.source.span import Span
from treemip.core.source.suggest import Suggestion

P = ParamSpec("P")
T = TypeVar("T")


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Related:
    """A second place that belongs to a diagnostic: "used from here", "declared here"."""

    span: Span
    text: str


@dataclass(frozen=True)
class Edit:
    """`text` in place of what stands at `span`: an insertion where that is empty."""

    span: Span
    text: str


@dataclass(frozen=True)
class Fix:
    """A remedy as a change of the text; edits do not overlap."""

    title: str
    edits: tuple[Edit, ...]

    @classmethod
    def write(cls, span: Span, text: str) -> Fix:
        """One edit, with a title that says it."""
        old, new = span.text.strip(), text.strip()
        if not old:
            return cls(f"insert `{new}`", (Edit(span, text),))
        shown = f"`{old}`" if len(old) < 40 and "\n" not in old else "this"
        title = f"replace {shown} by `{new}`" if new else f"delete {shown}"
        return cls(title, (Edit(span, text),))

    @classmethod
    def delete(cls, span: Span) -> Fix:
        return cls.write(span, "")

    @classmethod
    def delete_of_list(cls, span: Span) -> Fix:
        """Without one that is not the first of those that commas part."""
        text = span.source.text
        before = text[: span.start].rstrip()
        start = len(before) - 1 if before.endswith(",") else span.start
        return cls(f"delete `{span.text}`", (Edit(Span(span.source, start, span.end), ""),))

    @classmethod
    def bracketed(cls, span: Span, name: str, brackets: str) -> Fix | None:
        """`name(…)` with other brackets; None where the place is not of that form."""
        inside = span.text.removeprefix(name).strip()
        if len(inside) < 2 or span.text == inside or inside[-1] not in ")]":
            return None
        return cls.write(span, f"{name}{brackets[0]}{inside[1:-1]}{brackets[1]}")


@dataclass(frozen=True)
class Diagnostic:
    """fix: the remedy as a change of the text; `quick_fix` also has what a suggestion gives."""

    code: str
    message: str
    span: Span | None
    remedy: str = ""
    caret: str = ""
    related: tuple[Related, ...] = ()
    severity: Severity = Severity.ERROR
    fix: Fix | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.code not in TITLES:
            raise KeyError(f"diagnostic code {self.code} is not listed in source/codes.py")

    def __getstate__(self) -> dict[str, Any]:
        """Plain texts, and no fix: skops restores no enumerations and no classes of texts."""
        plain = {"caret": str(self.caret), "remedy": str(self.remedy), "fix": None}
        return {**self.__dict__, **plain, "severity": self.severity.value}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, severity=Severity(state["severity"]))

    @classmethod
    def outside(cls, code: str, message: str, remedy: str = "") -> Diagnostic:
        """A diagnostic about something outside any source text."""
        return cls(code, message, None, remedy)

    @property
    def quick_fix(self) -> Fix | None:
        """How an editor can mend the text; None where a person has to."""
        if self.fix is not None or self.span is None:
            return self.fix
        return next(
            filter(None, (_suggested(self.span, t) for t in (self.caret, self.remedy))), None
        )

    def used_from(self, span: Span, text: str = "used from here") -> Diagnostic:
        """The same diagnostic with one more link of the chain towards the user's own line."""
        return replace(self, related=(*self.related, Related(span, text)))


def _suggested(span: Span, text: str) -> Fix | None:
    """The suggested name in place of the one that was written, if that stands in the span."""
    if not isinstance(text, Suggestion) or not text.name:
        return None
    quoted, meant = '"' + text.written + '"', '"' + text.name + '"'
    if span.text in (text.written, quoted):
        return Fix.write(span, meant if span.text == quoted else text.name)
    for written, name in ((quoted, meant), (text.written, text.name)):
        at = [m.start() for m in re.finditer(rf"(?<!\w){re.escape(written)}(?!\w)", span.text)]
        if len(at) == 1:
            start = span.start + at[0]
            return Fix.write(Span(span.source, start, start + len(written)), name)
    return None


class TreemipError(Exception):
    """Every user error; carries one or more diagnostics."""

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]) -> None:
        if isinstance(diagnostics, Diagnostic):
            diagnostics = (diagnostics,)
        self.diagnostics = tuple(diagnostics)
        super().__init__(str(self))

    def __reduce__(self) -> tuple[type[TreemipError], tuple[tuple[Diagnostic, ...]]]:
        """Between processes an exception is made again from its arguments."""
        return type(self), (self.diagnostics,)

    def __str__(self) -> str:
        from treemip.core.source.render import render_all

        return render_all(self.diagnostics)


def fail(
    code: str,
    message: str,
    span: Span | None = None,
    remedy: str = "",
    caret: str = "",
    related: tuple[Related, ...] = (),
    fix: Fix | None = None,
) -> NoReturn:
    """Raise a TreemipError with one diagnostic; the exception being handled is not shown."""
    raise TreemipError(Diagnostic(code, message, span, remedy, caret, related, fix=fix)) from None


def refused(message: str, remedy: str = "") -> TreemipError:
    """E902, to be raised: the value of an option or argument."""
    return TreemipError(Diagnostic.outside("E902", message, remedy))


class Fault(Exception):
    """One diagnostic on its way to the report of its stage, which goes on with the rest."""

    def __init__(
        self,
        code: str,
        message: str,
        span: Span,
        remedy: str = "",
        caret: str = "",
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
    ) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, span, remedy, caret, related, fix=fix)


@dataclass
class Report:
    """The diagnostics of a stage; `raise_errors` ends the stage when there are errors."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    _known: set[Diagnostic] = field(default_factory=set)

    def add(self, diagnostic: Diagnostic) -> None:
        """Each diagnostic once, in the order of their first report."""
        if diagnostic not in self._known:
            self._known.add(diagnostic)
            self.diagnostics.append(diagnostic)

    def error(
        self,
        code: str,
        message: str,
        span: Span | None,
        remedy: str = "",
        caret: str = "",
        *,
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
    ) -> None:
        self.add(Diagnostic(code, message, span, remedy, caret, related, fix=fix))

    def warn(
        self,
        code: str,
        message: str,
        span: Span | None,
        remedy: str = "",
        *,
        fix: Fix | None = None,
    ) -> None:
        self.add(Diagnostic(code, message, span, remedy, severity=Severity.WARNING, fix=fix))

    def attempt(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """The result of a piece of work; None after a Fault in it, which is reported."""
        try:
            return work(*args, **kwargs)
        except Fault as fault:
            self.add(fault.diagnostic)
            return None

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.severity is Severity.ERROR]

    @property
    def warnings(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.severity is Severity.WARNING]

    def raise_errors(self) -> None:
        if self.errors:
            raise TreemipError(self.errors)
