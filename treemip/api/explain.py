"""`treemip explain`: what a spec says and became, as plain text or as mathematics."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treemip.model.blocks import Kind
from treemip.syntax.nodes import TreeName

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.resolve.spec import Spec


FORMATS = ("text", "md", "html", "latex")


def explain(
    compiled: Compiled, format_: str = "text", title: str = "", engine: bool = False
) -> str:
    """Objective, variables, rows with their equations, and each reformulation with its formula.

    format_: "text" quotes the spec; "md", "html" and "latex" write it as formulas in the paper's
    symbols. The heading is the spec's `tree` name, `title` where it has none. engine: what the
    exact engines make of the spec instead, as text. Raises E602 where a package is missing, E902
    for an unknown format.
    """
    spec = _with_all_objectives(compiled)
    if not title or any(isinstance(s, TreeName) for s in spec.file.statements):
        title = spec.name
    if engine:
        from treemip.api.engines import explain_engines

        return explain_engines(compiled.instance, compiled.stated, title)
    if format_ == "text":
        return _quoted(compiled, title)
    from treemip.render.mathematics.document import document
    from treemip.render.mathematics.formats import render

    sizes = {block.name: block.length for block in compiled.model.variables}
    sizes |= {block.name: block.length for block in compiled.model.rows}
    stated = compiled.reformed.original
    there = [*(block.name for block in stated.rows), *(i.name for i in stated.implications)]
    for c in spec.constraints:
        if not any(name == c.name or name.startswith(f"{c.name}_") for name in there):
            sizes[c.name] = 0
    notes = [f"{n.source} became {n.became}: {n.formula}" for n in compiled.reformed.notes]
    notes += [f"{step.name}: {step.text}" for step in compiled.presolved.steps]
    return render(document(spec, title, sizes, tuple(notes)), format_)


def _quoted(compiled: Compiled, title: str) -> str:
    spec = _with_all_objectives(compiled)
    parts = [f"# {title}", ""]
    if spec.formulation:
        parts += [f"{spec.split} splits by {spec.formulation}", ""]
    if spec.objective is not None:
        parts += ["## Objective", ""]
        for one in spec.objective.in_turn:
            then = "" if one is spec.objective else "then "
            parts += [f"{then}{one.sense} {_named(one.name, one.tag)}:", ""]
            parts += ["```", " ".join(one.value.span.text.split()), "```", ""]
    if compiled.all_objectives is not None:
        parts += ["What follows is the model of the first objective.", ""]
    parts += ["## Variables", "", *_variables(compiled), ""]
    parts += ["## Rows", "", *_rows(compiled), ""]
    if spec.left_out:
        names = [_named(c.name, c.tag) for c in spec.left_out]
        parts += [f"Left out by `drop`: {', '.join(names)}", ""]
    parts += ["## Reformulations", "", *_reformulations(compiled), ""]
    if steps := compiled.presolved.steps:
        parts += ["## Presolve", "", *(f"- **{s.name}**: {s.text}" for s in steps), ""]
    return "\n".join(parts)


def _with_all_objectives(compiled: Compiled) -> Spec:
    """The spec of the model; of several objectives it has them all, not the first alone."""
    spec = compiled.program.spec
    if compiled.all_objectives is None:
        return spec
    return replace(spec, objective=compiled.all_objectives.spec.objective)


def _variables(compiled: Compiled) -> list[str]:
    symbols = {s.name: s for s in compiled.program.spec.variables}
    table = [
        "| name | in the paper | indices | columns | kind | bounds | from |",
        "|-|-|-|-|-|-|-|",
    ]
    for block in compiled.model.variables:
        symbol = symbols.get(block.name)
        paper = symbol.paper_symbol if symbol else ""
        low, high = float(block.lower.min(initial=0)), float(block.upper.max(initial=0))
        bounds = "0, 1" if block.kind is Kind.BINARY else f"{low:g}, {high:g}"
        source = block.made_by or (symbol.module if symbol else "")
        names = ", ".join(block.index.names)
        cells = (block.name, paper, names, block.length, block.kind.value, bounds, source)
        table.append(f"| {' | '.join(map(str, cells))} |")
    return table


def _rows(compiled: Compiled) -> list[str]:
    counts = {r.name: r.length for r in compiled.model.rows}
    lines = []
    for c in compiled.program.spec.constraints:
        text = " ".join(c.span.text.split()).rstrip(";")
        made = [(n, k) for n, k in counts.items() if n == c.name or n.startswith(c.name + "_")]
        exact = counts.get(c.name, sum(k for _, k in made))
        lines.append(f"- `{text}` : {exact} rows, from {c.module}")
    return lines or ["none"]


def _reformulations(compiled: Compiled) -> list[str]:
    notes = compiled.reformed.notes
    if not notes:
        return ["none"]
    lines = []
    for note in notes:
        place = f" ({note.span})" if note.span else ""
        lines.append(
            f"- **{note.source}** became {note.became}: {note.formula}; {note.detail}{place}"
        )
    return lines


def _named(name: str, tag: str) -> str:
    return f"{name} {tag}".strip()
