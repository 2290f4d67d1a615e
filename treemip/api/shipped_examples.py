"""What a shipped example reads: its text, modules and tables."""

from __future__ import annotations

from pathlib import Path

from treemip.api.program import load
from treemip.core.instance.side_tables import files_beside
from treemip.core.resolve.examples import example_paths


def example_files(name: str) -> list[Path]:
    """The spec, then its tables and the modules beside it, in specs/."""
    path = example_paths()[name]
    program = load(path)
    read = [module.path for module in program.spec.modules]
    read += files_beside(program.spec)
    if program.spec.data is not None:
        read.insert(0, program.spec.data.path)
    return list(dict.fromkeys([path, *((path.parent / one).resolve() for one in read)]))
