"""Python values and texts as parts of statements, for `Builder` and first specs.

Names and texts are escaped where they must be. A caller's text may have comments and a semicolon;
further statements in it are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from math import isfinite
from numbers import Real
from typing import Any

from treemip.source.diagnostic import TreemipError, refused
from treemip.source.span import Source
from treemip.syntax.scan import scan

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words that settings of the data block read; a column of that name needs quotes.
_WORDS = """
all drop fold impute keep marks minmax none of onehot ordinal positive quantile refuse seed
standard tab thresholds
"""
SETTING_WORDS = frozenset(_WORDS.split())


def quoted(text: object) -> str:
    """A text between quotes. Raises E902 for a line break, which no string can hold."""
    plain = str(text)
    if "\n" in plain or "\r" in plain:
        raise refused(
            f"a string of the language cannot contain line breaks: {plain!r}", "rename it"
        )
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def word(setting: object) -> str:
    """A setting's word: a number, a plain name, or anything else in quotes."""
    return number(setting) if isinstance(setting, Real) else _name(str(setting))


def columns(names: str | Iterable[str], always: bool = False) -> str:
    """Column names separated by commas, quoted where the language needs it (or `always`)."""
    many = [names] if isinstance(names, str) else list(names)
    return ", ".join(quoted(n) if always else _name(str(n)) for n in many)


def renamed(named: Mapping[str, str]) -> str:
    """Columns by what expressions call them: `treatment from drug`. Raises E902."""
    for name in named:
        if columns(name) != name:
            raise refused(f"{name!r} is no name for expressions", "take letters, digits and _")
    pairs = ((name, columns(column)) for name, column in named.items())
    return ", ".join(name if name == column else f"{name} from {column}" for name, column in pairs)


def _name(text: str) -> str:
    bare = PLAIN.fullmatch(text) and text not in SETTING_WORDS
    return text if bare else quoted(text)


def number(given: object) -> str:
    """The shortest exact text of a number. Raises E902 for infinity, nan and non-numbers."""
    if isinstance(given, bool) or not isinstance(given, Real) or not isfinite(given):
        raise refused(f"expected a finite number, not {given!r}", "give a number")
    real = float(given)
    whole = real.is_integer() and abs(real) < 2**53
    return str(int(real)) if whole else repr(real)


def value(worth: object) -> str:
    """A number, or a text that is an expression."""
    return worth.strip() if isinstance(worth, str) else number(worth)


def known(name: str, worth: object) -> str:
    """The value of the parameter that `name` declares: a number, an expression, or a table.

    A mapping, Series or DataFrame has a value for each name of the index, a sequence or array one
    for each number from 1 on of an index that runs over numbers; inside may be those of a second
    index. Raises E902.
    """
    by_name = getattr(worth, "to_dict", None)
    if by_name is not None:  # of pandas: a DataFrame's rows are its first index
        worth = by_name() if getattr(worth, "ndim", 1) == 1 else by_name("index")
    elif hasattr(worth, "tolist"):
        worth = worth.tolist()
    if isinstance(worth, Mapping):
        if not worth:
            raise refused(f"the table of '{name}' is empty", "give it a value for each index")
        pairs = (f"{_key(k)}: {known(name, v)}" for k, v in worth.items())
        return f"table({', '.join(pairs)})"
    if isinstance(worth, Sequence) and not isinstance(worth, str):
        if ".." not in name:
            message = f"a sequence does not say which value is whose in '{' '.join(name.split())}'"
            remedy = 'give a dictionary of values by name: {"age": 2}, or an index {k in 1..3}'
            raise refused(message, remedy)
        return known(name, dict(enumerate(worth, 1)))
    return value(worth)


def _key(name: object) -> str:
    return number(name) if isinstance(name, Real) else quoted(name)


def listing(name: str, elements: object) -> str:
    """The elements of a set: an expression, or the texts of a listed set. Raises E902."""
    if isinstance(elements, str):
        return elements
    unordered = isinstance(elements, set | frozenset)
    many = list(elements) if isinstance(elements, Iterable) and not unordered else []
    if not many or not all(isinstance(one, str) for one in many):
        message = f"'{name}' takes a list of texts, or an expression, not {elements!r}"
        raise refused(message, 'write ["low", "high"], or for numbers "1..3"')
    return "{" + ", ".join(map(quoted, many)) + "}"


