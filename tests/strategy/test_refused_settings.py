"""Every setting of a strategy on every formulation: taken, or refused with a reason and a remedy.

The golden text lists, for each setting, who takes it, and every message with whom it is said to.
"""

from __future__ import annotations

from collections import defaultdict

import treemip
from treemip.api.starting import chosen
from treemip.model.answer import Limits
from treemip.resolve.modules import formulation_names, library_module
from treemip.search.start import refusal
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.strategy.settings import Settings
from treemip.strategy.starts.concepts import NoStart
from treemip.strategy.starts.start_notes import set_aside
from treemip.strategy.starts.warm_start import warm_start
from treemip.syntax import nodes as n

SETTINGS = (
    "separate shattering",
    "separate go_left, go_right by shattering",
    "separate point_flow",
    "separate conserve, conserve_leaf, left_cap, right_cap, sink_cap by point_flow",
    "cuts shattering",
    "cuts absent",
    "select hull",
    "decompose single",
    "presolve merge_points",
    "start search",
    "start cart",
    "start local_svm",
    "start svm_tree",
)

ROWS = 6
COLUMNS = {
    "a": [0.0, 1, 2, 3, 4, 5],
    "b": [0.0, 3, 1, 4, 2, 5],
    "kind": ["n", "y", "n", "y", "y", "n"],
    "cost": [1.0, 2, 4, 3, 5, 9],
    "time": [1.0, 2, 4, 3, 5, 9],
    "event": [1.0, 0, 1, 1, 0, 1],
    "treatment": ["u", "v", "u", "v", "u", "v"],
    "outcome": [1.0, 0, 1, 0, 0, 1],
    "propensity": [0.5] * ROWS,
}

CLASSES = "label kind; use a, b; scale minmax;"
NUMBERS = "label cost number; use a, b; scale minmax;"
TIMES = "label none; number time, event; use a, b; scale minmax;"
TREATED = "label none; group treatment; number outcome, propensity; use a, b; bin quantile(2);"
PREDICTED = "param predicted_outcome {i in points, k in treatments} = outcome[i];"

DATA = {
    "flow_oct": "label kind; use a, b; bin quantile(2);",
    "categorical_odt": "label kind; use a, b; encode keep a, b;",
    "ort": NUMBERS,
    "ort_linear": NUMBERS,
    "sorrt": NUMBERS,
    "ost": TIMES,
    "ost_grid": TIMES,
    "prescriptive_dm": TREATED,
    "prescriptive_dr": TREATED,
    "prescriptive_ipw": TREATED,
}
MORE = {"prescriptive_dm": PREDICTED, "prescriptive_dr": PREDICTED}


def spec_of(name: str, setting: str) -> str:
    file = library_module(name)
    assert file is not None
    splits = next(s.kind for s in file.statements if isinstance(s, n.Header))
    return (
        f'data "t" {{ {DATA.get(name, CLASSES)} }}\ntopology complete(depth = 1);\n'
        f"split {splits} by {name};\n{MORE.get(name, '')}\nstrategy {{ {setting}; }}\n"
    )


def answer(name: str, setting: str) -> str:
    """What is said of a setting before anything is solved; nothing where it is taken."""
    try:
        compiled = treemip.loads(spec_of(name, setting), data=COLUMNS).compile()
        chosen(compiled.choosing_model(), compiled.program.spec, Settings(), None)
        kind = setting.removeprefix("start ")
        return "" if kind == setting else of_start(compiled, kind)
    except TreemipError as error:
        more = len(error.diagnostics) - 1
        first = said(error.diagnostics[0])
        return f"{first}\n  ({more} more like this)" if more else first


def said(one: Diagnostic) -> str:
    return f"{one.code}: {one.message}\n  = help: {one.remedy}"


def of_start(compiled: treemip.Compiled, kind: str) -> str:
    if kind == "search":
        return refusal(compiled.instance)
    limits = Limits(time=0.0)
    try:
        warm_start(kind, compiled.instance, compiled.model, "auto", limits, compiled.stated)
    except NoStart as error:
        return said(set_aside(kind, error))
    return ""


def test_what_is_said_of_each_setting(golden) -> None:
    lines = []
    for setting in SETTINGS:
        by_message: dict[str, list[str]] = defaultdict(list)
        for name in formulation_names():
            by_message[answer(name, setting)].append(name)
        taken = by_message.pop("", [])
        lines.append(f"== {setting};\ntaken: {', '.join(taken) or 'none'}\n")
        lines += [f"{', '.join(names)}:\n{text}\n" for text, names in by_message.items()]
    golden("refused_settings.expected", "\n".join(lines))
