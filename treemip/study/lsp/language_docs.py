"""What an editor says of the language's own words: statements, sets, elements and functions."""

from __future__ import annotations

from treemip.core.resolve.builtins import (
    BASE_SETS,
    CONSTANTS,
    DATA,
    DEFAULT_FORMULATIONS,
    FUNCTIONS,
    NUMBERS,
    VECTOR_FUNCTIONS,
)
from treemip.core.resolve.settings.data_block import SETTINGS
from treemip.core.resolve.settings.decompose import SCHEMES
from treemip.core.resolve.settings.selection import EXAMPLES as SELECTIONS
from treemip.core.resolve.settings.solve_options import OPTIONS
from treemip.core.resolve.settings.strategy import READERS
from treemip.core.resolve.settings.topology import KINDS

STATEMENTS = {
    "data": (
        'data "${1:file.csv}" {\n  label ${2:class};\n}',
        "The table, and what becomes of it.",
    ),
    "topology": ("topology complete(depth = ${1:2});", "The shape of the tree."),
    "split": ("split ${1:univariate} by ${2:oct};", "The kind of splits, and the formulation."),
    "minimize": ("minimize ${1:misclassified};", "The objective."),
    "maximize": ("maximize ${1:accuracy};", "The objective."),
    "subject to": ("subject to\n  ${1:name}: ${2:splits <= 3};", "Families of rows."),
    "let": ("let ${1:name} = ${2:0};", "A name for an expression."),
    "param": ("param ${1:name} = ${2:0};", "A known number, or a table of them."),
    "set": ("set ${1:name} = {${2:i in points}};", "A set of elements or tuples."),
    "var": ("var ${1:name} {${2:t in branches}} binary;", "Variables of the model."),
    "term": ("term ${1:name}(${2:alpha = 0}) = ${3:0};", "An addend for objectives."),
    "strategy": ("strategy {\n  time_limit ${1:60};\n}", "How to solve, apart from what."),
    "use": ("use ${1:module};", "The declarations of another module."),
    "drop": ("drop ${1:name};", "Families of rows that are left out."),
    "cut": ("cut ${1:name}: ${2:splits <= 3};", "Rows that a strategy adds, `cuts name;`."),
    "requires": (
        'requires ${1:card(points) >= 1} else "${2:message}";',
        "An error unless it holds.",
    ),
    "advise": ('advise ${1:card(points) >= 1} else "${2:message}";', "A warning unless it holds."),
    "tree": ("tree ${1:name};", "The name of the tree; with `=`, a tree of its own."),
    "formulation": (
        'formulation ${1:name} splits ${2:oblique} "${3:paper}" "${4:what it is for}";',
        "The first line of your own formulation.",
    ),
    "concept": ('concept ${1:name} {${2:i in points}} "${3:doc}";', "A word of the vocabulary."),
    "route": (
        "route left when ${1:dot(coef[t,*], x[i,*])} <= ${2:bias[t]};",
        "Which points go left at branch t.",
    ),
    "predict": ("predict class ${1:argmax {k in classes} label[l,k]};", "What leaf l answers."),
}
"""Each statement as a snippet, and what it is."""

SETS = {
    "points": "the rows of the training part",
    "features": "the columns of x, after encoding",
    "categorical_features": "the columns that `encode keep` leaves categorical",
    "classes": "the classes of the label",
    "nodes": "all nodes of the tree",
    "branches": "the nodes that split",
    "leaves": "the nodes without children",
    "last_branches": "the branches whose children are leaves",
    "left_children": "the nodes that are the left child of a branch",
    "right_children": "the nodes that are the right child of a branch",
    "supports": "the supports of shattering inequalities that a separator has found",
    "flow_cuts": "the flow cuts that a separator has found",
}

ELEMENTS = {
    "root": "the first branch",
    "positive": "the positive class of a two-class problem",
    "negative": "the other class of a two-class problem",
    "side_constraints": "how many families of rows the spec has",
}

