"""What an editor says of the language's own words: statements, sets, elements and functions."""

from __future__ import annotations

from treemip.core.resolve.builtins import (
    BASE_SETS,
    CALLS,
    CONSTANTS,
    DATA,
    DEFAULT_FORMULATIONS,
    ELEMENTS,
    FUNCTIONS,
    NUMBERS,
    SETS,
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
    sets = {name: doc for name, (_, doc) in SETS.items()}
    for kind, table in (("set", sets), ("element", ELEMENTS), ("reduction", REDUCTIONS)):
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
