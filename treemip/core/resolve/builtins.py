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

SETS: dict[str, tuple[SetOf, str]] = {
    "points": (SetOf(POINT), "the rows of the training part"),
    "features": (SetOf(FEATURE), "the columns of x, after encoding"),
    "categorical_features": (
        SetOf(CATEGORICAL),
        "the columns that `encode keep` leaves categorical",
    ),
    "classes": (SetOf(CLASS), "the classes of the label"),
    "nodes": (SetOf(NODE), "all nodes of the tree"),
    "branches": (SetOf(NODE), "the nodes that split"),
    "leaves": (SetOf(NODE), "the nodes without children"),
    "last_branches": (SetOf(NODE), "the branches whose children are leaves"),
    "left_children": (SetOf(NODE), "the nodes that are the left child of a branch"),
    "right_children": (SetOf(NODE), "the nodes that are the right child of a branch"),
    "supports": (
        SetOf(SUPPORT),
        "the supports of shattering inequalities that a separator has found",
    ),
    "flow_cuts": (SetOf(FLOW_CUT), "the flow cuts that a separator has found"),
}
"""The base sets, and what each holds."""

BASE_SETS = {name: sort for name, (sort, _) in SETS.items()}

SEPARATED = ("supports", "flow_cuts")
"""Sets whose members separators give: empty before a solve."""

NUMBERS = ("side_constraints",)
"""Numbers that the text itself gives."""

CONSTANTS: dict[str, Element] = {"root": NODE, "positive": CLASS, "negative": CLASS}

ELEMENTS = {
    "root": "the first branch",
    "positive": "the positive class of a two-class problem",
    "negative": "the other class of a two-class problem",
    "side_constraints": "how many families of rows the spec has",
}
"""What each of these is."""


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
    """`tree` functions take a node of any tree; result "node" and "nodes" are of the same tree.

    form: how a call is written; doc: what it is.
    """

    arguments: tuple[str, ...]
    result: str
    form: str
    doc: str


FUNCTIONS: dict[str, Signature] = {
    # of the tree
    "left": Signature(("node",), "node", "left(t)", "left child of a node"),
    "right": Signature(("node",), "node", "right(t)", "right child of a node"),
    "parent": Signature(("node",), "node", "parent(t)", "parent of a node"),
    "depth": Signature(("node",), "number", "depth(t)", "depth of a node; the root has depth 0"),
    "ancestors": Signature(("node",), "nodes", "ancestors(t)", "nodes above t"),
    "left_ancestors": Signature(
        ("node",), "nodes", "left_ancestors(t)", "nodes above t whose left subtree has t"
    ),
    "right_ancestors": Signature(
        ("node",), "nodes", "right_ancestors(t)", "nodes above t whose right subtree has t"
    ),
    "leaves_under": Signature(("node",), "nodes", "leaves_under(t)", "leaves below t, or t itself"),
    "last_branches_under": Signature(
        ("node",), "nodes", "last_branches_under(t)", "last branches below t, or t itself"
    ),
    "level": Signature(
        ("number",), "topology nodes", "level(d)", "nodes of level d; the root is level 1"
    ),
    # of a declared tree
    "inner": Signature(("tree",), "tree nodes", "inner(c)", "branches of a declared tree"),
    "max_depth": Signature(
        ("tree",), "number", "max_depth(c)", "greatest depth of a declared tree"
    ),
    "mid": Signature(
        ("node of a declared tree",), "number", "mid(v)", "threshold of a node of `bisect`"
    ),
    "lo": Signature(
        ("node of a declared tree",), "number", "lo(v)", "least threshold below a node of `bisect`"
    ),
    "hi": Signature(
        ("node of a declared tree",),
        "number",
        "hi(v)",
        "greatest threshold below a node of `bisect`",
    ),
    "next": Signature(
        ("node of a declared tree",), "number", "next(v)", "the threshold after `mid(v)`"
    ),
    # of the data
    "thresholds": Signature(
        ("feature",), "numbers", "thresholds(j)", "midpoints between the values of a feature"
    ),
    "class_thresholds": Signature(
        ("feature",), "numbers", "class_thresholds(j)", "midpoints where the class can change"
    ),
    "least_gap": Signature(
        ("feature",), "number", "least_gap(j)", "least difference of a feature's values above 1e-5"
    ),
    "least_difference": Signature(
        ("feature",), "number", "least_difference(j)", "least difference of a feature's values"
    ),
    "least_gap_moved": Signature(
        ("feature", "number"),
        "number",
        "least_gap_moved(j, r)",
        "least difference above 1e-5 between values of the feature, or these moved by r",
    ),
    "categories": Signature(
        ("categorical feature",),
        "categories",
        "categories(c)",
        "categories of a column that is kept categorical",
    ),
    "features_of": Signature(
        ("column",), "features", 'features_of("column")', "features made of a column"
    ),
    "point": Signature(("number",), "point", "point(row)", "the point of this row of the file"),
    # of what a separator gives
    "left_support": Signature(
        ("support",), "points", "left_support(s)", "points of a support that go left"
    ),
    "right_support": Signature(
        ("support",), "points", "right_support(s)", "points of a support that go right"
    ),
    "point_of": Signature(("flow cut",), "point", "point_of(c)", "point of a flow cut"),
    "source_side": Signature(
        ("flow cut",),
        "topology nodes",
        "source_side(c)",
        "nodes on the source's side of a flow cut",
    ),
    "cut_left": Signature(
        ("flow cut",), "topology nodes", "cut_left(c)", "nodes whose edge to the left child is cut"
    ),
    "cut_right": Signature(
        ("flow cut",),
        "topology nodes",
        "cut_right(c)",
        "nodes whose edge to the right child is cut",
    ),
    # of sets and elements
    "card": Signature(("set",), "number", "card(S)", "number of elements of a set"),
    "ord": Signature(("element",), "number", "ord(e)", "1-based number of an element"),
    # of numbers
    "abs": Signature(("number",), "number", "abs(a)", "absolute value"),
    "exp": Signature(("number",), "number", "exp(a)", "exponential"),
    "log": Signature(("number",), "number", "log(a)", "natural logarithm"),
    "sqrt": Signature(("number",), "number", "sqrt(a)", "square root"),
    "logistic": Signature(("number",), "number", "logistic(a)", "1 / (1 + exp(-a))"),
    "floor": Signature(
        ("number",), "number", "floor(a)", "greatest whole number that is not above"
    ),
    "ceil": Signature(("number",), "number", "ceil(a)", "least whole number that is not below"),
    "round": Signature(("number",), "number", "round(a)", "nearest whole number"),
}

