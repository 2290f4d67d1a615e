"""From an estimator's parameters to a program: the spec that they state, or the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from treemip.api.builder import Builder
from treemip.api.program import Program, load, loads
from treemip.core.resolve.settings.data_spec import DataSpec
from treemip.core.resolve.sorts import CLASS
from treemip.core.resolve.spec import Spec
from treemip.core.tree.survival import times_of
from treemip.study.sklearn.columns import GROUP, Columns
from treemip.study.sklearn.errors import invalid
from treemip.study.sklearn.parameters import (
    parameters_of,
    require_mentioned,
    require_used,
    splits_of,
)

DEPTH = "depth"
DEFAULT_DEPTH = 2

STATING = (
    "formulation",
    "objective",
    "constraints",
    "definitions",
    "positive",
    "group",
    "encode",
    "scale",
    "bin",
    "missing",
)
"""Parameters of the estimator that state a spec, and have no place beside one of the user's own."""


@dataclass(frozen=True)
class Target:
    """What an estimator learns. kind: of the label. column: what a spec of the estimator's own
    calls it; empty without a label. objective: for univariate splits, where none is given; empty:
    the formulation's own. defaults: parameters of formulations that have them, where they are not
    given."""

    kind: Literal["class", "number", "times", "treatments"]
    column: str = ""
    objective: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)


CLASSES = Target("class", "class", "misclassified")
NUMBERS = Target("number", "target", defaults={"squared": 1})
TIMES = Target("times")
TREATMENTS = Target("treatments")


@dataclass(frozen=True)
class Learnt:
    """What the training points say of the target: y (N,), labels, None without a label; numbers
    float64 (N,) each, by what formulations call them, such as times of events, and groups (N,)
    likewise; weight float64 (N,), positive, or None. definitions: statements that say more."""

    y: np.ndarray | None
    weight: np.ndarray | None = None
    numbers: Columns = field(default_factory=dict)
    groups: Columns = field(default_factory=dict)
    definitions: tuple[str, ...] = ()


def stated_program(
    given: Mapping[str, Any],
    target: Target,
    features: Columns,
    learnt: Learnt,
    groups: Columns,
) -> Program:
    """The program that the estimator's parameters `given` state, over the training data.

    features and groups (N,) by name; learnt: for `target`. Raises TreemipError with all that is
    wrong in the texts.
    """
    if not isinstance(given["formulation"], str):
        raise invalid(
            "E902", f"formulation is {given['formulation']!r}, not a name", 'such as "oct"'
        )
    named = _texts("group", given["group"])
    columns = _together(features, groups)
    label = None if learnt.y is None else _added(target.column, learnt.y, columns)
    weight = None if learnt.weight is None else _added("sample_weight", learnt.weight, columns)
    group: list[str] | dict[str, str] = [*named, *groups]
    if learnt.groups:
        own = {name: _added(name, values, columns) for name, values in learnt.groups.items()}
        group = {name: name for name in group} | own
    builder = Builder().data(
        columns,
        label=label,
        label_number=target.kind == "number",
        positive=_written(given.get("positive")),
        group=group,
        number={name: _added(name, own, columns) for name, own in learnt.numbers.items()},
        weight=weight,
        encode=given["encode"],
        scale=given.get("scale"),
        bin=given["bin"],
        missing=given["missing"],
    )
    builder.topology(depth=DEFAULT_DEPTH if given[DEPTH] is None else given[DEPTH])
    _state(builder, given, target, learnt.definitions)
    program = builder.program()
    require_used(given["params"] or {}, given["formulation"], program.file)
    _demand_answers(program.spec, target)
    return program


