"""What the stages of the path to a model give, as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from treemip.api.pipeline import bound
from treemip.cli.console import at_stage, load_spec, read_spec, table
from treemip.cli.outputs import demand_writable, files_read
from treemip.core.model.text import to_text
from treemip.core.source.diagnostic import refused
from treemip.core.syntax.format import print_node
from treemip.core.syntax.parse import parse

if TYPE_CHECKING:
    from treemip.api.program import Implied
    from treemip.core.instance.encoded_table import Table
    from treemip.core.instance.instance import Instance
    from treemip.core.resolve.spec import Spec
    from treemip.core.resolve.typed import Symbol
    from treemip.core.source.diagnostic import Diagnostic

Stage = Literal["parse", "resolve", "bind", "lower", "reform"]

READ: dict[Stage, tuple[str, ...]] = {
    "parse": (),
    "resolve": ("-p", "--include"),
    "bind": ("-p", "--include", "--data"),
    "lower": ("-p", "--include", "--data", "--cuts", "--stage", "--earlier"),
    "reform": ("-p", "--include", "--data", "--cuts", "--implications", "--stage", "--earlier"),
}
"""The options that what is shown of a stage depends on."""


def demand_read(stage: Stage, given: Sequence[str]) -> None:
    """E902 for an option that has no effect with --stop-after at this stage."""
    idle = [name for name in given if name not in ("--stop-after", "--output", *READ[stage])]
    if idle:
        have = "have" if len(idle) > 1 else "has"
        message = f"{', '.join(idle)} {have} no effect with --stop-after {stage}"
        taken = f"; this stage takes {', '.join(READ[stage])}" if READ[stage] else ""
        raise refused(message, f"leave it out, since no model is written{taken}")


def shown(
    stage: Stage,
    path: Path,
    overrides: tuple[tuple[str, str], ...],
    cuts: list[str] | None,
    implications: Implied | None = None,
    output: Path | None = None,
    data: Path | None = None,
    include: Sequence[Path] = (),
    number: int | None = None,
    earlier: str | None = None,
) -> tuple[str, Sequence[Diagnostic]]:
    """The spec at that stage as text, and the warnings so far; `output` is where the text goes.

    number, earlier: of several objectives, which one, and the values of those before it.

    Raises E603 where the output is read for the spec, beside all errors of the spec.
    """
    if stage == "parse":
        demand_writable([output], [path])
        file = parse(read_spec(path))
        demand_writable([output], files_read(path, file, ()))
        return print_node(file), ()
    program = load_spec(path, overrides, output, data=data, include=include)
    if stage == "resolve":
        return symbols(program.spec), program.spec.warnings
    if stage == "bind":
        instance = bound(program)
        return sizes(instance), (*instance.spec.warnings, *instance.warnings)
    program = at_stage(program, number, earlier)
    if stage == "lower":
        compiled = program.compile(cuts)
        return to_text(compiled.stated), compiled.warnings
    compiled = program.compile(cuts, target="portable", implications=implications)
    return to_text(compiled.model), compiled.warnings


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
    for one in () if said is None else said.in_turn:
        value = " ".join(one.value.span.text.split())
        then = "" if one is said else "then "
        parts.append(f"{then}{one.sense} {' '.join(f'{one.name} {one.tag}'.split())}: {value}")
    families: list[tuple[str, ...]] = [
        (c.name, c.tag, f"{{{', '.join(c.domain.names)}}}" if c.domain.names else "", c.module)
        for c in spec.constraints
    ]
    if families:
        parts.append(table([("rows", "equation", "over", "from"), *families]))
    return "\n\n".join(parts)


def _label(table: Table) -> tuple[str, str]:
    """The classes, or what the label is without them."""
    if table.label_kind == "class":
        return "classes", f"{len(table.classes)}: {', '.join(table.classes)}"
    if table.label_kind == "none":
        return "label", "none"
    return "label", f"numbers from {table.y.min():.6g} to {table.y.max():.6g}"


def sizes(instance: Instance) -> str:
    """Sizes of the data and the tree, and a summary of each parameter and set."""
    rows: list[tuple[str, ...]] = []
    if instance.data is not None:
        train, test = instance.data.train, instance.data.test
        rows += [
            ("points", str(len(train.y))),
            ("features", f"{len(train.features)}: {', '.join(train.features)}"),
            _label(train),
        ]
        if train.numbers:
            rows.append(("numbers", f"{len(train.numbers)}: {', '.join(train.numbers)}"))
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
