"""`separate … by …` and the separators among `cuts`: which rows are separated, how, and when."""

from __future__ import annotations

from dataclasses import dataclass, replace

from treemip.core.registry import separator_names, separators
from treemip.core.resolve.settings.words import is_whole, place_of, words_of
from treemip.core.source.diagnostic import Fault, Report
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n

ROUNDS = "rounds"
"""What `cuts shattering(rounds = 3)` has beside the separator's parameters."""

LEAST_ROUNDS = 10.0
"""The default number of rounds, from Boutilier et al. (2023), section 4.1."""

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
    """`separate A, B by shattering(per_node = 8);`, `separate shattering;`.

    E212 and E213 for anything else: reported, or raised as a Fault.
    """
    words, place = words_of(setting), place_of(setting)
    at = [k for k, word in enumerate(words) if word.name == "by" and word.arguments is None]
    alone = len(words) == 1 and words[0].name is not None
    if not alone and not (len(at) == 1 and 0 < at[0] == len(words) - 2):
        message = "'separate' takes a separator, or families and, after 'by', a separator"
        raise Fault("E213", message, place, FORM)
    names = () if alone else tuple(words[: at[0]])
    if any(word.name is None or word.arguments is not None for word in names):
        raise Fault("E213", "'separate' takes names of families before 'by'", place, FORM)
    return _read_separator(words[-1], names, report)


def _read_separator(
    word: n.Word, names: tuple[n.Word, ...], report: Report, rounds: int = 0
) -> Separate | None:
    """A separator with its parameters in brackets."""
    known = separators()
    if word.name not in known:
        message = f"there is no separator '{word.name or word.string or word.number}'"
        hint = did_you_mean(word.name or "", known)
        remedy = f"the separators are {listed(known)}"
        if not names and word.name and word.arguments is None:
            remedy += f"; a family of rows is separated by: separate {word.name} by enumeration;"
        raise Fault("E212", message, word.span, remedy, hint)
    if known[word.name].of_families and not names:
        remedy = f"for example separate NAME by {word.name};"
        raise Fault("E213", f"'{word.name}' needs the names of families", word.span, remedy)
    read = [report.attempt(_value, argument, word) for argument in word.arguments or ()]
    given = tuple(pair for pair in read if pair is not None)
    if len(given) < len(read):
        return None
    return Separate(word.name, names, given, word.span, rounds)


def is_initial(word: n.Word) -> bool:
    """Whether a word after `cuts` is a separator and no family of cuts."""
    return word.arguments is not None or word.name in separator_names()


def read_initial(word: n.Word, report: Report) -> Separate | None:
    """`shattering(rounds = 3)` among the names after `cuts`. E212 and E213 as for `separate`."""
    separator = separators().get(word.name or "")
    if separator is None or separator.of_families:
        message = f"there is no separator '{word.name}' of initial cuts"
        able = [name for name, one in separators().items() if not one.of_families]
        raise Fault("E212", message, word.span, f"there is {listed(able)}")
    rest = tuple(a for a in word.arguments or () if a.name != ROUNDS)
    own = [a.value for a in word.arguments or () if a.name == ROUNDS]
    rounds = LEAST_ROUNDS
    if own:
        rounds = own[-1].value if isinstance(own[-1], n.Number) else 0.0
    if len(own) > 1 or not is_whole(rounds, 1):
        message = "'rounds' takes one whole number, 1 or more"
        raise Fault("E213", message, word.span, "for example cuts shattering(rounds = 3);")
    return _read_separator(replace(word, arguments=rest), (), report, int(rounds))


def _value(argument: n.Argument, word: n.Word) -> tuple[str, float | str]:
    """The name and value of a parameter. Raises Fault (E213)."""
    known = {p.name: p for p in separators()[word.name or ""].parameters}
    name, value = argument.name or "", argument.value
    if name not in known:
        message = f"'{word.name}' has no parameter '{name}'"
        remedy = f"the parameters are {listed(known)}, given by name"
        raise Fault("E213", message, argument.span, remedy, did_you_mean(name, known))
    parameter = known[name]
    if parameter.words:
        if isinstance(value, n.Name) and value.name in parameter.words:
            return name, value.name
        raise Fault("E213", f"'{name}' takes one of {listed(parameter.words)}", value.span)
    number = value.value if isinstance(value, n.Number) else -1.0
    if number < parameter.least or (parameter.whole and not number.is_integer()):
        what = "a whole number" if parameter.whole else "a number"
        raise Fault("E213", f"'{name}' takes {what}, {parameter.least:g} or more", value.span)
    return name, number
