"""Sizes of a compiled model, for `treemip stats`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.reform.presolve.presolve import row_count
from treemip.core.resolve.sorts import NUMBER
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.extras import pip_install

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled


BIG_M = "big_m"  # what the reformulation calls the rows it makes of implications


def stats(
    compiled: Compiled, relaxation: bool, cuts: Sequence[str] | None = None
) -> dict[str, Any]:
    """Counts in all and by family, ranges of numbers, parameters, and LP bounds on request.

    `variables` and `constraints` are by name, in the model's order: columns and their kind, rows
    and the reformulation that made them ("" for rows as the spec states them). `parameters` are
    those without indices. `presolve`: by pass, how many points it merges for a solver and what
    rows and columns are left, where it changes something. `vc_dimension` as in the function of
    that name, `lp_bound` and `lp_bounds` as `bounds` gives them for these cuts.
    """
    model = compiled.model
    binaries = sum(b.length for b in model.variables if b.kind is Kind.BINARY)
    integers = sum(b.length for b in model.variables if b.kind is Kind.INTEGER)
    sizes: dict[str, Any] = {
        "rows": model.row_count,
        "columns": model.column_count,
        "nonzeros": model.nonzeros,
        "binaries": binaries,
        "integers": integers,
        "continuous": model.column_count - binaries - integers,
        "quadratic_terms": model.objective.quadratic.count
        + sum(r.quadratic.count for r in model.rows),
        "coefficients": _range([r.matrix.data for r in model.rows]),
        "big_m": _big_m(compiled),
        "big_m_rows": sum(r.length for r in model.rows if r.made_by == BIG_M),
        "variables": _columns(model),
        "constraints": _rows(model),
        "parameters": _parameters(compiled),
    }
    sizes |= {"presolve": smaller} if (smaller := _presolve(compiled)) else {}
    if compiled.instance.data is not None:
        table = compiled.instance.table
        sizes["points"], sizes["features"] = table.x.shape
        if table.label_kind == "class":
            sizes["classes"] = len(table.classes)
        else:
            sizes["label"] = table.label_kind
        sizes |= {"vc_dimension": known} if (known := _capacity(compiled)) else {}
    if relaxation:
        from treemip.api.bounds import bounds

        sizes |= bounds(compiled, cuts)
    return sizes


def frame(compiled: Compiled) -> Any:
    """A line for each family, as a DataFrame of pandas, else of polars. Raises E602."""
    sizes = stats(compiled, relaxation=False)
    parts = (("variables", "columns", "kind"), ("constraints", "rows", "made_by"))
    lines = [
        {"family": name, "of": part, "kind": each[kind], "length": each[length]}
        for part, length, kind in parts
        for name, each in sizes[part].items()
    ]
    try:
        from pandas import DataFrame
    except ImportError:
        try:
            from polars import DataFrame
        except ImportError:
            message, remedy = "a DataFrame needs pandas or polars", pip_install("all", "pandas")
            raise TreemipError(Diagnostic.outside("E602", message, remedy)) from None
    return DataFrame(lines)


def _columns(model: Model) -> dict[str, dict[str, Any]]:
    families: dict[str, dict[str, Any]] = {}
    for block in model.variables:
        family = families.setdefault(block.name, {"columns": 0, "kind": block.kind.value})
        family["columns"] += block.length
    return families


def _rows(model: Model) -> dict[str, dict[str, Any]]:
    families: dict[str, dict[str, Any]] = {}
    for block in model.rows:
        family = families.setdefault(block.name, {"rows": 0, "made_by": block.made_by})
        family["rows"] += block.length
    return families


def _presolve(compiled: Compiled) -> dict[str, dict[str, Any]]:
    """What passes make of the model when it is solved; empty where they change nothing."""
    return {
        step.name: {
            "merged": step.renaming.merged,
            "is": f"of {step.renaming.points} points; {step.became}",
            "points": step.renaming.points,
            "rows": row_count(step.renaming.model),
            "columns": step.renaming.model.column_count,
        }
        for step in compiled.presolved.steps
    }


def _parameters(compiled: Compiled) -> dict[str, dict[str, Any]]:
    """Values of the parameters without indices, with what the text says of them."""
    parameters = {}
    for symbol in compiled.program.spec.parameters:
        values = compiled.instance.values[symbol.name].values
        if not symbol.sorts and symbol.sort == NUMBER:
            parameters[symbol.name] = {"value": float(values[0]), "is": symbol.doc}
    return parameters


def _capacity(compiled: Compiled) -> dict[str, Any] | None:
    """Bounds on the VC dimension: for two classes and a complete tree."""
    instance, spec = compiled.instance, compiled.program.spec
    topology = instance.topology
    if topology is None or len(instance.table.classes) != 2:
        return None
    depth = int(topology.depth.max())
    if len(topology.leaves) != 2**depth:
        return None
    return vc_dimension(spec.split, depth, len(instance.table.features))


def _range(parts: list[np.ndarray]) -> list[float] | None:
    sizes = [np.abs(p) for p in parts if len(p)]
    if not sizes:
        return None
    return [float(min(s.min() for s in sizes)), float(max(s.max() for s in sizes))]


def _big_m(compiled: Compiled) -> dict[str, list[float]]:
    """Least and greatest big-M of each family that was an implication."""
    return {n.source: list(n.big_m) for n in compiled.reformed.notes if n.big_m is not None}


# ------------------------------------------------------------------- the VC dimension
#
# Amaldi, Consolo, Manno: On multivariate randomized classification trees (2023), section 5: two
# classes, complete trees of depth D, p inputs, real or binary.

PAPER = "Amaldi, Consolo, Manno (2023)"
NO_LEAST = "the lower bound needs a depth below the number of features"


def vc_dimension(split: str, depth: int, features: int) -> dict[str, Any] | None:
    """What the VC dimension of a tree's splits is known to be; None for splits of other kinds.

    split: the kind; bounds are known for "oblique" and "randomized". depth: of a complete tree.
    `at least` and `at most` with their `source`; where `at least` is None, `note` says why.
    `at most` is a number only where the bound has no unknown factor, else its order as text. The
    lower bounds are reached by perceptrons at the branches, so they hold for oblique splits too;
    the upper one is of a mixture of logistic experts and does not.
    """
    if split not in ("oblique", "randomized") or depth < 1 or features < 1:
        return None
    if depth == 1:
        exact = features + 1
        return {"at least": exact, "at most": exact, "source": f"{PAPER}, Observation 1"}
    order = "O(2^(4(D-1)) p^2)" if split == "randomized" else None
    least = least_shattered(depth, features)
    known = [f"Proposition {2 if depth == 2 else 3}"]
    known += ["Proposition 4"] * (order is not None)
    bounds = {"at least": least, "at most": order, "source": f"{PAPER}, {' and '.join(known)}"}
    return bounds if least is not None else bounds | {"note": NO_LEAST}


def least_shattered(depth: int, features: int) -> int | None:
    """2(p+1) for D = 2, 2^(D-1) (p-D+3) above: Propositions 2 and 3, for p > D; else None.

    The paper states Proposition 2 for every p, but its two sets of p + 1 vertices of the unit
    cube, which must be disjoint, meet for p = 2. Proposition 3 takes it at p - D + 2 inputs.
    """
    return 2 ** (depth - 1) * (features - depth + 3) if features > depth >= 2 else None
