"""A compiled spec as a script of its own, with what reformulation proved about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treemip.api.exportable import degree_of, not_in_scripts, require_expressible
from treemip.model.blocks import Functions, Kind
from treemip.model.model import Model
from treemip.reform.bounds_from_rows import narrowed_results
from treemip.reform.editing import Editing
from treemip.reform.implications import proven
from treemip.reform.reform import BEFORE_IMPLICATIONS, apply
from treemip.render.ampl.program import ampl_files
from treemip.render.python.program import PACKAGES, Writing, render
from treemip.render.reformulations import Ranges, ReformFacts
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Span
from treemip.source.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled

TARGETS = ("ampl", *PACKAGES)
"""Languages and packages that scripts are written for."""


def to_script(compiled: Compiled, target: str, file_name: str) -> tuple[str, str]:
    """The script for a target and the text of its data file.

    `file_name`: what the script will be called; a model.py takes its data from model_data.json
    beside it, a model.mod from model.dat. Raises E601 for what the target cannot state exactly,
    E902 for an unknown target.
    """
    files = list(script_files(compiled, target, Path(file_name).stem).values())
    return files[0], files[1]


def demand_target(target: str) -> None:
    """Raises E902 for what scripts are not written for."""
    if target not in TARGETS:
        message = f"no scripts can be written for '{target}'"
        remedy = f"{did_you_mean(target, TARGETS)} there are {listed(TARGETS)}".lstrip()
        raise TreemipError(Diagnostic.outside("E902", message, remedy))


def file_names(target: str, stem: str) -> tuple[str, ...]:
    """The files that `script_files` has texts for, the script first. Raises E902."""
    demand_target(target)
    ends = (".mod", ".dat", ".run") if target == "ampl" else (".py", "_data.json")
    return tuple(f"{stem}{end}" for end in ends)


def script_files(compiled: Compiled, target: str, stem: str) -> dict[str, str]:
    """Texts by file name: script and data, and for AMPL the commands. Raises as `to_script`."""
    names = file_names(target, stem)
    program, stated = compiled.program, compiled.reformed.original
    require_expressible(stated, program.spec, target)
    cuts = {r.name.removesuffix("_first").removesuffix("_second") for r in stated.rows if r.cut}
    constraints = [*program.spec.constraints, *(c for c in program.spec.cuts if c.name in cuts)]
    facts = _facts(stated, compiled.model, target)
    if target == "ampl":
        made = ampl_files(compiled.instance, constraints, facts, stem)
        return dict(zip(names, (made.model, made.data, made.run), strict=True))
    script = Writing(compiled.instance, constraints, facts).script()
    text = render(script, target, names[0])
    return dict(zip(names, (text, script.data), strict=True))


def _facts(stated: Model, reformed: Model, target: str) -> ReformFacts:
    objective = stated.objective
    curved = bool(objective.quadratic.count or objective.slots is not None)
    ranges, bounds = _ranges(stated, reformed, target), Editing(stated).bounds
    return ReformFacts(_big_m(stated), ranges, degree_of(stated), curved, *bounds)


def _big_m(stated: Model) -> dict[tuple[str, int], np.ndarray]:
    """The M that bounds prove, by family and side, where the spec gives none."""
    current, _ = apply(stated, BEFORE_IMPLICATIONS)
    editing = Editing(current)
    found = {}
    for block in current.implications:
        if block.big_m is not None:
            continue
        for side, end in ((1, block.body.upper), (-1, block.body.lower)):
            if np.isfinite(end).any():
                found[block.name, side] = proven(editing, block, side)
    return found


def _ranges(stated: Model, reformed: Model, target: str) -> dict[tuple[Span, str], list[Ranges]]:
    """Ranges of the arguments of those functions that reformulation gave binaries."""
    binaries = {b.span for b in reformed.variables if b.made_by and b.kind is Kind.BINARY}
    editing = Editing(stated)
    narrowed_results(editing.variables, stated, *editing.bounds)
    found: dict[tuple[Span, str], list[Ranges]] = {}
    for block in stated.functions:
        if block.span is None or block.span not in binaries:
            continue
        if not block.is_affine:
            raise not_in_scripts(block, "products where it has to be attained", target)
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
