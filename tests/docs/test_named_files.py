"""Files and functions of modules that comments and docstrings point to exist."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = [path for room in ("treemip", "tests") for path in (ROOT / room).rglob("*.py")]
NAMED = re.compile(r"(?<![\w./])(?:\w+/)*\w+\.py\b(?!\w)")

DOTTED = re.compile(r"`([a-z]\w*)\.(\w+)`")

OTHERS = {"model.py", "iris.py"}
"""Names that examples give to files of users, and that no file beside the text has."""

FOREIGN = {"json", "casadi", "xpress", "highspy", "model", "x"}
"""First parts of dotted names that are packages, and files of solvers, not modules of treemip."""


@lru_cache(maxsize=8)
def parsed(text: str) -> ast.Module:
    """The module; a few are kept, since all of them take much memory."""
    return ast.parse(text)


@cache
def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def words(text: str) -> list[tuple[int, str]]:
    """Comments and docstrings of a module with the lines where they begin."""
    return [*_comments(text), *_docstrings(text)]


def _comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _docstrings(text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(parsed(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.lineno, node.value.value


def exists(name: str, beside: Path) -> bool:
    """Whether a file of that name lies beside the text, or anywhere by the end of its path."""
    if "/" not in name:
        return (beside.parent / name).exists() or any(path.name == name for path in FILES)
    return any(f"/{path.relative_to(ROOT)}".endswith(f"/{name}") for path in FILES)


def missing(text: str, beside: Path) -> list[str]:
    """Named files that do not exist, each as line and name."""
    if not NAMED.search(text):
        return []
    return [
        f"{line + words_before.count(chr(10))}: {match[0]}"
        for line, comment in words(text)
        for match in NAMED.finditer(comment)
        for words_before in [comment[: match.start()]]
        if match[0] not in OTHERS and not exists(match[0], beside)
    ]


@cache
def defined(path: Path) -> set[str]:
    """Names of a module's functions, classes and constants."""
    names = set()
    for node in parsed(read(path)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def identifiers(text: str) -> set[str]:
    """Names, arguments and attributes in a module's code: what `a.b` may mean beside modules."""
    found = set()
    for node in ast.walk(parsed(text)):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                found.add(name)
    return found


def undefined(text: str) -> list[str]:
    """Dotted names in backquotes that no module has and that begin with no name of the code."""
    if not DOTTED.search(text):
        return []
    named = [(m, name) for _, comment in words(text) for m, name in DOTTED.findall(comment)]
    own = identifiers(text) | FOREIGN if named else FOREIGN
    return [
        f"{module}.{name}"
        for module, name in named
        if name != "py"
        and module not in own
        and not any(name in defined(p) for p in modules(module))
    ]


@cache
def modules(name: str) -> list[Path]:
    return [path for path in FILES if path.stem == name and path.is_relative_to(ROOT / "treemip")]


def test_functions_named_by_module_exist() -> None:
    stale = {
        str(path.relative_to(ROOT)): wrong
        for path in FILES
        if path.is_relative_to(ROOT / "treemip")
        if (wrong := undefined(read(path)))
    }
    assert stale == {}


def test_files_named_in_comments_and_docstrings_exist() -> None:
    stale = {
        str(path.relative_to(ROOT)): wrong
        for path in FILES
        if path.is_relative_to(ROOT / "treemip")
        if (wrong := missing(read(path), path))
    }
    assert stale == {}


def test_stale_names_are_seen() -> None:
    text = '"""See solving/arrays.py,\nand solving/gone.py."""\n\nX = 1  # as in gone_too.py\n'
    assert missing(text, ROOT / "treemip" / "registry.py") == [
        "4: gone_too.py",
        "2: solving/gone.py",
    ]
    text = '"""See `registry.solvers`, `report.said` and `frames.columns_of`."""\n\nreport = 1\n'
    assert undefined(text) == ["frames.columns_of"]
