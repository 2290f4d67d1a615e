"""Settings between which a ';' is missing: `label class` and, on the next line, `group sex;`.

The grammar takes the words of both for the values of the first. They are told apart by what each
setting takes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, TypeVar

from treemip.core.resolve.setting_values import PATTERNS, with_numbers
from treemip.core.resolve.settings import data_block, strategy
from treemip.core.resolve.settings.words import Malformed
from treemip.core.source.diagnostic import Fault, Fix, Report
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n

Block = TypeVar("Block", n.Data, n.Strategy)

TAKE_ANY = ("cuts", "priority")
"""Settings that take any names, so that they never show that one begins another setting."""

OPTIONS = frozenset(
    option for patterns in PATTERNS.values() for pattern in patterns for option in pattern.options
)
"""Words such as `seed`, which begin a setting or belong to the one before."""


def apart(node: Block, report: Report) -> Block:
    """The block with a setting for each that its words name. Reports E106 for each missing ';'."""
    keys: Container[str]
    if isinstance(node, n.Data):
        keys, takes = data_block.SETTINGS, _data_takes
    else:
        keys, takes = strategy.READERS, _strategy_takes
    settings = (one for s in node.settings for one in _apart(s, keys, takes, report))
    return replace(node, settings=tuple(settings))


Takes = Callable[[n.Setting], bool]


def _apart(
    setting: n.Setting, keys: Container[str], takes: Takes, report: Report
) -> Iterator[n.Setting]:
    found = _first_of_two(setting, keys, takes)
    if found is None:
        yield setting
        return
    first, rest = found
    end = first.span.source.span(first.span.end, first.span.end)
    message, caret = "';' is missing at the end of this setting", "expected ';'"
    report.error("E106", message, end, caret=caret, fix=Fix.write(end, ";"))
    yield first
    yield from _apart(rest, keys, takes, report)


def _first_of_two(
    setting: n.Setting, keys: Container[str], takes: Takes
) -> tuple[n.Setting, n.Setting] | None:
    """A setting and what follows it without a ';'; None where it is one."""
    places = [
        (g, w)
        for g, group in enumerate(setting.groups)
        for w, word in enumerate(group)
        if w and word.name in keys and word.arguments is None
    ]
    any_words = setting.key in TAKE_ANY or setting.key not in keys
    if not places or (not any_words and takes(setting)):
        return None
    # The first setting is as long as it can be: `label class positive "good"`.
    for g, w in places if any_words else reversed(places):
        first, rest = _divided(setting, g, w)
        begins = _first_on_its_line(rest.span)
        if not begins and (rest.key in OPTIONS or any_words):
            continue
        if (any_words or takes(first)) and (
            begins or takes(rest) or _first_of_two(rest, keys, takes)
        ):
            return first, rest
    return None


def _divided(setting: n.Setting, g: int, w: int) -> tuple[n.Setting, n.Setting]:
    """The setting before and from a word, which is the key of the second."""
    source, group = setting.span.source, setting.groups[g]
    first = source.span(setting.span.start, group[w - 1].span.end)
    rest = source.span(group[w].span.start, setting.span.end)
    behind = (group[w + 1 :],) if group[w + 1 :] else ()
    return (
        n.Setting(key=setting.key, groups=(*setting.groups[:g], group[:w]), span=first),
        n.Setting(key=str(group[w].name), groups=(*behind, *setting.groups[g + 1 :]), span=rest),
    )


def _first_on_its_line(span: Span) -> bool:
    return not span.source.text[: span.start].rpartition("\n")[2].strip()


# ----------------------------------------------------------------------- what a setting takes


def _data_takes(setting: n.Setting) -> bool:
    return any(_is_read(data_block.SETTINGS[setting.key].read, one) for one in _tries(setting))


def _strategy_takes(setting: n.Setting) -> bool:
    def read(one: n.Setting) -> None:
        report = Report()
        strategy.READERS[one.key](one, report)
        for error in report.errors:
            raise Malformed(error.span or one.span)

    return any(_is_read(read, one) for one in _tries(setting))


def _is_read(read: Callable[[n.Setting], Any], setting: n.Setting) -> bool:
    try:
        read(setting)
    except (Malformed, Fault):
        return False
    return True


def _tries(setting: n.Setting) -> Iterator[n.Setting]:
    """The setting with numbers where parameters may give them: from 1, as shares are, and from 2,
    as counts of bins are."""
    for least in (1, 2):
        yield from with_numbers([setting], partial(_next, count(least)))


def _next(numbers: Iterator[int], _: n.Expr) -> float:
    return next(numbers)
