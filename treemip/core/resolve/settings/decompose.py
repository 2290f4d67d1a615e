"""`decompose` in a strategy: node-based decomposition, after Amaldi et al. (2023), section 6.

decompose single;                            S-NB-DEC, Algorithm 2
decompose convergent(branches = 1);          C-NB-DEC, section 6.2
decompose nodes(branches = 2, leaves = apart, order = cyclic);
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from treemip.core.resolve.settings.words import is_whole, place_of, single_name, words_of
from treemip.core.source.diagnostic import Fault, Report
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n


@dataclass(frozen=True)
class DecomposeSpec:
    """NB-DEC (Amaldi et al. 2023, Algorithm 1) with one rule for its working sets.

    branches: how many branches a working set has, None for all; leaves_apart: whether the leaves
    are a working set of their own, after those of the branches, and not in each of them; shuffled:
    whether a macro-iteration takes the sets in random order. macro_iterations: through all working
    sets, at most; inner_iterations: of Ipopt on a subproblem, at most; initial_iterations: of Ipopt
    on the whole problem before the first of them. proximal: the coefficient psi of (21), None for
    the default. keep: how many starts, the best ones, go on after `trial` macro-iterations; None
    for all.
    """

    scheme: str
    branches: int | None = 1
    leaves_apart: bool = False
    shuffled: bool = True
    macro_iterations: int = 15
    inner_iterations: int = 10
    initial_iterations: int = 5
    proximal: float | None = None
    keep: int | None = 2
    trial: int = 2
    span: Span | None = None


SCHEMES = {
    "single": DecomposeSpec("single"),
    "convergent": DecomposeSpec("convergent", None, leaves_apart=True, shuffled=False, trial=3),
    "nodes": DecomposeSpec("nodes"),
}
NUMBERS = {"macro_iterations": 1, "inner_iterations": 1, "initial_iterations": 0, "trial": 1}
"""Whole numbers and the least of each."""
COUNTS = ("branches", "keep")
"""Whole numbers, or `all`."""
WORDS = {"leaves": {"with": False, "apart": True}, "order": {"random": True, "cyclic": False}}
"""Arguments that are words, and what each word says of the argument's field."""
FIELDS = {"leaves": "leaves_apart", "order": "shuffled"}
CHOICES = {"single": (), "convergent": ("branches",), "nodes": ("branches", *WORDS)}
"""What may be chosen of a scheme's working sets."""
EXAMPLE = "for example decompose single(proximal = 1e-6, macro_iterations = 15);"
CYCLIC = (
    "give proximal a value above 0, or take decompose nodes(branches = all, leaves = apart, "
    "order = cyclic)"
)
OF_NODES = "for example decompose nodes(branches = 2, leaves = apart, order = cyclic);"


def read_decompose(setting: n.Setting, report: Report) -> DecomposeSpec | None:
    """The scheme and its arguments. E213 for anything else: reported, or raised as a Fault."""
    words, place = words_of(setting), place_of(setting)
    name = single_name(setting) or ""
    if name not in SCHEMES:
        hint = did_you_mean(name, SCHEMES)
        raise Fault("E213", f"'decompose' takes one of {listed(SCHEMES)}", place, EXAMPLE, hint)
    given: dict[str, n.Argument] = {}
    read = [report.attempt(_argument, a, name, given) for a in words[0].arguments or ()]
    fields = [each for each in read if each is not None]
    if len(fields) < len(read):
        return None
    plan = replace(SCHEMES[name], span=place, **dict(fields))
    if name == "convergent" and plan.proximal == 0:
        message = "'decompose convergent' needs a proximal term"
        raise Fault("E213", message, place, CYCLIC)
    return plan


def _argument(argument: n.Argument, scheme: str, given: dict[str, n.Argument]) -> tuple[str, Any]:
    """One argument as a field of DecomposeSpec, with its value. Raises Fault (E209, E213)."""
    name = argument.name or ""
    known = (*CHOICES[scheme], *NUMBERS, "keep", "proximal")
    if name not in known:
        what = f"no argument '{name}'" if name else "arguments by name only"
        message, remedy = f"'decompose {scheme}' takes {what}", f"the arguments are {listed(known)}"
        raise Fault("E213", message, argument.span, remedy, did_you_mean(name, known))
    if given.setdefault(name, argument) is not argument:
        raise Fault("E209", f"'{name}' is given twice", argument.span)
    value = argument.value
    text = value.name if isinstance(value, n.Name) and not value.arguments else None
    number = value.value if isinstance(value, n.Number) else None
    if name in WORDS:
        if text in WORDS[name]:
            return FIELDS[name], WORDS[name][text]
        wanted = " or ".join(WORDS[name])
    elif name == "proximal":
        if number is not None and 0 <= number < inf:
            return name, number
        wanted = "a number, 0 or more"
    else:
        least, or_all = NUMBERS.get(name, 1), name in COUNTS
        if or_all and text == "all":
            return name, None
        if number is not None and is_whole(number, least, 2**31):
            return name, int(number)
        wanted = f"a whole number, at least {least}" + (", or all" if or_all else "")
    remedy = OF_NODES if name in CHOICES["nodes"] else EXAMPLE
    raise Fault("E213", f"'{name}' takes {wanted}", argument.span, remedy)
