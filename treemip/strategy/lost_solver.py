"""A solver or a start that fails where there is a tree already: the tree is kept, the failure told.

What the caller can mend by other options is raised all the same.
"""

from __future__ import annotations

from treemip.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.source.memory import is_memory_error

USAGE = ("E601", "E602", "E603", "E902")
"""A solver that does not take the model or is missing, a folder that is in use, an option."""


def is_usage(error: Exception) -> bool:
    """Whether the caller can mend it by other options."""
    return isinstance(error, TreemipError) and error.diagnostics[0].code in USAGE


def reason(error: Exception) -> str:
    """Why something failed, as part of a sentence."""
    if isinstance(error, TreemipError):
        return error.diagnostics[0].message
    if is_memory_error(error):
        return "there is not enough memory"
    return f"{type(error).__name__}: {error}".rstrip(": ")


def solver_failed(error: Exception) -> Diagnostic:
    """W603: the start is the answer, since the solver gave none."""
    remedy = error.diagnostics[0].remedy if isinstance(error, TreemipError) else ""
    message = f"the solver failed, so the start is the answer: {reason(error)}"
    return Diagnostic("W603", message, None, remedy, severity=Severity.WARNING)
