"""Specs from Python calls: the statements of the language, with names and texts escaped.

What a builder collects is a text, so everything that can be said in a .tree file can be said
here, every check is the language's own, and `text()` shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from treemip.api.statement_text import (
    columns,
    demand_one,
    ended,
    known,
    listing,
    number,
    part,
    quoted,
    renamed,
    settings,
    value,
    word,
)
from treemip.resolve.formulations import is_file, written
from treemip.source.diagnostic import refused
from treemip.source.span import Source

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.program import Program

Columns = str | Iterable[str]
How = str | Mapping[str, Any]


class Builder:
    """A spec in the making; every method that adds to it returns it.

        b = Builder("iris").data(frame, label="species", scale="minmax").topology(depth=2)
        b.split("oblique", by="soct", eps=0.01).minimize("misclassified + 0.5 * splits")
        result = b.compile().solve()

    `base` is the folder that data paths are taken from. Expressions and rows are texts of the
    language, of one statement each; comments in them stay. Raises TreemipError: E902 for values
    that no text can say, for texts that hold more and for those that end with a comma, and from
    `text`, `program` and `compile` whatever is wrong with the text, at its place in it.
    """

    def __init__(self, name: str = "spec", base: str | PathLike[str] = ".") -> None:
        if not name.isidentifier():
            raise refused(
                f"'{name}' is not a valid name for a spec",
                "use letters, digits and _, not starting with a digit",
            )
        self.name = name
        self.base = Path(base)
        self.table: Any = None
        self.statements: list[str] = []
        if name != "spec":
            self.statement(f"tree {name}")

    # ----------------------------------------------------------------------- data

    def data(
        self,
        source: Any,
        *,
        label: str | None = "class",
        label_number: bool = False,
        positive: str | float | None = None,
        use: Columns = (),
        drop: Columns = (),
        group: Columns | Mapping[str, str] = (),
        number: Columns | Mapping[str, str] = (),
        weight: str | None = None,
        id: str | None = None,
        encode: How | None = None,
        scale: How | None = None,
        bin: How | None = None,
        missing: How | None = None,
        marks: Columns = (),
        train: float | tuple[float, int] | str | None = None,
        separator: str | None = None,
    ) -> Self:
        """The table: a path, or a data frame, a mapping of columns or (X, y) in memory.

        `encode`, `scale`, `bin` and `missing` are a word of the language ("onehot",
        "minmax(0, 1)") for every column it fits, or a mapping of words to columns:
        {"minmax": ["age"], "none": "score"}. An order goes {"ordinal": {"size": ["low", "high"]}}.
        train: a share, (share, seed), or the language's words: "fold 2 of 5 seed 1".
        label: None for data without one. label_number: whether it is a number and no class.
        group, number: column names, or columns by the names that expressions use.
        """
        lines = ["label none" if label is None else f"label {columns(label)}"]
        lines[0] += " number" if label_number else ""
        lines[0] += "" if positive is None else f" positive {word(positive)}"
        for key, named in (("use", use), ("drop", drop), ("group", group), ("number", number)):
            text = renamed(named) if isinstance(named, Mapping) else columns(named)
            lines += [f"{key} {text}"] if text else []
        for key, one in (("weight", weight), ("id", id)):
            lines += [] if one is None else [f"{key} {columns(one)}"]
        for key, how in (("encode", encode), ("scale", scale), ("bin", bin)):
            lines += settings(key, how)
        lines += _missing(missing, marks)
        if train is not None:
            lines.append(f"train {_train(train)}")
        if separator is not None:
            lines.append("separator tab" if separator == "\t" else f"separator {quoted(separator)}")
        if isinstance(source, str | PathLike):
            path = str(source)
        else:
            path, self.table = "memory", source
        return self._block(f"data {quoted(path)}", lines)

    def topology(self, depth: int | None = None, *, shape: str | None = None) -> Self:
        """A complete tree of a depth, or one drawn with brackets: shape="((. .) .)"."""
        if (depth is None) == (shape is None):
            raise refused("a topology takes either a depth or a shape", "topology(depth=2)")
        if shape is not None:
            return self._one(f"topology shape {quoted(shape)}")
        return self._one(f"topology complete(depth = {part(value(depth))})")

    def split(self, kind: str, by: str | None = None, **parameters: object) -> Self:
        """The splits ("univariate", "oblique") and the formulation with its parameters.

        by: a name, or the path of a .tree file from the builder's folder.
        """
        if by is None and parameters:
            first = next(iter(parameters))
            raise refused(f"'{first}' is a formulation's parameter", 'name it: by="soct"')
        if by is not None and is_file(by):
            by = written(by)
        given = ", ".join(f"{k} = {part(value(v))}" for k, v in parameters.items())
        text = f"split {kind}" + (f" by {part(by)}" if by else "") + (f"({given})" if given else "")
        return self._one(text)

    # --------------------------------------------------------------------- algebra

    def param(self, name: str, worth: object, doc: str | None = None) -> Self:
        """A number or an expression by name; `name` may have a domain: "cost {j in features}".

        With a domain also a dictionary or Series of values by the index's names, as {"age": 2}, and
        for two indices one of dictionaries or a DataFrame; a sequence or array for an index that
        runs over the numbers from 1: "price {k in 1..3}".
        """
        return self._one(f"param {part(name)} = {known(name, worth)}", more=_doc(doc))

    def set(self, name: str, elements: str | Iterable[str]) -> Self:
        """An expression, "{i in points : weight[i] > 1}", or texts: ["none", "low", "high"]."""
        return self._one(f"set {part(name)} = {listing(name, elements)}")

    def let(self, name: str, expression: str) -> Self:
        return self._one(f"let {part(name)} = {expression}")

    def var(self, declaration: str, doc: str | None = None) -> Self:
        """For instance "late {l in leaves} binary" or "load >= 0, <= 10"."""
        return self._one(f"var {declaration}", more=_doc(doc))

    def minimize(self, expression: str, name: str | None = None) -> Self:
        return self._one(f"minimize {_named(name)}{expression}")

    def maximize(self, expression: str, name: str | None = None) -> Self:
        return self._one(f"maximize {_named(name)}{expression}")

    def subject_to(self, *rows: str) -> Self:
        """Rows with their names and domains: "few {t in branches}: sum {…} … <= budget"."""
        return self._one(*(f"subject to {row}" for row in rows))

    def cut(self, row: str) -> Self:
        """A valid inequality, added when `strategy(cuts=[…])` or `compile(cuts=[…])` names it."""
        return self._one(f"cut {row}")

    def drop(self, *names: str) -> Self:
        """Take families of the formulation's rows away."""
        return self._one(f"drop {', '.join(map(part, names))}")

    def strategy(self, **how: object) -> Self:
        """How to solve: start="cart", solver=, time_limit=, gap=, threads=, seed=, cuts=[…] …"""
        lines = []
        for key, said in how.items():
            many = said if isinstance(said, list | tuple) else [said]
            lines.append(f"{key} {', '.join(word(w) for w in many)}")
        return self._block("strategy", lines)

    def statement(self, text: str) -> Self:
        """Any statement of the language, as it stands; the other calls take one statement each."""
        self.statements.append(ended(text))
        return self

    def _one(self, *texts: str, more: str = "") -> Self:
        """Raises E902 where a caller's text in one ends the statement and begins another.

        more: what stands behind the text, before a comment at its end.
        """
        closed = [ended(text, more) for text in texts]
        for text in closed:
            demand_one(text)
        self.statements += closed
        return self

    def _block(self, head: str, settings: list[str]) -> Self:
        text = "\n".join([f"{head} {{", *map(ended, settings), "}"])
        demand_one(text, [s.split(None, 1)[0] for s in settings])
        self.statements.append(text)
        return self

    # ---------------------------------------------------------------------- results

    def text(self) -> str:
        """The spec as a .tree file in the canonical layout. Raises E1xx."""
        from treemip.syntax.format import format_text

        return format_text(self._source("\n".join(self.statements) + "\n"))

    def program(self, **parameters: object) -> Program:
        """The resolved spec; keyword arguments override parameters. Raises E1xx, E2xx."""
        from treemip.api.program import Program

        return Program(self._source(self.text()), parameters, self.base, self.table)

    def compile(
        self,
        cuts: str | Iterable[str] | None = None,
        *,
        target: str | None = None,
        **parameters: object,
    ) -> Compiled:
        """The model ready to be written or solved, as `Program.compile` gives it."""
        return self.program(**parameters).compile(cuts, target=target)

    def _source(self, text: str) -> Source:
        return Source(f"<{self.name}>", text)


def _named(name: str | None) -> str:
    return f"{part(name)}: " if name else ""


def _doc(doc: str | None) -> str:
    return "" if doc is None else " " + quoted(doc)


def _missing(missing: How | None, marks: Columns) -> list[str]:
    named = columns(marks, always=True)
    if not named:
        return settings("missing", missing)
    if missing is not None and not isinstance(missing, str):
        raise refused("marks need a single rule for missing values", 'missing="drop", marks=["?"]')
    return [f"missing {missing + ' ' if missing else ''}marks {named}"]


def _train(train: float | tuple[float, int] | str) -> str:
    if isinstance(train, str):
        return train
    if isinstance(train, tuple):
        share, seed = train
        return f"{number(share)} seed {number(seed)}"
    return number(train)
