"""A first spec for a table of survival times: which columns are meant, and what it says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from treemip.api.statement_text import renamed
from treemip.core.instance.raw_table import RawTable
from treemip.core.instance.survey import ColumnSurvey
from treemip.core.resolve.formulations import Formulation
from treemip.core.source.diagnostic import refused
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax.nodes import mentioned

USUAL_OF_SURVIVAL = "ost"

TIMES = re.compile(
    r"t|time|times|duration|tenure|(survival|event|follow_?up)_?time|futime|days|weeks|months|years"
)
"""Names, in small letters, of columns of times up to an event or the end of observation."""

EVENTS = re.compile(
    r"event|events|status|fustat|observed|death|died|dead|fail|failed|failure|churned"
)
"""The same of columns that say whether the event happened. Whether 1 means so is the user's to say:
a guess stands in the spec as a comment."""


@dataclass(frozen=True)
class Survival:
    """Columns of a table: the time at which each point was last observed, and 1 if the event
    happened then, 0 if the point is censored. guessed: those of the two that no option named."""

    time: str
    event: str
    guessed: tuple[str, ...] = ()

    @property
    def numbers(self) -> dict[str, str]:
        """Columns of numbers by the names that formulations have for them."""
        return {"time": self.time, "event": self.event}

    @property
    def target(self) -> str:
        """The column whose values are counted."""
        return self.event

    @property
    def columns(self) -> tuple[str, ...]:
        return self.event, self.time

    gaps = "a gap in time or event"

    def told(self, counts: dict[str, int]) -> str:
        """A note on the columns, for the screen. counts: rows by what the event column has."""
        said = f"time '{self.time}', event '{self.event}' ({self._events(counts)})"
        by_name = f"{' and '.join(self.guessed)} guessed by name" if self.guessed else ""
        return f"{said}, {by_name}" if by_name else said

    def data_lines(self, counts: dict[str, int]) -> Iterator[str]:
        """What the data block says in place of a label."""
        yield "label none;"
        if self.guessed:
            yield f"# {', '.join(self.guessed)}: guessed by name"
        yield "# time: when the row was last observed"
        yield f"# event: 1 if it happened then, 0 if it did not; {self._events(counts)}"
        yield f"number {renamed(self.numbers)};"
        yield "# add to drop what is known only after the event"

    def _events(self, counts: dict[str, int]) -> str:
        happened = sum(rows for value, rows in counts.items() if float(value) == 1)
        return f"{happened} events in {sum(counts.values())} rows"

    def constraint(self, counts: dict[str, int]) -> str:
        """A side constraint to try."""
        return "least {l in leaves}: points_in[l] >= 5 * occupied[l];"

    @property
    def statements(self) -> Iterator[str]:
        """What follows the split."""
        yield "# Harrell's C, which solve and score report:  let harrell_c = concordance;"

    def demand(self, raw: RawTable, surveys: list[ColumnSurvey]) -> None:
        """E902 for columns that are not there, are one, hold text, or are no events."""
        by_name = {one.name: one for one in surveys}
        for option, column in self.numbers.items():
            if column not in by_name:
                remedy = did_you_mean(column, by_name) or f"the columns are {listed(by_name, 40)}"
                raise refused(f"there is no column '{column}'", remedy)
            if not by_name[column].numeric:
                what = "numbers" if option == "time" else "1 where the event happened, else 0"
                raise refused(
                    f"the column '{column}' holds text, and --{option} needs {what}",
                    f"name another column: --{option}",
                )
        if self.time == self.event:
            message = "--time and --event name the same column"
            raise refused(message, "name a different column for each")
        cells = raw[self.event]
        values = set(cells.numbers[~cells.missing].tolist())
        if not values <= {0.0, 1.0}:
            odd = min(values - {0.0, 1.0})
            raise refused(
                f"the column '{self.event}' has the value {odd:g}, and --event needs 1 where the"
                " event happened, else 0",
                "name another column with --event, or recode this one",
            )
        if 1.0 not in values:
            message = f"the column '{self.event}' has no 1: no event happened"
            raise refused(message, "name another column with --event")


def learns_from_times(wanted: Formulation | None) -> bool:
    """Whether a formulation learns from times of events."""
    return wanted is not None and {"time", "event"} <= frozenset(mentioned(wanted.statements))


def demand_no_survival(wanted: Formulation | None) -> None:
    """E902 for a formulation of survival trees, where none can be asked for."""
    if wanted is not None and learns_from_times(wanted):
        raise refused(
            f"{wanted.name} learns from times of events, and not from a label",
            f"write its spec: treemip init TABLE --formulation {wanted.name} --time NAME "
            "--event NAME; then treemip tune chooses its depth",
        )


@dataclass(frozen=True)
class SurvivalAsked:
    """What options say: None for a column that is guessed."""

    time: str | None = None
    event: str | None = None

    def by(self, wanted: Formulation | None, other: str | None) -> SurvivalAsked | None:
        """What the options or the formulation ask for; None for a spec that is of no survival.

        other: the option that asks for another kind of tree, None without. Raises E902 for options
        that exclude each other, and for a formulation that learns something else.
        """
        named = {"--time": self.time, "--event": self.event}
        given = next((option for option, value in named.items() if value is not None), None)
        learns = learns_from_times(wanted)
        if given is None and not learns:
            return None
        if other is not None:
            what = given or (wanted.name if wanted else "")
            message = f"{what} is for survival trees, which have no use for {other}"
            raise refused(message, "leave it out; name the columns by --time and --event")
        if wanted is not None and not learns:
            message = f"{wanted.name} does not learn from times of events"
            raise refused(message, f"take {USUAL_OF_SURVIVAL}, the default")
        return self

    def of(self, raw: RawTable, surveys: list[ColumnSurvey]) -> Survival:
        """Raises E902 for columns that are missing and cannot be guessed."""
        time, event, names = self.time, self.event, [one.name for one in surveys]
        if time is None:
            time = _one([s for s in surveys if s.numeric and s.name != event], TIMES)
        if event is None:
            indicators = [s for s in surveys if s.numeric and s.levels <= 2 and s.name != time]
            event = _one(indicators, EVENTS)
        if time is None or event is None:
            missing = [f"--{k} NAME" for k, v in (("time", time), ("event", event)) if v is None]
            what = " and ".join(part.split()[0].strip("-") for part in missing)
            raise refused(
                f"no name of a column tells which is the {what} of a survival tree",
                f"name them: {' '.join(missing)}; the columns are {listed(names, 40)}",
            )
        given = {"time": self.time, "event": self.event}
        found = Survival(time, event, tuple(name for name, value in given.items() if value is None))
        found.demand(raw, surveys)
        return found


def _one(surveys: list[ColumnSurvey], names: re.Pattern[str]) -> str | None:
    """The only column with such a name; None for none or several."""
    found = [one.name for one in surveys if names.fullmatch(one.name.lower())]
    return found[0] if len(found) == 1 else None
