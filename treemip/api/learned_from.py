"""What the objective and the measures of a saved tree on other rows are recomputed from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treemip.api.compare_saved import saved_values
from treemip.api.reverify import selected_data
from treemip.api.survival import survival_score
from treemip.core.instance.encoded_table import Data, Table
from treemip.core.instance.instance import Instance
from treemip.core.instance.labels import positive_class
from treemip.core.instance.side_tables import digests, with_tables
from treemip.core.instance.table import load_table
from treemip.core.lower.bind import bind
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.tree.measures import OfSpec
from treemip.core.tree.objective_on import on_points, resting_on_training
from treemip.core.tree.tree import Tree

if TYPE_CHECKING:
    from treemip.api.program import Program


class Words(NamedTuple):
    """A spec over the points that a tree was learned from, and the values of the variables that the
    tree is read from. missing: why these points are others than they should be; empty where they
    are not."""

    instance: Instance
    values: dict[str, np.ndarray]
    missing: str = ""

    def on(self, tree: Tree, table: Table) -> OfSpec:
        """The objective and the measures on a table's points, and how a survival tree does."""
        found = on_points(self.instance, tree, self.values, table)
        found = found.without(resting_on_training(self.instance.spec), self.missing)
        return found._replace(survival=survival_score(self.instance, tree, table, self.missing))


def words_for(
    document: dict[str, Any],
    tree: Tree,
    program: Program,
    path: str | Path,
    rows: Table,
    data: Data | None = None,
) -> Words:
    """What the objective and the measures of a saved tree are recomputed from.

    rows: stand in for the points it was learned from where these are not there. data: taken in
    place of the recorded file where they are the same. Raises TreemipError.
    """
    try:
        return Words(*_over(document, program, training_data(document, program, path, data)))
    except TreemipError as error:
        missing = f"it needs the training part, and {error.diagnostics[0].message}"
    spec = program.spec.data
    assert spec is not None and tree.encoder is not None
    table = rows.renumbered({tree.answer.of: tree.classes})
    positive = positive_class(spec, tree.encoder.classes)
    stand_in = Data(table, None, tree.encoder, positive, "")
    return Words(*_over(document, program, stand_in), missing)


def training_data(
    document: dict[str, Any], program: Program, path: str | Path, data: Data | None = None
) -> Data:
    """The data that a saved tree was learned from. data: as of `words_for`. Raises TreemipError
    where the file is not there, or is another one than it was."""
    recorded = document["spec"]
    if data is None or data.digest != recorded["data_sha256"]:
        if recorded["from_memory"] is not False or program.spec.data is None:
            raise _not_there("the tree was learned from data in memory")
        data = load_table(program.spec.data, program.base)
        if data.digest != recorded["data_sha256"]:
            raise _changed(program.spec.data.path)
    data = with_tables(program.spec, data, program.base)
    tables = recorded.get("tables_sha256", {})
    for file, sha256 in digests(data).items():
        if tables.get(file) != sha256:
            raise _changed(file)
    return selected_data(document, program, data, path)


def _over(
    document: dict[str, Any], program: Program, data: Data
) -> tuple[Instance, dict[str, np.ndarray]]:
    spec = replace(program.spec, requirements=())
    instance = bind(spec, with_tables(spec, data, program.base))
    return instance, saved_values(document, instance, bounded=False)


def _changed(file: str) -> TreemipError:
    return _not_there(f"'{file}' is not the file that the tree was learned from")


def _not_there(why: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E701", why))
