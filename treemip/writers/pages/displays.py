"""What a notebook shows of a spec, a compiled model and a result."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.render import visible
from treemip.core.tree.score import Score
from treemip.core.tree.score_text import lines_of
from treemip.writers.pages.highlight import highlighted

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.program import Program
    from treemip.api.result import Result


def program_html(program: Program) -> str:
    """The spec in colours and, folded, as mathematics."""
    parts = [highlighted(program.source.text)]
    if program.spec.overrides:
        given = ", ".join(f"{name} = {value}" for name, value in program.spec.overrides)
        parts.append(f"<p>with {escape(given)}</p>")
    parts.append(folded("The model as mathematics", mathematics(program.spec)))
    return "\n".join(parts)


def mathematics(spec: Spec) -> str:
    """The formulas of a spec; what to install where the package for them is missing."""
    from treemip.writers.render.mathematics.document import document
    from treemip.writers.render.mathematics.formats import fragment

    try:
        return fragment(document(spec))
    except TreemipError as error:
        return "".join(f"<p>{escape(told(each))}</p>" for each in error.diagnostics)


def told(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.message}: {diagnostic.remedy}" if diagnostic.remedy else diagnostic.message


def compiled_html(compiled: Compiled) -> str:
    """Sizes in all and, folded, by family; of the stated model where reformulating it fails."""
    try:
        sizes = compiled.stats()
    except TreemipError as error:
        return "".join(f"<p>{escape(told(each))}</p>" for each in error.diagnostics)
    plain = {k.replace("_", " "): v for k, v in sizes.items() if isinstance(v, int)}
    variables, rows = sizes["variables"].items(), sizes["constraints"].items()
    families = [
        *((name, "variable", each["kind"], each["columns"]) for name, each in variables),
        *((name, "row", each["made_by"], each["rows"]) for name, each in rows),
    ]
    by_family = table([("family", "", "kind", "length"), *families], head=True)
    return table(plain.items()) + folded("By family", by_family)


def result_html(result: Result) -> str:
    """The numbers, the verdict, and the tree's picture."""
    tree = result.tree
    return table(summary(result)) + (tree._repr_html_() if tree is not None else "")


def summary(result: Result) -> list[tuple[str, str]]:
    """Status, objective, bound, gap, errors and verdict, those that are known."""
    rows = [("status", result.status.replace("_", " "))]
    numbers = ("objective", result.objective), ("bound", result.bound)
    rows += [(name, f"{value:.10g}") for name, value in numbers if value is not None]
    rows += [("gap", f"{100 * result.gap:.4g} %")] if result.gap is not None else []
    if result.train_errors is not None:
        rows.append(("training errors", f"{result.train_errors} of {result.points} points"))
    if isinstance(result.test_score, Score):
        of = result.test_score.points
        rows.append(("test errors", f"{result.test_score.errors} of {of} points"))
    rows += lines_of("training", result.train_score) + lines_of("test", result.test_score)
    if result.verdict is not None:
        proof = f"; {result.optimality.text(result.verdict)}" if result.optimality else ""
        rows.append(("tree", f"{result.verdict}{proof}"))
    rows += [("", problem) for problem in result.problems]
    return rows


def table(rows: Iterable[tuple[object, ...]], head: bool = False) -> str:
    """Rows of cells, the first one a heading where `head` says so."""
    lines = ["<table>"]
    for k, row in enumerate(rows):
        tag = "th" if head and not k else "td"
        cells = "".join(
            f'<{tag} style="text-align:left">{escape(visible(str(cell)))}</{tag}>' for cell in row
        )
        lines.append(f"<tr>{cells}</tr>")
    return "\n".join([*lines, "</table>"])


def folded(title: str, content: str) -> str:
    return f"<details><summary>{escape(title)}</summary>\n{content}\n</details>"