EXAMPLES = {
    "encode": 'such as encode="onehot", or encode={"onehot": ["a", "b"]}',
    "scale": 'such as scale="minmax", or scale={"minmax": ["a", "b"]}',
    "bin": 'such as bin="quantile(5)", or bin={"quantile(5)": ["a", "b"]}',
    "missing": 'such as missing="side", or missing={"side": ["a"], "impute(mode)": ["b"]}',
}


def settings(key: str, how: str | Mapping[str, Any] | None) -> list[str]:
    """`scale minmax`, or one setting for each entry of {"minmax": ["a", "b"], "none": "c"}.

    Raises TreemipError: E902 for what is neither text nor mapping.
    """
    if how is None:
        return []
    if isinstance(how, str):
        return [f"{key} {how}"]
    if not isinstance(how, Mapping):
        raise refused(f"{key} is {how!r}, neither a text nor a dictionary", EXAMPLES[key])
    lines = []
    for way, named in how.items():
        if isinstance(named, Mapping):
            lines += [f"{key} {way}({_levels(o)}) {_name(str(c))}" for c, o in named.items()]
        else:
            lines.append(f"{key} {way} {columns(named)}".rstrip())
    return lines


def _levels(order: Iterable[object]) -> str:
    return ", ".join(number(v) if isinstance(v, Real) else quoted(v) for v in order)


# ------------------------------------------------------------------ parts of statements

TAKES = {
    "data": "one value for each setting",
    "topology": "one topology",
    "split": "one kind of splits",
    "param": "one parameter",
    "set": "one set",
    "let": "one definition",
    "var": "one family of variables",
    "minimize": "one expression",
    "maximize": "one expression",
    "subject": "constraints only",
    "cut": "one constraint",
    "drop": "names of rows",
    "strategy": "one value for each setting",
}
"""What a statement that begins with this word takes, for messages."""
NAMES = {"subject": "subject to"}


def part(text: str) -> str:
    """A text that something follows, which a comment at its end must not swallow."""
    lexemes = list(scan(text))
    return text + "\n" if lexemes and lexemes[-1].kind == "comment" else text


def ended(text: str, more: str = "") -> str:
    """The text with `more` and the semicolon behind it, before the comments at its end.

    Whether the text has its semicolon or leaves it out. Raises E902 where it ends with a comma.
    """
    lexemes, notes, open_ = list(scan(text)), [], True
    while lexemes and (lexemes[-1].kind == "comment" or (open_ and lexemes[-1].text == ";")):
        last = lexemes.pop()
        if last.kind == "comment":
            notes.append(last.text)
        else:
            open_ = False
    body = text[: lexemes[-1].end] if lexemes else ""
    if lexemes and lexemes[-1].text == ",":
        message = f"the text '{' '.join(body.split())}' ends with a comma"
        raise refused(message, "leave it out: each row and each name is an argument of its own")
    return f"{body}{more};" + "".join(f"  {note}\n" for note in reversed(notes)).rstrip("\n")


def demand_one(text: str, keys: Sequence[str] = ()) -> None:
    """E902 where a text is more than the statement it begins, or its block has other settings.

    keys: those of the block, in order. A text that cannot be parsed is left to the parser of the
    whole, which tells the place.
    """
    from treemip.syntax.parse import parse

    try:
        first, *others = parse(Source("<text>", text)).statements
    except TreemipError:
        return
    settings = getattr(first, "settings", ())
    strange = [s for s, key in zip_longest(settings, keys) if s is not None and s.key != key]
    for one in (*strange, *others):
        word = text.split(None, 1)[0]
        more = " ".join(one.span.text.split())
        raise refused(
            f"'{NAMES.get(word, word)}' takes {TAKES[word]}, and the text goes on with '{more}'",
            "give each statement and each setting a call or an argument of its own",
        )
