"""The languages that a tree is written in, by name and by the suffix of the file.

Commands list them before anything is computed, so this module imports no tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from treemip.core.source.diagnostic import refused
from treemip.core.source.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from treemip.core.tree.tree import Tree
    from treemip.writers.convert.raw_splits import RawTree

PMML = "trees cannot be written as PMML: no maintained package writes it without Java"


@dataclass(frozen=True)
class Target:
    """A language of trees: the suffix of its files, the module of this folder whose function of
    the same name writes a raw tree, and what that is, for the table of docs/convert.md.

    randomized: which randomized trees it writes, all of them, those of classes, or none. is_query:
    whether it reads a table, and has dialects. is_text: whether its files are text, not bytes.
    """

    suffix: str
    module: str
    what: str
    randomized: Literal["all", "classes", "none"] = "classes"
    is_query: bool = False
    is_text: bool = True

    def write(self, tree: RawTree, table: str | None, dialect: str | None) -> str | bytes:
        writer = getattr(import_module(f"{__package__}.{self.module}"), self.module)
        written = writer(tree, table, dialect) if self.is_query else writer(tree)
        return str(written) if self.is_text else bytes(written.SerializeToString())


_PREDICT = "with `predict(row)`, `probabilities(row)` and `CLASSES`"

TARGETS = {
    "rules": Target(
        ".txt",
        "rules",
        "one rule for each leaf, as text, with its points and shares",
        randomized="none",
    ),
    "python": Target(".py", "python_source", f"a module {_PREDICT}"),
    "javascript": Target(".mjs", "javascript_source", f"a module of ECMAScript {_PREDICT}"),
    "c": Target(
        ".h",
        "c_source",
        "a C99 header with `struct tree_row`, `tree_predict(&row)`, `tree_probabilities(&row, p)` "
        "and `tree_classes`",
    ),
    "rust": Target(
        ".rs",
        "rust_source",
        "a Rust module with `Row`, `predict(&row)`, `probabilities(&row)` and `CLASSES`",
    ),
    "sql": Target(
        ".sql",
        "sql_query",
        "a query of all rows of a table with the columns `prediction` and `P(class)`",
        is_query=True,
    ),
    "onnx": Target(
        ".onnx",
        "onnx_model",
        "an ONNX model in double precision; `pip install '.[onnx]'`",
        randomized="all",
        is_text=False,
    ),
}
"""All languages by name. An entry is all that a new one needs beside its module: the command's
options, what it completes, its messages and the table of docs/convert.md are made from it."""


SUFFIXES = {target.suffix: name for name, target in TARGETS.items()}
"""The language by the suffix of its files."""


def either(names: Iterable[str]) -> str:
    """`a, b or c`"""
    *others, last = names
    return f"{', '.join(others)} or {last}"


def reference() -> str:
    """All languages as Markdown, for docs/convert.md."""
    lines = ["| suffix | `--to` | what is written |", "|---|---|---|"]
    lines += [f"| `{one.suffix}` | `{name}` | {one.what} |" for name, one in TARGETS.items()]
    return "\n".join(lines)


def written(
    tree: Tree, target: str, table: str | None = None, dialect: str | None = None
) -> str | bytes:
    """A tree in a language of `TARGETS`, as text, or bytes where its files are no text.

    table: what an SQL query reads; dialect: of sqlglot, standard SQL without. Raises E902 for
    another target, for what the target cannot carry and for options of SQL elsewhere; E602 without
    sqlglot or onnx; E701 for a tree that does not say how rows are encoded.
    """
    from treemip.writers.convert.raw_splits import raw_tree

    demand_target(target, table, dialect)
    raw = raw_tree(tree)
    if raw.is_randomized:
        _demand_randomized(target, raw.predicts_values)
    return TARGETS[target].write(raw, table, dialect)


def _demand_randomized(target: str, values: bool) -> None:
    """Raises E902 for a language without randomized trees. values: that predict values."""
    which = TARGETS[target].randomized
    if which == "none":
        others = either(name for name, one in TARGETS.items() if one.randomized != "none")
        message = "a randomized tree has no rules: every row reaches every leaf"
        raise refused(message, f"write it as {others}")
    if which == "classes" and values:
        message = f"a randomized tree that predicts values is not written as {target}"
        raise refused(message, "write it as ONNX: -o tree.onnx")


def converted(tree: Tree, target: str, table: str | None = None, dialect: str | None = None) -> str:
    """`written` as text. Raises E902 also for a language whose files are no text."""
    demand_target(target, table, dialect)
    if not TARGETS[target].is_text:
        raise refused(f"{target} is not text", f"tree.to_{target}() is the model")
    text = written(tree, target, table, dialect)
    assert isinstance(text, str)
    return text


def demand_target(target: str, table: str | None, dialect: str | None) -> None:
    """Raises E902 for an unknown target, and for options of SQL with another one."""
    if target.lower() == "pmml":
        raise refused(PMML, "write it as onnx")
    if target not in TARGETS:
        message = f"trees cannot be written as '{target}'"
        remedy = f"{did_you_mean(target, TARGETS)} there are {listed(TARGETS)}".lstrip()
        raise refused(message, remedy)
    is_query = TARGETS[target].is_query
    if table is not None and not is_query:
        raise refused("a table is for SQL only", "write the tree as SQL, or leave the table out")
    if dialect is not None and not is_query:
        raise refused("a dialect is for SQL only", "write the tree as SQL, or leave it out")


def target_of(path: PurePath) -> str:
    """The target that the suffix of a file names. Raises E902."""
    if path.suffix.lower() == ".pmml":
        raise refused(PMML, "write it as ONNX: -o tree.onnx")
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        message = f"no format for trees has the suffix of '{path}'"
        near = did_you_mean(path.suffix, SUFFIXES)
        raise refused(message, f"{near} use one of {', '.join(SUFFIXES)}, or set --to".lstrip())
    return found
