"""The parser, from LALR tables worked out in advance.

The shipped file `grammars/tree.tables` saves a third of the CPU time of a small check. It is used
only if this version of lark made it from this grammar; otherwise the tables are worked out anew,
with the same result.
After a change of the grammar:

    python -m treemip.syntax.tables
"""

from __future__ import annotations

import io
import zlib
from functools import lru_cache
from hashlib import sha256

import lark
from lark import Lark

from treemip.resources import grammar_path


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
        grammar.decode("utf-8"),
        parser="lalr",
        propagate_positions=True,
        maybe_placeholders=True,
    )


def _mark(grammar: bytes) -> bytes:
    return f"lark {lark.__version__} grammar {sha256(grammar).hexdigest()}\n".encode()


def write() -> None:
    grammar = grammar_path().read_bytes()
    buffer = io.BytesIO()
    from_grammar(grammar).save(buffer)
    packed = zlib.compress(buffer.getvalue(), 9)
    grammar_path().with_suffix(".tables").write_bytes(_mark(grammar) + packed)


if __name__ == "__main__":
    write()
