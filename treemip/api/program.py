"""Programs: a spec loaded and resolved; compiling it reads the data and builds the model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treemip.api import pipeline
from treemip.api.pickled import PickledWithoutRows
from treemip.api.pipeline import CutNames
from treemip.api.statement_text import number, refused
from treemip.resolve.module_files import KeptTexts, ModuleTexts, module_folders
from treemip.source.diagnostic import TreemipError
from treemip.source.span import Source
from treemip.syntax.parse import parse

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.instance.instance import Instance
    from treemip.model.answer import OnProgress

Implied = Literal["big_m", "indicator", "sos1"]

Overrides = Mapping[str, object] | Iterable[tuple[str, str]]


class Program(PickledWithoutRows, pipeline.Stages):
    """A resolved spec. `base` is the folder that data paths are taken from.

    What stands in for the spec's data file: `table`, columns in memory, or `data_file`, a path
    from the current folder. `modules`: where modules come from that are not of the library; the
    folder of the spec and those of TREEMIP_PATH if None.

    Pickled, it has its texts and no data: a file is read again when it is asked for, a table in
    memory has to be given again, by `with_data`.
    """

    def __init__(
        self,
        source: Source,
        overrides: Overrides = (),
        base: Path | None = None,
        table: Any = None,
        data_file: str | Path | None = None,
        modules: ModuleTexts | None = None,
    ) -> None:
        where = base if base is not None else Path()
        super().__init__(source, pairs(overrides), where, table, data_file, modules)
        _ = self.spec  # what is wrong in the text is raised here

    def __repr__(self) -> str:
        split = f"{self.spec.split} by {self.spec.formulation}" if self.spec.formulation else ""
        return f"<Program {self.source.name}{': ' if split else ''}{split}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the text and its mathematics."""
        from treemip.api.pages.displays import program_html

        return program_html(self)

    def _to_pickle(self) -> dict[str, Any]:
        from treemip.api.store import places

        where = places(self, Path())
        file = where.get("data_file")
        return {
            "source": Source(Path(self.source.name).name, self.source.text),
            "overrides": self.overrides,
            "base": Path(where["base"]),
            "table": None if self.table is None else pipeline.NOT_KEPT,
            "data_file": None if file is None else Path(file),
            "modules": KeptTexts(self.spec.modules),
        }

    def with_data(self, data: Any) -> Program:
        """The same spec over other data: a table in memory or the path of a file, as `load` takes
        them. Raises TreemipError as `load` does."""
        given = _of(data)
        return Program(self.source, self.overrides, self.base, modules=self.modules, **given)

    def compile(
        self,
        cuts: CutNames = None,
        *,
        target: str | None = None,
        implications: Implied | None = None,
        on_progress: OnProgress | None = None,
    ) -> Compiled:
        """Read the data and build the model; compiled again, the data are as they were read.

        `cuts` names cut families to add, in place of the strategy's. `target` is a solver's
        profile: what its files have that portable ones have not, such as indicators, is kept.
        Without one, files are portable, and a solve reformulates for the solver that it chooses.
        `implications`: all of them as "big_m" rows, as "indicator" constraints or by "sos1",
        special ordered sets, whatever the spec says of them; a target without such refuses them
        when it is written. on_progress: called while points are selected, if the strategy selects
        some; the model is then stated over these (W605).
        Of several objectives it is the model of the first, which `Compiled.solve` begins with; for
        the others see `stage`. Raises TreemipError (E3xx to E5xx, E902). Where the model depends on
        the target and none is given, E5xx are raised when the model is first asked for.
        """
        from treemip.api.compiled import Compiled
        from treemip.files.profiles import profile_named
        from treemip.model.blocks import Method
        from treemip.reform.target import method_named

        if self.spec.objective is not None and self.spec.objective.then:
            first = self.stage(1).compile(
                cuts, target=target, implications=implications, on_progress=on_progress
            )
            first.whole = self
            return first

        way = method_named(implications)
        if target is not None:
            profile_named(target)
        began = time.perf_counter()
        _ = self.data
        read = time.perf_counter()
        instance = self.selected(on_progress)
        selected = time.perf_counter()
        stated = self.stated(instance, cuts, keep=target is not None or way is not Method.AUTO)
        seconds = {"read": read - began, "compile": time.perf_counter() - selected}
        if self.spec.strategy.select is not None:
            seconds["select"] = selected - read
        program = self.with_spec_of(stated.instance)
        compiled = Compiled(program, stated.instance, stated.model, seconds, target, way, cuts)
        if stated.model.is_kept and (target is not None or not compiled.depends_on_target):
            _ = compiled.reformed
        return compiled

    def stage(self, number: int, earlier: Sequence[float] = ()) -> Program:
        """The program of one of several objectives, from 1 on.

        earlier: the value of each objective before it, at which rows keep that. Raises E902 for an
        objective that the spec does not have, and for another number of values.
        """
        from treemip.api.in_turn import stage_source

        source = stage_source(self.source, parse(self.source), number, earlier)
        program = Program(
            source, self.overrides, self.base, self.table, self.data_file, self.modules
        )
        if "data" in self.__dict__:
            program.data = self.data  # the same data block, read once
        elif self.spec.data is not None:
            self.data = program.data
        return program

    def with_spec_of(self, instance: Instance) -> Program:
        """This program, with the rows that came in where its numbers press variables."""
        if instance.spec is self.spec and instance.data is self.data:
            return self
        program = copy(self)
        program.spec = instance.spec
        program.instance = instance
        return program


