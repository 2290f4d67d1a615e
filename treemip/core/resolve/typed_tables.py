"""Resolved tables: a parameter's values by the names of its indices."""

from __future__ import annotations

from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import Element, Number


class Key(t.Typed):
    """What a table calls an element: its name, or a number where the index is one.

    The name of a column stands for all features made of it. Looked up with the data.
    """

    name: str | float
    of: Element | Number


class Table(t.Typed):
    """The value beside the key of `index`; `default` where no key is, if there is one.

    A table over two indices has tables over the second one as its values.
    """

    index: t.Bound
    keys: tuple[Key, ...]
    values: tuple[t.Typed, ...]
    default: t.Typed | None = None


class FileTable(t.Typed):
    """Values from a file of its own, `path` from the folder of the text.

    `keys` are the columns that name each index, None where the columns are taken in the file's
    order. `value` is the column of the values, None for the only one left. In a matrix `header`
    is the position of the index whose elements are the names of the columns.
    """

    indices: tuple[t.Bound, ...]
    path: str
    keys: tuple[str | None, ...]
    value: str | None = None
    header: int | None = None
    separator: str | None = None
    default: t.Typed | None = None
