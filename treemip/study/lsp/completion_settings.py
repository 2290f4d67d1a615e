"""Completion in the settings of a data block and of a strategy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from treemip.core.registry import STARTS, separator_names, solver_names
from treemip.core.resolve.settings.data_block import SETTINGS
from treemip.core.resolve.settings.data_spec import as_column
from treemip.core.resolve.settings.decompose import SCHEMES
from treemip.core.resolve.settings.encodings import BINS, CODES, SCALES
from treemip.core.resolve.settings.selection import TAKES
from treemip.core.resolve.settings.selection import WORDS as SELECTION_WORDS
from treemip.core.resolve.settings.solve_options import OPTIONS
from treemip.core.resolve.settings.strategy import NO_PRESOLVE, NO_START, PRESOLVES, READERS
from treemip.study.lsp.cursor import Cursor
from treemip.study.lsp.declared import all_declared, rows
from treemip.study.lsp.language_docs import about_setting, setting_form
from treemip.study.lsp.results import Item
from treemip.study.lsp.table import DataFacts
from treemip.study.lsp.view import View

MISSING = ("refuse", "drop", "side", "impute", "indicator", "marks")

WORDS: dict[str, tuple[str, ...]] = {
    "scale": tuple(SCALES),
    "bin": tuple(BINS),
    "encode": tuple(CODES),
    "missing": MISSING,
    "train": ("fold",),
    "separator": ("tab",),
    "presolve": (*PRESOLVES, NO_PRESOLVE),
    "start": (*STARTS, NO_START),
    "decompose": tuple(SCHEMES),
    "select": tuple(TAKES),
}
"""Words that come first in a setting."""

LATER: dict[str, tuple[str, ...]] = {
    "label": ("positive", "number"),
    "train": ("of", "seed"),
    "group": ("from",),
    "number": ("from",),
    "start": ("seconds", "seed"),
    "starts": ("seed",),
    "priority": ("root_first",),
    "missing": ("marks",),
}
"""Words that may follow the first one."""

COLUMNS = (
    "label", "use", "drop", "group", "number", "weight", "id", "encode", "scale", "bin", "missing",
)  # fmt: skip
"""Settings that name columns."""


def setting_words(key: str, first: bool) -> frozenset[str]:
    """The words of the language that a setting takes first, or later."""
    selections = {"select": tuple(w for words in TAKES.values() for w in words)}
    later = LATER.get(key, ()) + selections.get(key, ())
    alone = {"label": ("none",), "solver": tuple(solver_names())}
    return frozenset(WORDS.get(key, ()) + alone.get(key, ()) if first else later)


def setting_items(view: View, cursor: Cursor, facts: DataFacts) -> list[Item]:
    in_strategy = cursor.block == "strategy"
    if not cursor.unit:
        return list(_keys(cursor.start, in_strategy))
    key, words = cursor.first, cursor.unit[1:]
    if cursor.call is not None:
        return list(_in_brackets(cursor, cursor.call.name.text if cursor.call.name else ""))
    found = _strategy_names(view, cursor, key) if in_strategy else []
    first = list(WORDS.get(key, ())) if not words else []
    later = list(LATER.get(key, ())) if words else []
    if key == "select" and words:
        later += [*TAKES.get(words[0].text, ()), *SELECTION_WORDS.get(words[0].text, ())]
    found += [Item(w, "keyword", w, cursor.start, key) for w in (*first, *later)]
    names_columns = key == "missing" or (key in COLUMNS and (words or key not in WORDS))
    if names_columns and not in_strategy:
        found += list(_columns(facts, cursor.start))
    if key == "label" and not words:
        found.append(Item("none", "keyword", "none", cursor.start, "no label"))
    return found


def _keys(start: int, in_strategy: bool) -> Iterator[Item]:
    for key in READERS if in_strategy else SETTINGS:
        form = setting_form(key, in_strategy).split("\n")[0]
        detail = OPTIONS[key].help if in_strategy and key in OPTIONS else form
        insert = f"{key} $1;"
        yield Item(
            key, "property", insert, start, detail, about_setting(key, in_strategy), snippet=True
        )


def _columns(facts: DataFacts, start: int) -> Iterator[Item]:
    for name, column in facts.columns.items():
        yield Item(name, "property", as_column(name), start, column.about)


def _in_brackets(cursor: Cursor, word: str) -> Iterator[Item]:
    """Flags of `onehot(…)` and methods of `impute(…)`."""
    flags = CODES[word].flags if word in CODES else {}
    inside = cursor.call.inside if cursor.call is not None else ()
    if inside and inside[-1].text == "=" and len(inside) > 1:
        words: Iterable[str] = flags.get(inside[-2].text, ())
        yield from (Item(w, "keyword", w, cursor.start) for w in words)
    elif word in ("impute", "indicator"):
        yield from (Item(w, "keyword", w, cursor.start) for w in ("mean", "median", "mode"))
    else:
        yield from (Item(w, "parameter", f"{w} = ", cursor.start) for w in flags)


def _strategy_names(view: View, cursor: Cursor, key: str) -> list[Item]:
    """Names that a strategy takes: solvers, families of rows, variables, separators."""
    start = cursor.start
    if key == "solver":
        names: list[tuple[str, str]] = [(name, "solver") for name in sorted(solver_names())]
    elif key == "cuts":
        names = [(r.name, m.name) for r, m, is_cut in rows(view) if is_cut]
        names += [(name, "separator") for name in separator_names()]
    elif key == "separate":
        by = cursor.before == "by"
        names = [] if by else [(r.name, m.name) for r, m, _ in rows(view)]
        names += [(name, "separator") for name in separator_names()]
        names += [] if by else [("by", "")]
    elif key == "priority":
        variables = (d for d in all_declared(view) if d.kind.endswith("variable"))
        names = [(d.node.name, d.doc) for d in variables]
    else:
        names = []
    return [Item(name, "value", name, start, detail) for name, detail in names]
