"""What `treemip check --data` finds: a spec over its data, with every name the data do not have"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.core.source.diagnostic import TreemipError

if TYPE_CHECKING:
    from treemip.api.program import Program
    from treemip.core.instance.instance import Instance


def checked_instance(program: Program) -> Instance:
    """The spec over its data. Raises with all names that the data do not have, beside what bind
    finds first: rows are not built, so they are gone through for names alone."""
    from treemip.core.lower.check_literals import check_literals
    from treemip.methods.selection.select import require_thresholds

    names = check_literals(program.spec, program.data)
    if program.data is not None:
        require_thresholds(program.spec, program.data)
    try:
        instance = program.instance
    except TreemipError as error:
        others = [d for d in error.diagnostics if d not in names]
        raise TreemipError([*others, *names]) from None
    if names:
        raise TreemipError(names)
    return instance
