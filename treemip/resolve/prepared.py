"""The library's modules, parsed beforehand.

Parsing a formulation and the vocabulary takes 25 ms, to read their nodes again takes 1.
`grammars/library.nodes` keeps them, each under a mark of its text and of all that makes nodes of
a text. Where the mark differs the text is parsed, with the same outcome. After a change of the
library, the grammar or the nodes:

    python -m treemip.resolve.prepared
"""

from __future__ import annotations

import pickle
import zlib
from functools import cache
from hashlib import sha256
from pathlib import Path

from treemip.resources import grammar_path, library_path
from treemip.source.span import Source
from treemip.syntax import nodes as n
from treemip.syntax.parse import parse

_PACKAGE = Path(__file__).resolve().parents[1]
_MAKERS = (
    "frozen.py",
    "source/span.py",
    "syntax/build.py",
    "syntax/build_expressions.py",
    "syntax/nodes/declarations.py",
    "syntax/nodes/expressions.py",
    "syntax/nodes/statements.py",
    "syntax/parse.py",
)


def parsed(path: Path) -> n.File:
    """The nodes of the library module at `path`. Raises TreemipError as Source.read and parse."""
    source = _source(path)
    mark, nodes = _kept().get(path.stem, (b"", b""))
    if mark == _mark(source):
        file: n.File = pickle.loads(zlib.decompress(nodes))
        return file
    return parse(source)


def write() -> None:
    """Prepare every module anew; the same library gives the same bytes."""
    prepared = {}
    for path in sorted(library_path().glob("*.tree")):
        source = _source(path)
        prepared[path.stem] = _mark(source), zlib.compress(pickle.dumps(parse(source), 5), 9)
    _place().write_bytes(pickle.dumps(prepared, 5))


def _source(path: Path) -> Source:
    """Library files are known by their place in the library, wherever it is installed."""
    return Source(f"library/{path.name}", Source.read(path).text)


def _place() -> Path:
    return grammar_path().with_name("library.nodes")


@cache
def _kept() -> dict[str, tuple[bytes, bytes]]:
    kept: dict[str, tuple[bytes, bytes]] = {}
    if _place().is_file():
        kept = pickle.loads(_place().read_bytes())
    return kept


def _mark(source: Source) -> bytes:
    mark = sha256(_makers())
    mark.update(source.text.encode())
    return mark.digest()


@cache
def _makers() -> bytes:
    """A digest of everything that makes nodes of a text."""
    digest = sha256(grammar_path().read_bytes())
    for name in _MAKERS:
        digest.update((_PACKAGE / name).read_bytes())
    return digest.digest()


if __name__ == "__main__":
    write()
