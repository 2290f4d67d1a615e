"""The parts of a script in the frame of a target."""

from __future__ import annotations

from pathlib import Path

from treemip.scripts.heading import in_docstring
from treemip.scripts.python.program import Script
from treemip.scripts.python.prune import pruned
from treemip.source.diagnostic import Diagnostic, TreemipError

TEMPLATES = Path(__file__).parent / "templates"
PACKAGES = tuple(sorted(p.name.partition(".")[0] for p in TEMPLATES.glob("[!_]*.jinja")))


def render(script: Script, target: str, file_name: str) -> str:
    """The script for that target as text, to be saved under `file_name` beside its data.

    target: one of PACKAGES. Raises E602 when jinja2 is missing.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise TreemipError(
            Diagnostic.outside("E602", "scripts need jinja2", 'pip install "treemip[math]"')
        ) from None
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["docstring"] = in_docstring
    template = environment.get_template(f"{target}.py.jinja")
    text: str = template.render(script=script, file=file_name)
    return pruned(text)
