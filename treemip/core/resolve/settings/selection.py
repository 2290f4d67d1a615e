"""`select` in a strategy: which points of the training part a model is stated over."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

from treemip.core.resolve.settings.words import is_whole, place_of, words_of
from treemip.core.source.diagnostic import Fault
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n

TAKES = {
    "hull": ("eps", "beta1", "beta2"),
    "hyperplane": ("beta2",),
    "balanced": (),
    "iterative": ("rounds", "eps"),
}
"""The selections of Zhu et al. (2020), and the numbers that each takes."""

EXAMPLES = {
    "hull": "select hull;  or  select hull eps 0 beta1 0.3 beta2 0.1;",
    "hyperplane": "select hyperplane beta2 0.1;",
    "balanced": "select balanced;",
    "iterative": "select iterative rounds 3;",
}
TOGETHER = "together"
"""The word after which points that others rest on share a leaf, a module's name as well."""

WORDS = {"iterative": (TOGETHER,)}
"""Words that a selection may end with."""

RANGES = {
    "eps": "eps is 0 or more",
    "beta1": "beta1 lies between 0 and 1",
    "beta2": "beta2 is above 0 and at most 1",
    "rounds": "rounds is a whole number from 1 to 100",
}
ROUNDS = 3


@dataclass(frozen=True)
class Selection:
    """kind: a key of `TAKES`. eps, beta1, beta2: eps', beta_1 and beta_2 of the paper's Algorithm
    1; None where a hull is selected without thresholds. rounds: of Algorithm 3. together: whether
    points whose hull holds points that are left out share a leaf."""

    kind: str
    eps: float = 0.0
    beta1: float | None = None
    beta2: float | None = None
    rounds: int = ROUNDS
    together: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def text(self) -> str:
        """The setting as text, with its defaults written out."""
        words = [self.kind]
        for name in TAKES[self.kind]:
            value = getattr(self, name)
            if value is not None:
                words.append(f"{name} {value:g}")
        return " ".join([*words, *([TOGETHER] if self.together else [])])


def read_selection(setting: n.Setting) -> Selection:
    """`select hull eps 0 beta1 0.3 beta2 0.1;`. Raises Fault (E213) for what is no selection."""
    words, place = words_of(setting), place_of(setting)
    kind = words[0].name if words else None
    if kind not in TAKES or len(setting.groups) > 1:
        message = f"'select' takes one of {listed(TAKES)}"
        caret = did_you_mean(kind or "", TAKES)
        raise Fault("E213", message, place, f"for example {EXAMPLES['hull']}", caret)
    together = len(words) % 2 == 0 and words[-1].name in WORDS.get(kind, ())
    pairs = words[1:-1] if together else words[1:]
    names = [w.name for w in pairs[::2]]
    numbers = [w.number for w in pairs[1::2]]
    fault = _fault(kind, names, numbers)
    if fault:
        message = f"'select {kind}' takes {_taken(kind)}; {fault}" if TAKES[kind] else fault
        raise Fault("E213", message, place, f"for example {EXAMPLES[kind]}")
    given: dict[str, Any] = dict(zip(names, numbers, strict=True))  # type: ignore[arg-type]
    rounds = int(given.pop("rounds", ROUNDS))
    return Selection(kind, **given, rounds=rounds, together=together, span=setting.span)


def asks_together(setting: n.Setting) -> bool:
    """Whether a setting, right or wrong, is a selection with `together`."""
    words = [w.name for w in words_of(setting)]
    return setting.key == "select" and words[:1] == ["iterative"] and words[-1] == TOGETHER


def _taken(kind: str) -> str:
    ends = [f"'{word}'" for word in WORDS.get(kind, ())]
    return " and, at the end, ".join([listed(TAKES[kind]), *ends])


def _fault(kind: str, names: list[str | None], numbers: list[float | None]) -> str:
    """What is wrong with the numbers of a selection; empty where nothing is."""
    known = TAKES[kind]
    if not known and (names or numbers):
        return f"'select {kind}' takes no numbers"
    if len(names) != len(numbers) or None in names or None in numbers:
        return "each name has one number after it"
    if unknown := [name for name in names if name not in known]:
        return f"'{unknown[0]}' is none of them"
    if len({*names}) < len(names):
        return "each stands once"
    if wrong := [name for name, v in zip(names, numbers, strict=True) if not _fits(name, v)]:
        return RANGES[str(wrong[0])]
    if kind == "hull" and ("beta1" in names) is not ("beta2" in names):
        return "beta1 and beta2 are given together"
    if kind == "hyperplane" and "beta2" not in names:
        return "it is missing"
    return ""


def _fits(name: str | None, value: float | None) -> bool:
    assert value is not None
    if name == "rounds":
        return is_whole(value, 1, 101)
    if name == "eps":
        return 0 <= value < inf
    return 0 < value < 1 or (name == "beta2" and value == 1)
