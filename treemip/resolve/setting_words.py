"""Reading the words of a setting: columns, classes, numbers, flags and orders."""

from __future__ import annotations

from collections.abc import Mapping

from treemip.resolve.data_spec import Ref, number_text
from treemip.source.span import Span
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes


class Malformed(Exception):
    """A setting does not take these words; the caller knows the form and makes it an E213."""

    def __init__(self, span: Span, caret: str = "") -> None:
        super().__init__(caret)
        self.span = span
        self.caret = caret


def column_ref(word: nodes.Word, calls: bool = False) -> Ref:
    """A column: a name or a string; with `calls`, also a name with arguments."""
    text = word.string if word.string is not None else word.name
    if text is None or (word.arguments is not None and not calls):
        raise Malformed(word.span, "a column is a name, or a string in quotes")
    return Ref(text=text, span=word.span)


def class_ref(word: nodes.Word) -> Ref:
    """A class: a name, a string or a number."""
    if word.number is not None:
        return Ref(text=number_text(word.number), span=word.span)
    return column_ref(word)


def columns_after(setting: nodes.Setting, skip: int, calls: bool = False) -> tuple[Ref, ...]:
    """The columns of a setting, which commas part; the first `skip` words say something else."""
    groups = list(setting.groups)
    if skip and groups:
        groups[0] = groups[0][skip:]
        if not groups[0]:
            groups = groups[1:]
            if groups:
                raise Malformed(groups[0][0].span, "no comma before the first column")
    for group in groups:
        if len(group) > 1:
            raise Malformed(group[1].span, "columns are parted by commas")
    return tuple(column_ref(group[0], calls) for group in groups)


def whole(word: nodes.Word, least: int) -> int:
    if word.name is not None:
        raise Malformed(word.span, "a whole number, written out: a parameter is not allowed here")
    if word.number is None or not word.number.is_integer() or word.number < least:
        raise Malformed(word.span, f"a whole number, at least {least}")
    return int(word.number)


def numbers(word: nodes.Word) -> tuple[float, ...] | None:
    """The arguments of `minmax(0, 1)`, or None where there are no brackets."""
    if word.arguments is None:
        return None
    return tuple(_number(argument) for argument in word.arguments)


def _number(argument: nodes.Argument) -> float:
    match argument:
        case nodes.Argument(name=None, key=None, value=nodes.Number(value=value)):
            sign = 1.0
        case nodes.Argument(
            name=None, key=None, value=nodes.Negative(operand=nodes.Number(value=value))
        ):
            sign = -1.0
        case _:
            raise Malformed(argument.span, "a number")
    return sign * value


def order(word: nodes.Word) -> tuple[str, ...] | None:
    """The levels of `size("low", "high")` in their order; numbers and bare names may stand too."""
    if word.arguments is None:
        return None
    levels = tuple(_level(argument) for argument in word.arguments)
    if len(set(levels)) < len(levels) or len(levels) < 2:
        raise Malformed(word.span, "two or more levels, each once")
    return levels


def _level(argument: nodes.Argument) -> str:
    match argument:
        case nodes.Argument(name=None, key=None, value=nodes.String(value=text)):
            return text.strip()
        case nodes.Argument(
            name=None, key=None, value=nodes.Name(name=text, arguments=None, indices=None)
        ):
            return text
    return number_text(_number(argument))


def flags(word: nodes.Word, allowed: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The arguments of `onehot(drop = if_binary)`: names with one of the words allowed for each."""
    given: dict[str, str] = {}
    for argument in word.arguments or ():
        name = argument.name or ""
        if name not in allowed or name in given:
            known = f"arguments are {listed(allowed)}" if allowed else "no arguments"
            raise Malformed(argument.span, did_you_mean(name, allowed) or known)
        match argument.value:
            case nodes.Name(name=text, arguments=None, indices=None) if text in allowed[name]:
                given[name] = text
            case _:
                raise Malformed(argument.span, f"{name} = {' or '.join(allowed[name])}")
    return given
