"""Numbers of settings that parameters give: `topology complete(depth = d);`, `train 0.75 seed s;`.

Settings are read before anything is linked, since the data block says which groups there are. So
the parameters that settings mention are resolved ahead, with a linker of their own.

The words of a data block are mostly names of columns, so a name means a parameter only by its
place: after `train`, in the brackets of `scale minmax(…)`, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from treemip.core.resolve.constants import Constants
from treemip.core.resolve.declare import Declarations
from treemip.core.resolve.link import Broken, Linker, Scope
from treemip.core.resolve.modules import Module, option_value, parameters
from treemip.core.resolve.settings import data_block, strategy
from treemip.core.resolve.settings.data_spec import DataNames
from treemip.core.resolve.settings.words import words_of
from treemip.core.source.diagnostic import Diagnostic, Fault, Report
from treemip.core.syntax import nodes as n

Block = TypeVar("Block", n.Data, n.Strategy)
Options = tuple[tuple[str, str], ...]

OF_SETTINGS = {"depth": "topology complete(depth = 2);", "seed": "train 0.75 seed 1;"}
"""What `-p` sets beside parameters, with the statement that has it; parameters go first."""


class SettingValues:
    """Numbers for the names in settings: the values of parameters of the linked texts.

    Reports E201 for unknown names and E213 for what is no number before the data are read.
    """

    def __init__(self, modules: list[Module], data: n.Data | None, report: Report) -> None:
        self._modules, self._data, self._report = modules, data, report

    def block(self, node: Block) -> Block:
        """The block with numbers for parameters; a setting with an unknown one is left out."""
        return replace(node, settings=tuple(_settings(node.settings, self.number)))

    def topology(self, node: n.Topology) -> n.Topology | None:
        """The statement with numbers for its arguments; None where one is unknown."""
        try:
            arguments = tuple(_argument(argument, self.number) for argument in node.arguments)
        except _Unknown:
            return None
        return replace(node, arguments=arguments)

    def number(self, node: n.Expr) -> float | None:
        """The value of an expression, or None after reporting that it has no value."""
        try:
            typed = self._declarations.resolver.known(node, Scope(), "a setting")
            value = self._constants.value(typed)
        except Fault as fault:
            self._report.add(_in_a_setting(fault.diagnostic))
            return None
        except Broken:  # its declaration is reported when all is linked
            return None
        if value is None or isinstance(value, bool):
            message = f"'{node.span.text}' is not a number that is known before the data are read"
            remedy = "a setting takes a number, or a parameter with one: param d = 2;"
            self._report.error("E213", message, node.span, remedy)
            return None
        return float(value)

    @cached_property
    def _constants(self) -> Constants:
        return Constants()

    @cached_property
    def _declarations(self) -> Declarations:
        settings = self._data.settings if self._data else ()
        groups, numbers = (
            tuple(name for s in settings if s.key == key for name in _names(s))
            for key in ("group", "number")
        )
        return Declarations(Linker(self._modules, Report(), DataNames(groups, numbers)))


def _names(setting: n.Setting) -> Iterable[str]:
    return (word.name or word.string or "" for word in words_of(setting))


def _in_a_setting(diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic with the remedy for settings, where only parameters can be named."""
    if diagnostic.code != "E201" or diagnostic.caret or diagnostic.span is None:
        return diagnostic
    return replace(diagnostic, remedy=f"declare it: param {diagnostic.span.text} = 2;")


def set_by_options(
    options: Options,
    data: n.Data | None,
    topology: n.Topology | None,
    modules: list[Module],
    report: Report,
) -> tuple[n.Data | None, n.Topology | None, Options]:
    """The settings as `-p depth=3` and `-p seed=1` set them, and the options for parameters.

    A parameter of that name takes precedence. Reports E902 for a setting that the spec lacks.
    """
    known, rest = parameters(modules), []
    for name, text in options:
        if name not in OF_SETTINGS or name in known:
            rest.append((name, text))
            continue
        value = option_value(name, text)
        if value is None:
            _no_value(name, text, report)
        elif name == "depth" and topology is not None and topology.kind == "complete":
            argument = n.Argument(name="depth", value=value, span=value.span)
            topology = replace(topology, arguments=(argument,))
        elif name == "seed" and data is not None and any(s.key == "train" for s in data.settings):
            data = _with_seed(data, name, text, value, report)
        else:
            message = f"-p {name}={text}: the spec has no parameter '{name}' and no such setting"
            remedy = f"declare the parameter, or write {OF_SETTINGS[name]}"
            report.add(Diagnostic.outside("E902", message, remedy))
    return data, topology, tuple(rest)


def _no_value(name: str, text: str, report: Report) -> None:
    message = f"-p {name}={text}: '{text}' is not one number"
    report.add(Diagnostic.outside("E902", message, f"write a number, such as -p {name}=2"))


def _with_seed(data: n.Data, name: str, text: str, value: n.Expr, report: Report) -> n.Data:
    match value:
        case n.Number():
            seed = n.Word(number=value.value, span=value.span)
        case n.Name(arguments=None, indices=None):
            seed = n.Word(name=value.name, span=value.span)
        case _:
            _no_value(name, text, report)
            return data
    return replace(data, settings=tuple(_seeded(data.settings, seed)))


def _seeded(settings: Iterable[n.Setting], seed: n.Word) -> Iterable[n.Setting]:
    for setting in settings:
        if setting.key != "train" or len(setting.groups) != 1:
            yield setting
            continue
        (words,) = setting.groups
        if len(words) > 2 and words[-2].name == "seed":
            words = words[:-2]
        said = n.Word(name="seed", span=setting.span)
        yield replace(setting, groups=((*words, said, seed),))


# ------------------------------------------------------------- where numbers stand in settings

PATTERNS = {**data_block.PATTERNS, **strategy.PATTERNS}

Number = Callable[[n.Expr], float | None]
"""Gives the value of an expression, or None after reporting that it has no value."""


class _Unknown(Exception):
    """A number of the setting is unknown; that has been reported."""


def _settings(settings: Iterable[n.Setting], number: Number) -> Iterable[n.Setting]:
    for setting in settings:
        places = _places(setting)
        try:
            groups = tuple(
                tuple(_word(word, id(word) in places, setting.key, number) for word in group)
                for group in setting.groups
            )
        except _Unknown:
            continue
        yield replace(setting, groups=groups)


def _places(setting: n.Setting) -> set[int]:
    """Which words of a setting are numbers, by their ids."""
    words = words_of(setting)
    matches = (pattern.match(words) for pattern in PATTERNS.get(setting.key, ()))
    found = next(filter(None, matches), {})
    return set(map(id, found.values()))


def _word(word: n.Word, is_number: bool, key: str, number: Number) -> n.Word:
    if key in ("scale", "bin") and word.arguments is not None:
        return replace(word, arguments=tuple(_argument(a, number) for a in word.arguments))
    if not is_number or word.name is None:
        return word
    value = number(n.Name(name=word.name, arguments=word.arguments, span=word.span))
    if value is None:
        raise _Unknown
    return n.Word(number=value, span=word.span)


def _argument(argument: n.Argument, number: Number) -> n.Argument:
    """Strings are kept, so that the reader of the setting rejects them."""
    written = argument.value.operand if isinstance(argument.value, n.Negative) else argument.value
    if isinstance(written, n.Number | n.String):
        return argument
    value = number(argument.value)
    if value is None:
        raise _Unknown
    text = argument.value.span.text
    return replace(argument, value=n.Number(value=value, text=text, span=argument.value.span))
