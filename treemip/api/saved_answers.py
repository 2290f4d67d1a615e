"""A saved tree whose answers to its points a spec asks for, as in `changes("old.json")`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treemip.api.store import read_tree
from treemip.core.instance.columns import Column, with_marks
from treemip.core.instance.row_location import RowLocation
from treemip.core.resolve.settings.data_spec import SavedTree
from treemip.core.source.diagnostic import Diagnostic, TreemipError, fail
from treemip.core.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class TreeAnswers:
    """The tree of a file. asked: where the spec names it."""

    asked: SavedTree
    tree: Tree
    digest: str

    @property
    def name(self) -> str:
        return self.asked.name

    @property
    def path(self) -> str:
        return self.asked.path

    @property
    def columns(self) -> tuple[str, ...]:
        encoder = self.tree.fitted_encoder()
        return tuple(f.column for f in (*encoder.features, *encoder.kept))

    def numbers(
        self, columns: Mapping[str, Column], classes: tuple[str, ...], place: RowLocation
    ) -> np.ndarray:
        """See `SavedAnswers`."""
        tree, encoder = self.tree, self.tree.fitted_encoder()
        if tree.answer.kind != "value" and not tree.predicts_label:
            self._unfit(f"answers with '{tree.answer.of}', not with the label's classes")
        if (tree.answer.kind == "value") is bool(classes):
            kinds = ("numbers", "classes") if classes else ("classes", "numbers")
            self._unfit(f"answers {kinds[0]}, and the label has {kinds[1]}")
        own = {k: with_marks(columns[k], encoder.marks) for k in self.columns if k in columns}
        try:
            x = encoder.inputs(own, place)
        except TreemipError as error:
            first = error.diagnostics[0]
            message = f"'{self.path}' cannot answer: {first.message}"
            raise TreemipError(
                Diagnostic(first.code, message, self.asked.span, first.remedy)
            ) from None
        if tree.answer.kind == "value":
            return tree.values(x)
        number = {name: k + 1.0 for k, name in enumerate(classes)}
        return np.array([number.get(name, 0.0) for name in tree.classes])[tree.predict_numbers(x)]

    def _unfit(self, why: str) -> None:
        fail("E302", f"'{self.path}' {why}", self.asked.span, "name a tree of the same label")


def read(asked: SavedTree, base: Path) -> TreeAnswers:
    """Raises TreemipError at the place where the spec names the file: E701, E901."""
    path = base / asked.path
    try:
        _, tree = read_tree(path)
        tree.fitted_encoder()
    except TreemipError as error:
        first = error.diagnostics[0]
        message = first.message.replace(str(path), asked.path)
        raise TreemipError(Diagnostic(first.code, message, asked.span, first.remedy)) from None
    return TreeAnswers(asked, tree, hashlib.sha256(path.read_bytes()).hexdigest())