CALLS = {
    "left": ("left(t)", "left child of a node"),
    "right": ("right(t)", "right child of a node"),
    "parent": ("parent(t)", "parent of a node"),
    "depth": ("depth(t)", "depth of a node; the root has depth 0"),
    "ancestors": ("ancestors(t)", "nodes above t"),
    "left_ancestors": ("left_ancestors(t)", "nodes above t whose left subtree has t"),
    "right_ancestors": ("right_ancestors(t)", "nodes above t whose right subtree has t"),
    "leaves_under": ("leaves_under(t)", "leaves below t, or t itself"),
    "last_branches_under": ("last_branches_under(t)", "last branches below t, or t itself"),
    "level": ("level(d)", "nodes of level d; the root is level 1"),
    "inner": ("inner(c)", "branches of a declared tree"),
    "max_depth": ("max_depth(c)", "greatest depth of a declared tree"),
    "mid": ("mid(v)", "threshold of a node of `bisect`"),
    "lo": ("lo(v)", "least threshold below a node of `bisect`"),
    "hi": ("hi(v)", "greatest threshold below a node of `bisect`"),
    "next": ("next(v)", "the threshold after `mid(v)`"),
    "thresholds": ("thresholds(j)", "midpoints between the values of a feature"),
    "class_thresholds": ("class_thresholds(j)", "midpoints where the class can change"),
    "least_gap": ("least_gap(j)", "least difference of a feature's values above 1e-5"),
    "least_difference": ("least_difference(j)", "least difference of a feature's values"),
    "least_gap_moved": (
        "least_gap_moved(j, r)",
        "least difference above 1e-5 between values of the feature, or these moved by r",
    ),
    "categories": ("categories(c)", "categories of a column that is kept categorical"),
    "features_of": ('features_of("column")', "features made of a column"),
    "point": ("point(row)", "the point of this row of the file"),
    "left_support": ("left_support(s)", "points of a support that go left"),
    "right_support": ("right_support(s)", "points of a support that go right"),
    "point_of": ("point_of(c)", "point of a flow cut"),
    "source_side": ("source_side(c)", "nodes on the source's side of a flow cut"),
    "cut_left": ("cut_left(c)", "nodes whose edge to the left child is cut"),
    "cut_right": ("cut_right(c)", "nodes whose edge to the right child is cut"),
    "card": ("card(S)", "number of elements of a set"),
    "ord": ("ord(e)", "1-based number of an element"),
    "abs": ("abs(a)", "absolute value"),
    "exp": ("exp(a)", "exponential"),
    "log": ("log(a)", "natural logarithm"),
    "sqrt": ("sqrt(a)", "square root"),
    "logistic": ("logistic(a)", "1 / (1 + exp(-a))"),
    "floor": ("floor(a)", "greatest whole number that is not above"),
    "ceil": ("ceil(a)", "least whole number that is not below"),
    "round": ("round(a)", "nearest whole number"),
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
"""How each function is written, and what it is."""

REDUCTIONS = {
    "sum": "sum over all",
    "prod": "product over all",
    "max": "greatest over all",
    "min": "least over all",
    "argmax": "element with the greatest value",
    "argmin": "element with the least value",
}

WORDS = {
    "binary": "0 or 1",
    "integer": "whole numbers",
    "free": "without bounds",
    "means": "what it is on a tree",
}


SHAPES = {
    "complete": "a complete tree: each branch down to a depth has two children",
    "shape": "a tree as it is drawn: `.` is a leaf, `(left right)` a branch",
    "depth": "levels of branches; a complete tree of depth d has 2^d leaves",
}
"""Words of a topology."""

SPLITS = {
    "univariate": "a branch asks for one feature",
    "oblique": "a branch asks on which side of a hyperplane a point is",
    "margin": "hyperplanes that keep a distance to the points",
    "randomized": "a point goes left with a probability",
}
"""Kinds of splits."""


def about_kind(word: str, statement: str) -> str:
    """Markdown on a word of a topology, or on a kind of splits; empty for other words."""
    if statement == "topology" and word in SHAPES:
        form = KINDS.get(word, f"topology complete({word} = 2);")
        return f"**{statement}** `{word}` — {SHAPES[word]}\n\n```tree\n{form}\n```"
    if statement == "split" and word in SPLITS:
        default = DEFAULT_FORMULATIONS[word]
        return f"**split** `{word}` — {SPLITS[word]}; by `{default}` if nothing else is said"
    return ""


def about(name: str) -> str:
    """Markdown on a word of the language; empty for other names."""
    if name in CALLS:
        form, what = CALLS[name]
        return f"**function** `{form}` — {what}{_arguments(name)}"
    for kind, table in (("set", SETS), ("element", ELEMENTS), ("reduction", REDUCTIONS)):
        if name in table:
            shown = f"{name} {{i in S}} …" if kind == "reduction" else name
            return f"**{kind}** `{shown}` — {table[name]}"
    if name in DATA:
        table_ = DATA[name]
        indices = ", ".join(str(sort).removeprefix("a ") for sort in table_.sorts)
        return f"**data** `{name}[{indices}]` — {table_.doc}"
    return ""


def about_statement(word: str) -> str:
    """Markdown on the first word of a statement."""
    key = "subject to" if word in ("subject", "to") else word
    if key not in STATEMENTS:
        return ""
    return f"**statement** `{key}` — {STATEMENTS[key][1]}"


def about_setting(key: str, in_strategy: bool) -> str:
    """Markdown on a setting of the data block or of a strategy."""
    form = setting_form(key, in_strategy)
    option = OPTIONS.get(key) if in_strategy else None
    about = ""
    if option is not None and "{" not in option.help:
        about = f"\n\n{option.help} Default: {option.default}."
    return f"**setting** `{key}`\n\n```tree\n{form}\n```{about}" if form else ""


def setting_form(key: str, in_strategy: bool) -> str:
    """How a setting is written; several forms on lines of their own."""
    if not in_strategy:
        return SETTINGS[key].example.replace(";  ", ";\n") if key in SETTINGS else ""
    if key not in READERS:
        return ""
    return STRATEGY.get(key) or f"{key} {OPTIONS[key].example};"


STRATEGY = {
    "start": "start search;\nstart search seconds 5 seed 3;",
    "starts": "starts 10 seed 0;",
    "solver": "solver highs;",
    "presolve": "presolve merge_points;\npresolve none;",
    "cuts": "cuts NAME, NAME;",
    "priority": "priority NAME, NAME;\npriority NAME root_first;",
    "separate": "separate NAME by enumeration;\nseparate shattering;",
    "select": "\n".join(SELECTIONS.values()),
    "decompose": "\n".join(f"decompose {name};" for name in SCHEMES),
}
"""Settings of a strategy that are not a single number, as they are written."""


def _arguments(name: str) -> str:
    signature = FUNCTIONS.get(name)
    if signature is None:
        return f", of {VECTOR_FUNCTIONS[name]} vectors" if name in VECTOR_FUNCTIONS else ""
    return f" ({', '.join(signature.arguments)} → {signature.result})"


NAMED = {*BASE_SETS, *CONSTANTS, *NUMBERS, *DATA, *CALLS, *REDUCTIONS}
"""Names of the language that stand in expressions."""
