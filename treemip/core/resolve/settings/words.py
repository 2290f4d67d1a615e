"""What the words of a setting stand for: columns, classes, numbers, and what brackets hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from treemip.core.resolve.settings.data_spec import Ref, number_text
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n


class Malformed(Exception):
    """A setting does not take these words; the caller knows the form and makes it an E213."""

    def __init__(self, span: Span, caret: str = "") -> None:
        super().__init__(caret)
        self.span = span
        self.caret = caret


@dataclass(frozen=True)
class Pattern:
    """The form of a setting with numbers in it: `fold NUMBER of COUNT`, and `seed S` behind it.

    head: literal words in small letters, and names in capitals for numbers. options: names that may
    follow, in any order, each with one number.
    """

    head: str
    options: tuple[str, ...] = ()

    def match(self, words: Sequence[n.Word]) -> dict[str, n.Word] | None:
        """The text given for each number, by its name in small letters; None if the form
        differs."""
        parts = self.head.split()
        rest = words[len(parts) :]
        if len(words) < len(parts) or len(rest) % 2:
            return None
        if any(p.islower() and p != w.name for p, w in zip(parts, words, strict=False)):
            return None
        found = {p.lower(): w for p, w in zip(parts, words, strict=False) if p.isupper()}
        for option, value in zip(rest[::2], rest[1::2], strict=True):
            if option.name not in self.options or option.name in found:
                return None
            found[option.name] = value
        return found


def words_of(setting: n.Setting) -> list[n.Word]:
    """All words after the key, with or without commas between them."""
    return [word for group in setting.groups for word in group]


def place_of(setting: n.Setting) -> Span:
    """Where a message about the words of a setting points: at the first of them."""
    words = words_of(setting)
    return words[0].span if words else setting.span


def single_name(setting: n.Setting) -> str | None:
    """The name that a setting consists of; None where it is anything else."""
    words = words_of(setting)
    return words[0].name if len(words) == 1 else None


def is_whole(value: float | None, least: float = 0, below: float = inf) -> bool:
    """Whether a number is there, is whole, and lies in these bounds."""
    return value is not None and least <= value < below and float(value).is_integer()


def column_ref(word: n.Word, calls: bool = False) -> Ref:
    """A column: a name or a string; with `calls`, also a name with arguments."""
    text = word.string if word.string is not None else word.name
    if text is None or (word.arguments is not None and not calls):
        raise Malformed(word.span, "a column is a name, or a string in quotes")
    return Ref(text=text, span=word.span)


def class_ref(word: n.Word) -> Ref:
    """A class: a name, a string or a number."""
    if word.number is not None:
        return Ref(text=number_text(word.number), span=word.span)
    return column_ref(word)


def columns_after(setting: n.Setting, skip: int, calls: bool = False) -> tuple[Ref, ...]:
    """The columns of a setting, separated by commas, after its first `skip` words."""
    groups = list(setting.groups)
    if skip and groups:
        groups[0] = groups[0][skip:]
        if not groups[0]:
            groups = groups[1:]
            if groups:
                raise Malformed(groups[0][0].span, "no comma before the first column")
    for group in groups:
        if len(group) > 1:
            raise Malformed(group[1].span, "separate columns with commas")
    return tuple(column_ref(group[0], calls) for group in groups)


def whole(word: n.Word, least: int) -> int:
    """The whole number that a word is."""
    if word.number is None or not is_whole(word.number, least):
        raise Malformed(word.span, f"a whole number, at least {least}")
    return int(word.number)


def numbers(word: n.Word) -> tuple[float, ...] | None:
    """The arguments of `minmax(0, 1)`, or None where there are no brackets."""
    if word.arguments is None:
        return None
    return tuple(number(argument) for argument in word.arguments)


def number(argument: n.Argument) -> float:
    """The number that an argument is, perhaps with a sign."""
    match argument:
        case n.Argument(name=None, key=None, value=n.Number(value=value)):
            return value
        case n.Argument(name=None, key=None, value=n.Negative(operand=n.Number(value=value))):
            return -value
    raise Malformed(argument.span, "a number")


def order(word: n.Word) -> tuple[str, ...] | None:
    """The levels of `size("low", "high")` in order; numbers and bare names are levels too."""
    if word.arguments is None:
        return None
    levels = tuple(_level(argument) for argument in word.arguments)
    if len(set(levels)) < len(levels) or len(levels) < 2:
        raise Malformed(word.span, "two or more levels, each once")
    return levels


def _level(argument: n.Argument) -> str:
    match argument:
        case n.Argument(name=None, key=None, value=n.String(value=text)):
            return text.strip()
        case n.Argument(name=None, key=None, value=n.Name(name=text, arguments=None, indices=None)):
            return text
    return number_text(number(argument))


def flags(word: n.Word, allowed: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The arguments of `onehot(drop = if_binary)`: names with one of the words allowed for each."""
    values: dict[str, str] = {}
    for argument in word.arguments or ():
        name = argument.name or ""
        if name not in allowed or name in values:
            known = f"arguments are {listed(allowed)}" if allowed else "no arguments"
            raise Malformed(argument.span, did_you_mean(name, allowed) or known)
        match argument.value:
            case n.Name(name=text, arguments=None, indices=None) if text in allowed[name]:
                values[name] = text
            case _:
                raise Malformed(argument.span, f"{name} = {' or '.join(allowed[name])}")
    return values
