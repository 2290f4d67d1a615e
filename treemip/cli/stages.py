"""Stages of the path between text and model, as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treemip.cli.console import load_spec, refuse, table

if TYPE_CHECKING:
    from treemip.api.program import Implied, Program
    from treemip.instance.instance import Instance
    from treemip.resolve.spec import Spec
    from treemip.resolve.typed import Symbol


Stage = Literal["parse", "resolve", "bind", "lower", "reform"]

Shown = tuple[str, list[Any]]

READ: dict[Stage, tuple[str, ...]] = {
    "parse": (),
    "resolve": ("-p",),
    "bind": ("-p",),
    "lower": ("-p", "--cuts"),
    "reform": ("-p", "--cuts", "--implications"),
}
"""The options that what is shown of a stage depends on."""


def demand_read(stage: Stage, given: Sequence[str]) -> None:
    """E902 for an option beside --stop-after that the stage never comes to."""
    idle = [name for name in given if name not in ("--stop-after", "--output", *READ[stage])]
    if idle:
        mean = "mean" if len(idle) > 1 else "means"
        message = f"{', '.join(idle)} {mean} nothing with --stop-after {stage}"
        taken = f"; this stage takes {', '.join(READ[stage])}" if READ[stage] else ""
        raise refuse(message, f"leave it out, since no model is written{taken}")


def shown(
    stage: Stage,
    path: Path,
    given: tuple[tuple[str, str], ...],
    cuts: list[str] | None,
    way: Implied | None = None,
    output: Path | None = None,
) -> Shown:
    """The spec at that stage as text, and the warnings so far; `output` is where the text goes.

    Raises E603 where the output is read for the spec, beside all errors of the spec.
    """
    if stage == "parse":
        return _parsed(path, output), []
    if stage == "reform":
        return _reformed(load_spec(path, given, output), cuts, way)
    return STAGES[stage](load_spec(path, given, output), cuts)


def _parsed(path: Path, output: Path | None) -> str:
    from treemip.cli.outputs import demand_writable, files_read
    from treemip.source.span import Source
    from treemip.syntax.format import print_node
    from treemip.syntax.parse import parse

    demand_writable([output], [path])
    file = parse(Source.read(path))
    demand_writable([output], files_read(path, file))
    return print_node(file)


def _resolved(program: Program, cuts: list[str] | None) -> Shown:
    return symbols(program.spec), list(program.spec.warnings)


def _bound(program: Program, cuts: list[str] | None) -> Shown:
    from treemip.lower.bind import bind

    instance = bind(program.spec, program.data)
    return sizes(instance), [*program.spec.warnings, *instance.warnings]


def _lowered(program: Program, cuts: list[str] | None) -> Shown:
    from treemip.model.text import to_text

    compiled = program.compile(cuts)
    return to_text(compiled.reformed.original), compiled.warnings


def _reformed(program: Program, cuts: list[str] | None, way: Implied | None) -> Shown:
    from treemip.model.text import to_text

    compiled = program.compile(cuts, implications=way)
    return to_text(compiled.model), compiled.warnings


STAGES: dict[Stage, Callable[[Program, list[str] | None], Shown]] = {
    "resolve": _resolved,
    "bind": _bound,
    "lower": _lowered,
}


def symbols(spec: Spec) -> str:
    """Every declared name with its role, indices, kind and home, then the rows."""
    rows: list[tuple[str, ...]] = [("name", "role", "indices", "kind", "from", "meaning")]
    for symbol in (
        *spec.parameters,
        *spec.sets,
        *spec.trees,
        *spec.variables,
        *spec.lets,
    ):
        indices = ", ".join(str(s).removeprefix("a ") for s in symbol.sorts)
        kind = symbol.kind or symbol.degree.name.lower()
        rows.append((symbol.name, symbol.role.value, indices, kind, symbol.module, symbol.doc))
    parts = [f"{spec.split} splits by {spec.formulation or 'the spec itself'}", table(rows)]
    said = spec.objective
    if said is not None:
        value = " ".join(said.value.span.text.split())
        parts.append(f"{said.sense} {' '.join(f'{said.name} {said.tag}'.split())}: {value}")
    families: list[tuple[str, ...]] = [
        (c.name, c.tag, f"{{{', '.join(c.domain.names)}}}" if c.domain.names else "", c.module)
        for c in spec.constraints
    ]
    if families:
        parts.append(table([("rows", "equation", "over", "from"), *families]))
    return "\n\n".join(parts)


def sizes(instance: Instance) -> str:
    """Sizes of the data and the tree, and a summary of each parameter and set."""
    rows: list[tuple[str, ...]] = []
    if instance.data is not None:
        train, test = instance.data.train, instance.data.test
        rows += [
            ("points", str(len(train.y))),
            ("features", f"{len(train.features)}: {', '.join(train.features)}"),
            ("classes", f"{len(train.classes)}: {', '.join(train.classes)}"),
        ]
        rows += [("test points", str(len(test.y)))] if test is not None else []
    if instance.topology is not None:
        tree = instance.topology
        rows.append(("branches", str(len(tree.branches))))
        rows.append(("leaves", str(len(tree.leaves))))
    parts = [table(rows)] if rows else []
    spec = instance.spec
    known: list[tuple[str, ...]] = [
        (s.role.value, s.name, _summary(s, instance))
        for s in (*spec.parameters, *spec.sets, *spec.trees)
    ]
    return "\n\n".join([*parts, table(known)] if known else parts)


def _summary(symbol: Symbol, instance: Instance) -> str:
    import numpy as np

    if symbol.name in instance.trees:
        forest = instance.trees[symbol.name]
        return f"{forest.families} trees, {forest.size} nodes"
    found = instance.values[symbol.name]
    if found.ragged is not None:
        return f"{found.ragged.count} sets, {len(found.ragged.items)} elements"
    values = np.asarray(found.values, float)
    if len(values) == 1:
        return f"{values[0]:.10g}"
    if not len(values):
        return "empty"
    return f"{len(values)} values, {values.min():.10g} .. {values.max():.10g}"
