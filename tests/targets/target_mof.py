"""MathOptFormat for SCIP: no solver here reads it but JuMP's, so this reads it by its definition.

https://jump.dev/MathOptFormat: a quadratic term with one variable twice counts half.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def scip_model(path: Path) -> Any:
    """A `pyscipopt.Model`; KeyError where the file has what treemip does not write."""
    import pyscipopt

    said = json.loads(path.read_text())
    made = pyscipopt.Model()
    made.hideOutput()
    columns = {v["name"]: made.addVar(v["name"], "C", None, None) for v in said["variables"]}
    for one in said["constraints"]:
        kind, ends = one["set"].pop("type"), one["set"]
        if one["function"]["type"] != "Variable":
            low, high = _sides(kind, ends)
            body = _expression(one["function"], columns)
            made.addCons(_between(low, body, high))
            continue
        column = columns[one["function"]["name"]]
        if kind in ("Integer", "ZeroOne"):
            made.chgVarType(column, "I")
            ends = {"lower": 0.0, "upper": 1.0} if kind == "ZeroOne" else {}
            kind = "Interval"
        low, high = _sides(kind, ends)
        if low is not None:
            made.chgVarLb(column, max(low, column.getLbOriginal()))
        if high is not None:
            made.chgVarUb(column, min(high, column.getUbOriginal()))
    goal, sense = said["objective"]["function"], said["objective"]["sense"]
    worth = made.addVar("worth", "C", None, None)  # SCIP's objectives are linear
    body = _expression(goal, columns)
    made.addCons(worth >= body if sense == "min" else worth <= body)
    made.setObjective(worth, {"min": "minimize", "max": "maximize"}[sense])
    return made


def _expression(function: dict[str, Any], columns: dict[str, Any]) -> Any:
    from pyscipopt import quicksum

    affine = function.get("affine_terms", function.get("terms"))
    parts = [t["coefficient"] * columns[t["variable"]] for t in affine]
    for term in function.get("quadratic_terms", []):
        first, second = term["variable_1"], term["variable_2"]
        share = 0.5 if first == second else 1.0
        parts.append(share * term["coefficient"] * columns[first] * columns[second])
    return quicksum(parts) + function["constant"]


def _sides(kind: str, ends: dict[str, float]) -> tuple[float | None, float | None]:
    if kind == "EqualTo":
        return ends["value"], ends["value"]
    named = {"Interval": ("lower", "upper"), "GreaterThan": ("lower",), "LessThan": ("upper",)}
    assert set(ends) == set(named[kind]) or not ends
    return ends.get("lower"), ends.get("upper")


def _between(low: float | None, body: Any, high: float | None) -> Any:
    if low is not None and low == high:
        return body == low
    if low is not None and high is not None:
        return (body >= low) <= high
    return body >= low if low is not None else body <= high
