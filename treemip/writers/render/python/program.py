"""A spec and its instance as a script for a Python package: its parts, and the whole text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from treemip.core.instance.instance import Instance
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.source.span import Span
from treemip.writers.render.names import Names, reserve
from treemip.writers.render.python.declarations import (
    auxiliary,
    constraint_lines,
    definition,
    extended,
    ranges_table,
    variable_line,
)
from treemip.writers.render.python.dialect import Auxiliary, PythonDialect
from treemip.writers.render.python.layout import WIDTH, folded, pruned
from treemip.writers.render.reformulations import ReformFacts, formulas
from treemip.writers.render.tables import ScriptData, json_text
from treemip.writers.render.text import comment, heading, in_docstring, one_line, templates


@dataclass(frozen=True)
class Script:
    """Lines of Python by part; `data` is the text of the data file.

    formulas: of reformulations, for the functions of the template that state them.
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
    formulas: Mapping[str, Mapping[str, str]]
    feasibility: float | None
    degree: str
    curved: bool


class Writing:
    """Writes the parts in an order in which each knows what the earlier ones mention."""

    def __init__(self, instance: Instance, constraints: Sequence[Constraint], facts: ReformFacts):
        self.instance, self.spec, self.facts = instance, instance.spec, facts
        self.constraints = constraints
        self.data, names = ScriptData(instance), Names()
        reserve(names, instance)
        self.write = PythonDialect(self.data, names)

    def script(self) -> Script:
        spec, write = self.spec, self.write
        objective = "0" if spec.objective is None else write.text(spec.objective.value)
        rows = [constraint_lines(write, c, self.facts) for c in self.constraints]
        definitions = self._definitions()
        variables = [variable_line(write, s) for s in spec.variables if self._wanted(s)]
        return Script(
            tuple(self._loads()),
            tuple(variables),
            tuple(definitions),
            tuple(text for text in rows if text),
            folded(objective, WIDTH - len("objective = "), bracketed=False),
            "minimize" if spec.objective is None else spec.objective.sense,
            *heading(spec),
            json_text(self.data.tables),
            formulas(),
            spec.strategy.feasibility,
            self.facts.degree,
            self.facts.curved,
        )

    def _loads(self) -> list[str]:
        loads = []
        for name, table in self.data.tables.items():
            how = f'table("{name}")' if table.columns else f'data["{name}"]'
            doc = one_line(table.doc)
            line = f"{name} = {how}  # {doc}".removesuffix("  # ")
            loads.append(line if len(line) <= WIDTH else f"{comment(doc)}\n{name} = {how}")
        return loads

    def _wanted(self, s: Symbol) -> bool:
        return s in self.write.symbols or self.data.frame(s)[0].size > 0

    def _definitions(self) -> list[str]:
        """Functions for all that is mentioned, and for what these mention."""
        write = self.write
        done: dict[object, str] = {}
        while True:
            symbols = [s for s in write.symbols if s not in done]
            auxiliaries = [key for key in write.auxiliaries if key not in done]
            if not symbols and not auxiliaries:
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
        blocks = self.facts.ranges.get(key)
        if not blocks:
            return ""
        name = self.write.names.of(("ranges", key), f"{a.name}_ranges")
        self.data.tables[name] = ranges_table(self.instance, a, list(blocks))
        return name


TEMPLATES = Path(__file__).parent / "templates"
PACKAGES = tuple(sorted(p.name.partition(".")[0] for p in TEMPLATES.glob("[!_]*.jinja")))


def render(script: Script, target: str, file_name: str) -> str:
    """The script for that target as text, to be saved under `file_name` beside its data.

    target: one of PACKAGES.
    """
    environment = templates(TEMPLATES, keep_trailing_newline=True)
    environment.filters["docstring"] = in_docstring
    template = environment.get_template(f"{target}.py.jinja")
    text: str = template.render(script=script, file=file_name)
    return pruned(text)
