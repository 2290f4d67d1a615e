"""How a result is said: its numbers, its tree, whether it is verified, and the exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemip.cli.console import (
    DONE,
    INTERRUPTED,
    NO_SOLUTION,
    NOT_VERIFIED,
    complain,
    note,
    say_json,
    table,
)

if TYPE_CHECKING:
    from treemip.api.result import Result
    from treemip.tree.sparsity import Sparsity

LONGER = "a longer limit, or a start such as --start cart, may give one"
LONGER_ALONE = "a longer limit may give one"  # where a start was asked for and has come to nothing
REMEDIES = {
    "infeasible": "treemip diagnose says which rows exclude each other",
    "infeasible_or_unbounded": "treemip diagnose says which of the two it is",
    "unbounded": "the objective can be had as good as one likes: bound the variables in it",
    "time_limit": LONGER,
    "solver_limit": LONGER,
}


def report(result: Result, output: Path | None, json: bool, said: int) -> int:
    """Save and show a result, and its exit code; `said` of its warnings were shown before."""
    complain(result.warnings[said:])
    if output is not None:
        result.save(output)
    if json:
        say_json(result.to_json())
    else:
        print(table(_numbers(result)))
        if result.tree is not None:
            print(f"\n{_drawn(result)}")
    return _code(result)


def _code(result: Result) -> int:
    if result.answer.values is None:
        remedy = REMEDIES.get(result.status)
        if remedy == LONGER and any(w.code == "W601" for w in result.warnings):
            remedy = LONGER_ALONE
        note("no solution" + (f"; {remedy}" if remedy else ""))
        return INTERRUPTED if result.status == "interrupted" else NO_SOLUTION
    if result.report is None:
        return DONE
    return DONE if result.verified else NOT_VERIFIED


def _numbers(result: Result) -> list[tuple[str, ...]]:
    answer = result.answer
    rows = [("status", answer.status.replace("_", " "))]
    rows += [("objective", number(answer.objective))] if answer.objective is not None else []
    rows += [("bound", number(answer.bound))] if answer.bound is not None else []
    rows += [("gap", f"{100 * answer.gap:.4g} %")] if answer.gap is not None else []
    if result.report is not None:
        rows.append(("training errors", f"{result.train_errors} of {result.points} points"))
    data = result.compiled.instance.data
    if result.test_errors is not None and data is not None and data.test is not None:
        rows.append(("test errors", f"{result.test_errors} of {len(data.test.y)} points"))
    if result.sparsity is not None:
        rows.append(("unused features", unused_features(result.sparsity)))
    rows += verdict(result.report)
    seconds = f", {answer.seconds:.1f} s" if answer.seconds else ""
    rows.append(("solver", f"{answer.solver} {answer.solver_version}".rstrip() + seconds))
    return list(rows)


def verdict(found: Any) -> list[tuple[str, str]]:
    """`verified: yes`, or every problem; `found` has `verified` and `problems`, or is None."""
    if found is None:
        return []
    if found.verified:
        return [("verified", "yes")]
    return [("verified", "NO"), *(("", problem) for problem in found.problems)]


def unused_features(found: Sparsity) -> str:
    """Of a randomized tree: delta^L and delta^G, as percent."""
    return f"{found.local:.4g} % by branch, {found.everywhere:.4g} % by all"


def number(value: float) -> str:
    return f"{value:.10g}"


def _drawn(result: Result) -> str:
    from treemip.tree.draw import class_counts

    assert result.tree is not None
    points = result.compiled.instance.table
    return result.tree.drawn(class_counts(result.tree, points.inputs, points.y))
