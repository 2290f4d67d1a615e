"""The parser, from LALR tables worked out in advance.

The shipped file `grammars/tree.tables` saves a third of the CPU time of a small check. It is used
only if this version of lark made it from this grammar; otherwise the tables are worked out anew,
with the same result.
`make docs` writes it after a change of the grammar.
"""

from __future__ import annotations

import io
import zlib
from functools import lru_cache
from hashlib import sha256

import lark
from lark import Lark

from treemip.core.resources import grammar_path


@lru_cache(maxsize=1)
def parser() -> Lark:
    """The parser of the grammar; reads files on the first call only."""
    grammar = grammar_path().read_bytes()
    path = grammar_path().with_suffix(".tables")
    stored = path.read_bytes() if path.is_file() else b""
    mark = _mark(grammar)
    if stored.startswith(mark):
        return Lark.load(io.BytesIO(zlib.decompress(stored[len(mark) :])))
    return from_grammar(grammar)


def from_grammar(grammar: bytes) -> Lark:
    return Lark(
        grammar.decode("utf-8"), parser="lalr", propagate_positions=True, maybe_placeholders=True
    )


def _mark(grammar: bytes) -> bytes:
    return f"lark {lark.__version__} grammar {sha256(grammar).hexdigest()}\n".encode()


def current() -> bool:
    """Whether the shipped tables were made from the shipped grammar, by any version of lark."""
    stored = grammar_path().with_suffix(".tables").read_bytes()
    return stored.split(b"\n")[0].split()[2:] == _mark(grammar_path().read_bytes()).split()[2:]


def write() -> None:
    """Work the tables out and store them beside the grammar."""
    grammar = grammar_path().read_bytes()
    buffer = io.BytesIO()
    from_grammar(grammar).save(buffer)
    packed = zlib.compress(buffer.getvalue(), 9)
    grammar_path().with_suffix(".tables").write_bytes(_mark(grammar) + packed)
