"""What scripts say in comments: the formulation and its paper, and remarks."""

from __future__ import annotations

from textwrap import fill

from treemip.resolve.library import module
from treemip.resolve.spec import Spec
from treemip.syntax import nodes as n


def heading(spec: Spec) -> tuple[str, str]:
    """The formulation's name, or the spec's own, and its paper or nothing."""
    file = module(spec.formulation) if spec.formulation else None
    headers = [s for s in (file or spec.file).statements if isinstance(s, n.Header)]
    return (spec.formulation if file else spec.name), headers[0].paper if headers else ""


def comment(text: str, width: int = 100) -> str:
    """The text as comment lines."""
    return fill(text, width, initial_indent="# ", subsequent_indent="# ", break_long_words=False)
