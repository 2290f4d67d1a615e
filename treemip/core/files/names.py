"""Names of rows and columns that every reader of MPS and LP files takes alike.

Probed in ten readers: letters, digits and ``_ . ( ) ,`` are safe, at most 96 of them, the first
a letter or ``_``; not a keyword of either format, and not ``e`` or ``e1``, which some readers
take for an exponent. A base name holds no bracket, so names of two blocks differ when their
bases do.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Literal

import numpy as np

from treemip.core.files.value_codes import Distinct
from treemip.core.model.arrays import joined
from treemip.core.model.blocks import Index, Rows, SpecialSets, Variables
from treemip.core.model.model import Model
from treemip.core.model.text import label

Style = Literal["spec", "short"]

CONSTANT = "objective_constant"  # the column fixed at 1 that carries the objective's constant


@dataclass(frozen=True)
class Family:
    """How the names of some neighbours are made: `base`, then `labels` in brackets.

    Without labels it is `base` and a number from 1.
    """

    base: str
    length: int
    labels: Labels | None = None

    def names(self, lead: str) -> np.ndarray:
        if self.labels is None:
            return count_tokens(self.length, lead + self.base)
        return label_tokens(self.labels, lead + self.base)


@dataclass(frozen=True)
class Names:
    """Names of a model: of its objective, and families of columns, rows and special ordered sets
    in its order.

    Spec names have a family for each block, short names one for all of a kind.
    """

    style: Style
    objective: str
    column_families: tuple[Family, ...]
    row_families: tuple[Family, ...]
    set_families: tuple[Family, ...] = ()

    def columns(self, lead: str = "") -> np.ndarray:
        """Names of all columns with `lead` before each, an 'S' array (columns,)."""
        return joined([family.names(lead) for family in self.column_families], np.bytes_)

    def rows(self, lead: str = "") -> np.ndarray:
        """Names of all rows with `lead` before each, an 'S' array (rows,)."""
        return joined([family.names(lead) for family in self.row_families], np.bytes_)

    def sets(self, lead: str = "") -> np.ndarray:
        """Names of all special ordered sets with `lead` before each, an 'S' array (sets,)."""
        return joined([family.names(lead) for family in self.set_families], np.bytes_)


def name_model(model: Model, style: Style = "spec") -> Names:
    """Settle the names of all columns, rows and special ordered sets of `model`.

    ``spec``: block name and index labels, ``go_left(12,3)``; ``short``: ``x1``, ``r1`` and
    ``set1`` on, numbered through the model.
    """
    if style == "short":
        columns = Family("x", model.column_count)
        sets = Family("set", sum(block.length for block in model.special_sets))
        return Names(style, "obj", (columns,), (Family("r", model.row_count),), (sets,))
    column_families = _families(model.variables, [CONSTANT])
    (objective,) = spell([model.objective.name], [LONGEST])
    row_families = _families(model.rows, [objective])
    named = [replace(block, name=f"{block.name}_set") for block in model.special_sets]
    set_families = _families(named, [objective, *(family.base for family in row_families)])
    return Names(style, objective, column_families, row_families, set_families)


def _families(
    blocks: Sequence[Variables | Rows | SpecialSets], taken: list[str]
) -> tuple[Family, ...]:
    labels = [_short_labels(block.index) for block in blocks]
    room = [LONGEST - label.width for label in labels]
    bases = spell([block.name for block in blocks], room, taken)
    return tuple(
        Family(base, label.length, label) for base, label in zip(bases, labels, strict=True)
    )


def _short_labels(index: Index) -> Labels:
    labels = labels_of(index)
    return labels if labels.width <= LONGEST // 2 else labels_of(Index(length=index.length))


# -------------------------------------- labels: what stands in brackets, for whole blocks at a time


@dataclass(frozen=True)
class Labels:
    """The labels between a name's brackets: columns (length,), none for a bare name.

    Columns are int64, or float64 where numbers are not all whole.

    `counted` is true when the last column is a running number from 1 that the block's index does
    not have, since without it two names would be the same. `width` bounds the length of the
    brackets with what is in them.
    """

    columns: tuple[np.ndarray, ...]
    length: int
    counted: bool
    width: int


def labels_of(index: Index) -> Labels:
    """The labels of a block, with a running number where the index tuples are not unique."""
    columns = index.columns
    counted = index.length > 1 and not _unique(columns)
    if counted:
        columns = (*columns, np.arange(1, index.length + 1))
    width = sum(_longest(column) + 1 for column in columns) + bool(columns)
    return Labels(columns, index.length, counted, width)


def label_tokens(labels: Labels, base: str) -> np.ndarray:
    """`base` with each row's labels in brackets, an 'S' array (length,)."""
    names = np.full(labels.length, base.encode())
    for k, column in enumerate(labels.columns):
        last = k == len(labels.columns) - 1
        # What is the same on all rows goes into the table of labels, which is small.
        before, after = base + "(" if k == 0 else "", ")" if last else ","
        tokens = _tokens(column, before, after)
        names = tokens if k == 0 else np.strings.add(names, tokens)
    return names


def count_tokens(count: int, before: str) -> np.ndarray:
    """`before` with 1 to `count` behind it, an 'S' array (count,)."""
    return np.strings.add(before.encode(), _decimals(count + 1)[1:])


