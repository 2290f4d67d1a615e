"""The languages that a tree is written in, by name and by the suffix of the file."""

from __future__ import annotations

from pathlib import PurePath

from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.suggest import did_you_mean, listed
from treemip.tree.convert.raw_splits import raw_tree
from treemip.tree.randomized import RandomizedTree
from treemip.tree.tree import Tree

SUFFIXES = {"rules": ".txt", "python": ".py", "c": ".h", "sql": ".sql"}
"""Targets, and the suffix of a file by which each is chosen."""


def converted(tree: Tree, target: str, table: str | None = None) -> str:
    """The text of a tree in a language of `SUFFIXES`; table: what an SQL query reads.

    Raises E902 for an unknown target, for rules of a randomized tree and for a table elsewhere;
    E701 for a tree that does not say how rows are encoded.
    """
    if target not in SUFFIXES:
        message = f"trees cannot be written as '{target}'"
        remedy = f"{did_you_mean(target, SUFFIXES)} there are {listed(SUFFIXES)}".lstrip()
        raise _refusal(message, remedy)
    if table is not None and target != "sql":
        raise _refusal("a table is for SQL only", "write the tree as SQL, or leave the table out")
    if target == "rules" and isinstance(tree, RandomizedTree):
        message = "a randomized tree has no rules: every row reaches every leaf"
        raise _refusal(message, "write it as python, c or sql")
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

    return sql_query(raw, TABLE if table is None else table)


def target_of(path: PurePath) -> str:
    """The target that the suffix of a file names. Raises E902."""
    found = {suffix: target for target, suffix in SUFFIXES.items()}.get(path.suffix.lower())
    if found is None:
        suffixes = ", ".join(SUFFIXES.values())
        message = f"no format for trees has the suffix of '{path}'"
        raise _refusal(message, f"use one of {suffixes}, or set --to")
    return found


def _refusal(message: str, remedy: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E902", message, remedy))
