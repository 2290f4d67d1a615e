"""The strategy block: how to solve, apart from what is solved."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import cast

from treemip.registry import solver_names, solvers
from treemip.resolve.settings.decompose import DecomposeSpec, read_decompose
from treemip.resolve.settings.selection import Selection, read_selection
from treemip.resolve.settings.separation import (
    Separate,
    is_initial,
    read_initial,
    read_separate,
)
from treemip.source.diagnostic import Related, Report
from treemip.source.span import Span
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes as n
from treemip.syntax.scan import word_span

EXAMPLES = {
    "time_limit": "60",
    "gap": "0.01",
    "absolute_gap": "0.5",
    "threads": "4",
    "seed": "1",
    "feasibility": "1e-7",
}
NUMBERS = tuple(EXAMPLES)
NAMES = ("start", "solver")
LISTS = ("cuts", "priority", "presolve")
REPEATED = "separate"
"""What may be there more than once: each time other rows."""
STARTS = ("cart", "local_svm", "svm_tree", "search")
NO_START = "none"
PRESOLVES = ("merge_points",)
NO_PRESOLVE = "none"
Separated = tuple[Separate, ...]
OF_THE_MODEL = "mip"
"""In place of a solver's name: the one that is chosen for the model."""


@dataclass(frozen=True)
class StrategySpec:
    """Numbers are seconds (time_limit), relative (gap), in objective units (absolute_gap).

    `cuts` names families of `cut` rows to add; `priority` names variables to branch on first,
    in order, `root_first` ranking nodes from the root down. `starts` is the number of points a
    local solver begins from. `search_seconds` and `search_seed` are those of `start search`.
    `separate` names what is separated while the solver runs, `initial` what on the relaxation,
    before it.
    `decompose` trains a few nodes at a time.
    `select`: how the points of the model are selected; None for all.
    `presolve` names the passes that make the model smaller for the solver, () for none.
    `places`: where each setting stands.
    """

    start: str | None = None
    solver: str | None = None
    cuts: tuple[n.Word, ...] = ()
    priority: tuple[str, ...] = ()
    root_first: bool = False
    time_limit: float | None = None
    gap: float | None = None
    absolute_gap: float | None = None
    threads: int | None = None
    seed: int | None = None
    feasibility: float | None = None
    starts: int | None = None
    search_seconds: float | None = None
    search_seed: int | None = None
    separate: tuple[Separate, ...] = ()
    initial: tuple[Separate, ...] = ()
    decompose: DecomposeSpec | None = None
    select: Selection | None = None
    presolve: tuple[str, ...] | None = None
    places: dict[str, Span] = field(default_factory=dict, compare=False, repr=False)


def read_strategy(blocks: list[n.Strategy], report: Report) -> StrategySpec:
    """Merge the blocks in order (a formulation's first, the spec's last and strongest)."""
    places: dict[str, Span] = {}
    values: dict[str, object] = {"places": places}
    for block in blocks:
        first: dict[str, n.Setting] = {}
        if any(setting.key == REPEATED for setting in block.settings):
            values[REPEATED] = ()
        for setting in block.settings:
            before = first.setdefault(setting.key, setting)
            if before is not setting and setting.key != REPEATED:
                related = (Related(before.span, "first set here"),)
                message = f"'{setting.key}' is set twice"
                report.error("E209", message, setting.span, "keep one of the two", related=related)
            places[setting.key] = setting.span
            _read(setting, values, report)
    return StrategySpec(**values)  # type: ignore[arg-type]


def _read(setting: n.Setting, values: dict[str, object], report: Report) -> None:
    key, words = setting.key, [w for group in setting.groups for w in group]
    place = words[0].span if words else setting.span
    if key in NUMBERS:
        _read_number(key, words, place, values, report)
    elif key == "start" and words and words[0].name == "search":
        _read_search(words, place, values, report)
    elif key in NAMES:
        _read_name(key, words, place, values, report)
    elif key == "starts":
        _read_starts(words, place, values, report)
    elif key == REPEATED:
        separate, before = (
            read_separate(setting, report),
            cast("Separated", values.get(REPEATED, ())),
        )
        if separate is not None:
            _require_new(separate, before, report)
            values[REPEATED] = (*before, separate)
    elif key == "decompose":
        values["decompose"] = read_decompose(words, place, report)
    elif key == "select":
        values["select"] = read_selection(setting, report)
    elif key == "cuts":
        values["cuts"] = tuple(w for w in words if not is_initial(w))
        initial = [read_initial(w, report) for w in words if is_initial(w)]
        values["initial"] = tuple(one for one in initial if one is not None)
    elif key == "priority":
        names = [w.name or w.string or "" for w in words]
        values["root_first"] = "root_first" in names
        values["priority"] = tuple(w for w in names if w != "root_first")
    elif key == "presolve":
        _read_presolve(words, place, values, report)
    else:
        _report_unknown(setting, report)


