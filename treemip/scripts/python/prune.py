"""Leave out of a script what nothing in it uses: helpers, imports, constants of the frame."""

from __future__ import annotations

import ast
import re

SIDE_EFFECTS = (ast.Call, ast.Await, ast.NamedExpr)


def pruned(script: str) -> str:
    """The script without definitions, imports and plain constants that no statement reaches."""
    body = ast.parse(script).body
    used: set[str] = set()
    kept = [not _names(node) for node in body]
    for node, keep in zip(body, kept, strict=True):
        if keep:
            used |= _used(node)
    while True:
        more = [k for k, n in enumerate(body) if not kept[k] and used & set(_names(n))]
        if not more:
            break
        for k in more:
            kept[k] = True
            used |= _used(body[k])
    lines = script.split("\n")
    for node, keep in reversed(list(zip(body, kept, strict=True))):
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        if keep and isinstance(node, ast.ImportFrom):
            node.names = [a for a in node.names if (a.asname or a.name) in used]
            lines[first : node.end_lineno] = [ast.unparse(node)]
        elif not keep:
            del lines[first : node.end_lineno]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines))


def _names(node: ast.stmt) -> list[str]:
    """What a statement defines and does nothing besides; nothing for one that always stays."""
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
    """A name that a statement itself binds is no use of it elsewhere."""
    if isinstance(node, ast.Assign):
        return {n.id for n in node.targets if isinstance(n, ast.Name)}
    return set()
