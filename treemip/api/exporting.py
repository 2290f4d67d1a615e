"""A compiled spec as a script of its own, with what reformulation decided about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.api.exportable import degree_of, require_expressible
from treemip.model.blocks import Functions, Kind
from treemip.model.model import Model
from treemip.reform.editing import Editing
from treemip.reform.implications import proven
from treemip.reform.reform import PASSES
from treemip.reform.singletons import narrowed_results
from treemip.scripts.decided import Decided, Ranges
from treemip.scripts.python.program import Writing
from treemip.scripts.python.render import render, require_target
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Span

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled


def to_script(compiled: Compiled, target: str, file_name: str) -> tuple[str, str]:
    """The script for a target and the text of its data file (JSON).

    `file_name`: what the script will be called; a model.py takes its data from model_data.json
    beside it. Raises E601 for what the target cannot state exactly, E602 without jinja2, E902
    for an unknown target.
    """
    require_target(target)
    program, stated = compiled.program, compiled.reformed.original
    require_expressible(stated, program.spec, target)
    cuts = {r.name.removesuffix("_first").removesuffix("_second") for r in stated.rows if r.cut}
    constraints = [*program.spec.constraints, *(c for c in program.spec.cuts if c.name in cuts)]
    curved = bool(stated.objective.quadratic.count or stated.objective.slots is not None)
    ranges = _ranges(stated, compiled.model)
    decided = Decided(_big_m(stated), ranges, degree_of(stated), curved)
    script = Writing(compiled.instance, constraints, decided).script()
    return render(script, target, file_name), script.data


def _big_m(stated: Model) -> dict[tuple[str, int], np.ndarray]:
    """The M that bounds prove, by family and side, where the spec gives none."""
    current = stated
    for rewrite in PASSES:
        current, _ = rewrite(current)
    editing = Editing(current)
    found = {}
    for block in current.implications:
        if block.big_m is not None:
            continue
        for side, end in ((1, block.body.upper), (-1, block.body.lower)):
            if np.isfinite(end).any():
                found[block.name, side] = proven(editing, block, side)
    return found


def _ranges(stated: Model, reformed: Model) -> dict[tuple[Span, str], list[Ranges]]:
    """Ranges of the arguments of those functions that reformulation gave binaries."""
    binaries = {b.span for b in reformed.variables if b.made_by and b.kind is Kind.BINARY}
    editing = Editing(stated)
    narrowed_results(editing.variables, stated.functions, *editing.bounds)
    found: dict[tuple[Span, str], list[Ranges]] = {}
    for block in stated.functions:
        if block.span is None or block.span not in binaries:
            continue
        low, high = editing.interval(block.arguments, block.constants)
        _require_finite(block, low, high)
        index = block.index
        said = Ranges(block.offsets, low, high, index.names, index.sorts, index.columns)
        found.setdefault((block.span, block.function.value), []).append(said)
    return found


def _require_finite(block: Functions, low: np.ndarray, high: np.ndarray) -> None:
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        message = f"'{block.function.value}' must be attained here, and its arguments have no range"
        raise TreemipError(
            Diagnostic(
                "E601", message, block.span, "give the variables bounds in their declaration"
            )
        )
