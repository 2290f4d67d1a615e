"""The languages that a tree is written in, by name and by the suffix of the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.suggest import did_you_mean, listed
from treemip.tree.convert.raw_splits import RawTree, raw_tree
from treemip.tree.randomized import RandomizedTree
from treemip.tree.tree import Tree

PMML = "trees cannot be written as PMML: no maintained package writes it without Java"

Writer = Callable[[RawTree, str | None, str | None], str | bytes]


@dataclass(frozen=True)
class Target:
    """A language of trees: the suffix of its files, what writes it, given a tree, the table of a
    query and the dialect of SQL, and whether that is text rather than bytes."""

    suffix: str
    write: Writer
    is_text: bool = True


def _rules(tree: RawTree, table: str | None, dialect: str | None) -> str:
    from treemip.tree.convert.rules import rules

    if isinstance(tree.tree, RandomizedTree):
        message = "a randomized tree has no rules: every row reaches every leaf"
        raise _refusal(message, "write it as python, c, sql or onnx")
    return rules(tree)


def _python(tree: RawTree, table: str | None, dialect: str | None) -> str:
    from treemip.tree.convert.python_source import python_source

    _demand_classes(tree, "python")
    return python_source(tree)


def _c(tree: RawTree, table: str | None, dialect: str | None) -> str:
    from treemip.tree.convert.c_source import c_source

    _demand_classes(tree, "c")
    return c_source(tree)


def _sql(tree: RawTree, table: str | None, dialect: str | None) -> str:
    from treemip.tree.convert.sql_query import TABLE, sql_query

    _demand_classes(tree, "sql")
    query = sql_query(tree, TABLE if table is None else table)
    if dialect is None:
        return query
    from treemip.tree.convert.sql_dialect import translated

    return translated(query, dialect)


def _onnx(tree: RawTree, table: str | None, dialect: str | None) -> bytes:
    from treemip.tree.convert.onnx_model import onnx_model

    return bytes(onnx_model(tree).SerializeToString())


def _demand_classes(tree: RawTree, target: str) -> None:
    if tree.predicts_values and isinstance(tree.tree, RandomizedTree):
        message = f"a randomized tree that predicts values is not written as {target}"
        raise _refusal(message, "write it as ONNX: -o tree.onnx")


TARGETS = {
    "rules": Target(".txt", _rules),
    "python": Target(".py", _python),
    "c": Target(".h", _c),
    "sql": Target(".sql", _sql),
    "onnx": Target(".onnx", _onnx, is_text=False),
}
"""All languages by name. An entry is all that a new one needs."""


def written(
    tree: Tree, target: str, table: str | None = None, dialect: str | None = None
) -> str | bytes:
    """A tree in a language of `TARGETS`, as text, or bytes where its files are no text.

    table: what an SQL query reads; dialect: of sqlglot, standard SQL without. Raises E902 for
    another target, for what the target cannot carry and for options of SQL elsewhere; E602 without
    sqlglot or onnx; E701 for a tree that does not say how rows are encoded.
    """
    demand_target(target, table, dialect)
    return TARGETS[target].write(raw_tree(tree), table, dialect)


def converted(tree: Tree, target: str, table: str | None = None, dialect: str | None = None) -> str:
    """`written` as text. Raises E902 also for a language whose files are no text."""
    demand_target(target, table, dialect)
    if not TARGETS[target].is_text:
        raise _refusal(f"{target} is not text", f"tree.to_{target}() is the model")
    text = written(tree, target, table, dialect)
    assert isinstance(text, str)
    return text


def demand_target(target: str, table: str | None, dialect: str | None) -> None:
    """Raises E902 for an unknown target, and for options of SQL with another one."""
    if target.lower() == "pmml":
        raise _refusal(PMML, "write it as onnx")
    if target not in TARGETS:
        message = f"trees cannot be written as '{target}'"
        remedy = f"{did_you_mean(target, TARGETS)} there are {listed(TARGETS)}".lstrip()
        raise _refusal(message, remedy)
    if table is not None and target != "sql":
        raise _refusal("a table is for SQL only", "write the tree as SQL, or leave the table out")
    if dialect is not None and target != "sql":
        raise _refusal("a dialect is for SQL only", "write the tree as SQL, or leave it out")


def target_of(path: PurePath) -> str:
    """The target that the suffix of a file names. Raises E902."""
    if path.suffix.lower() == ".pmml":
        raise _refusal(PMML, "write it as ONNX: -o tree.onnx")
    names = {target.suffix: name for name, target in TARGETS.items()}
    found = names.get(path.suffix.lower())
    if found is None:
        suffixes = ", ".join(names)
        message = f"no format for trees has the suffix of '{path}'"
        raise _refusal(message, f"use one of {suffixes}, or set --to")
    return found


def _refusal(message: str, remedy: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E902", message, remedy))
