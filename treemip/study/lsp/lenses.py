"""What can be run above a spec: solve it, explain it."""

from __future__ import annotations

from treemip.core.syntax import nodes as n
from treemip.study.lsp.results import Lens
from treemip.study.lsp.view import View

COMMANDS = {"treemip.solve": "Solve", "treemip.explain": "Explain"}
"""Commands of the server with their titles."""


def lenses(view: View) -> list[Lens]:
    """At the first statement of a spec; a module has none."""
    own = [s for s in view.file.statements if view.is_own(s.span)]
    if view.part or not any(isinstance(s, n.Split | n.Objective) for s in own):
        return []
    start = min(own[0].span.start, len(view.text))
    return [Lens(title, name, start, (view.name,)) for name, title in COMMANDS.items()]
