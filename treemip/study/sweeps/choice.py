"""Which configuration of a cross-validation to take: the best mean score, or the smallest tree that
is as good within the error of that mean."""

from __future__ import annotations

from math import sqrt

from treemip.core.model.tolerances import ROUNDING
from treemip.core.source.diagnostic import refused
from treemip.study.sweeps.table import Configuration, Sweep

RULES = ("1se", "best")
ONE_ERROR, BEST = RULES


def demand_rule(rule: str | None) -> None:
    """E902 for another rule than RULES, and None."""
    if rule is not None and rule not in RULES:
        raise refused(f"the rule is {rule!r}", "give 1se, or best for the best mean score")


def candidates_of(runs: Sweep) -> list[Configuration]:
    """Those of which every run has a tree."""
    return [each for each in runs.configurations if each.score is not None]


def best_of(candidates: list[Configuration]) -> Configuration:
    """The best mean score; among equals the fewest splits, then the first depth and the last
    price."""
    return min(candidates, key=lambda c: (-_goodness(c), *_size(c, candidates)))


def chosen_of(candidates: list[Configuration], rule: str) -> Configuration:
    """By "1se" (Breiman et al. 1984, 3.4.3) the fewest splits among those whose mean score is
    within one standard error of the best one's; by "best" that one."""
    best = best_of(candidates)
    if rule != ONE_ERROR:
        return best
    least = _goodness(best) - standard_error(best) - ROUNDING
    good = [each for each in candidates if _goodness(each) >= least]
    return min(
        good, key=lambda c: (*_size(c, candidates)[:1], -_goodness(c), *_size(c, candidates))
    )


def standard_error(configuration: Configuration) -> float:
    """Of the mean score over the runs; 0 for a single one."""
    return (configuration.deviation or 0.0) / sqrt(configuration.runs)


def _goodness(configuration: Configuration) -> float:
    assert configuration.score is not None
    return configuration.measure.sign * round(configuration.score, 12)


def _size(configuration: Configuration, among: list[Configuration]) -> tuple[float, ...]:
    """Splits, and of equals the place of the first value that varies, and from the end that of the
    others."""
    assert configuration.splits is not None
    places = [
        list(dict.fromkeys(each.values[name] for each in among)).index(value)
        for name, value in configuration.values.items()
    ]
    return (configuration.splits, *places[:1], *(-place for place in places[1:]))
