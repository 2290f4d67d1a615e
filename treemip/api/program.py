"""Programs: a spec loaded and resolved; compiling it reads the data and builds the model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from copy import copy
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treemip.api import pipeline
from treemip.api.pipeline import CutNames
from treemip.api.statement_text import number, refused
from treemip.resolve.spec import Spec
from treemip.source.diagnostic import TreemipError
from treemip.source.span import Source
from treemip.syntax.nodes import File

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.instance.instance import Instance
    from treemip.instance.table import Data

Implied = Literal["big_m", "indicator", "sos1"]

Overrides = Mapping[str, object] | Iterable[tuple[str, str]]


class Program:
    """A resolved spec. `base` is the folder that data paths are taken from.

    What stands in for the spec's data file: `table`, columns in memory, or `data_file`, a path
    from the current folder.
    """

    def __init__(
        self,
        source: Source,
        overrides: Overrides = (),
        base: Path | None = None,
        table: Any = None,
        data_file: str | Path | None = None,
    ) -> None:
        self.source = source
        self.base = base if base is not None else Path()
        self.table = table
        self.data_file = None if data_file is None else Path(data_file).absolute()
        self.file: File = pipeline.with_data_file(pipeline.parse(source), data_file)
        self.spec: Spec = pipeline.resolve(self.file, pairs(overrides))

    @cached_property
    def data(self) -> Data | None:
        """The spec's table, read and encoded; None for a spec without data. Raises E3xx."""
        return pipeline.read(self.spec, self.base, self.table)

    @cached_property
    def instance(self) -> Instance:
        """The spec over its data: trees, sets and parameters. Raises E3xx, E4xx."""
        return pipeline.bind(self.spec, self.data)

    def compile(
        self,
        cuts: CutNames = None,
        *,
        target: str | None = None,
        implications: Implied | None = None,
    ) -> Compiled:
        """Read the data and build the model; compiled again, the data are as they were read.

        `cuts` names cut families to add, in place of the strategy's. `target` is a solver's
        profile: what its files have that portable ones have not, such as indicators, is kept.
        Without one, files are portable, and a solve reformulates for the solver that it chooses.
        `implications`: all of them as "big_m" rows, as "indicator" constraints or by "sos1",
        special ordered sets, whatever the spec says of them; a target without such refuses them
        when it is written.
        Raises TreemipError (E3xx to E5xx, E902). Where the model depends on the target and none is
        given, E5xx are raised when the model is first asked for.
        """
        from treemip.api.compiled import Compiled
        from treemip.files.profiles import profile_named
        from treemip.reform.reform import method_named

        way = method_named(implications)
        if target is not None:
            profile_named(target)
        began = time.perf_counter()
        _ = self.data
        read = time.perf_counter()
        stated = pipeline.lower(self.file, self.instance, cuts)
        seconds = {"read": read - began, "compile": time.perf_counter() - read}
        program = self._with_spec_of(stated.instance)
        compiled = Compiled(program, stated.instance, stated.model, seconds, target, way)
        if target is not None or not compiled.depends_on_target:
            _ = compiled.reformed
        return compiled

    def _with_spec_of(self, instance: Instance) -> Program:
        """This program, with the rows that came in where its numbers press variables."""
        if instance.spec is self.spec:
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
    **named: object,
) -> Program:
    """Load a .tree file. Keyword arguments override parameters: load("a.tree", eps=0.01).

    `parameters` does so for names that Python cannot pass as keywords, or that are arguments
    here: load("a.tree", parameters={"lambda": 0.1}). `data`: a DataFrame, a dict of columns,
    (X, y), or the path of a file from the current folder, to use in place of the spec's file.
    Raises TreemipError with everything that is wrong in the text, and E902 for a parameter that
    is given twice.
    """
    given = together(parameters, named, data=data)
    return Program(Source.read(path), given, Path(path).resolve().parent, **_of(data))


def loads(
    text: str,
    /,
    data: Any = None,
    base: str | Path = ".",
    parameters: Mapping[str, object] | None = None,
    **named: object,
) -> Program:
    """Load a spec from a string, as `load` does; `base` is the folder of its data path."""
    given = together(parameters, named, data=data, base=base)
    return Program(Source("<text>", text), given, Path(base), **_of(data))


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
