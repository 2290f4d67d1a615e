"""`separate … by …` and the separators among `cuts`: which rows are separated, how, and when."""

from __future__ import annotations

from dataclasses import dataclass

from treemip.registry import separator_names, separators
from treemip.source.diagnostic import Report
from treemip.source.span import Span
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes as n

ROUNDS = "rounds"
"""What `cuts shattering(rounds = 3)` has beside the separator's parameters."""

LEAST_ROUNDS = 10.0
"""Rounds where none are asked for: those of Boutilier et al. (2023), section 4.1."""

FORM = "for example separate go_left, go_right by shattering(per_node = 8);"


@dataclass(frozen=True)
class Separate:
    """A separator with its parameters as the text gives them.

    `names`: the families that it stands in for, or whose members it finds; none for inequalities
    of its own, beside the rows. `rounds`: those on the relaxation, of initial cuts; else 0.
    """

    separator: str
    names: tuple[n.Word, ...]
    given: tuple[tuple[str, float | str], ...]
    span: Span
    rounds: int = 0


def read_separate(setting: n.Setting, report: Report) -> Separate | None:
    """`separate A, B by shattering(per_node = 8);`, `separate shattering;`. Reports E212, E213."""
    words = [w for group in setting.groups for w in group]
    place = words[0].span if words else setting.span
    at = [k for k, word in enumerate(words) if word.name == "by" and word.arguments is None]
    alone = len(words) == 1 and words[0].name is not None
    if not alone and not (len(at) == 1 and 0 < at[0] == len(words) - 2):
        message = "'separate' takes a separator, or families and, after 'by', a separator"
        report.error("E213", message, place, FORM)
        return None
    names = () if alone else tuple(words[: at[0]])
    if any(word.name is None or word.arguments is not None for word in names):
        report.error("E213", "'separate' takes names of families before 'by'", place, FORM)
        return None
    return read_separator(words[-1], names, report)


def read_separator(word: n.Word, names: tuple[n.Word, ...], report: Report) -> Separate | None:
    """A separator with its parameters in brackets. Reports E212, E213."""
    known = separators()
    if word.name not in known:
        message = f"there is no separator '{word.name or word.string or word.number}'"
        hint = did_you_mean(word.name or "", known)
        remedy = f"the separators are {listed(known)}"
        if not names and word.name and word.arguments is None:
            remedy += f"; a family of rows is separated by: separate {word.name} by enumeration;"
        report.error("E212", message, word.span, remedy, hint)
        return None
    separator = known[word.name]
    if separator.of_families and not names:
        remedy = f"for example separate NAME by {word.name};"
        report.error("E213", f"'{word.name}' needs the names of families", word.span, remedy)
        return None
    given = [_value(argument, word, report) for argument in word.arguments or ()]
    values = [pair for pair in given if pair is not None]
    if len(values) < len(given):
        return None
    return Separate(word.name, names, tuple(values), word.span)


def is_initial(word: n.Word) -> bool:
    """Whether a word after `cuts` is a separator and no family of cuts."""
    return word.arguments is not None or word.name in separator_names()


def read_initial(word: n.Word, report: Report) -> Separate | None:
    """`shattering(rounds = 3)` among the names after `cuts`. Reports E212, E213."""
    separator = separators().get(word.name or "")
    if separator is None or separator.of_families:
        message = f"there is no separator '{word.name}' of initial cuts"
        able = [name for name, one in separators().items() if not one.of_families]
        report.error("E212", message, word.span, f"there is {listed(able)}")
        return None
    rest = tuple(a for a in word.arguments or () if a.name != ROUNDS)
    own = [a for a in word.arguments or () if a.name == ROUNDS]
    number = own[-1].value if own else None
    rounds = number.value if isinstance(number, n.Number) else (LEAST_ROUNDS if not own else 0.0)
    if rounds < 1 or not float(rounds).is_integer() or len(own) > 1:
        message = "'rounds' takes one whole number, 1 or more"
        report.error("E213", message, word.span, "for example cuts shattering(rounds = 3);")
        return None
    bare = n.Word(span=word.span, name=word.name, arguments=rest)
    read = read_separator(bare, (), report)
    if read is None:
        return None
    return Separate(read.separator, (), read.given, read.span, int(rounds))


def _value(argument: n.Argument, word: n.Word, report: Report) -> tuple[str, float | str] | None:
    """The name and value of a parameter. Reports E213."""
    known = {p.name: p for p in separators()[word.name or ""].parameters}
    if argument.name not in known:
        message = f"'{word.name}' has no parameter '{argument.name or ''}'"
        remedy = f"the parameters are {listed(known)}, given by name"
        report.error(
            "E213", message, argument.span, remedy, did_you_mean(argument.name or "", known)
        )
        return None
    parameter, value = known[argument.name], argument.value
    if parameter.words:
        if isinstance(value, n.Name) and value.name in parameter.words:
            return parameter.name, value.name
        message = f"'{parameter.name}' takes one of {listed(parameter.words)}"
        report.error("E213", message, value.span)
        return None
    number = value.value if isinstance(value, n.Number) else -1.0
    if number < parameter.least or (parameter.whole and not number.is_integer()):
        what = "a whole number" if parameter.whole else "a number"
        message = f"'{parameter.name}' takes {what}, {parameter.least:g} or more"
        report.error("E213", message, value.span)
        return None
    return parameter.name, number
