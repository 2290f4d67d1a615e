"""What a data block makes known to expressions: its named columns, and what the label is."""

from __future__ import annotations

from dataclasses import dataclass

from treemip.resolve.settings.data_spec import DataSpec, Ref, as_column
from treemip.source.diagnostic import Diagnostic, Related
from treemip.source.span import Span


@dataclass(frozen=True)
class DataNames:
    """What a data block makes known: its groups, its known numbers, and what the label is.

    `label` is the setting's column, None for a text without data.
    """

    groups: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    label_kind: str = "class"
    label: Ref | None = None

    @classmethod
    def of(cls, data: DataSpec | None) -> DataNames:
        if data is None:
            return cls()
        groups, numbers = (tuple(ref.name for ref in refs) for refs in (data.group, data.number))
        return cls(groups, numbers, data.label_kind, data.label)

    def without_classes(self, name: str, span: Span, numbers: bool = False) -> Diagnostic:
        """The error of a name that needs classes, or a label at all, where there are none.

        numbers: whether it would take a label of numbers.
        """
        assert self.label is not None
        if self.label_kind == "none":
            related = (Related(self.label.span, "there is no label"),)
            remedy = f"name the label's column: label {'price number' if numbers else 'class'};"
            return Diagnostic("E208", f"'{name}' needs a label", span, remedy, related=related)
        column = as_column(self.label.text)
        message = f"'{name}' needs a label of classes, but '{self.label.text}' is read as numbers"
        remedy = (
            f"write  label {column};  to make a class of each number, or state the model with "
            "y[i], which is a number"
        )
        related = (Related(self.label.span, "read as numbers here"),)
        return Diagnostic("E206", message, span, remedy, related=related)

    def without_numbers(self, name: str, span: Span) -> Diagnostic:
        """The error of a formulation that predicts numbers, where the label is read as classes."""
        assert self.label is not None
        message = f"'{name}' predicts numbers, but the label '{self.label.text}' is read as classes"
        remedy = f"write in the data block:  label {as_column(self.label.text)} number;"
        related = (Related(self.label.span, "read as classes here"),)
        return Diagnostic("E206", message, span, remedy, related=related)
