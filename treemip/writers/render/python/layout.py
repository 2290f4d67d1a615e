"""The layout of a script: long lines broken, unused parts of its frame left out."""

from __future__ import annotations

import ast
import re
from textwrap import indent

from treemip.writers.render.text import split_outside

WIDTH = 100
STEP = "    "
BREAK = "\0"  # where a long row may be broken; else a blank


def called(function: str, parts: list[str], width: int = WIDTH) -> str:
    """A call on one line where it fits, else an argument a line, broken where that is too long."""
    plainly = [p.replace(BREAK, " ") for p in parts]
    line = f"{function}({', '.join(plainly)})"
    if len(line) <= width:
        return line
    room = width - len(STEP) - 1
    lines = []
    for part, flat in zip(parts, plainly, strict=True):
        pieces = [flat] if len(flat) <= room else part.split(BREAK)
        lines += [indent(folded(p, room), STEP) for p in pieces]
        lines[-1] += ","
    return "\n".join([f"{function}(", *lines, ")"])


def folded(text: str, width: int, bracketed: bool = True) -> str:
    """An expression on as many lines as it needs.

    bracketed: whether it stands in brackets already; it gets some where it needs them.
    """
    if len(text) <= width:
        return text
    head = re.match(r"([<>=!]=|[-+*/]) ", text)
    if head:
        return head.group() + folded(text[head.end() :], width - head.end())
    for sign in (r" (?=[+-] )", r" (?=[*/] )"):
        if len(parts := split_outside(text, sign)) > 1:
            body = "\n".join(folded(p, width - len(STEP)) for p in parts)
            return body if bracketed else f"(\n{indent(body, STEP)}\n)"
    opened = re.match(r"[\w.]*[([]", text)
    if opened is None or text[-1] not in ")]":
        return text
    inside = text[opened.end() : -1]
    parts = split_outside(inside, r"(?<=,) ")
    comma = len(parts) > 1
    parts = parts if comma else split_outside(inside, r" (?=for )")
    body = "\n".join(folded(p, width - len(STEP)) for p in parts)
    tail = "," if comma and opened.end() > 1 else ""
    return f"{opened.group()}\n{indent(body, STEP)}{tail}\n{text[-1]}"


def returned(text: str) -> str:
    """`return …`, indented once."""
    value = folded(text, WIDTH - len(STEP) - len("return "), bracketed=False)
    return indent(f"return {value}", STEP)


def index_tuple(names: list[str]) -> str:
    """`(i, t)`, `(i,)`, `()`"""
    return f"({', '.join(names)}{',' * (len(names) == 1)})"


SIDE_EFFECTS = (ast.Call, ast.Await, ast.NamedExpr)


def pruned(script: str) -> str:
    """The script without the definitions, imports and constants that no statement uses."""
    body = ast.parse(script).body
    used: set[str] = set()
    stays = [not _names(node) for node in body]
    for node, keep in zip(body, stays, strict=True):
        if keep:
            used |= _used(node)
    while True:
        more = [k for k, n in enumerate(body) if not stays[k] and used & set(_names(n))]
        if not more:
            break
        for k in more:
            stays[k] = True
            used |= _used(body[k])
    lines = script.split("\n")
    for node, keep in reversed(list(zip(body, stays, strict=True))):
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        if keep and isinstance(node, ast.ImportFrom):
            node.names = [a for a in node.names if (a.asname or a.name) in used]
            lines[first : node.end_lineno] = [ast.unparse(node)]
        elif not keep:
            del lines[first : node.end_lineno]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines))


def _names(node: ast.stmt) -> list[str]:
    """Names that a statement defines, if that is all it does; none for one that always stays."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [a.asname or a.name for a in node.names]
    if isinstance(node, ast.Assign) and not any(
        isinstance(n, SIDE_EFFECTS) for n in ast.walk(node.value)
    ):
        return [n.id for n in node.targets if isinstance(n, ast.Name)]
    return []


def _used(node: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - _own(node)


def _own(node: ast.stmt) -> set[str]:
    """Names that a statement itself binds: they do not count as uses."""
    if isinstance(node, ast.Assign):
        return {n.id for n in node.targets if isinstance(n, ast.Name)}
    return set()
