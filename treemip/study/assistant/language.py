"""The language on one page, for assistants: how a spec is built, then all formulations and words.

The page begins with docs/summary.md. The rest is read from the library, its examples and the tables
of the language, so that it describes this version.
"""

from __future__ import annotations

from treemip.core.resolve.builtins import CALLS, ELEMENTS, SETS
from treemip.core.resolve.catalogue import concepts, terms
from treemip.core.resolve.examples import about, example_paths
from treemip.core.resolve.settings.data_block import SETTINGS
from treemip.core.resources import summary_path
from treemip.study.assistant.offers import all_formulations


def language_page() -> str:
    """Markdown."""
    parts = [
        summary_path().read_text(encoding="utf-8"),
        _formulations(),
        _requirements(),
        _data(),
        _words(),
    ]
    return "\n".join(parts)


def _formulations() -> str:
    rows = [f"- `{one.line}` {one.purpose}" for one in all_formulations()]
    return "## Formulations\n\n" + "\n".join(rows) + "\n"


def _requirements() -> str:
    """What each shipped example of a requirement adds to a plain spec."""
    rows = ["## Requirements, to copy", ""]
    for name, path in example_paths().items():
        if name.startswith("constraints/"):
            text = path.read_text(encoding="utf-8")
            rows += [f"{about(text)}:", "```", _added(text), "```"]
    return "\n".join(rows) + "\n"


def _added(text: str) -> str:
    """The part of a spec after its `split`, or its data block if nothing follows."""
    *_, rest = text.partition("\nsplit ")
    return rest.partition("\n")[2].strip() or _data_block(text)


def _data_block(text: str) -> str:
    return text[text.index("data ") : text.index("topology")].strip()


def _data() -> str:
    rows = [f"- `{form.example}`" for form in SETTINGS.values()]
    return "## Settings of the data block\n\n" + "\n".join(rows) + "\n"


def _words() -> str:
    rows = ["## Words", "", "What the tree decides:", ""]
    rows += [f"- `{one['name']}` {one['means']}" for one in concepts()]
    rows += ["", "Terms, for objectives and rows:", ""]
    rows += [f"- `{one['name']}` = `{one['is']}`" for one in terms() if len(one["is"]) < 100]
    rows += ["", "Sets, elements and functions:", ""]
    rows += [f"- `{name}` {means}" for name, (_, means) in SETS.items()]
    rows += [f"- `{name}` {means}" for name, means in ELEMENTS.items()]
    rows += [f"- `{form}` {means}" for form, means in CALLS.values()]
    rows += ["", "Fairness between groups: `use fairness;`, see the example credit_equal_chances."]
    return "\n".join(rows) + "\n"
