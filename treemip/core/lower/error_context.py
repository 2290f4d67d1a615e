"""Errors of evaluation as a spec's author should meet them: with the statement they come from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import Diagnostic, TreemipError, fail
from treemip.core.source.span import Span


@contextmanager
def used_from(span: Span) -> Iterator[None]:
    """Errors inside another text show the place of the statement that uses it.

    Definitions nested too deeply (E111) and tables too large for memory (E405) are errors of the
    statement being evaluated.
    """
    try:
        yield
    except TreemipError as error:
        raise TreemipError(
            d.used_from(span) if d.span and d.span.source != span.source else d
            for d in error.diagnostics
        ) from None
    except RecursionError:
        fail(
            "E111",
            "this definition is nested too deeply",
            span,
            "shorten the chain of definitions that mention each other",
        )
    except MemoryError:
        fail(
            "E405",
            "this does not fit into memory",
            span,
            "restrict the sets it ranges over, or use fewer points or a smaller topology",
        )


@contextmanager
def traced(spec: Spec) -> Iterator[None]:
    """Errors in rows of a concept's default show the place in the spec that brought it in."""
    try:
        yield
    except TreemipError as error:
        raise TreemipError(_traced(d, spec) for d in error.diagnostics) from None


def _traced(d: Diagnostic, spec: Spec) -> Diagnostic:
    for c in spec.constraints:
        inside = d.span is not None and d.span.source == c.span.source
        if inside and d.span and c.used_from and c.span.start <= d.span.start < c.span.end:
            return d.used_from(c.used_from)
    return d
