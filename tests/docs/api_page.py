"""The reference of docs/python.md: calls and values of the objects that users hold, from their
signatures and the first sentences of their docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator

import treemip
from treemip.api.compiled import Compiled
from treemip.api.program import Program
from treemip.api.result import Result
from treemip.core.tree.tree import Tree

FUNCTIONS = ("load", "loads", "load_tree", "sweep", "cross_validate", "compare")
OBJECTS: dict[type, str] = {
    Program: "spec data with_data compile",
    Compiled: "write write_start write_priorities to_script start_values solve decode tree_of "
    "diagnose stats stats_frame explain to_model to_casadi to_pyomo to_cvxpy to_highs to_scip "
    "to_gurobi to_cplex to_xpress to_copt to_mosek",
    Result: "verdict verified problems train_errors test_errors train_score test_score whole_score "
    "others selected sparsity near_optimal to_json save",
    Tree: "predict predict_proba predict_numbers score values leaf_numbers encode to_text to_onnx "
    "to_sklearn plot to_svg to_html to_dot drawn",
}
"""What a user calls, in the order of the page; what else is public serves the package itself."""


def reference() -> str:
    """A table for the functions of `treemip` and one for each object."""
    parts = ["### Functions\n\n" + _table((f, getattr(treemip, f)) for f in FUNCTIONS)]
    for owner, names in OBJECTS.items():
        entries = ((name, inspect.getattr_static(owner, name)) for name in names.split())
        parts.append(f"### {owner.__name__}\n\n" + _table(entries))
    return "\n\n".join(parts)


def _table(entries: Iterator[tuple[str, object]]) -> str:
    return "\n".join(["| | |", "|---|---|", *(_line(*entry) for entry in entries)])


def _line(name: str, entry: object) -> str:
    own = getattr(entry, "fget", None) or getattr(entry, "func", None)  # of a property
    call = "" if own is not None else f"({_arguments(entry)})"
    return f"| `{name}{call}` | {_first_sentence(own or entry)} |"


def _arguments(function: Callable[..., object]) -> str:
    """`path, names=, cuts=`: those with a default end with an equals sign."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return ", ".join(
        marks.get(p.kind, "") + p.name + "=" * (p.default is not p.empty) for p in parameters
    )


def _first_sentence(entry: object) -> str:
    doc = inspect.getdoc(entry)
    assert doc, f"{entry} has no docstring"
    text = " ".join(doc.split("\n\n")[0].split())
    return re.split(r"(?<=[a-z)`\"])\. (?=[A-Z])", text)[0].rstrip(".").replace("|", "\\|") + "."
