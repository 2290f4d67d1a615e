"""The gallery: a page for each spec of specs/, with what it states and what solving it gave.

Examples have the picture of their tree, what the command printed, and their mathematics with the
sizes of their data. Formulations and other modules have their text, what they state of any data,
and the examples that use them.
"""

from __future__ import annotations

import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import runs
from .places import DOCS, LIBRARY, SPECS

GROUPS = {
    "": "Trees of every kind",
    "constraints": "Side constraints",
    "own": "Formulations of your own",
    "library": "Formulations of the library",
    "library/shared": "What formulations share",
}
"""Titles of the index, by folder of specs/."""

HEADS = (
    "label class;",
    "label price number;",
    "label none; number time, event;",
    "label none; group treatment; number outcome, propensity;",
)
"""Data blocks, of which a formulation that stands alone takes one: nothing is read."""

OUTCOMES = "param predicted_outcome {i in points, k in treatments} = outcome[i];"
"""What formulations that build on a model of outcomes ask the spec for."""


@dataclass(frozen=True)
class Entry:
    """name: the path in specs/ without suffix. leaves: what they answer, "" for parts of specs.
    formulation: "" where the spec states its own. text: its page. picture: of its tree, or ""."""

    name: str
    about: str
    formulation: str
    leaves: str
    constrained: bool
    text: str
    picture: str

    @property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]


def files() -> dict[Path, str]:
    """All pages and pictures of the gallery, by where they are written."""
    solved = runs.examples()
    others = [
        path.relative_to(SPECS).with_suffix("").as_posix()
        for path in sorted(SPECS.rglob("*.tree"))
        if path.relative_to(SPECS).with_suffix("").as_posix() not in solved
    ]
    with ProcessPoolExecutor(2) as workers:
        examples = list(workers.map(example, solved))
        modules = list(workers.map(module, others))
    users = {one.name: [e for e in examples if _uses(e, one)] for one in modules}
    made = {DOCS / "gallery" / "index.md": index([*examples, *modules])}
    for entry in [*examples, *modules]:
        place = DOCS / "gallery" / f"{entry.name}.md"
        made[place] = entry.text + _users(entry, users.get(entry.name, []))
        if entry.picture:
            made[place.with_suffix(".svg")] = entry.picture
    return made


# ------------------------------------------------------------------------------- pages


def example(name: str) -> Entry:
    """The entry of a spec with data, from its run."""
    import treemip
    from treemip.api.explain import explain
    from treemip.core.tree.tree import Tree

    path = SPECS / f"{name}.tree"
    text = path.read_text(encoding="utf-8")
    run = runs.read(name)
    program = treemip.load(path)
    spec = program.spec
    tree = Tree.from_json(run.saved["tree"]) if run.saved and run.saved.get("tree") else None
    body = [f"# {name}\n", _opening(text), _facts(run, spec)]
    if tree is not None:
        body += [_picture(path.stem)]
    body += ["## What the command prints\n", _block("text", f"$ {run.command}\n{run.said}")]
    if run.code:
        body += [f"The exit code is {run.code}: there is no tree to show.\n"]
    body += ["## Spec\n", _block("tree", text)]
    body += ["## Mathematics\n", _mathematics(explain(program.compile(), "html"))]
    return Entry(
        name,
        _about(text),
        spec.formulation,
        _leaves(spec),
        bool(spec.formulation) and any(c.module == "spec" for c in spec.constraints),
        "\n".join(body),
        tree.to_svg() if tree is not None else "",
    )


def module(name: str) -> Entry:
    """The entry of a formulation, of the vocabulary or of what formulations share."""
    from treemip.core.source.span import Source
    from treemip.core.syntax.parse import parse
    from treemip.writers.render.mathematics.document import document
    from treemip.writers.render.mathematics.formats import fragment

    text = (SPECS / f"{name}.tree").read_text(encoding="utf-8")
    header = parse(Source(name, text)).header
    purpose = f"For {header.purpose}." if header and header.purpose else _opening(text).strip()
    paper = f"{header.paper}.\n" if header else ""
    body = [f"# {name}\n", f"{purpose}\n", paper, "## Text\n", _block("tree", text)]
    spec = _alone(name, header.kind) if header else None
    if spec is not None:
        body += ["## Mathematics\n", _mathematics(fragment(document(spec)))]
    leaves = _leaves(spec) if spec is not None else ""
    return Entry(
        name, purpose, Path(name).name if header else "", leaves, False, "\n".join(body), ""
    )


def _alone(name: str, kind: str):  # type: ignore[no-untyped-def]
    """A formulation in a spec of nothing else; None where it needs more."""
    import treemip

    if not (SPECS / f"{name}.tree").is_relative_to(LIBRARY):
        return None
    for head in HEADS:
        for more in ("", OUTCOMES):
            text = f'data "table.csv" {{ {head} }}\ntopology complete(depth = 2);\n'
            try:
                return treemip.loads(f"{text}split {kind} by {Path(name).name};\n{more}").spec
            except treemip.TreemipError:
                continue
    return None


def _uses(example: Entry, module: Entry) -> bool:
    return SPECS / f"{module.name}.tree" in runs.read_by(SPECS / f"{example.name}.tree")


def _users(entry: Entry, users: list[Entry]) -> str:
    """Cards of the examples that use a module."""
    if not users:
        return ""
    return "\n## Examples that use it\n\n" + _grid([_card(one, entry.folder) for one in users])


def _about(text: str) -> str:
    from treemip.core.resolve.examples import about

    return about(text)


