"""The strategy block: how to solve, apart from what is solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any

from treemip.core.registry import STARTS, solver_names, solvers
from treemip.core.resolve.settings.decompose import read_decompose
from treemip.core.resolve.settings.selection import Selection, read_selection
from treemip.core.resolve.settings.separation import (
    Separate,
    is_initial,
    read_initial,
    read_separate,
)
from treemip.core.resolve.settings.solve_options import NUMBERS, SolveOptions
from treemip.core.resolve.settings.words import Pattern, is_whole, place_of, single_name, words_of
from treemip.core.source.diagnostic import Fault, Fix, Related, Report
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import word_span

REPEATED = "separate"
"""The setting that may occur more than once, for other rows each time."""
NO_START = "none"
PRESOLVES = ("merge_points",)
NO_PRESOLVE = "none"
OF_THE_MODEL = "mip"
"""Stands for the solver that is chosen for the model."""


@dataclass(frozen=True)
class StrategySpec(SolveOptions):
    """What a spec says of its solve: the options of every solve, and what only a spec can say.

    `cuts` names families of `cut` rows to add; `priority` names variables to branch on first,
    in order, `root_first` ranking nodes from the root down. `separate` names what is separated
    while the solver runs, `initial` what on the relaxation, before it. `select`: how the points of
    the model are selected; None for all. `places`: where each setting stands.
    """

    start: str | None = None
    cuts: tuple[n.Word, ...] = ()
    priority: tuple[str, ...] = ()
    root_first: bool = False
    separate: tuple[Separate, ...] = ()
    initial: tuple[Separate, ...] = ()
    select: Selection | None = None
    places: dict[str, Span] = field(default_factory=dict, compare=False, repr=False)

    @property
    def separates(self) -> bool:
        """Whether rows are separated, or some are sought on the relaxation."""
        return bool(self.separate or self.initial)


Values = dict[str, Any]
"""Fields of `StrategySpec` that a setting gives."""


def read_strategy(blocks: list[n.Strategy], report: Report) -> StrategySpec:
    """Merge the blocks in order (a formulation's first, the spec's last and strongest)."""
    places: dict[str, Span] = {}
    values: Values = {"places": places}
    for block in blocks:
        first: dict[str, n.Setting] = {}
        separated: tuple[Separate, ...] = ()
        for setting in block.settings:
            before = first.setdefault(setting.key, setting)
            if before is not setting and setting.key != REPEATED:
                related = (Related(before.span, "first set here"),)
                message = f"'{setting.key}' is set twice"
                remedy, fix = "keep one of the two", Fix.delete(setting.span)
                report.error("E209", message, setting.span, remedy, related=related, fix=fix)
            places[setting.key] = setting.span
            read = report.attempt(_read, setting, report) or {}
            for separate in read.get(REPEATED, ()):
                _require_new(separate, separated, report)
                separated = (*separated, separate)
            values |= read
        if REPEATED in first:
            values[REPEATED] = separated
    return StrategySpec(**values)


def _read(setting: n.Setting, report: Report) -> Values:
    """What a setting gives. Raises Fault (E212, E213)."""
    if setting.key not in READERS:
        message = f"unknown strategy setting '{setting.key}'"
        remedy, hint = f"the settings are {listed(READERS, 20)}", did_you_mean(setting.key, READERS)
        raise Fault("E212", message, word_span(setting.span, setting.key), remedy, hint)
    return READERS[setting.key](setting, report)


def _require_new(separate: Separate, before: tuple[Separate, ...], report: Report) -> None:
    """E209 for families that are separated twice by one separator."""
    names = {word.name for word in separate.names}
    for one in before:
        others = {word.name for word in one.names}
        if one.separator == separate.separator and (names & others or not names | others):
            message = f"'{separate.separator}' separates the same rows twice"
            related = (Related(one.span, "separated here"),)
            report.error("E209", message, separate.span, "keep one of the two", related=related)


# ------------------------------------------------------------------- one reader for each setting


VALUE = Pattern("VALUE")
RESTARTS = Pattern("STARTS", ("seed",))
SEARCH = Pattern("search", ("seconds", "seed"))
PATTERNS = {**dict.fromkeys(NUMBERS, (VALUE,)), "starts": (RESTARTS,), "start": (SEARCH,)}
"""Where numbers stand in settings, for which there may be parameters."""


def _number(setting: n.Setting, _: Report) -> Values:
    key, found = setting.key, VALUE.match(words_of(setting))
    number = found["value"].number if found else None
    option = NUMBERS[key]
    whole = option.kind is int
    if number is None or not 0 <= number < inf or (whole and not is_whole(number)):
        what = "one whole number" if whole else "one number"
        message = f"'{key}' takes {what}, 0 or more"
        raise Fault("E213", message, place_of(setting), f"for example {key} {option.example};")
    return {key: int(number) if whole else number}


def _starts(setting: n.Setting, _: Report) -> Values:
    """`starts 10;`, or `starts 10 seed 0;` in one."""
    found = RESTARTS.match(words_of(setting)) or {}
    numbers = {name: word.number for name, word in found.items()}
    if not numbers.get("starts") or not all(map(is_whole, numbers.values())):
        message = "'starts' takes a whole number, at least 1, and perhaps a seed"
        raise Fault("E213", message, place_of(setting), "for example starts 10 seed 0;")
    return {name: int(number or 0) for name, number in numbers.items()}


def _start(setting: n.Setting, _: Report) -> Values:
    words, name = words_of(setting), single_name(setting)
    if words and words[0].name == "search":
        return _search(words)
    if name not in (*STARTS, NO_START):
        raise _no_name(setting, (*STARTS, NO_START), "  only 'search' takes seconds and a seed")
    return {"start": name}


def _search(words: list[n.Word]) -> Values:
    """`start search;`, or `start search seconds 5 seed 3;` with one of the two or both."""
    found = SEARCH.match(words)
    numbers = {name: word.number for name, word in (found or {}).items()}
    seconds, seed = numbers.get("seconds", 1.0), numbers.get("seed", 0.0)
    right = seconds is not None and 0 < seconds < inf and is_whole(seed, below=2**31)
    if found is None or seed is None or not right:
        message = "'start search' takes seconds above 0 and a whole number as seed, or neither"
        example = "for example start search seconds 5 seed 3;"
        raise Fault("E213", message, words[0].span, example)
    seed = int(seed) if "seed" in numbers else None
    return {"start": "search", "search_seconds": numbers.get("seconds"), "search_seed": seed}


def _solver(setting: n.Setting, _: Report) -> Values:
    name = single_name(setting)
    if name != OF_THE_MODEL and name not in solver_names():
        # Only here are the solvers' modules read, for their order.
        raise _no_name(setting, (*solvers(), OF_THE_MODEL))
    return {"solver": name}


def _no_name(setting: n.Setting, allowed: tuple[str, ...], nothing_more: str = "") -> Fault:
    """E213 for a setting that takes one of these names and no further words."""
    key, words = setting.key, words_of(setting)
    hint = did_you_mean(single_name(setting) or "", allowed)
    message, remedy = f"'{key}' takes one of {listed(allowed, len(allowed))}", ""
    if len(words) > 1 and words[0].name in allowed:
        message = f"'{key} {words[0].name}' takes nothing more"
        remedy = f"write  {key} {words[0].name};{nothing_more}"
    return Fault("E213", message, place_of(setting), remedy, hint)


def _presolve(setting: n.Setting, _: Report) -> Values:
    """`presolve merge_points;`, or `presolve none;`."""
    words = words_of(setting)
    names = [w.name or "" for w in words]
    if names == [NO_PRESOLVE]:
        return {"presolve": ()}
    unknown = next((w for w in words if w.name not in PRESOLVES), None)
    if not words or unknown is not None:
        allowed = (*PRESOLVES, NO_PRESOLVE)
        place, name = (unknown.span, unknown.name or "") if unknown else (setting.span, "")
        message = f"'presolve' takes one of {listed(allowed, len(allowed))}"
        raise Fault("E213", message, place, caret=did_you_mean(name, allowed))
    return {"presolve": tuple(names)}


def _cuts(setting: n.Setting, report: Report) -> Values:
    """Families of cuts, and separators for the relaxation before the solver runs."""
    words = words_of(setting)
    initial = [report.attempt(read_initial, w, report) for w in words if is_initial(w)]
    return {
        "cuts": tuple(w for w in words if not is_initial(w)),
        "initial": tuple(one for one in initial if one is not None),
    }


def _separate(setting: n.Setting, report: Report) -> Values:
    separate = read_separate(setting, report)
    return {} if separate is None else {REPEATED: (separate,)}


def _priority(setting: n.Setting, _: Report) -> Values:
    names = [w.name or w.string or "" for w in words_of(setting)]
    variables = tuple(name for name in names if name != "root_first")
    return {"root_first": "root_first" in names, "priority": variables}


READERS: dict[str, Callable[[n.Setting, Report], Values]] = {
    **dict.fromkeys(NUMBERS, _number),
    "starts": _starts,
    "start": _start,
    "solver": _solver,
    "cuts": _cuts,
    "priority": _priority,
    "presolve": _presolve,
    REPEATED: _separate,
    "select": lambda setting, report: {"select": report.attempt(read_selection, setting)},
    "decompose": lambda setting, report: {"decompose": read_decompose(setting, report)},
}
