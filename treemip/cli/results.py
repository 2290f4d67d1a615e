"""How a result is said: its numbers, its tree, whether it is verified, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemip.cli.console import (
    DONE,
    IN_PART,
    INTERRUPTED,
    NO_SOLUTION,
    NOT_VERIFIED,
    complain,
    note,
    say_json,
    table,
)
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.suggest import listed

if TYPE_CHECKING:
    from treemip.api.near_optimal import NearOptimalTrees
    from treemip.api.result import Result
    from treemip.core.tree.score import Sparsity
    from treemip.core.tree.verify import Verdict

LONGER = "a longer limit, or a start such as --start cart, may give one"
LONGER_ALONE = "a longer limit may give one"  # where a start was asked for and has come to nothing
REMEDIES = {
    "infeasible": "treemip diagnose names the requirements that exclude each other",
    "infeasible_or_unbounded": "treemip diagnose tells which of the two it is",
    "unbounded": "the objective can be improved without limit: bound the variables in it",
    "time_limit": LONGER,
    "solver_limit": LONGER,
}


ALWAYS = ("tree", "objective", "training errors", "test errors", "features")
"""Columns of a list of trees that are shown where they are the same for all."""

CODES: dict[Verdict | None, int] = {
    None: DONE,
    "verified": DONE,
    "verified in part": IN_PART,
    "not verified": NOT_VERIFIED,
}


def report(
    result: Result,
    output: Path | None,
    json: bool,
    shown: int,
    near: NearOptimalTrees | None = None,
    beside: dict[str, Any] | None = None,
) -> int:
    """Save and show a result; returns the exit code.

    shown: how many of its warnings were shown already. near: the trees near it, where asked for.
    beside: fields of the JSON that have the result's own beside them, under "result".
    A file that cannot be written is an E603 raised at the end, after everything is shown.
    """
    from treemip.api.store import result_json, save

    folder = None if output is None else output.parent
    try:
        numbers = result_json(result, folder)
    except Exception as error:  # a bug in describing the tree must not lose the rest
        result = result.without_tree(error)
        numbers = result_json(result, folder)
    complain([*result.warnings[shown:], *result.failure])
    unsaved = list(result.unwritten)
    if output is not None:
        try:
            if near is None:
                save(result, output, numbers)
            else:
                _save_set(near, output)
        except TreemipError as error:
            unsaved += error.diagnostics
    if json:
        said = numbers if near is None else {**numbers, "near_optimal": near.to_json()}
        say_json(said if beside is None else {**beside, "result": said})
    else:
        print(table(_numbers(result)))
        if result.tree is not None:
            print(f"\n{result.tree}")
        if near is not None:
            print(f"\n{near.text()}\n\n{_listed(near.table())}")
    code = _code(result)
    if unsaved:
        raise TreemipError(unsaved)
    return code


def _save_set(near: NearOptimalTrees, output: Path) -> None:
    """Save the trees. Files of an earlier run with more trees stay, and are named."""
    from treemip.api.near_optimal import others_there

    near.save(output)
    others = others_there(output, len(near))
    if others:
        names, verb = listed([str(file) for file in others]), "is" if len(others) == 1 else "are"
        note(f"{names} {verb} not of this run")


def _code(result: Result) -> int:
    if result.answer.values is None:
        remedy = REMEDIES.get(result.status)
        if remedy == LONGER and any(w.code == "W601" for w in result.warnings):
            remedy = LONGER_ALONE
        if result.answer.message and (
            result.status == "infeasible" or result.answer.solver == "none"
        ):
            note(result.answer.message)
        note("no solution" + (f"; {remedy}" if remedy else ""))
        return INTERRUPTED if result.status == "interrupted" else NO_SOLUTION
    return CODES[result.verdict]


def _numbers(result: Result) -> list[tuple[str, ...]]:
    from treemip.api.optimality import closed
    from treemip.core.tree.score_text import lines_of

    answer = result.answer
    rows = [("status", answer.status.replace("_", " ")), *_in_turn(result)]
    rows += [("objective", number(answer.objective))] if answer.objective is not None else []
    rows += [("bound", number(answer.bound))] if answer.bound is not None else []
    rows += [("gap", f"{100 * answer.gap:.4g} %")] if answer.gap is not None else []
    own = result.report.tree_objective if result.report else None
    if own is not None and not closed(own, answer.objective):
        rows.insert(2, ("tree's objective", number(own) + _why_two(result)))
    if result.train_errors is not None:
        kind = "points" if result.selected is None else "selected points"
        rows.append(("training errors", f"{result.train_errors} of {result.points} {kind}"))
        rows += _compared(result)
        rows += _on_all(result)
        rows += _one_class(result)
    else:
        rows += _compared(result)
    data = result.compiled.instance.data
    if result.test_errors is not None and data is not None and data.test is not None:
        rows.append(("test errors", f"{result.test_errors} of {len(data.test.y)} points"))
    rows += lines_of("training", result.train_score) + lines_of("test", result.test_score)
    if result.sparsity is not None:
        rows.append(("unused features", unused_features(result.sparsity)))
    rows += _verdict(result)
    if result.selected is not None:
        rows.append(("", "for the selected points alone"))
    seconds = f", {answer.seconds:.1f} s" if answer.seconds >= 0.05 else ""
    rows.append(("solver", f"{answer.solver} {answer.solver_version}".rstrip() + seconds))
    if answer.separated is not None:
        count, spent = answer.separated.rows, answer.separated.seconds
        rows.append(("separated", f"{count} rows, {spent:.1f} s"))
    return list(rows)


def _why_two(result: Result) -> str:
    """Why a tree that is better than its solution has none that is worth as much."""
    from treemip.api.verified_tree import is_better

    sense = result.compiled.sense
    if result.report is None or not is_better(result.report, result.objective, sense):
        return ""
    return "  (no solution that is worth as much was found for this tree)"


def _compared(result: Result) -> list[tuple[str, str]]:
    """CART's tree and one without a split, and what of the spec they miss."""
    others = ", ".join(other.text() for other in result.others)
    return [("for comparison", others)] if others else []