def _opening(text: str) -> str:
    """The comment at the beginning of a text as a paragraph."""
    lines = re.match(r"(?:#.*\n)*", text)
    assert lines is not None
    said = " ".join(line.removeprefix("#").strip() for line in lines[0].splitlines())
    return said.replace("<", "&lt;").replace("*", r"\*") + "\n"


def _facts(run: runs.Run, spec) -> str:  # type: ignore[no-untyped-def]
    """The run as a table of two columns."""
    rows = {}
    if run.saved:
        saved = run.saved
        rows["verdict"] = saved.get("verdict")
        rows["status"] = saved.get("status")
        rows["objective"], rows["bound"] = (
            _number(saved.get("objective")),
            _number(saved.get("bound")),
        )
        rows["seconds"] = f"{run.seconds:.1f}"
    name = spec.formulation
    if name and (LIBRARY / f"{name}.tree").is_file():
        up = "../" * len(Path(run.command.split()[2]).parts[1:-1])
        rows["formulation"] = f"[{name}]({up}library/{name}.md)"
    rows["leaves answer"] = _leaves(spec)
    lines = [f"* - {key}\n  - {value}" for key, value in rows.items() if value is not None]
    listed = "\n".join(lines)
    return f"```{{list-table}}\n:stub-columns: 1\n:align: left\n\n{listed}\n```\n"


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.6g}"


def _leaves(spec) -> str:  # type: ignore[no-untyped-def]
    """What the leaves of a spec answer."""
    from treemip.core.resolve.sorts import CLASS

    predict = spec.predict
    if predict is None or predict.over is None:
        return "a number"
    if predict.kind != "class":
        return "probabilities"
    return "a class" if predict.over == CLASS else "a treatment or an action"


def _picture(stem: str) -> str:
    alt = "The tree that the command found; as text below"
    image = f"```{{image}} {stem}.svg\n:alt: {alt}\n```\n"
    return f":::{{div}} tree-picture\n\n{image}:::\n"


def _block(language: str, text: str) -> str:
    """A block of code, whatever stands in it."""
    return f"````{language}\n{text.rstrip()}\n````\n"


def _mathematics(page: str) -> str:
    """What stands in a page of formulas, below a heading of the gallery's page."""
    body = page.partition("<body>")[2].partition("</body>")[0] or page
    body = re.sub(r"<h1>.*?</h1>\n?", "", body).replace("<h2>", "<h3>").replace("</h2>", "</h3>")
    body = body.replace('<div class="formula">', '<div class="formula" tabindex="0">')
    body = body.replace("<table>", '<div class="table-wrapper"><table>')
    body = body.replace("</table>", "</table></div>")
    lines = "\n".join(line for line in body.splitlines() if line.strip())
    return f'````{{raw}} html\n<div class="mathematics">\n{lines}\n</div>\n````\n'


# ------------------------------------------------------------------------------- index

OPENING = """# Gallery

Every spec that comes with treemip. Examples were solved with a limit of {limit} seconds each, by
the command that their page shows, and stand with what it printed; mathematics is what
[`treemip explain`](../cli.md#treemip-explain) writes.

```{{raw}} html
<form class="gallery-filter" hidden>
<label>Formulation <select data-prefix="by">
<option value="">any</option>{formulations}</select></label>
<label>Leaves answer <select data-prefix="leaf">
<option value="">anything</option>{leaves}</select></label>
<label><input type="checkbox" value="constrained"> with side constraints</label>
<output aria-live="polite"></output>
</form>
<script src="../_static/gallery.js" defer></script>
```
"""


def index(entries: list[Entry]) -> str:
    """The page of all entries, by folder, which a script can filter."""
    formulations = sorted({e.formulation for e in entries if e.formulation})
    leaves = sorted({e.leaves for e in entries if e.leaves})
    parts = [
        OPENING.format(
            limit=runs.LIMIT,
            formulations="".join(f"<option>{one}</option>" for one in formulations),
            leaves="".join(f'<option value="{_word(one)}">{one}</option>' for one in leaves),
        )
    ]
    for folder, title in GROUPS.items():
        own = [entry for entry in entries if entry.folder == folder]
        parts += [f"## {title}\n", _grid([_card(entry, "") for entry in own])]
        listed = "\n".join(f"{Path(entry.name).name} <{entry.name}>" for entry in own)
        parts += [f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"]
    return "\n".join(parts)


def _grid(cards: list[str]) -> str:
    inside = "\n".join(cards)
    return f"::::{{grid}} 1 2 2 3\n:gutter: 3\n:class-container: gallery\n\n{inside}::::\n"


def _card(entry: Entry, folder: str) -> str:
    """A card with a link from a page of that folder of the gallery."""
    up = "../" * len(Path(folder).parts)
    marks = [f"by-{entry.formulation}"] * bool(entry.formulation)
    marks += [f"leaf-{_word(entry.leaves)}"] * bool(entry.leaves)
    marks += ["constrained"] * entry.constrained
    lines = [f":::{{grid-item-card}} {entry.name}", f":link: {up}{entry.name}", ":link-type: doc"]
    lines += [f":class-item: {' '.join(marks)}"] * bool(marks)
    if entry.picture:
        lines += [f":img-top: {up}{entry.name}.svg", ":img-alt: "]
    about = entry.about.rstrip(".") + "."
    return "\n".join([*lines, "", about.replace("<", "&lt;").replace("*", r"\*"), ":::", ""])


def _word(text: str) -> str:
    return text.replace(" ", "-")
