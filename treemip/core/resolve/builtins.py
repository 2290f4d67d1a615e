"""What every text knows without declaring it: base sets, data, and typed functions.

The functions are a closed list. Those marked `of the tree` work on the topology and on any
declared tree alike; their meaning is in instance/trees.py, that of the derived sets in
instance/derived.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from treemip.core.resolve.sorts import (
    CATEGORICAL,
    CATEGORY,
    CLASS,
    FEATURE,
    FLOW_CUT,
    NODE,
    NUMBER,
    POINT,
    SUPPORT,
    Element,
    SetOf,
    Sort,
)

BASE_SETS: dict[str, SetOf] = {
    "points": SetOf(POINT),
    "features": SetOf(FEATURE),
    "categorical_features": SetOf(CATEGORICAL),
    "classes": SetOf(CLASS),
    "nodes": SetOf(NODE),
    "branches": SetOf(NODE),
    "leaves": SetOf(NODE),
    "last_branches": SetOf(NODE),
    "left_children": SetOf(NODE),
    "right_children": SetOf(NODE),
    "supports": SetOf(SUPPORT),
    "flow_cuts": SetOf(FLOW_CUT),
}

SEPARATED = ("supports", "flow_cuts")
"""Sets whose members separators give: empty before a solve."""

NUMBERS = ("side_constraints",)
"""Numbers that the text itself gives."""

CONSTANTS: dict[str, Element] = {"root": NODE, "positive": CLASS, "negative": CLASS}


@dataclass(frozen=True)
class DataTable:
    sorts: tuple[Element, ...]
    sort: Sort
    doc: str


DATA: dict[str, DataTable] = {
    "x": DataTable((POINT, FEATURE), NUMBER, "feature value, after encoding and scaling"),
    "y": DataTable((POINT,), CLASS, "class of a point"),
    "category": DataTable((POINT, CATEGORICAL), CATEGORY, "category of a point in a kept column"),
    "weight": DataTable((POINT,), NUMBER, "weight of a point, 1 unless the data names a column"),
    "class_count": DataTable((CLASS,), NUMBER, "number of points of a class"),
    "kept_with": DataTable(
        (POINT,), POINT, "point whose leaf a point shares where points are selected; else itself"
    ),
    "routed": DataTable((POINT, NODE), NUMBER, "1 where the tree sends a point through a node"),
    "given_label": DataTable((NODE, CLASS), NUMBER, "1 where the tree's leaf predicts a class"),
    "given_value": DataTable(
        (NODE,), NUMBER, "constant of the value that the tree's leaf predicts"
    ),
    "given_slope": DataTable((NODE, FEATURE), NUMBER, "coefficient of a feature in that value"),
    "given_prediction": DataTable((POINT,), NUMBER, "value that the tree predicts for a point"),
}

ONLY_ON_A_TREE = {"routed", "given_label", "given_value", "given_slope", "given_prediction"}

GIVEN = "given_"
"""Before the name of a group or listed set: 1 where a leaf predicts one of its elements."""


def is_only_on_a_tree(name: str) -> bool:
    """Whether a table of the language holds a decoded tree's own answers."""
    return name.startswith(GIVEN) or name in ONLY_ON_A_TREE


OF_CLASSES = {"classes", "positive", "negative", "class_count", "given_label", "class_thresholds"}
"""Valid only for classification."""


@dataclass(frozen=True)
class Signature:
    """`tree` functions take a node of any tree; result "node" and "nodes" are of the same tree."""

    arguments: tuple[str, ...]
    result: str


FUNCTIONS: dict[str, Signature] = {
    # of the tree
    "left": Signature(("node",), "node"),
    "right": Signature(("node",), "node"),
    "parent": Signature(("node",), "node"),
    "depth": Signature(("node",), "number"),
    "ancestors": Signature(("node",), "nodes"),
    "left_ancestors": Signature(("node",), "nodes"),
    "right_ancestors": Signature(("node",), "nodes"),
    "leaves_under": Signature(("node",), "nodes"),
    "last_branches_under": Signature(("node",), "nodes"),
    "level": Signature(("number",), "topology nodes"),
    # of a declared tree
    "inner": Signature(("tree",), "tree nodes"),
    "max_depth": Signature(("tree",), "number"),
    "mid": Signature(("node of a declared tree",), "number"),
    "lo": Signature(("node of a declared tree",), "number"),
    "hi": Signature(("node of a declared tree",), "number"),
    "next": Signature(("node of a declared tree",), "number"),
    # of the data
    "thresholds": Signature(("feature",), "numbers"),
    "class_thresholds": Signature(("feature",), "numbers"),
    "least_gap": Signature(("feature",), "number"),
    "least_difference": Signature(("feature",), "number"),
    "least_gap_moved": Signature(("feature", "number"), "number"),
    "categories": Signature(("categorical feature",), "categories"),
    "features_of": Signature(("column",), "features"),
    "point": Signature(("number",), "point"),
    # of what a separator gives
    "left_support": Signature(("support",), "points"),
    "right_support": Signature(("support",), "points"),
    "point_of": Signature(("flow cut",), "point"),
    "source_side": Signature(("flow cut",), "topology nodes"),
    "cut_left": Signature(("flow cut",), "topology nodes"),
    "cut_right": Signature(("flow cut",), "topology nodes"),
    # of sets and elements
    "card": Signature(("set",), "number"),
    "ord": Signature(("element",), "number"),
    # of numbers
    "abs": Signature(("number",), "number"),
    "exp": Signature(("number",), "number"),
    "log": Signature(("number",), "number"),
    "sqrt": Signature(("number",), "number"),
    "logistic": Signature(("number",), "number"),
    "floor": Signature(("number",), "number"),
    "ceil": Signature(("number",), "number"),
    "round": Signature(("number",), "number"),
}

VARIADIC = {"max", "min"}
VECTOR_FUNCTIONS = {"dot": 2, "norm1": 1, "norminf": 1, "normsq": 1}
SPECIAL = {
    *("sorted", "bisect", "descend", "values", "position", "table"),
    *("objective_is", "objective_has", "mentions", "missing"),
}
FUNCTION_NAMES = {*FUNCTIONS, *VARIADIC, *VECTOR_FUNCTIONS, *SPECIAL}

DEFAULT_FORMULATIONS = {
    "oblique": "soct",
    "univariate": "binoct",
    "margin": "margot",
    "randomized": "mrct",
}


NAMES: dict[str, tuple[str, ...]] = {
    "set": tuple(BASE_SETS),
    "element": tuple(CONSTANTS),
    "number": NUMBERS,
    "table": tuple(DATA),
    "function": tuple(sorted(FUNCTION_NAMES)),
}
"""The names that no text may declare, by what they are."""


def is_builtin(name: str) -> bool:
    return any(name in names for names in NAMES.values())


def builtin(name: str) -> str:
    """What a name of the language is."""
    what = next(what for what, names in NAMES.items() if name in names)
    return f"an {what}" if what == "element" else f"a {what}"
