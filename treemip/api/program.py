"""Programs: a spec loaded and resolved; compiling it reads the data and builds the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treemip.api.statement_text import number
from treemip.core.resolve.module_files import KeptTexts, ModuleTexts, module_folders
from treemip.core.resolve.resolve import resolve
from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import TreemipError, fail, refused
from treemip.core.source.pickled import PickledWithoutRows
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.lowering import CutNames
    from treemip.core.instance.encoded_table import Data
    from treemip.core.instance.instance import Instance
    from treemip.core.model.answer import OnProgress

Implied = Literal["big_m", "indicator", "sos1"]

Overrides = Mapping[str, object] | Iterable[tuple[str, str]]

NOT_KEPT = "not kept"
"""In place of a table in memory, once the spec has been unpickled."""


class Program(PickledWithoutRows):
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
        self.source, self.overrides = source, pairs(overrides)
        self.base, self.table = Path() if base is None else base, table
        self.modules = module_folders(self.base) if modules is None else modules
        self.data_file = None if data_file is None else Path(data_file).absolute()
        _ = self.spec  # what is wrong in the text is raised here

    @cached_property
    def file(self) -> n.File:
        """The statements of the text. Raises E1xx, and E902 for data that it does not take."""
        return with_data_file(parse(self.source), self.data_file)

    @cached_property
    def spec(self) -> Spec:
        """The text with its names resolved. Raises E2xx, E902 for a parameter."""
        return resolve(self.file, self.overrides, texts=self.modules)

    @cached_property
    def data(self) -> Data | None:
        """The spec's table, read and encoded; None for a spec without data. Raises E3xx."""
        from treemip.core.instance.side_tables import read

        demand_kept(self.table)
        return read(self.spec, self.base, self.table)

    @cached_property
    def instance(self) -> Instance:
        """The spec over all of its data: trees, sets and parameters. Raises E3xx, E4xx."""
        from treemip.core.lower.bind import bind

        return bind(self.spec, self.data)

    def __repr__(self) -> str:
        split = f"{self.spec.split} by {self.spec.formulation}" if self.spec.formulation else ""
        return f"<Program {self.source.name}{': ' if split else ''}{split}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the text and its mathematics."""
        from treemip.writers.pages.displays import program_html

        return program_html(self)

    def _to_pickle(self) -> dict[str, Any]:
        from treemip.api.store import places

        where = places(self, Path())
        file = where.get("data_file")
        return {
            "source": Source(Path(self.source.name).name, self.source.text),
            "overrides": self.overrides,
            "base": Path(where["base"]),
            "table": None if self.table is None else NOT_KEPT,
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
        from treemip.api.pipeline import compiled
        from treemip.core.reform.target import method_named

        if self.spec.objective is not None and self.spec.objective.then:
            first = self.stage(1).compile(
                cuts, target=target, implications=implications, on_progress=on_progress
            )
            return first.of_all_objectives(self)
        return compiled(self, cuts, target, method_named(implications), on_progress)

    def stage(self, number: int, earlier: Sequence[float] = ()) -> Program:
        """The program of one of several objectives, from 1 on.

        earlier: the value of each objective before it, at which rows keep that. Raises E902 for an
        objective that the spec does not have, and for another number of values.
        """
        from treemip.api.one_objective import stage_source

        source = stage_source(self.source, parse(self.source), number, earlier)
        program = Program(
            source, self.overrides, self.base, self.table, self.data_file, self.modules
        )
        if self.spec.data is not None:
            program.data = self.data  # the same data block, read once, with all saved trees
        return program

    def with_spec_of(self, instance: Instance) -> Program:
        """This program, with the rows that came in where its numbers press variables."""
        if instance.spec is self.spec and instance.data is self.data:
            return self
        program = copy(self)
        program.spec = instance.spec
        program.instance = instance
        return program


def with_data_file(file: n.File, path: Path | None) -> n.File:
    """The text with another table in its data block. Raises E902 where it has none.

    path: absolute; None leaves the text as it is.
    """
    if path is None:
        return file
    if not any(isinstance(s, n.Data) for s in file.statements):
        message = f"'{path}' cannot be used: the spec has no data block"
        raise refused(message, 'name the label in one: data "file.csv" { label class; }')
    replaced = (replace(s, path=str(path)) if isinstance(s, n.Data) else s for s in file.statements)
    return replace(file, statements=tuple(replaced))


def demand_kept(table: Any) -> None:
    """Raise E301 for a table in memory whose spec has been unpickled."""
    if isinstance(table, str) and table == NOT_KEPT:
        message = "a pickle has no rows, and the data of this spec were in memory"
        fail("E301", message, remedy="give them again: program.with_data(table)")


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
