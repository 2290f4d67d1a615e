"""Diagnostics: what is wrong, where, where it was used from, and how to fix it.

Every user error is a `TreemipError` that carries diagnostics, never a bare string. A `Diagnostic`
about a text needs a span; `Diagnostic.outside` is for the few that have none (a missing file, an
option). A `Report` collects several, so that one run shows all errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NoReturn, ParamSpec, TypeVar

from treemip.source.codes import TITLES
from treemip.source.span import Span

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
class Diagnostic:
    code: str
    message: str
    span: Span | None
    remedy: str = ""
    caret: str = ""
    related: tuple[Related, ...] = ()
    severity: Severity = Severity.ERROR

    def __post_init__(self) -> None:
        if self.code not in TITLES:
            raise KeyError(f"diagnostic code {self.code} is not listed in source/codes.py")

    def __getstate__(self) -> dict[str, Any]:
        """The severity as a text: skops restores no enumerations."""
        return {**self.__dict__, "severity": self.severity.value}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, severity=Severity(state["severity"]))

    @classmethod
    def outside(cls, code: str, message: str, remedy: str = "") -> Diagnostic:
        """A diagnostic about something outside any source text."""
        return cls(code, message, None, remedy)

    def used_from(self, span: Span, text: str = "used from here") -> Diagnostic:
        """The same diagnostic with one more link of the chain towards the user's own line."""
        return replace(self, related=(*self.related, Related(span, text)))


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
        from treemip.source.render import render_all

        return render_all(self.diagnostics)


def fail(
    code: str,
    message: str,
    span: Span | None = None,
    remedy: str = "",
    caret: str = "",
    related: tuple[Related, ...] = (),
) -> NoReturn:
    """Raise a TreemipError with one diagnostic; the exception being handled is not shown."""
    raise TreemipError(Diagnostic(code, message, span, remedy, caret, related)) from None


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
    ) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, span, remedy, caret, related)


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
    ) -> None:
        self.add(Diagnostic(code, message, span, remedy, caret, related))

    def warn(self, code: str, message: str, span: Span | None, remedy: str = "") -> None:
        self.add(Diagnostic(code, message, span, remedy, severity=Severity.WARNING))

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
