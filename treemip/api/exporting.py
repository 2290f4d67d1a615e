"""A compiled spec as a script of its own; what its target cannot state exactly is refused first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treemip.model.blocks import Functions, Kind, Quadratic, family
from treemip.model.model import Model
from treemip.reform.bounds_from_rows import narrowed_results
from treemip.reform.editing import Editing
from treemip.reform.implications import proven
from treemip.reform.reform import BEFORE_IMPLICATIONS, apply
from treemip.render.ampl.program import ampl_files
from treemip.render.python.program import PACKAGES, Writing, render
from treemip.render.reformulations import Ranges, ReformFacts
from treemip.resolve import typed as t
from treemip.resolve.sorts import Degree
from treemip.resolve.spec import Spec
from treemip.resolve.typed import Symbol
from treemip.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.source.span import Span
from treemip.source.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled

TARGETS = ("ampl", *PACKAGES)
"""Languages and packages that scripts are written for."""

NATIVE_PRODUCTS = ("gurobipy", "pyscipopt")
CONVEX_ONLY = ("cvxpy",)
NONLINEAR = ("pyomo", "pyscipopt", "ampl")


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
        message = f"there are no scripts for '{target}'"
        remedy = f"{did_you_mean(target, TARGETS)} there are {listed(TARGETS)}".lstrip()
        raise refused(message, remedy)


def file_names(target: str, stem: str) -> tuple[str, ...]:
    """The files that `script_files` has texts for, the script first. Raises E902."""
    demand_target(target)
    ends = (".mod", ".dat", ".run") if target == "ampl" else (".py", "_data.json")
    return tuple(f"{stem}{end}" for end in ends)


def script_files(compiled: Compiled, target: str, stem: str) -> dict[str, str]:
    """Texts by file name: script and data, and for AMPL the commands. Raises as `to_script`."""
    names = file_names(target, stem)
    compiled.require_one_objective()
    program, stated = compiled.program, compiled.reformed.original
    require_expressible(stated, program.spec, target)
    cuts = {family(r.name) for r in stated.rows if r.cut}
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
            raise not_in_scripts(block, "products where its value must be exact", target)
        low, high = editing.interval(block.arguments, block.constants)
        _require_finite(block, low, high)
        index = block.index
        said = Ranges(block.offsets, low, high, index.names, index.sorts, index.columns)
        found.setdefault((block.span, block.function.value), []).append(said)
    return found


def _require_finite(block: Functions, low: np.ndarray, high: np.ndarray) -> None:
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        message = (
            f"'{block.function.value}' must be exact here, and its arguments have no finite range"
        )
        raise TreemipError(
            Diagnostic(
                "E601", message, block.span, "give the variables bounds in their declaration"
            )
        )


# ------------------------------------------------------ what scripts cannot state exactly


def require_expressible(stated: Model, spec: Spec, target: str) -> None:
    """Raise E601 at the place of what the target's script cannot state exactly."""
    for block in stated.functions:
        if block.slots is not None:
            raise not_in_scripts(block, "nonlinear expressions", target)
    if stated.tape.steps:
        _require_nonlinear(stated, spec, target)
    if target in (*NATIVE_PRODUCTS, "ampl"):
        return
    objective = stated.objective
    sign = 1.0 if objective.sense == "minimize" else -1.0
    if objective.quadratic.count:
        _require_products(stated, objective.quadratic, [sign], objective.span, target)
    for rows in (*stated.rows, *(i.body for i in stated.implications)):
        q = rows.quadratic
        for r in np.unique(q.row):
            own = q.row == r
            one = Quadratic(q.row[own], q.first[own], q.second[own], q.coef[own])
            ends = (1.0, rows.upper[r]), (-1.0, rows.lower[r])
            signs = [sign for sign, end in ends if np.isfinite(end)]
            _require_products(stated, one, signs, rows.span, target)


