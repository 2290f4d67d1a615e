"""A spec and its instance as the parts of a script: data, variables, definitions, rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treemip.instance.instance import Instance
from treemip.resolve.spec import Constraint
from treemip.resolve.typed import Role, Symbol
from treemip.scripts.decided import Decided
from treemip.scripts.expressions import Auxiliary
from treemip.scripts.heading import comment, heading, one_line
from treemip.scripts.known import Known
from treemip.scripts.names import Names, reserve
from treemip.scripts.python.auxiliaries import auxiliary, ranges_table
from treemip.scripts.python.definitions import definition, extended
from treemip.scripts.python.expressions import PythonExpressions
from treemip.scripts.python.layout import WIDTH, folded
from treemip.scripts.python.rows import constraint_lines
from treemip.scripts.python.variables import variable_line
from treemip.scripts.tables import json_text
from treemip.source.span import Span


@dataclass(frozen=True)
class Script:
    """Lines of Python by part; `data` is the text of the data file.

    degree: "linear", "quadratic" or "nonlinear", products with binaries not counted. curved:
    whether the objective is not linear, such products counted.
    """

    loads: tuple[str, ...]
    variables: tuple[str, ...]
    definitions: tuple[str, ...]
    rows: tuple[str, ...]
    objective: str
    sense: str
    name: str
    paper: str
    data: str
    feasibility: float | None
    degree: str
    curved: bool


class Writing:
    """Writes the parts in an order in which each tells what the others must hold."""

    def __init__(self, instance: Instance, constraints: Sequence[Constraint], decided: Decided):
        self.instance, self.spec, self.decided = instance, instance.spec, decided
        self.constraints = constraints
        self.known, names = Known(instance), Names()
        reserve(names, instance)
        self.write = PythonExpressions(self.known, names)

    def script(self) -> Script:
        spec, write = self.spec, self.write
        said = spec.objective
        objective = "0" if said is None else write.text(said.value)
        rows = [constraint_lines(write, c, self.decided) for c in self.constraints]
        definitions = self._definitions()
        variables = [variable_line(write, s) for s in spec.variables if self._wanted(s)]
        return Script(
            tuple(self._loads()),
            tuple(variables),
            tuple(definitions),
            tuple(text for text in rows if text),
            folded(objective, WIDTH - len("objective = "), bracketed=False),
            "minimize" if said is None else said.sense,
            *heading(spec),
            json_text(self.known.tables),
            spec.strategy.feasibility,
            self.decided.degree,
            self.decided.curved,
        )

    def _loads(self) -> list[str]:
        found = []
        for name, table in self.known.tables.items():
            how = f'table("{name}")' if table.columns else f'data["{name}"]'
            doc = one_line(table.doc)
            line = f"{name} = {how}  # {doc}".removesuffix("  # ")
            found.append(line if len(line) <= WIDTH else f"{comment(doc)}\n{name} = {how}")
        return found

    def _wanted(self, s: Symbol) -> bool:
        return s in self.write.symbols or self.known.frame(s)[0].size > 0

    def _definitions(self) -> list[str]:
        """Functions for all that is mentioned, and for what these mention."""
        write = self.write
        done: dict[object, str] = {}
        while True:
            symbols = [s for s in write.symbols if s not in done]
            found = [key for key in write.auxiliaries if key not in done]
            if not symbols and not found:
                extensions = [extended(write, s) for s in self.spec.variables]
                return [text for text in (*extensions, *done.values()) if text]
            for s in symbols:
                done[s] = "" if s.role is Role.VARIABLE else definition(write, s)
            for key in list(write.auxiliaries):
                if key not in done:
                    a = write.auxiliaries[key]
                    done[key] = auxiliary(write, a, self._ranges(a, key))

    def _ranges(self, a: Auxiliary, key: tuple[Span, str]) -> str:
        """The table of the arguments' ranges; none where inequalities are exact."""
        blocks = self.decided.ranges.get(key)
        if not blocks:
            return ""
        name = self.write.names.of(("ranges", key), f"{a.name}_ranges")
        self.known.tables[name] = ranges_table(self.instance, a, list(blocks))
        return name
