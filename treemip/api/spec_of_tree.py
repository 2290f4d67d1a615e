"""What the spec of a tree says of it on rows that it was not learned from: of one that was solved,
and of one that was saved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemip.core.instance.labels import positive_class
from treemip.core.instance.saved_answers import saved_answers
from treemip.core.instance.table import other_rows
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.tree.leaf_shares import class_weights

if TYPE_CHECKING:
    import numpy as np

    from treemip.core.instance.instance import Instance
    from treemip.core.instance.raw_table import RawTable
    from treemip.core.resolve.settings.data_spec import DataSpec
    from treemip.core.tree.measures import OfSpec
    from treemip.core.tree.tree import Tree


def name_of_text(source: str) -> str:
    """What a spec is called, from the name of its source; "" of a text that is no file, whose
    source is `<text>` or the like."""
    return "" if source.startswith("<") else Path(source).stem


def _file(data: DataSpec) -> str:
    return Path(data.path).name


@dataclass(frozen=True, eq=False, repr=False)
class SolvedSpec:
    """The spec over the points that the tree was learned from, and the values of its variables."""

    instance: Instance
    values: dict[str, np.ndarray]

    def on_rows(self, tree: Tree, rows: RawTable, file: str) -> OfSpec:
        from treemip.api.survival import survival_score
        from treemip.core.tree.measures import OfSpec
        from treemip.core.tree.objective_on import on_points

        spec = self.instance.spec
        assert spec.data is not None and tree.encoder is not None
        try:
            answers = self.instance.data.answers if self.instance.data is not None else ()
            table = other_rows(spec.data, rows, tree.encoder, file, answers)
            found = on_points(self.instance, tree, self.values, table)
            return found._replace(survival=survival_score(self.instance, tree, table))
        except TreemipError as error:
            return OfSpec.unknown(spec, error)

    def names(self) -> tuple[str, str]:
        data = self.instance.spec.data
        return ("", "") if data is None else (name_of_text(data.span.source.name), _file(data))

    def positive(self, tree: Tree) -> int | None:
        return None if self.instance.data is None else self.instance.data.positive

    def leaf_weights(self, tree: Tree) -> np.ndarray | None:
        data = self.instance.data
        return None if data is None else class_weights(tree, data.whole)


@dataclass(frozen=True, eq=False, repr=False)
class SavedSpec:
    """The spec that a tree.json records. document: the file as it stands."""

    document: dict[str, Any]
    path: str | Path

    def on_rows(self, tree: Tree, rows: RawTable, file: str) -> OfSpec:
        """The training part is read again, where it is found."""
        # Imported here: who loads a tree needs no grammar.
        from treemip.api.learned_from import words_for
        from treemip.api.recorded_program import recorded_program
        from treemip.core.tree.measures import OBJECTIVE, OfSpec

        spec = None
        try:
            program = recorded_program(self.document, self.path)
            spec = program.spec
            assert spec.data is not None and tree.encoder is not None
            answers = saved_answers(spec.data, program.base)
            table = other_rows(spec.data, rows, tree.encoder, file, answers)
            return words_for(self.document, tree, program, self.path, table).on(tree, table)
        except TreemipError as error:
            why = error
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            why = TreemipError(Diagnostic.outside("E701", f"'{self.path}' is damaged"))
        if spec is None:
            return OfSpec(None, {}, {OBJECTIVE: why.diagnostics[0].message})
        return OfSpec.unknown(spec, why)

    def names(self) -> tuple[str, str]:
        from treemip.api.recorded_program import recorded_program

        spec = self.document.get("spec")
        name = name_of_text(str(spec.get("name") or "")) if isinstance(spec, dict) else ""
        try:
            data = recorded_program(self.document, self.path).spec.data
            return name, "" if data is None else _file(data)
        except TreemipError:  # what the file says of its spec is damaged
            return name, ""

    def positive(self, tree: Tree) -> int | None:
        from treemip.api.recorded_program import recorded_program

        try:
            data = recorded_program(self.document, self.path).spec.data
            if data is None or tree.encoder is None:
                return None
            return positive_class(data, tree.encoder.classes)
        except TreemipError:  # what the file says of its spec is damaged
            return None

    def leaf_weights(self, tree: Tree) -> np.ndarray | None:
        """Those of a file that does not have them: the points that it counts where the spec neither
        weighs nor selects them, and else the training part, read again where it is found."""
        from treemip.api.learned_from import training_data
        from treemip.api.recorded_program import recorded_program

        try:
            program = recorded_program(self.document, self.path)
            data, chosen = program.spec.data, program.spec.strategy.select
            plain = data is not None and data.weight is None and chosen is None
            if plain and tree.counts is not None:
                return tree.counts.astype(float)
            return class_weights(tree, training_data(self.document, program, self.path).whole)
        except TreemipError as error:
            unknown = "the weights of the training points in its leaves are not known"
            why = (
                f"'{self.path}' has no probabilities: {unknown}, as {error.diagnostics[0].message}"
            )
            remedy = "put the data where they were, or solve again with -o"
            raise TreemipError(Diagnostic.outside("E701", why, remedy)) from None