def pairs(overrides: Overrides) -> tuple[tuple[str, str], ...]:
    """Parameter values as texts: numbers, NumPy's too, by their shortest exact form.

    Raises E902 for what is neither a finite number nor a text.
    """
    items = overrides.items() if isinstance(overrides, Mapping) else overrides
    return tuple((name, _text_of(name, value)) for name, value in items)


def _text_of(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return number(value)
    except TreemipError:
        message = f"the parameter '{name}' is {value!r}, which is not a finite number"
        raise refused(message, "give a number, or an expression as a text") from None


def load(
    path: str | Path,
    /,
    data: Any = None,
    parameters: Mapping[str, object] | None = None,
    include: Iterable[str | Path] = (),
    **named: object,
) -> Program:
    """Load a .tree file. Keyword arguments override parameters: load("a.tree", eps=0.01).

    `parameters` does so for names that Python cannot pass as keywords, or that are arguments
    here: load("a.tree", parameters={"lambda": 0.1}). `data`: a DataFrame, a dict of columns,
    (X, y), or the path of a file from the current folder, to use in place of the spec's file.
    `include`: folders to look for modules in, after the spec's own and before TREEMIP_PATH's.
    Raises TreemipError with everything that is wrong in the text, and E902 for a parameter that
    is given twice.
    """
    given = together(parameters, named, data=data, include=include)
    base = Path(path).resolve().parent
    modules = module_folders(base, folders_of(include))
    return Program(Source.read(path), given, base, modules=modules, **_of(data))


def loads(
    text: str,
    /,
    data: Any = None,
    base: str | Path = ".",
    parameters: Mapping[str, object] | None = None,
    include: Iterable[str | Path] = (),
    **named: object,
) -> Program:
    """Load a spec from a string, as `load` does; `base` is the folder of its data and modules."""
    given = together(parameters, named, data=data, base=base, include=include)
    modules = module_folders(Path(base), folders_of(include))
    return Program(Source("<text>", text), given, Path(base), modules=modules, **_of(data))


def folders_of(include: Iterable[str | Path]) -> tuple[str | Path, ...]:
    """The folders to look for modules in. Raises E902 for what is no list of paths."""
    folders = (include,) if isinstance(include, str | Path) else tuple(include)
    for folder in folders:
        if not isinstance(folder, str | Path):
            raise refused(f"include has {folder!r}, which is no path", 'such as include=["shared"]')
    return folders


def _of(data: Any) -> dict[str, Any]:
    """The argument of `Program` that takes such data."""
    return {"data_file" if isinstance(data, str | Path) else "table": data}


def together(
    parameters: Mapping[str, object] | None, named: Mapping[str, object], **arguments: object
) -> dict[str, object]:
    """Parameters from a mapping and from keywords.

    Raises E902 for one that both give, and for `arguments` of `load` that a number was meant as a
    parameter for.
    """
    for name, taken in arguments.items():
        if isinstance(taken, Real):
            remedy = f'a parameter of that name goes into parameters={{"{name}": {taken}}}'
            raise refused(f"{name}={taken} is a number", remedy)
    if not isinstance(parameters, Mapping | None):
        message = f"parameters is {type(parameters).__name__}, not a mapping of names to values"
        raise refused(message, 'such as parameters={"lambda": 0.1}')
    given = dict(parameters or {})
    for name in named:
        if name in given:
            raise refused(f"the parameter '{name}' is given twice", "give it once")
    for name in given:
        if not isinstance(name, str):
            raise refused(
                f"the parameter {name!r} has a name that is not a string", "give its name"
            )
    return {**given, **named}
