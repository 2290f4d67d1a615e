"""How a gap closed: objective and bound over time as a picture, from the lines of a solve's log."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path

from treemip.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.source.reading import read_text
from treemip.tree.picture.svg import xml
from treemip.tree.saved import is_number, strict_json

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 640.0, 260.0, 70.0, 30.0, 34.0, 14.0
LARGEST = 64_000_000
"""Bytes of a log that is read."""


@dataclass(frozen=True)
class Event:
    """A line of the log, its numbers None where they are not known."""

    stage: str
    seconds: float
    objective: float | None
    bound: float | None


def read_progress(path: str | Path) -> list[Event]:
    """The events of a file that `solve --log-json` wrote. Raises E901, E902."""
    try:
        lines = read_text(path, LARGEST).splitlines()
        events = [_event(strict_json(line)) for line in lines if line.strip()]
    except OSError as error:
        why = error.strerror or "it cannot be read"
        raise TreemipError(Diagnostic.outside("E901", f"'{path}': {why}")) from None
    except (ValueError, TypeError, KeyError, AttributeError):
        message = f"'{path}' is not a log of progress"
        remedy = "name a file that `treemip solve --log-json` wrote"
        raise refused(message, remedy) from None
    return events


def _event(said: dict[str, object]) -> Event:
    seconds = said.get("seconds", 0.0)
    if not is_number(seconds) or not isinstance(said["event"], str):
        raise ValueError
    stage = said.get("stage") or said["event"]
    return Event(str(stage), float(seconds), _known(said, "objective"), _known(said, "bound"))


def _known(said: dict[str, object], name: str) -> float | None:
    value = said.get(name)
    return float(value) if is_number(value) else None


def chart(events: list[Event]) -> str:
    """Objective (solid) and bound (dashed) as steps over seconds, as SVG; empty without any."""
    objective = [(e.seconds, e.objective) for e in events if e.objective is not None]
    bound = [(e.seconds, e.bound) for e in events if e.bound is not None]
    if not objective and not bound:
        return ""
    end = max(event.seconds for event in events) or 1.0
    values = [value for _, value in (*objective, *bound)]
    low, high = _with_space(min(values), max(values))

    def at(seconds: float, value: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * seconds / end
        return x, TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    title = "objective and bound over time"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" '
        f'width="{WIDTH:g}" height="{HEIGHT:g}" role="img" aria-label="{title}" font-size="11" '
        f'font-family="sans-serif"><title>{title}</title>'
    ]
    for value, label in _ticks(low, high):
        x, y = at(0.0, value)
        ends = f'x1="{x:.1f}" x2="{WIDTH - RIGHT:g}" y1="{y:.1f}" y2="{y:.1f}"'
        lines.append(f'<line {ends} stroke="#ddd"/>')
        lines.append(_text(x - 6, y + 4, "end", label))
    for seconds, label in _ticks(0.0, end):
        lines.append(_text(at(seconds, low)[0], HEIGHT - 14, "middle", f"{label} s"))
    for name, known, look in (
        ("objective", objective, 'stroke="#0072B2" stroke-width="2"'),
        ("bound", bound, 'stroke="#D55E00" stroke-width="2" stroke-dasharray="6 4"'),
    ):
        if known:
            steps = _steps([*known, (end, known[-1][1])])
            places = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*step) for step in steps))
            line = f'<polyline points="{places}" fill="none" {look}>'
            lines.append(f"{line}<title>{name}</title></polyline>")
    return "\n".join([*lines, "</svg>"])


def _with_space(low: float, high: float) -> tuple[float, float]:
    """Limits of the vertical axis, apart enough that five digits tell its labels apart."""
    size = max(abs(low), abs(high))
    space = max((high - low) * 0.08, (size or 1.0) * 1e-3)
    return low - space, high + space


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Three to six round numbers from `low` to `high`, with their labels."""
    power = floor(log10((high - low) / 3))
    step = next(s for s in (5, 2, 1) if s * 10.0**power <= (high - low) / 3) * 10.0**power
    numbers = [k * step for k in range(ceil(low / step), floor(high / step) + 1)]
    if max(abs(low), abs(high)) >= 1e7:
        return [(number, f"{number:.5g}") for number in numbers]
    return [(number, f"{number:.{max(0, -power)}f}") for number in numbers]


def _text(x: float, y: float, anchor: str, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{xml(text)}</text>'


def _steps(known: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """A value holds until the next one is known."""
    steps = [known[0]]
    for seconds, value in known[1:]:
        steps += [(seconds, steps[-1][1]), (seconds, value)]
    return steps
