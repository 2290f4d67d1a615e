"""A page for each code of a message: examples from the tests, whose text is compared there word by
word, and what the code of treemip can say under it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .places import DOCS, ROOT

HEAD = re.compile(r"^(?:error|warning|note)\[([EW]\d{3})\]", re.M)
SHOWN = 3
"""Examples on a page, at most."""

SAYS = {"fail", "refused", "warn", "outside", "Diagnostic", "error", "note"}
"""Functions of treemip whose first argument may be a code and whose second is a message."""


@dataclass(frozen=True)
class Example:
    """given: a spec or a command, "" where the message alone is known."""

    given: str
    language: str
    message: str


def files() -> dict[Path, str]:
    """The pages, by where they are written."""
    from treemip.core.source.codes import TITLES

    shown = examples()
    return {DOCS / "errors" / f"{code}.md": page(code, shown.get(code, [])) for code in TITLES}


def page(code: str, shown: list[Example]) -> str:
    from treemip.core.source.codes import STAGES, TITLES

    stage = next(title for begin, title in STAGES.items() if code.startswith(begin))
    stops = "A warning stops nothing." if code[0] == "W" else "The command stops with exit code 2."
    parts = [f"# {code}: {TITLES[code]}\n", f"{stage}. {stops} [All messages](../errors.md)\n"]
    for k, one in enumerate(shown[:SHOWN]):
        parts.append(f"## {'Example' if k == 0 else f'Example {k + 1}'}\n")
        if one.given:
            parts.append(f"````{one.language}\n{one.given.rstrip()}\n````\n\nThe message:\n")
        parts.append(f"````text\n{one.message.rstrip()}\n````\n")
    if said := templates().get(code):
        listed = "\n".join(f"* {_code(text)}" for text in said)
        parts.append(f"## What it can say\n\n{listed}\n")
    return "\n".join(parts)


def _code(text: str) -> str:
    """A text in backquotes, with those that it has."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


# ---------------------------------------------------------------------------- examples


def examples() -> dict[str, list[Example]]:
    """By code, the shortest first: specs with their messages, then commands, then messages."""
    found: dict[str, list[Example]] = {}
    for source in (wrong_specs(), transcripts(), listed()):
        kind: dict[str, list[Example]] = {}
        for code, one in source:
            kind.setdefault(code, []).append(one)
        for code, some in kind.items():
            if code not in found:
                some.sort(key=lambda one: (len(one.given) + len(one.message), one.message))
                found[code] = _apart(some)
    return found


def _apart(some: list[Example]) -> list[Example]:
    """Those whose first lines differ."""
    heads: dict[str, Example] = {}
    for one in some:
        heads.setdefault(one.message.partition("\n")[0], one)
    return list(heads.values())


def wrong_specs() -> Iterator[tuple[str, Example]]:
    """Specs of tests/bad and tests/syntax/bad, each under the first code that is said of it."""
    folders = (ROOT / "tests" / "bad", ROOT / "tests" / "syntax" / "bad")
    for path in (one for folder in folders for one in sorted(folder.rglob("*.tree"))):
        said = path.with_suffix(".expected")
        if said.is_file() and (text := said.read_text(encoding="utf-8")):
            given = path.read_text(encoding="utf-8")
            for code in list(dict.fromkeys(HEAD.findall(text)))[:1]:
                yield code, Example(given, _language(given), text)


@cache
def _language(text: str) -> str:
    """`tree` where all of a text can be coloured."""
    from pygments.token import Error

    from treemip.writers.pages.pygments_lexer import TreemipLexer

    return "text" if any(kind is Error for kind, _ in TreemipLexer().get_tokens(text)) else "tree"


def transcripts() -> Iterator[tuple[str, Example]]:
    """Commands of tests/cli/transcripts with the messages that they print."""
    for path in sorted((ROOT / "tests" / "cli" / "transcripts").glob("*.txt")):
        for part in re.split(r"^(?=\$ )", path.read_text(encoding="utf-8"), flags=re.M):
            command, _, printed = part.partition("\n")
            for code, message in _messages(printed):
                yield code, Example(command, "text", message)


def listed() -> Iterator[tuple[str, Example]]:
    """Messages that tests compare a text with: in other expected files, and in their own code."""
    for path in sorted((ROOT / "tests").rglob("*.expected")):
        for code, message in _messages(path.read_text(encoding="utf-8")):
            yield code, Example("", "text", message)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if HEAD.search(source.replace('"', "\n")):
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from ((c, Example("", "text", m)) for c, m in _messages(node.value))


def _messages(text: str) -> Iterator[tuple[str, str]]:
    """Whole messages in a text, each from its code to where the next or an empty line is."""
    for part in re.split(r"^(?=(?:error|warning|note)\[)|\n\s*\n|^(?=== )", text, flags=re.M):
        match = HEAD.match(part or "")
        if match and not part.rstrip().endswith("]:"):
            yield match[1], part


# --------------------------------------------------------------------------- templates


@cache
def templates() -> dict[str, list[str]]:
    """What the code can say, by code; what depends on the case is `…`."""
    found: dict[str, dict[str, None]] = {}
    for path in sorted((ROOT / "treemip").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if re.search(r'"[EW]\d{3}"', source):
            for code, text in said_in(ast.parse(source)):
                found.setdefault(code, {}).setdefault(text)
    return {code: list(texts) for code, texts in found.items()}


def said_in(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Code and message of each call that has both, with names looked up around it."""
    constants = _assigned(module.body)
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    for function in functions:
        given = constants | _assigned(list(ast.walk(function)))
        names = [one.arg for one in function.args.args if one.arg != "self"]
        own = [call.args for call in calls if _name(call.func) == function.name]
        for place, name in enumerate(names):
            given.setdefault(name, [args[place] for args in own if len(args) > place])
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            if len(call.args) > 1 and _name(call.func) in SAYS and _is_code(call.args[0]):
                texts = (_template(one, given) for one in _options(call.args[1], given))
                yield from ((call.args[0].value, text) for text in texts if text)


def _is_code(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and bool(re.fullmatch(r"[EW]\d{3}", str(node.value)))


def _assigned(body: Sequence[ast.AST]) -> dict[str, list[ast.expr]]:
    """What names are set to in a function or at the top of a module."""
    found: dict[str, list[ast.expr]] = {}
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return found


def _options(message: ast.expr, given: dict[str, list[ast.expr]]) -> list[ast.expr]:
    return given.get(message.id, []) if isinstance(message, ast.Name) else [message]


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _template(text: ast.expr, given: dict[str, list[ast.expr]]) -> str:
    """A text with dots for what is filled in; "" where it is all filled in."""
    match text:
        case ast.Constant(value=str(said)):
            return " ".join(said.split())
        case ast.JoinedStr(values=parts):
            said = "".join(p.value if isinstance(p, ast.Constant) else "…" for p in parts)
            return " ".join(said.split()) if re.search(r"\w", said) else ""
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="format")):
            whole = [_template(one, given) for one in given.get(name, [])]
            return re.sub(r"\{\w*\}", "…", whole[0]) if whole else ""
    return ""
