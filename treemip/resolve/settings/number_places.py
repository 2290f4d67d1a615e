"""Where numbers stand in settings, so that a parameter's name can stand there too.

The words of a data block are mostly names of columns, so a name means a parameter only by its
place: after `train`, in the brackets of `scale minmax(…)`, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from treemip.syntax import nodes as n

Number = Callable[[n.Expr], float | None]
"""The number that an expression stands for; None where it has none, which was reported."""


class _Unknown(Exception):
    """A number of the setting is not known, which was reported."""


def data_with_numbers(node: n.Data, number: Number) -> n.Data:
    """The block with numbers for parameters; a setting with an unknown one is left out."""
    return replace(node, settings=tuple(_settings(node.settings, number)))


def strategy_with_numbers(node: n.Strategy, number: Number) -> n.Strategy:
    """The block with numbers for parameters; a setting with an unknown one is left out."""
    return replace(node, settings=tuple(_settings(node.settings, number)))


def topology_with_numbers(node: n.Topology, number: Number) -> n.Topology | None:
    """The statement with numbers for its arguments; None where one is unknown."""
    try:
        arguments = tuple(_argument(argument, number) for argument in node.arguments)
    except _Unknown:
        return None
    return replace(node, arguments=arguments)


def _settings(settings: Iterable[n.Setting], number: Number) -> Iterable[n.Setting]:
    for setting in settings:
        words = [word for group in setting.groups for word in group]
        places = {id(words[at]) for at in _places(setting.key, words) if at < len(words)}
        try:
            groups = tuple(
                tuple(_word(word, id(word) in places, setting.key, number) for word in group)
                for group in setting.groups
            )
        except _Unknown:
            continue
        yield replace(setting, groups=groups)


def _places(key: str, words: list[n.Word]) -> Iterable[int]:
    """Which words of a setting are numbers."""
    match key:
        case "train":
            fold = len(words) in (4, 6) and words[0].name == "fold"
            seed = len(words) > 2 and words[-2].name == "seed"
            return [*([1, 3] if fold else [0]), *([len(words) - 1] if seed else [])]
        case "time_limit" | "gap" | "absolute_gap" | "threads" | "seed" | "feasibility":
            return [0]
        case "starts" if len(words) != 2:
            return [0, 2]
        case "start" if words and words[0].name == "search":
            return [2, 4]
    return []


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
    """Texts stay, for the reader of the setting to refuse."""
    written = argument.value.operand if isinstance(argument.value, n.Negative) else argument.value
    if isinstance(written, n.Number | n.String):
        return argument
    value = number(argument.value)
    if value is None:
        raise _Unknown
    text = argument.value.span.text
    return replace(argument, value=n.Number(value=value, text=text, span=argument.value.span))