VECTOR_FUNCTIONS = {"dot": 2, "norm1": 1, "norminf": 1, "normsq": 1}
"""With how many vectors each takes."""

OTHER_FUNCTIONS = {
    "answer_of": (
        'answer_of("old.json", i)',
        "what a saved tree answers to a point: the number of a class, or a value",
    ),
    "max": ("max(a, b)", "greatest number; also max {i in points} …"),
    "min": ("min(a, b)", "least number; also min {i in points} …"),
    "dot": ("dot(a, b)", "sum of the products of two vectors, such as coef[t,*] and x[i,*]"),
    "norm1": ("norm1(a)", "sum of the absolute values of a vector"),
    "norminf": ("norminf(a)", "greatest absolute value of a vector"),
    "normsq": ("normsq(a)", "sum of the squares of a vector"),
    "sorted": ("sorted(table)[r]", "r-th smallest value of a table"),
    "bisect": ("bisect(S)", "search tree over numbers"),
    "descend": ("descend(c, b[*])", "the number that bits lead to"),
    "values": ("values(group)", "values of a group that some point has"),
    "position": ("position(e, S)", "1-based number of an element within a set; 0 if not in it"),
    "table": ('table("a": 1, default = 0)', "values of a parameter by the names of its indices"),
    "objective_is": ("objective_is(term)", "1 where that alone is minimized"),
    "objective_has": ("objective_has(term)", "1 where a sum with that addend is minimized"),
    "mentions": ("mentions(name)", "1 where the spec's own text has that name"),
    "missing": ("missing(x[i,j])", "1 where the point has no value in the feature's column"),
}
"""Functions without a signature: how a call is written, and what it is."""

VARIADIC = {"max", "min"}
FUNCTION_NAMES = {*FUNCTIONS, *OTHER_FUNCTIONS}

CALLS = {name: (one.form, one.doc) for name, one in FUNCTIONS.items()} | OTHER_FUNCTIONS
"""How a call of each function is written, and what it is."""

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
