"""The best hyperplane of one branch for some of its rows, and a bound by its multipliers alone.

Whatever multipliers a program ends with, moved into the dual's feasible set they prove a bound. So
a bound is right even if the program was not solved well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.answers.engines.margin.features import better_weights, cost, first_weights, most
from treemip.answers.engines.margin.problem import MarginProblem, PointRows
from treemip.answers.search.margin_trees.branch_programs import Programs, solve_programs
from treemip.core.model.tolerances import (
    DUAL_ROUNDING,
    INFINITE,
    LEAST_DIVISOR,
    MASS_ROUNDING,
    WEIGHTS_NEAR,
)

TURNS = 8
"""Most steps towards the best weights of features."""

LITTLE = 1e-7
"""The price of w^2 / 2 where only rows count that must hold."""

ENOUGH = 4.0
"""How many times the goal a contradiction is to prove."""


@dataclass(frozen=True)
class Plane:
    """value: a lower bound on what hyperplanes pay; reached: what this one pays. w (p,), b; weight
    (p,): by how much each feature is in use."""

    value: float
    reached: float
    w: np.ndarray
    b: float
    weight: np.ndarray


def best_plane(
    problem: MarginProblem,
    branch: int,
    here: np.ndarray,
    state: np.ndarray,
    goal: float,
    used: np.ndarray | None = None,
) -> Plane:
    """For the rows `here`, bool (n,), and what is settled of the features, int8 (p,). used, bool
    (p,): the features that it has and pays for. goal: a value that is looked for, to be minimized:
    no hyperplane in question pays more."""
    program = _Program(problem, branch, here, goal)
    marginal = problem.marginal[branch]
    if used is not None:
        plane = program.solved(used.astype(float))
        paid = cost(marginal, plane.weight)
        return replace(plane, value=plane.value + paid, reached=plane.reached + paid)
    if not marginal.any():
        return program.solved(np.ones(len(state)))
    weight, best = first_weights(marginal, state), None
    for _ in range(TURNS):
        plane = program.solved(weight)
        own = 0.5 * float(weight @ program.normal**2)
        value = plane.value + own * (1 - DUAL_ROUNDING) - most(marginal, state, program.normal)
        if best is None or value > best.value:
            best = replace(plane, value=value)
        whole = plane.reached + cost(marginal, weight)
        if not whole - best.value > WEIGHTS_NEAR * max(1.0, abs(whole)):
            break
        weight = better_weights(marginal, state, weight, program.normal)
    assert best is not None
    return best


class _Program:
    """The program of one branch; `normal` (p,) is what the last multipliers say of the features, of
    coordinates for which prices of w^2 / 2 are 1."""

    def __init__(self, problem: MarginProblem, branch: int, here: np.ndarray, goal: float) -> None:
        rows: PointRows = problem.rows[branch]
        self.scale = problem.scale[branch]
        self.sign, self.least, self.price = rows.sign[here], rows.least[here], rows.price[here]
        x = problem.x * self.scale
        self.x = x[rows.point[here]]
        self.longest = float(np.sqrt((x**2).sum(axis=1)).max(initial=0.0))
        most_least = float(np.abs(rows.least).max(initial=0.0))
        self.goal = goal if np.isfinite(goal) else 1 / DUAL_ROUNDING
        length = np.sqrt(2 * max(0.0, goal)) if np.isfinite(goal) else 1e8
        self.most_b = most_least + self.longest * length
        self.normal = np.zeros(x.shape[1])

    def solved(self, weight: np.ndarray) -> Plane:
        """With features by weights (p,)."""
        used = weight > 0
        if not len(self.least):
            self.normal = np.zeros(len(weight))
            return Plane(0.0, 0.0, self.normal, 0.0, weight)
        matrix = self.sign[:, None] * np.column_stack([self.x[:, used], np.ones(len(self.x))])
        square = np.append(1 / weight[used], 0.0)
        none = np.zeros((1, len(square)))
        found = solve_programs(Programs(matrix[None], self.least, self.price, square[None], none))
        most_ = np.minimum(self.price, INFINITE)
        multipliers = np.clip(np.nan_to_num(found.multipliers[0]), 0.0, most_)
        value, self.normal = self._bound(self._level(multipliers), weight)
        if np.isinf(found.value[0]):
            proofs = (value, self.normal), self._contradiction(matrix, weight)
            value, self.normal = max(proofs, key=lambda proof: proof[0])
        w = np.zeros(len(weight))
        w[used] = found.z[0, :-1]
        reached, b = float(found.value[0]), float(found.z[0, -1])
        return Plane(value, reached, w * self.scale, b, weight)

    def _contradiction(self, matrix: np.ndarray, weight: np.ndarray) -> tuple[float, np.ndarray]:
        """A bound where rows that must hold contradict each other: the more multipliers prove of
        them, the longer they are, and those by which they are missed least say how."""
        hard = np.isinf(self.price)
        price, square = np.ones(int(hard.sum())), np.full(matrix.shape[1], LITTLE)
        square[-1], none = 0.0, np.zeros((1, matrix.shape[1]))
        rows = matrix[None, hard]
        found = solve_programs(Programs(rows, self.least[hard], price, square[None], none))
        multipliers = np.zeros(len(hard))
        multipliers[hard] = np.clip(np.nan_to_num(found.multipliers[0]), 0.0, 1.0)
        multipliers = self._level(multipliers)
        normal = (self.sign * multipliers) @ self.x
        square_, linear = float(weight @ normal**2), float(multipliers @ self.least)
        if linear <= 0:
            return -np.inf, normal
        enough = ENOUGH * max(1.0, self.goal) / linear
        times = min(enough, linear / max(square_, LEAST_DIVISOR))
        return self._bound(multipliers * times, weight)

    def _level(self, multipliers: np.ndarray) -> np.ndarray:
        """With the heavier sign made lighter, so that they add up to 0 by sign."""
        up, down = multipliers[self.sign > 0].sum(), multipliers[self.sign < 0].sum()
        heavy, light = max(up, down), min(up, down)
        share = light / heavy if heavy > 0 else 0.0
        return np.where((self.sign > 0) == (up > down), multipliers * share, multipliers)

    def _bound(self, multipliers: np.ndarray, weight: np.ndarray) -> tuple[float, np.ndarray]:
        """What multipliers within their prices prove. |b| need not be above `most_b`: beyond it all
        losses are linear in b."""
        signed = self.sign * multipliers
        normal, linear = signed @ self.x, float(multipliers @ self.least)
        square, mass = float(weight @ normal**2), float(multipliers.sum())
        size = float(np.abs(multipliers * self.least).sum())
        rounding = DUAL_ROUNDING * (size + square)
        rounding += MASS_ROUNDING * mass * self.longest * np.sqrt(square)
        off = abs(float(signed.sum())) + MASS_ROUNDING * mass
        return linear - square / 2 - off * self.most_b - rounding, normal