def degree_of(stated: Model) -> str:
    """linear, quadratic or nonlinear; a product with a binary factor counts as linear."""
    if stated.tape.steps:
        return "nonlinear"
    forms = [stated.objective.quadratic, *(r.quadratic for r in stated.rows)]
    forms += [i.body.quadratic for i in stated.implications]
    binary = _binaries(stated)
    curved = any((~(binary[q.first] | binary[q.second])).any() for q in forms if q.count)
    return "quadratic" if curved else "linear"


def _binaries(stated: Model) -> np.ndarray:
    """Which columns are binary, bool (columns,)."""
    return np.concatenate([np.full(b.length, b.kind is Kind.BINARY) for b in stated.variables])


def not_in_scripts(block: Functions, inner: str, target: str) -> TreemipError:
    """E601: a function whose statement scripts do not have."""
    message = f"scripts for {target} cannot state '{block.function.value}' of {inner}"
    remedy = "write a model file: treemip compile -o model.mps, or .nl for a nonlinear model"
    return TreemipError(Diagnostic("E601", message, block.span, remedy))


# ------------------------------------------------------------------------ nonlinear


def _require_nonlinear(stated: Model, spec: Spec, target: str) -> None:
    place = next(nonlinear_places(spec), None)
    span = stated.objective.span if place is None else place.span
    if target not in NONLINEAR:
        takes = "linear and quadratic models only"
        message = f"scripts for {target} can state {takes}, and this is nonlinear"
        remedy = f"export to {', '.join(NONLINEAR)}, or write NL: treemip compile -o model.nl"
        raise TreemipError(Diagnostic("E601", message, span, remedy))
    if target == "pyscipopt":
        from treemip.model.bounds import tape_ranges
        from treemip.solvers.scip.model import require_computable

        low, high = tape_ranges(stated.tape, stated.lower, stated.upper)
        require_computable(stated, low, high, span)


def nonlinear_places(spec: Spec) -> Iterator[t.Typed]:
    """The innermost nonlinear expressions of the objective and the rows, as they are written."""
    seen: set[Symbol] = set()
    if spec.objective is not None:
        yield from _innermost(spec.objective.value, seen)
    for c in spec.constraints:
        for side in (c.relation.left, c.relation.right, c.relation.right2):
            if side is not None:
                yield from _innermost(side, seen)


def _innermost(e: t.Typed, seen: set[Symbol]) -> Iterator[t.Typed]:
    if e.degree is not Degree.NONLINEAR:
        return
    deeper = list(e.parts)
    if isinstance(e, t.At) and e.symbol.value is not None and e.symbol not in seen:
        seen.add(e.symbol)
        deeper.append(e.symbol.value)
    found = [p for part in deeper for p in _innermost(part, seen)]
    yield from found or ([] if isinstance(e, t.At) else [e])


# ------------------------------------------------------------------------- products


def _require_products(
    stated: Model, q: Quadratic, signs: list[float], span: Span | None, target: str
) -> None:
    """Products with a binary become inequalities and need bounds; others a package that has them.

    signs: by which the form must be convex, one for each side that is bounded.
    """
    binary = _binaries(stated)
    own = np.concatenate([np.full(b.length, not b.made_by) for b in stated.variables])
    bounded = own & np.isfinite(stated.lower) & np.isfinite(stated.upper)
    mixed = binary[q.first] | binary[q.second]
    other = np.where(binary[q.first], q.second, q.first)
    remedy = f"export to {' or '.join(NATIVE_PRODUCTS)}, which take products as they stand"
    if target in CONVEX_ONLY and not _is_convex(q, ~mixed, signs):
        message = f"{target} takes products of variables that are not binary where they are convex"
        message += " only, and these are not"
    elif not bounded[other[mixed]].all():
        message = "a product of a binary with a variable that is declared without bounds"
        message += " needs another package"
    else:
        return
    raise TreemipError(Diagnostic("E601", message, span, remedy))


def _is_convex(q: Quadratic, rows: np.ndarray, signs: list[float]) -> bool:
    from treemip.solving.arrays import is_convex

    left = Quadratic(q.row[rows], q.first[rows], q.second[rows], q.coef[rows])
    return not left.count or all(is_convex(left, sign) for sign in signs)
