"""Boxes of leaves: the answer, then what the points of the leaf show of it: shares of classes, the
spread of a number, the outcome under each choice, or survival over time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treemip.core.tree.leaf_outcomes import STEPS, Estimate, Outcome, Spread, Survival
from treemip.writers.picture.boxes import (
    PAD,
    SIZE,
    SMALL,
    WIDEST_CHANCES,
    WIDEST_LEAF,
    Box,
    Names,
)
from treemip.writers.picture.contents import Leaf, shown
from treemip.writers.picture.shapes import (
    FAINT,
    INK,
    LINE,
    Line,
    Path,
    Rect,
    Text,
    colour,
)
from treemip.writers.picture.style import PLAIN, Style

TIMES = "\N{MULTIPLICATION SIGN}"

CLASSES, PARTS = 4, 6
"""How many classes or choices, and how many addends of a leaf are shown."""

WIDE, CURVE, STRIP = 132.0, 46.0, 20.0
"""Pixels of a chart: its width, and the heights of a curve and of a bar with quartiles."""


def leaf_box(leaf: Leaf, names: Names, style: Style) -> Box:
    wide = leaf.parts or leaf.chances is not None or leaf.outcome is not None
    box = Box(96, WIDEST_CHANCES if wide else WIDEST_LEAF)
    _answer(box, leaf, names, style)
    if isinstance(leaf.outcome, Survival):
        _survival(box, leaf.outcome, names, style)
    elif isinstance(leaf.outcome, Spread):
        _spread(box, leaf, leaf.outcome, names, style)
    elif leaf.outcome is not None:
        _received(box, leaf.outcome, names, style)
    if leaf.counts is not None:
        _points(box, leaf, style)
    if leaf.label is not None or leaf.folded:
        _classes(box, leaf, names, style)
    return box


def _answer(box: Box, leaf: Leaf, names: Names, style: Style) -> None:
    """The class, or the value with what it is of: a line for each addend, as many as a leaf has
    room for, and the last one, which is the constant."""
    if leaf.folded or leaf.label is not None:
        box.text(leaf.answer, bold=True)
        return
    if names.kind == "time":
        box.text(f"{style.say('hazard')} {TIMES} {leaf.answer}", bold=True)
        return
    if names.label:
        box.text(names.label, SMALL, tone=FAINT)
    if not leaf.parts:
        value = f"{leaf.answer} {style.unit}".rstrip()
        box.text(value, SIZE + 2, bold=True)
        return
    for line in _some(leaf.parts, style):
        box.text(line, bold=True)


def _some(parts: tuple[str, ...], style: Style) -> list[str]:
    if len(parts) <= PARTS:
        return list(parts)
    more = len(parts) - (PARTS - 1)
    return [*parts[: PARTS - 2], f"+ {more} {style.say('more')}", parts[-1]]


def _points(box: Box, leaf: Leaf, style: Style) -> None:
    assert leaf.counts is not None
    text = style.points(int(leaf.counts.sum()))
    if isinstance(leaf.outcome, Survival):
        text += f", {_events(leaf.outcome, style)}"
    if len(leaf.heap) > 1:
        text += f", {len(leaf.heap)} {style.say('leaves')}"
    likely = f"{style.say('most probable for')} " if leaf.likely else ""
    box.text(likely + text, SMALL, tone=FAINT)


def _classes(box: Box, leaf: Leaf, names: Names, style: Style) -> None:
    """A bar of shares and a line for each class: how many points, and their share."""
    if leaf.chances is not None:
        shares, total = leaf.chances, 1.0
        lines = [(k, f"{100 * shares[k]:.3g} %") for k in order_of(shares, 5e-4)]
    elif leaf.counts is not None and names.counted:
        shares, total = leaf.counts, float(leaf.counts.sum())
        lines = [(k, f"{shares[k]} ({percent(shares[k], total)})") for k in order_of(shares, 0.5)]
    else:
        return
    if lines:
        box.bar(shares)
    most = CLASSES if len(lines) <= CLASSES else CLASSES - 1
    for k, number in lines[:most]:
        _key(box, k, f"{names.classes[k]}: {number}", style)
    if len(lines) > most:
        text = f"{style.say('and')} {len(lines) - most} {style.say('more classes')}"
        box.text(text, SMALL, x=14, tone=FAINT)


def _key(box: Box, k: int, text: str, style: Style) -> None:
    box.shapes.append(Rect(PAD, box.height + 5, 9, 9, colour(k, style.colours), INK))
    box.text(text, SMALL, x=14)


def percent(part: float, total: float) -> str:
    """`95 %`; `<1 %` and `>99 %` where neither none nor all are meant."""
    share = 100 * part / total
    if 0 < share < 1:
        return "<1 %"
    return ">99 %" if 99 < share < 100 else f"{share:.0f} %"


def order_of(values: np.ndarray, least: float) -> list[int]:
    """Classes with at least so much, the most frequent first."""
    return [k for k in np.argsort(-values, kind="stable").tolist() if values[k] >= least]


# ------------------------------------------------------------------------ charts


def _spread(box: Box, leaf: Leaf, spread: Spread, names: Names, style: Style) -> None:
    """Quartiles on the scale of all leaves, then mean and standard deviation."""
    low, high = names.scale
    if spread.quartiles is not None and high > low:
        y = box.height + 3

        def place(value: float) -> float:
            return PAD + WIDE * min(1.0, max(0.0, (value - low) / (high - low)))

        first, middle, last = map(place, spread.quartiles)
        axis = y + 9.0
        tone = style.colours[0]
        box.shapes += [
            Line(PAD, axis, PAD + WIDE, axis, 1, LINE),
            Rect(first, y + 4, max(1.0, last - first), 10, _pale(tone), INK),
            Line(middle, y + 4, middle, y + 14, 2, INK),
        ]
        if leaf.value is not None:
            x = place(leaf.value)
            box.shapes.append(Path(((x, y + 9), (x - 4, y + 1), (x + 4, y + 1)), INK, 1, tone))
        box.height += STRIP
        box.width = max(box.width, WIDE + 2 * PAD)
    box.text(spread_text(spread, style), SMALL)


def spread_text(spread: Spread, style: Style) -> str:
    """`mean 143, sd 42`"""
    mean, sd = style.rough(spread.mean), style.rough(spread.sd)
    return f"{style.say('mean')} {mean}, {style.say('sd')} {sd}"


def _pale(tone: str) -> str:
    return "#" + "".join(f"{(int(tone[k : k + 2], 16) + 2 * 255) // 3:02X}" for k in (1, 3, 5))


def _received(box: Box, received: dict[str, Spread], names: Names, style: Style) -> None:
    """For each choice that points received its estimate, where that is known, and below it the mean
    outcome, and of how many."""
    rows = _of_choices(received, names.classes)
    for k, name, each in rows[:CLASSES]:
        mean = _mean_text(each, style)
        if each.estimate is None:
            _key(box, k, f"{name}: {mean}", style)
        else:
            _key(box, k, f"{name}: {_estimate_text(each.estimate, style)}", style)
            box.text(mean, SMALL, x=14, tone=FAINT)
    if len(rows) > CLASSES:
        text = f"{style.say('and')} {len(rows) - CLASSES} {style.say('more')}"
        box.text(text, SMALL, x=14, tone=FAINT)


def _of_choices(
    received: dict[str, Spread], classes: Iterable[str]
) -> list[tuple[int, str, Spread]]:
    """Number and name of each choice that points received, and what is known of it."""
    found = ((k, name, _by_end(received, name)) for k, name in enumerate(classes))
    return [(k, name, each) for k, name, each in found if each is not None]


def received_text(received: dict[str, Spread], classes: Iterable[str], style: Style) -> str:
    """`treated: mean 1.2, n 30`, or `treated: estimate 1.1, mean 1.2, n 30`, for each choice."""
    texts = []
    for _, name, each in _of_choices(received, classes):
        estimate = () if each.estimate is None else (_estimate_text(each.estimate, style),)
        texts.append(f"{name}: {', '.join((*estimate, _mean_text(each, style)))}")
    return ", ".join(texts)


def _estimate_text(estimate: Estimate, style: Style) -> str:
    return f"{style.say('estimate')} {style.measured(estimate.mean)}"


def _mean_text(spread: Spread, style: Style) -> str:
    return f"{style.say('mean')} {style.measured(spread.mean)}, n {spread.count}"


def _by_end(received: dict[str, Spread], name: str) -> Spread | None:
    """Of a choice, which the picture may call `drug = 1` where it is 1."""
    known = {shown(key): each for key, each in received.items()}
    return known.get(name) or next(
        (each for key, each in known.items() if name.endswith(f" = {key}")), None
    )


def _survival(box: Box, found: Survival, names: Names, style: Style) -> None:
    """Steps from 1 down, over time up to the longest of all leaves, and the median."""
    y, x = box.height + 4, PAD
    places = [(x, y)]
    for k, share in enumerate(found.curve, 1):
        at = x + WIDE * k / STEPS
        places += [(at, places[-1][1]), (at, y + CURVE * (1 - share))]
    half = y + CURVE / 2
    box.shapes += [
        Line(x, half, x + WIDE, half, 0.5, LINE),
        Line(x, y, x, y + CURVE, 1, FAINT),
        Line(x, y + CURVE, x + WIDE, y + CURVE, 1, FAINT),
        Path(tuple(places), style.colours[0], 2.0),
        Text(x, y + CURVE + 11, "0", 9.0, colour=FAINT),
    ]
    end = style.measured(names.span)
    width = 5.6 * len(end)
    box.shapes.append(Text(x + WIDE - width, y + CURVE + 11, end, 9.0, colour=FAINT))
    box.height += CURVE + 16
    box.width = max(box.width, WIDE + 2 * PAD)
    box.text(survival_text(found, style), SMALL)


def _events(found: Survival, style: Style) -> str:
    return f"{found.events} {style.say('event' if found.events == 1 else 'events')}"


def survival_text(found: Survival, style: Style) -> str:
    known = style.say("not reached") if found.median is None else style.measured(found.median)
    return f"{style.say('median')} {known}"


def outcome_text(outcome: Outcome, names: Names, style: Style) -> str:
    """The same as the charts show, in a line of text."""
    if isinstance(outcome, Spread):
        text = spread_text(outcome, style)
        if outcome.quartiles is not None:
            text += f", quartiles {', '.join(map(style.rough, outcome.quartiles))}"
        return text
    if isinstance(outcome, Survival):
        return f"{survival_text(outcome, style)}, {_events(outcome, style)}"
    return received_text(outcome, names.classes, style)


# -------------------------------------------------------------------------- titles


def counted_text(counts: np.ndarray, names: Names, style: Style) -> str:
    """`46 points: 45 virginica, 1 versicolor`, the most frequent class first; `46 points` where
    the tree does not predict the label's classes."""
    order = order_of(counts, 0.5) if names.counted else []
    of = " of " if names.numbers else " "
    each = ", ".join(f"{counts[k]}{of}{names.counted[k]}" for k in order)
    return style.points(int(counts.sum())) + (f": {each}" if each else "")


def leaf_title(leaf: Leaf, names: Names, style: Style = PLAIN) -> str:
    """`leaf 4: setosa; 50 points: 50 setosa`, with every class that occurs."""
    number = ", ".join(map(str, leaf.heap))
    what = style.say("leaf" if len(leaf.heap) == 1 else "leaves")
    answer = f"{style.say('hazard')} {TIMES} {leaf.answer}" if names.kind == "time" else leaf.answer
    parts = [f"{what} {number}: {answer}"]
    if leaf.chances is not None:
        colon = ":" * names.numbers
        order = order_of(leaf.chances, 5e-4)
        parts.append(", ".join(f"{names.classes[k]}{colon} {leaf.chances[k]:.3g}" for k in order))
    if leaf.counts is not None:
        parts.append(counted_text(leaf.counts, names, style))
    if leaf.outcome is not None:
        parts.append(outcome_text(leaf.outcome, names, style))
    return "; ".join(parts)
