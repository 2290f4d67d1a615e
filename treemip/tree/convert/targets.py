"""The languages that a tree is written in, by name and by the suffix of the file."""

from __future__ import annotations

from pathlib import PurePath

from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.suggest import did_you_mean, listed
from treemip.tree.convert.raw_splits import raw_tree
from treemip.tree.randomized import RandomizedTree
from treemip.tree.tree import Tree

SUFFIXES = {"rules": ".txt", "python": ".py", "c": ".h", "sql": ".sql", "onnx": ".onnx"}
"""Targets, and the suffix of a file by which each is chosen."""

PMML = "trees cannot be written as PMML: no maintained package writes it without Java"


def converted(tree: Tree, target: str, table: str | None = None, dialect: str | None = None) -> str:
    """The text of a tree in a language of `SUFFIXES`, all but ONNX.

    table: what an SQL query reads; dialect: of sqlglot, standard SQL without. Raises E902 for
    another target, for rules of a randomized tree and for options of SQL elsewhere; E602 without
    sqlglot; E701 for a tree that does not say how rows are encoded.
    """
    demand_target(target, table, dialect)
    if target == "onnx":
        raise _refusal("an ONNX model is not text", "tree.to_onnx() is the model")
    if target == "rules" and isinstance(tree, RandomizedTree):
        message = "a randomized tree has no rules: every row reaches every leaf"
        raise _refusal(message, "write it as python, c, sql or onnx")
    if tree.answer.kind == "value" and isinstance(tree, RandomizedTree):
        message = f"a randomized tree that predicts values is not written as {target}"
        raise _refusal(message, "write it as ONNX: -o tree.onnx")
    raw = raw_tree(tree)
    if target == "rules":
        from treemip.tree.convert.rules import rules

        return rules(raw)
    if target == "python":
        from treemip.tree.convert.python_source import python_source

        return python_source(raw)
    if target == "c":
        from treemip.tree.convert.c_source import c_source

        return c_source(raw)
    from treemip.tree.convert.sql_query import TABLE, sql_query

    query = sql_query(raw, TABLE if table is None else table)
    if dialect is None:
        return query
    from treemip.tree.convert.sql_dialect import translated

    return translated(query, dialect)


def demand_target(target: str, table: str | None, dialect: str | None) -> None:
    """Raises E902 for an unknown target, and for options of SQL with another one."""
    if target.lower() == "pmml":
        raise _refusal(PMML, "write it as onnx")
    if target not in SUFFIXES:
        message = f"trees cannot be written as '{target}'"
        remedy = f"{did_you_mean(target, SUFFIXES)} there are {listed(SUFFIXES)}".lstrip()
        raise _refusal(message, remedy)
    if table is not None and target != "sql":
        raise _refusal("a table is for SQL only", "write the tree as SQL, or leave the table out")
    if dialect is not None and target != "sql":
        raise _refusal("a dialect is for SQL only", "write the tree as SQL, or leave it out")


def target_of(path: PurePath) -> str:
    """The target that the suffix of a file names. Raises E902."""
    if path.suffix.lower() == ".pmml":
        raise _refusal(PMML, "write it as ONNX: -o tree.onnx")
    found = {suffix: target for target, suffix in SUFFIXES.items()}.get(path.suffix.lower())
    if found is None:
        suffixes = ", ".join(SUFFIXES.values())
        message = f"no format for trees has the suffix of '{path}'"
        raise _refusal(message, f"use one of {suffixes}, or set --to")
    return found


def _refusal(message: str, remedy: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E902", message, remedy))
