"""`decompose` in a strategy: node-based decomposition, after Amaldi et al. (2023), section 6.

decompose single;                            S-NB-DEC, Algorithm 2
decompose convergent(branches = 1);          C-NB-DEC, section 6.2
decompose nodes(branches = 2, leaves = apart, order = cyclic);
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from treemip.source.diagnostic import Report
from treemip.source.span import Span
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes as n


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
WORDS = {"leaves": ("with", "apart"), "order": ("random", "cyclic")}
CHOICES = {"single": (), "convergent": ("branches",), "nodes": ("branches", *WORDS)}
"""What may be chosen of a scheme's working sets."""
EXAMPLE = "for example decompose single(proximal = 1e-6, macro_iterations = 15);"
OF_NODES = "for example decompose nodes(branches = 2, leaves = apart, order = cyclic);"


def read_decompose(words: list[n.Word], place: Span, report: Report) -> DecomposeSpec | None:
    """The scheme and its arguments; E213 for all else, and None."""
    word = words[0] if len(words) == 1 else None
    name = (word.name or "") if word else ""
    if word is None or name not in SCHEMES:
        message = f"'decompose' takes one of {listed(SCHEMES, len(SCHEMES))}"
        report.error("E213", message, place, EXAMPLE, did_you_mean(name, SCHEMES))
        return None
    plan: DecomposeSpec | None = replace(SCHEMES[name], span=place)
    given: set[str] = set()
    for argument in word.arguments or ():
        read = _argument(argument, name, given, report)
        plan = None if plan is None or read is None else replace(plan, **read)  # type: ignore[arg-type]
    if plan is not None and name == "convergent" and plan.proximal == 0:
        report.error(
            "E213",
            "'decompose convergent' needs a proximal term",
            place,
            "give proximal a value above 0, or take decompose nodes(branches = all, leaves ="
            " apart, order = cyclic)",
        )
        return None
    return plan


def _argument(
    argument: n.Argument, scheme: str, given: set[str], report: Report
) -> dict[str, object] | None:
    """One argument as a field of DecomposeSpec; None after an error."""
    name, value = argument.name or "", argument.value
    known = (*CHOICES[scheme], *NUMBERS, "keep", "proximal")
    if name not in known:
        what = f"no argument '{name}'" if name else "arguments by name only"
        message = f"'decompose {scheme}' takes {what}"
        remedy = f"the arguments are {listed(known, len(known))}"
        report.error("E213", message, argument.span, remedy, did_you_mean(name, known))
        return None
    if name in given:
        report.error("E209", f"'{name}' is given twice", argument.span)
        return None
    given.add(name)
    text = value.name if isinstance(value, n.Name) and not value.arguments else None
    number = value.value if isinstance(value, n.Number) else None
    read: dict[str, object] | None = None
    if name in WORDS:
        wanted = " or ".join(WORDS[name])
        if text in WORDS[name]:
            read = (
                {"leaves_apart": text == "apart"}
                if name == "leaves"
                else {"shuffled": text == "random"}
            )
    elif name == "proximal":
        wanted = "a number, 0 or more"
        if number is not None and 0 <= number < inf:
            read = {name: number}
    else:
        least = NUMBERS.get(name, 1)
        wanted = f"a whole number, at least {least}" + (", or all" if name in COUNTS else "")
        if name in COUNTS and text == "all":
            read = {name: None}
        elif number is not None and least <= number < 2**31 and float(number).is_integer():
            read = {name: int(number)}
    if read is None:
        remedy = OF_NODES if name in CHOICES["nodes"] else EXAMPLE
        report.error("E213", f"'{name}' takes {wanted}", argument.span, remedy)
    return read