def _require_new(separate: Separate, before: Separated, report: Report) -> None:
    """E209 for families that are separated twice by one separator."""
    names = {word.name for word in separate.names}
    for one in before:
        others = {word.name for word in one.names}
        if one.separator == separate.separator and (names & others or not names | others):
            message = f"'{separate.separator}' separates the same rows twice"
            related = (Related(one.span, "separated here"),)
            report.error("E209", message, separate.span, "keep one of the two", related=related)


def _report_unknown(setting: n.Setting, report: Report) -> None:
    """E212 for a setting that is unknown."""
    key, place = setting.key, word_span(setting.span, setting.key)
    known = (*NUMBERS, "starts", *NAMES, *LISTS, REPEATED, "select", "decompose")
    message, hint = f"unknown strategy setting '{key}'", did_you_mean(key, known)
    report.error("E212", message, place, f"the settings are {listed(known, len(known))}", hint)


def _read_number(
    key: str, words: list[n.Word], place: Span, values: dict[str, object], report: Report
) -> None:
    number = words[0].number if len(words) == 1 else None
    whole = key in ("threads", "seed")
    if number is None or not 0 <= number < inf or (whole and number != int(number)):
        what = "one whole number" if whole else "one number"
        message = f"'{key}' takes {what}, 0 or more"
        report.error("E213", message, place, f"for example {key} {EXAMPLES[key]};")
        return
    values[key] = int(number) if whole else number


def _read_name(
    key: str, words: list[n.Word], place: Span, values: dict[str, object], report: Report
) -> None:
    name = words[0].name if len(words) == 1 else None
    if not _is_known(key, name):
        # Only here are the solvers' modules read, for their order.
        allowed = (*STARTS, NO_START) if key == "start" else (*solvers(), OF_THE_MODEL)
        message = f"'{key}' takes one of {listed(allowed, len(allowed))}"
        remedy, hint = "", did_you_mean(name or "", allowed)
        if len(words) > 1 and words[0].name in allowed:
            message = f"'{key} {words[0].name}' takes nothing more"
            remedy = f"write  {key} {words[0].name};"
            if key == "start":
                remedy += "  only 'search' takes seconds and a seed"
        report.error("E213", message, place, remedy, hint)
        return
    values[key] = name


def _read_presolve(
    words: list[n.Word], place: Span, values: dict[str, object], report: Report
) -> None:
    """`presolve merge_points;`, or `presolve none;`."""
    names = [w.name or "" for w in words]
    alone = names == [NO_PRESOLVE]
    unknown = next((w for w in words if w.name not in PRESOLVES), None)
    if not words or (unknown is not None and not alone):
        allowed = (*PRESOLVES, NO_PRESOLVE)
        name = "" if unknown is None else unknown.name or ""
        where = place if unknown is None else unknown.span
        message = f"'presolve' takes one of {listed(allowed, len(allowed))}"
        report.error("E213", message, where, caret=did_you_mean(name, allowed))
        return
    values["presolve"] = () if alone else tuple(names)


def _is_known(key: str, name: str | None) -> bool:
    """Whether it is the name of a start, or of a solver."""
    if key == "start":
        return name in STARTS or name == NO_START
    return name == OF_THE_MODEL or name in solver_names()


def _read_search(
    words: list[n.Word], place: Span, values: dict[str, object], report: Report
) -> None:
    """`start search;`, or `start search seconds 5 seed 3;` with one of the two or both."""
    names = [w.name for w in words[1::2]]
    numbers = dict(zip(names, (w.number for w in words[2::2]), strict=False))
    seconds, seed = numbers.get("seconds", 1.0), numbers.get("seed", 0.0)
    form = len(words) % 2 == 1 and {*names} <= {"seconds", "seed"} and len(names) == len(numbers)
    positive = seconds is not None and 0 < seconds < inf
    whole = seed is not None and 0 <= seed < 2**31 and seed.is_integer()
    if not (form and positive and whole):
        message = "'start search' takes seconds above 0 and a whole number as seed, or neither"
        report.error("E213", message, place, "for example start search seconds 5 seed 3;")
        return
    values["start"] = "search"
    values["search_seconds"] = numbers.get("seconds")
    values["search_seed"] = int(seed) if "seed" in numbers and seed is not None else None


def _read_starts(
    words: list[n.Word], place: Span, values: dict[str, object], report: Report
) -> None:
    """`starts 10;`, or `starts 10 seed 0;` in one."""
    numbers = [w.number for w in words[::2]]
    whole = all(v is not None and v >= 0 and v.is_integer() for v in numbers)
    form = [w.name for w in words[1::2]] in ([], ["seed"]) and len(words) in (1, 3)
    if not (form and whole and numbers[0]):
        message = "'starts' takes a whole number, at least 1, and perhaps a seed"
        report.error("E213", message, place, "for example starts 10 seed 0;")
        return
    for name, number in zip(("starts", "seed"), numbers, strict=False):
        values[name] = int(number or 0)
