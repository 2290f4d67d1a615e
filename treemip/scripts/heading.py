"""What scripts say in comments: the formulation and its paper, and remarks."""

from __future__ import annotations

from textwrap import fill

from treemip.resolve.modules import library_module
from treemip.resolve.spec import Spec
from treemip.source.render import visible
from treemip.syntax import nodes as n


def heading(spec: Spec) -> tuple[str, str]:
    """The formulation's name, or the spec's own, and its paper or nothing."""
    file = library_module(spec.formulation) if spec.formulation else None
    headers = [s for s in (file or spec.file).statements if isinstance(s, n.Header)]
    return (spec.formulation if file else spec.name), headers[0].paper if headers else ""


def one_line(text: str) -> str:
    """A text for a comment, which must not end the comment's line: blanks for all white space,
    and what cannot be seen replaced."""
    return visible(" ".join(text.split()))


def in_docstring(text: str) -> str:
    r"""A text for a docstring between three quotes, which it must not end, nor hold escapes."""
    return one_line(text).replace("\\", "\\\\").replace('"', "'")


def comment(text: str, width: int = 100) -> str:
    """The text as comment lines."""
    return fill(
        one_line(text), width, initial_indent="# ", subsequent_indent="# ", break_long_words=False
    )