def _tokens(column: np.ndarray, before: str, after: str) -> np.ndarray:
    whole = column.dtype.kind == "i"
    if whole and column.min(initial=0) >= 0 and column.max(initial=0) <= 4 * len(column) + 1000:
        table, places = _decimals(int(column.max(initial=0)) + 1), column
    else:
        values, places = _different(column)
        table = np.array([_text(value) for value in values.tolist()], "S")
    around = np.strings.add(np.strings.add(before.encode(), table), after.encode())
    return around.take(places)


def _different(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values of a column, and which of them each row has."""
    if column.dtype.kind == "i":
        return np.unique(column, return_inverse=True)
    seen = Distinct()  # half of the time that sorting takes
    codes = seen.codes(column)
    return seen.values, codes


def _text(value: float) -> str:
    # no sign is safe inside a name, not that of an exponent either
    return label(value).replace("-", "m").replace("+", "")


def _decimals(stop: int) -> np.ndarray:
    """0 to stop-1 in decimals, an 'S' array (stop,): one division per digit, no Python ints."""
    width = len(str(stop - 1))
    text = np.zeros((stop, width), np.uint8)
    for digits in range(1, width + 1):
        low = 0 if digits == 1 else 10 ** (digits - 1)
        values = np.arange(low, min(10**digits, stop))
        for place in range(digits):
            text[low : low + len(values), digits - 1 - place] = values % 10 + ord("0")
            values = values // 10
    return text.view(f"S{width}").ravel()


def _longest(column: np.ndarray) -> int:
    if column.dtype.kind != "i":
        return max(len(_text(value)) for value in _different(column)[0].tolist())
    ends = (column.min(initial=0), column.max(initial=0))
    return max(len(_text(int(end))) for end in ends)


def _unique(columns: tuple[np.ndarray, ...]) -> bool:
    """True when there are index columns and no tuple occurs twice."""
    if not columns or _ascending(columns):
        return bool(columns)
    order = np.lexsort(columns[::-1])
    return _ascending(tuple(column[order] for column in columns))


def _ascending(columns: tuple[np.ndarray, ...]) -> bool:
    """True when the tuples ascend strictly, which blocks made by the compiler mostly do."""
    tied = np.ones(len(columns[0]) - 1, bool)
    for column in columns:
        step = np.diff(column)
        if (tied & (step < 0)).any():
            return False
        tied &= step == 0
    return not tied.any()


# --------------------------------- safe names: a block's name in the characters that files may hold

LONGEST = 96  # characters of a whole name; CBC's LP reader renames everything above 100

# Words of the LP and MPS formats, in any case; a strict reader takes them for its own.
# SCIP and Xpress take a member S1 of a special ordered set in MPS for the head of another one.
_WORDS = """
st s.t. subject such that to bin binary binaries int integer integers gen general generals free
inf infinity nan end bound bounds min minimum minimize minimise max maximum maximize maximise
sos sos1 sos2 s1 s2 semi semis sec sin range ranges rhs row rows column columns name endata objsense
quadobj marker intorg intend lazy user cuts constraint constraints
"""

_KEYWORDS = frozenset(_WORDS.split())

_EXPONENT = re.compile(r"[eE]([0-9].*)?")

# HiGHS's LP reader takes any word that begins so for a number, as strtod does.
_NUMBER = re.compile(r"inf|nan", re.IGNORECASE)

_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)")


def spell(names: list[str], room: list[int], taken: Iterable[str] = ()) -> list[str]:
    """A safe base name for each of `names`, of at most `room` characters, none twice or `taken`.

    A name that is safe already stays as it is. One that must change, or comes a second time,
    takes its transliteration when that is free and otherwise adds eight digits of its own hash,
    so that what a name becomes hardly depends on the others and never on the run.
    """
    plain = [_transliterated(name) for name in names]
    used = set(taken)
    spelt = [""] * len(names)
    safe = [p == n and len(p) <= r for p, n, r in zip(plain, names, room, strict=True)]
    for k in sorted(range(len(names)), key=lambda k: (not safe[k], not names[k].isascii())):
        base, salt = plain[k], 0
        while len(base) > room[k] or base in used:
            digest = blake2b(f"{names[k]}\0{salt}".encode(), digest_size=4).hexdigest()
            base, salt = f"{plain[k][: room[k] - 9]}_{digest}", salt + 1
        used.add(base)
        spelt[k] = base
    return spelt


def _transliterated(name: str) -> str:
    text = "".join(_letter(c) for c in unicodedata.normalize("NFKD", name))
    odd_start = not (text[:1].isalpha() or text[:1] == "_")
    if (
        odd_start
        or text.casefold() in _KEYWORDS
        or _EXPONENT.fullmatch(text)
        or _NUMBER.match(text)
    ):
        return f"_{text}"
    return text


def _letter(c: str) -> str:
    if c.isascii():
        return c if c.isalnum() or c in "_." else "_"
    if unicodedata.combining(c):
        return ""
    if greek := _GREEK.fullmatch(unicodedata.name(c, "")):
        word = greek[2].lower().replace("lamda", "lambda")  # Unicode's spelling of the letter
        return word if greek[1] == "SMALL" else word.capitalize()
    return f"u{ord(c):04x}"
