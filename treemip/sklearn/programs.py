"""From an estimator's parameters to a program: the spec that they state, or the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from treemip.api.builder import Builder
from treemip.api.program import Program, load, loads
from treemip.resolve.modules import library_module
from treemip.sklearn.columns import Columns, group_columns
from treemip.sklearn.errors import invalid
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes as n
from treemip.syntax.scan import scan

STATING = (
    "formulation",
    "depth",
    "objective",
    "constraints",
    "definitions",
    "positive",
    "group",
    "encode",
    "scale",
    "bin",
)
"""Parameters of the estimator that state a spec, and have no place beside one of the user's own."""


def stated_program(
    given: Mapping[str, Any],
    features: Columns,
    y: np.ndarray,
    weight: np.ndarray | None,
    groups: Any,
) -> Program:
    """The program that the estimator's parameters `given` state, over the training data.

    features (N,) by name; y (N,) labels; weight float64 (N,), positive, or None. Raises
    TreemipError with all that is wrong in the texts.
    """
    group = group_columns(groups, len(y))
    named = _texts("group", given["group"])
    columns = _together(features, group)
    label = _free("class", columns)
    columns[label] = y
    name = None if weight is None else _free("sample_weight", columns)
    if name is not None and weight is not None:
        columns[name] = weight
    builder = Builder().data(
        columns,
        label=label,
        positive=_written(given["positive"]),
        group=[*named, *group],
        weight=name,
        encode=given["encode"],
        scale=given["scale"],
        bin=given["bin"],
    )
    builder.topology(depth=given["depth"])
    _state(builder, given)
    return builder.program()


def _state(builder: Builder, given: Mapping[str, Any]) -> None:
    """The split, parameters, definitions, the objective and constraints."""
    formulation, params = given["formulation"], dict(given["params"] or {})
    if not isinstance(formulation, str):
        raise invalid("E902", f"formulation is {formulation!r}, not a name", 'such as "oct"')
    kind, known = _formulation(formulation)
    definitions = _texts("definitions", given["definitions"])
    constraints = _texts("constraints", given["constraints"])
    objective = given["objective"]
    texts = [*definitions, *constraints, *_texts("objective", objective)]
    texts += [value for value in params.values() if isinstance(value, str)]
    words = {lexeme.text for text in texts for lexeme in scan(text) if lexeme.kind == "name"}
    for name in params:
        if name not in known and name not in words:
            what = f"no objective, constraint or definition mentions '{name}', and it is no"
            such = did_you_mean(str(name), [*known, *words])
            has = f"{formulation} has {listed(known)}" if known else f"{formulation} has none"
            raise invalid("E211", f"{what} parameter of {formulation}", such or has)
    own = {name: value for name, value in params.items() if name in known}
    builder.split(kind, by=formulation, **own)
    for name, value in params.items():
        if name not in known:
            builder.param(name, value)
    for text in definitions:
        builder.statement(text)
    if objective is not None:
        _state_objective(builder, objective)
    builder.subject_to(*constraints)


def _state_objective(builder: Builder, objective: str) -> None:
    sense, _, rest = objective.strip().partition(" ")
    if sense == "maximize":
        builder.maximize(rest)
    else:
        builder.minimize(rest if sense == "minimize" else objective)


def _formulation(name: str) -> tuple[str, tuple[str, ...]]:
    """The kind of splits and the parameters of a formulation of the library; univariate for an
    unknown one, which the spec's reader refuses."""
    text = library_module(name)
    statements = () if text is None else text.statements
    kinds = [s.kind for s in statements if isinstance(s, n.Header)]
    return (*kinds, "univariate")[0], tuple(s.name for s in statements if isinstance(s, n.Param))


def own_program(
    given: Mapping[str, Any],
    defaults: Mapping[str, Any],
    features: Columns,
    y: np.ndarray,
    weight: np.ndarray | None,
    groups: Any,
) -> Program:
    """The user's own spec over the training data, whose file it names is not read.

    The arguments are those of `stated_program`; `defaults` has the estimator's own values of its
    parameters. Raises E902 for a parameter beside the spec that the spec states itself.
    """
    for name in STATING:
        if given[name] is not defaults[name] and given[name] != defaults[name]:
            message = f"{name}={given[name]!r} is given beside a spec, which states that itself"
            remedy = "leave it out, or make it a parameter of the spec and set it in params"
            raise invalid("E902", message, remedy)
    program = _loaded(given["spec"], given["params"])
    data = program.spec.data
    if data is None:
        raise invalid("E902", "the spec has no data block", 'such as  data "memory" { label class; }')
    names = tuple(ref.text for ref in data.group)
    columns = _together(features, group_columns(groups, len(y), names))
    if data.label.text in columns:
        message = f"'{data.label.text}' is the spec's label and also a column of X"
        raise invalid("E302", message, "drop the column from X, or rename one of the two")
    columns[data.label.text] = y
    if data.weight is not None:
        if weight is not None or data.weight.text not in columns:
            columns[data.weight.text] = np.ones(len(y)) if weight is None else weight
    elif weight is not None and (weight != weight[0]).any():
        message = "sample_weight is given, and the spec's data block names no weights"
        raise invalid("E311", message, "write  weight w;  there, with any name for w")
    program.table = columns
    return program


def _loaded(spec: Any, params: Mapping[str, Any] | None) -> Program:
    """A spec by its path, or by its text, which has a semicolon or more than a line."""
    if isinstance(spec, PathLike) or (isinstance(spec, str) and not set(spec) & {"\n", ";"}):
        return load(Path(spec), parameters=params)
    if isinstance(spec, str):
        return loads(spec, parameters=params)
    message = f"spec is {type(spec).__name__}, neither a path nor the text of a spec"
    raise invalid("E902", message, 'such as spec="fair.tree"')


def demand_weights_used(program: Program, weight: np.ndarray | None) -> None:
    """Raises E311 where weights differ and nothing in the model depends on them."""
    data = program.spec.data
    if weight is None or data is None or data.weight is None or (weight == weight[0]).all():
        return
    if any(d.span == data.weight.span for d in program.spec.warnings):
        message = "sample_weight is given, and neither objective nor constraints depend on it"
        raise invalid("E311", message, 'objective="misclassified" counts points by their weight')


def _together(features: Columns, groups: Columns) -> Columns:
    """Raises E202 for a group with the name of a feature."""
    for name in groups:
        if name in features:
            message = f"'{name}' is a column of X and also of groups"
            raise invalid("E202", message, "rename one, or use the column of X: group=…")
    return {**features, **groups}


def _free(name: str, columns: Columns) -> str:
    while name in columns:
        name += "_"
    return name


def _texts(what: str, given: str | Iterable[str] | None) -> list[str]:
    """One text or several. Raises E902 for anything else."""
    several = [] if given is None else [given] if isinstance(given, str) else given
    if isinstance(several, Iterable) and not isinstance(several, Mapping):
        texts = list(several)
        if all(isinstance(text, str) for text in texts):
            return texts
    raise invalid("E902", f"{what} is {given!r}, not a text or a list of texts", "give texts")


def _written(positive: Any) -> str | float | None:
    """A class as the language writes it: False is 0, True is 1."""
    if isinstance(positive, bool | np.bool_):
        return int(positive)
    return positive  # type: ignore[no-any-return]
