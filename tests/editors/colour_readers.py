"""What each reader of texts says of their parts, all in one form: (kind, start, end) with the kinds
of the grammar, and offsets in characters."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from colour_kinds import CALLED
from colour_words import words
from lark.exceptions import UnexpectedInput

from treemip.core.syntax.colours import KINDS, Part, parts
from treemip.core.syntax.tables import parser

Found = list[tuple[str, int, int]]

ROOT = Path(__file__).parents[2]
EDITORS = ROOT / "editors"
TREE_SITTER = EDITORS / "tree-sitter-treemip"


def of_grammar(part: Part) -> tuple[str, int, int]:
    return KINDS[part.kind], part.start, part.end


def by_states(text: str) -> Found:
    return [of_grammar(part) for part in parts(text)]


def by_lark(text: str) -> tuple[Found, bool]:
    """Tokens of the grammar's own lexer, without comments, as far as the text can be parsed; and
    whether that is to its end."""
    found: Found = []
    try:
        for token in parser().parse_interactive(text).iter_parse():
            found.append((_kind(token.type, str(token)), token.start_pos, token.end_pos))
    except UnexpectedInput:
        return found, False
    return found, True


def _kind(name: str, text: str) -> str:
    if name in ("NAME", "NUMBER", "STRING"):
        return name.lower()
    return _kind_of_text(text)


def _kind_of_text(text: str) -> str:
    if text in words()["keywords"]:
        return "keyword"
    return "punctuation" if text in ";,:(){}[]" else "operator"


def by_pygments(text: str) -> Found:
    """By the entry point's lexer, its tokens by their types alone."""
    from pygments.token import Whitespace

    from treemip.writers.pages.pygments_lexer import TOKENS, TreemipLexer

    kinds: dict[Any, set[str]] = {}
    for kind, token in TOKENS.items():
        kinds.setdefault(token, set()).add(KINDS[kind])
    found: Found = []
    for start, token, piece in TreemipLexer().get_tokens_unprocessed(text):
        if token is not Whitespace:
            (kind,) = kinds[token]
            found.append((kind, start, start + len(piece)))
    return found


# ------------------------------------------------------------------- readers outside Python


def offsets(text: str, encoding: str, size: int) -> list[int]:
    """From offsets in units of an encoding to those in characters."""
    lengths = (len(char.encode(encoding)) // size for char in text)
    starts = list(accumulate(lengths, initial=0))
    found = [0] * (starts[-1] + 1)
    for place, start in enumerate(starts):
        found[start] = place
    return found


def without_node() -> str:
    """Why the readers under node cannot run; "" if they can."""
    if not shutil.which("node"):
        return "no node on this machine"
    if not (EDITORS / "node_modules" / "vscode-textmate").is_dir():
        return "no packages of npm for the editors: make editors"
    return ""


def by_node(texts: list[str]) -> list[dict[str, Found]]:
    """By the TextMate grammar and the CodeMirror mode, with the kinds of the grammar."""
    if reason := without_node():
        pytest.skip(reason)
    said = subprocess.run(
        ["node", Path(__file__).with_name("tokens.mjs")],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout
    scopes = {f"{called.textmate}.treemip": KINDS[kind] for kind, called in CALLED.items()}
    names = {"textmate": scopes, "codemirror": KINDS}
    return [
        {
            reader: [(names[reader][kind], place[start], place[end]) for kind, start, end in found]
            for reader, found in answer.items()
        }
        for text, answer in zip(texts, json.loads(said), strict=True)
        for place in [offsets(text, "utf-16-le", 2)]
    ]


@cache
def tree_sitter_language(folder: Path) -> Any:
    """The generated parser, compiled into a folder."""
    bindings = pytest.importorskip("tree_sitter", reason="no tree-sitter: pip install '.[test]'")
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler for the parser of tree-sitter")
    source, library = TREE_SITTER / "src", folder / "treemip.so"
    command = [compiler, "-shared", "-fPIC", "-O1", f"-I{source}", source / "parser.c"]
    subprocess.run([*command, "-o", library], check=True)
    language = ctypes.CDLL(str(library)).tree_sitter_treemip
    language.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
    return bindings.Language(capsule(language(), b"tree_sitter.Language", None))


def tree_of(text: str, language: Any) -> Any:
    """The root of the tree that tree-sitter makes of a text."""
    import tree_sitter

    return tree_sitter.Parser(language).parse(text.encode()).root_node


def by_tree_sitter(text: str, language: Any) -> Found:
    place = offsets(text, "utf-8", 1)
    found: Found = []
    waiting = [tree_of(text, language)]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.children)
        if not node.children and node.end_byte > node.start_byte:
            kind = {"identifier": "name"}.get(node.type, node.type)
            if kind not in ("name", "number", "string", "comment"):
                kind = _kind_of_text(node.text.decode())
            found.append((kind, place[node.start_byte], place[node.end_byte]))
    return found