def _in_turn(result: Result) -> list[tuple[str, str]]:
    """A line for each of several objectives before the last, which has the lines after them."""
    rows = []
    for number_, one in enumerate(result.objectives[:-1], 1):
        value = "none" if one.value is None else number(one.value)
        bound = "" if one.bound is None else f", bound {number(one.bound)}"
        proof = "proven optimal" if one.proven else f"not proven optimal{bound}"
        rows.append((f"objective {number_}", f"{value}; {proof}  ({one.text})"))
    if result.objectives:
        then = "then " if rows else ""
        rows.append(("", f"{then}{result.objectives[-1].text}:"))
    return rows


def _on_all(result: Result) -> list[tuple[str, str]]:
    """Where points were selected: which share, and the tree on all of them."""
    from treemip.core.tree.score import Score

    selected, score = result.selected, result.whole_score
    if selected is None or not isinstance(score, Score):
        return []
    share = f"{100 * selected.kept / selected.points:.3g} %"
    if selected.extreme is not None:
        share += f", extreme {100 * selected.extreme / selected.points:.3g} %"
    errors = f"{score.errors} of {score.points} points; {selected.by} {selected.errors}"
    rounds = ", ".join(
        f"{one.errors}{' (CART)' if one.number == 0 else ''}" for one in result.rounds
    )
    which = [
        f"round {one.number}" if one.number else "CART" for one in result.rounds if one.returned
    ]
    return [
        ("errors of all", errors),
        *([("by round", f"{rounds}; the tree is that of {which[0]}")] if which else []),
        ("selected", f"{share}, {selected.seconds:.1f} s, by {selected.how}"),
    ]


def _one_class(result: Result) -> list[tuple[str, str]]:
    """A line for a tree that gives all points one class though a better one may exist: it is often
    the first solution that a solver has, and no result of the data."""
    from treemip.core.tree.score import Score

    proven = result.optimality is not None and result.optimality.proven
    if proven or not isinstance(result.train_score, Score):
        return []
    of_class = result.train_score.confusion.sum(axis=0)
    if len(of_class) < 2 or (of_class > 0).sum() != 1:
        return []
    return [("", "every point gets the same class: no better tree was found within the limits")]


def _verdict(result: Result) -> list[tuple[str, str]]:
    found = result.verdict
    optimality = result.optimality.text(found or "verified") if result.optimality else ""
    if found is None:
        return [("tree", f"none: the spec has no route; {optimality}")] if optimality else []
    taken = [t.text() for t in result.report.taken] if result.report else []
    return verdict(found, optimality, taken, result.problems)


def verdict(
    found: Verdict, optimality: str, reservations: Sequence[str], problems: Sequence[str]
) -> list[tuple[str, str]]:
    """What is known of a tree: the verdict and the proof in one line, then the problems.

    A verdict never stands without what is known of optimality, which is another question.
    """
    if found == "verified in part":
        first, *more = reservations
        rest = [("", each) for each in more]
        return [("tree", f"verified in part: {first}"), *rest, ("", optimality)]
    return [("tree", f"{found}; {optimality}"), *(("", problem) for problem in problems)]


def _listed(rows: list[dict[str, str]]) -> str:
    """What differs between trees, and what is looked for in any case; the file has all of it."""
    names = [n for n in rows[0] if n in ALWAYS or len({row.get(n) for row in rows}) > 1]
    return table([tuple(names), *(tuple(row.get(n, "") for n in names) for row in rows)])


def unused_features(found: Sparsity) -> str:
    """Of a randomized tree: delta^L and delta^G, as percent."""
    return f"{found.local:.4g} % by branch, {found.everywhere:.4g} % by all"


def number(value: float) -> str:
    return f"{value:.10g}"