def _state(builder: Builder, given: Mapping[str, Any], target: Target, more: Iterable[str]) -> None:
    """The split, parameters, definitions and `more` of them, the objective and constraints."""
    formulation, params = given["formulation"], given["params"] or {}
    definitions = _texts("definitions", given["definitions"])
    constraints = _texts("constraints", given["constraints"])
    objective = _objective(given["objective"], formulation, target)
    values = [value for value in params.values() if isinstance(value, str)]
    require_mentioned(params, formulation, [*definitions, *constraints, *objective, *values])
    known = parameters_of(formulation)
    both = {**target.defaults, **params}
    of_formulation = {name: value for name, value in both.items() if name in known}
    builder.split(splits_of(formulation), by=formulation, **of_formulation)
    for name, value in params.items():
        if name not in known:
            builder.param(name, value)
    for text in (*more, *definitions):
        builder.statement(text)
    for text in objective:
        _state_objective(builder, text)
    builder.subject_to(*constraints)


def _objective(given: Any, formulation: str, target: Target) -> list[str]:
    """The objective, where it is not the formulation's own."""
    if given is None and target.objective and splits_of(formulation) == "univariate":
        return [target.objective]
    if given is None or isinstance(given, str):
        return [] if given is None else [given]
    raise invalid("E902", f"objective is {given!r}, not a text", 'such as "misclassified"')


def _state_objective(builder: Builder, objective: str) -> None:
    sense, _, rest = objective.strip().partition(" ")
    if sense == "maximize":
        builder.maximize(rest)
    else:
        builder.minimize(rest if sense == "minimize" else objective)


def own_program(
    given: Mapping[str, Any],
    defaults: Mapping[str, Any],
    target: Target,
    features: Columns,
    learnt: Learnt,
    groups: Columns,
) -> Program:
    """The user's own spec over the training data, whose file it names is not read.

    The arguments are those of `stated_program`; `defaults` has the parameters' default values.
    Where the spec has a single group, groups called "group" are that. A depth replaces that of the
    spec's complete tree. Raises E902 for a parameter that the spec states itself.
    """
    _demand_usual(given, defaults)
    program = _loaded(given["spec"], _with_depth(given["params"] or {}, given[DEPTH]))
    data = program.spec.data
    if data is None:
        raise invalid(
            "E902", "the spec has no data block", 'such as  data "memory" { label class; }'
        )
    _demand_answers(program.spec, target)
    if len(data.group) == 1 and list(groups) == [GROUP]:
        groups = {data.group[0].text: groups[GROUP]}
    columns = _together(features, groups)
    own = _numbers(data, learnt) if learnt.y is None else {data.label.text: learnt.y}
    for name, values in own.items():
        if name in columns:
            what = "label" if learnt.y is not None else "number"
            message = f"'{name}' is the spec's {what} and also a column of X"
            raise invalid("E302", message, "drop the column from X, or rename one of the two")
        columns[name] = values
    _add_weights(columns, data, learnt.weight, len(next(iter(own.values()))))
    program.table = columns
    return program


def _numbers(data: DataSpec, learnt: Learnt) -> Columns:
    """The numbers by the columns that a spec has for them. Raises E902 for one that it has not."""
    known = {ref.name: ref.text for ref in data.number}
    for name in learnt.numbers:
        if name not in known:
            message = f"the spec's data block has no number called '{name}'"
            remedy = f"write  number {', '.join(learnt.numbers)};  there"
            raise invalid("E902", message, remedy)
    return {known[name]: values for name, values in learnt.numbers.items()}


def _add_weights(columns: Columns, data: DataSpec, weight: np.ndarray | None, points: int) -> None:
    """Raises E311 for weights that the spec has no name for."""
    if data.weight is not None:
        if weight is not None or data.weight.text not in columns:
            columns[data.weight.text] = np.ones(points) if weight is None else weight
    elif weight is not None and (weight != weight[0]).any():
        message = "sample_weight is given, and the spec's data block names no weights"
        raise invalid("E311", message, "write  weight w;  there, with any name for w")


