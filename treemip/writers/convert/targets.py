"""The languages that a tree is written in, by name and by the suffix of the file."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import Literal

from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_splits import RawTree, raw_tree

PMML = "trees cannot be written as PMML: no maintained package writes it without Java"


@dataclass(frozen=True)
class Target:
    """A language of trees: the suffix of its files, and the module of this folder whose function
    of the same name writes a raw tree.

    randomized: which randomized trees it writes, all of them, those of classes, or none. is_query:
    whether it reads a table, and has dialects. is_text: whether its files are text, not bytes.
    """

    suffix: str
    module: str
    randomized: Literal["all", "classes", "none"] = "classes"
    is_query: bool = False
    is_text: bool = True

    def write(self, tree: RawTree, table: str | None, dialect: str | None) -> str | bytes:
        writer = getattr(import_module(f"treemip.writers.convert.{self.module}"), self.module)
        written = writer(tree, table, dialect) if self.is_query else writer(tree)
        return str(written) if self.is_text else bytes(written.SerializeToString())


TARGETS = {
    "rules": Target(".txt", "rules", randomized="none"),
    "python": Target(".py", "python_source"),
    "c": Target(".h", "c_source"),
    "rust": Target(".rs", "rust_source"),
    "sql": Target(".sql", "sql_query", is_query=True),
    "onnx": Target(".onnx", "onnx_model", randomized="all", is_text=False),
}
"""All languages by name. An entry is all that a new one needs beside its module."""


def written(
    tree: Tree, target: str, table: str | None = None, dialect: str | None = None
) -> str | bytes:
    """A tree in a language of `TARGETS`, as text, or bytes where its files are no text.

    table: what an SQL query reads; dialect: of sqlglot, standard SQL without. Raises E902 for
    another target, for what the target cannot carry and for options of SQL elsewhere; E602 without
    sqlglot or onnx; E701 for a tree that does not say how rows are encoded.
    """
    demand_target(target, table, dialect)
    raw = raw_tree(tree)
    _demand_written(tree, target)
    return TARGETS[target].write(raw, table, dialect)


def _demand_written(tree: Tree, target: str) -> None:
    """Raises E902 for a randomized tree that the language cannot carry."""
    if not isinstance(tree, RandomizedTree):
        return
    which = TARGETS[target].randomized
    if which == "none":
        message = "a randomized tree has no rules: every row reaches every leaf"
        raise _refusal(message, "write it as python, c, sql or onnx")
    if which == "classes" and tree.answer.kind == "value":
        message = f"a randomized tree that predicts values is not written as {target}"
        raise _refusal(message, "write it as ONNX: -o tree.onnx")


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
    is_query = TARGETS[target].is_query
    if table is not None and not is_query:
        raise _refusal("a table is for SQL only", "write the tree as SQL, or leave the table out")
    if dialect is not None and not is_query:
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
