"""A cut of the root as a task of its own: what it starts from, and what is found, here or there."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from treemip.answers.engines.known_sets import Sets
from treemip.answers.engines.plans import Side
from treemip.core.files.atomic import replacing

Solve = Callable[[int, int, np.ndarray, float, np.ndarray | None], Side]
"""As `Separable.subtree`."""


@dataclass(frozen=True, eq=False)
class Question:
    """Which trees of some depth are the best on both sides of a cut, below both children. rest:
    what both have to be below together; high: a bound of the right one; known float64 (B,): what
    trees with each cut at the children are at least worth, None where nothing is known."""

    cut: int
    depth: int
    children: tuple[int, int]
    rest: float
    high: float
    known: tuple[np.ndarray | None, np.ndarray | None]

    def key(self, problem: str) -> str:
        """SHA-256 of all that decides the answer; problem: the digest of the problem."""
        numbers = struct.pack("<qqqqdd", self.cut, self.depth, *self.children, self.rest, self.high)
        digest = hashlib.sha256(problem.encode() + numbers)
        for known in self.known:
            digest.update(b"none" if known is None else known.tobytes())
        return digest.hexdigest()

    def answered(
        self, solve: Solve, rows: tuple[np.ndarray, np.ndarray]
    ) -> tuple[Side, Side | None]:
        """The two sides; the right one is None where the left one rules the cut out. rows: the
        points on them."""
        left = solve(self.children[0], self.depth, rows[0], self.rest - self.high, self.known[0])
        room = self.rest - left.relaxed
        if np.isinf(left.exact) or self.high >= room:
            return left, None
        return left, solve(self.children[1], self.depth, rows[1], room, self.known[1])


@dataclass(frozen=True, eq=False)
class Answer:
    """As of `Question.answered`. found: sets of points that were solved here. Of an answer from
    elsewhere, evaluated: trees of depth 1, and complete: whether there was time for all."""

    left: Side
    right: Side | None
    found: Sets | None = None
    evaluated: int = 0
    complete: bool = True


Ask = Callable[[Question, tuple[np.ndarray, np.ndarray]], Callable[[], Answer | None]]
"""Begins with a question, and gives what waits for its answer, None where there is no time. The
second argument: the points on the two sides."""


def write_answer(path: Path, answer: Answer) -> None:
    """Raises E603."""
    arrays = {"evaluated": np.array(answer.evaluated)}
    for name, side in (("left", answer.left), ("right", answer.right)):
        if side is not None:
            arrays[name] = np.array(_lines(side, []))
            if side.bound is not None:
                arrays[f"{name}_bound"] = side.bound
    with replacing(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def read_answer(path: Path) -> Answer | None:
    """None where there is none, or what is there is none."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            left, right = (
                _side(arrays[name], arrays.get(f"{name}_bound")) if name in arrays else None
                for name in ("left", "right")
            )
            if left is None:
                return None
            return Answer(left, right, evaluated=int(arrays["evaluated"]))
    except (OSError, BadZipFile, KeyError, ValueError, IndexError, EOFError):
        return None


def _lines(side: Side, lines: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """relaxed, exact, cut, and the lines of the two sides, 0 for none; the tree's own first."""
    at = len(lines)
    lines.append(())
    below = [0, 0]
    for number, one in enumerate(side.below or ()):
        below[number] = len(lines)
        _lines(one, lines)
    lines[at] = side.relaxed, side.exact, side.cut, *below
    return lines


def _side(lines: np.ndarray, bound: np.ndarray | None, at: int = 0) -> Side:
    relaxed, exact, cut, left, right = lines[at].tolist()
    below = (_side(lines, None, int(left)), _side(lines, None, int(right))) if left else None
    return Side(relaxed, exact, int(cut), bound, below)