def _demand_usual(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Raises E902 for a parameter that stands for a statement, beside a spec."""
    for name in STATING:
        stated, usual = given.get(name), defaults.get(name)
        if stated is not usual and stated != usual:
            message = f"{name}={stated!r} is given beside a spec, which states that itself"
            remedy = "leave it out, or make it a parameter of the spec and set it in params"
            raise invalid("E902", message, remedy)


def _demand_answers(spec: Spec, target: Target) -> None:
    """Raises E902 where label or leaves are of another kind than what the estimator predicts."""
    kind = None if spec.data is None else spec.data.label_kind
    if target.kind == "times":
        _demand_times(spec)
    if target.kind in ("times", "treatments"):
        return
    if target.kind == "class":
        what, other, remedy = "classes", "does not name any", "write  label class;  or"
        predicts = spec.predict is None or spec.predict.over == CLASS
    else:
        what, other, remedy = "numbers", "is no number", "write  label y number;  or"
        predicts = spec.predict is not None and spec.predict.kind == "value"
    if kind == target.kind and not predicts:
        leaves = "classes" if spec.predict is None else spec.predict.words
        message = f"the estimator predicts {what} of the label, and leaves predict {leaves}"
        raise invalid("E902", message, "use treemip.load")
    if kind != target.kind:
        message = f"the estimator predicts {what}, and the spec's label {other}"
        raise invalid("E902", message, f"{remedy} use treemip.load")


def _demand_times(spec: Spec) -> None:
    """Raises E902 where a spec is not about survival times."""
    if spec.data is not None and spec.data.label_kind != "none":
        message = "the estimator learns from times of events, and the spec names a label"
        raise invalid("E902", message, "write  label none; number time, event;  in the data block")
    if times_of(spec) is None or spec.predict is None or spec.predict.kind != "value":
        message = "the spec's leaves do not answer hazards of survival times"
        raise invalid("E902", message, "choose a formulation of survival times, or treemip.load")


def _with_depth(params: Mapping[str, Any], depth: Any) -> Mapping[str, Any]:
    """Raises E902 where the depth is given twice."""
    if depth is None:
        return params
    if DEPTH in params and params[DEPTH] != depth:
        message = f"depth={depth!r} and params have two different depths"
        raise invalid("E902", message, "leave out one of them")
    return {**params, DEPTH: depth}


def _loaded(spec: Any, params: Mapping[str, Any] | None) -> Program:
    """A spec by its path, or by its text, which has a semicolon or more than a line."""
    if isinstance(spec, PathLike) or (isinstance(spec, str) and not set(spec) & {"\n", ";"}):
        return load(Path(spec), parameters=params)
    if isinstance(spec, str):
        return loads(spec, parameters=params)
    message = f"spec is {type(spec).__name__}, neither a path nor the text of a spec"
    raise invalid("E902", message, 'such as spec="fair.tree"')


def demand_weights_used(program: Program, weight: np.ndarray | None, what: str) -> None:
    """Raises E311 where weights differ and nothing in the model depends on them. what: the
    parameter that gives them."""
    data = program.spec.data
    if weight is None or data is None or data.weight is None or (weight == weight[0]).all():
        return
    if any(d.span == data.weight.span for d in program.spec.warnings):
        message = f"{what} is given, and neither objective nor constraints depend on it"
        raise invalid("E311", message, 'objective="misclassified" counts points by their weight')


def _together(features: Columns, groups: Columns) -> Columns:
    """Raises E202 for a group with the name of a feature."""
    for name in groups:
        if name in features:
            message = f"'{name}' is a column of X and also of groups"
            raise invalid("E202", message, f'rename one, or use the column of X: group="{name}"')
    return {**features, **groups}


def _added(name: str, values: np.ndarray, columns: Columns) -> str:
    """What a new column of that name is called among the others."""
    while name in columns:
        name += "_"
    columns[name] = values
    return name


def _texts(what: str, given: str | Iterable[str] | None) -> list[str]:
    """One text or several. Raises E902 for anything else."""
    several = [] if given is None else [given] if isinstance(given, str) else given
    if isinstance(several, Iterable) and not isinstance(several, Mapping):
        texts = list(several)
        if all(isinstance(text, str) for text in texts):
            return texts
    message = f"{what} is {given!r}, not a text or a list of texts"
    raise invalid("E902", message, 'such as ["few: splits <= 2"]')


def _written(positive: Any) -> Any:
    """A class as the language writes it: False is 0, True is 1."""
    if isinstance(positive, bool | np.bool_):
        return int(positive)
    return positive
