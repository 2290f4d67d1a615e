"""Several verified trees of one spec, nearly as good as the best, and a table of what differs."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.api.optimality import closed
from treemip.api.pipeline import result
from treemip.core.files.atomic import replacing
from treemip.core.instance.encoded_table import Table
from treemip.core.model.answer import Answer, relative_gap
from treemip.core.model.values import objective_value
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError, refused
from treemip.core.tree.tree import Tree

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.result import Result
    from treemip.core.instance.instance import Instance


@dataclass(frozen=True)
class NearOptimalTrees:
    """results: verified, best first. within: share of the best objective that they may be worse.

    complete: whether these are all trees within it. met: how many different ones were found, listed
    or not; counted: whether there are no others.
    """

    results: tuple[Result, ...]
    within: float
    complete: bool
    met: int
    counted: bool = False

    def __len__(self) -> int:
        return len(self.results)

    def text(self) -> str:
        """What the set is, in a line."""
        listed = f"{len(self)} of {self.met}" if self.met > len(self) else str(len(self))
        share = f"within {100 * self.within:g} % of the best objective"
        if listed == "1" and self.complete:
            return f"no other tree is {share}"
        if listed == "1":
            return f"no other tree was found {share}; there may be some"
        if self.complete:
            return f"{listed} trees {share}; there are no others"
        if self.counted:
            return f"{listed} trees {share}"
        return f"{listed} trees that were found {share}; there may be more"

    def table(self) -> list[dict[str, str]]:
        """What differs, a row for each tree: objective, errors, features, rates of groups."""
        return [{"tree": str(i), **_row(one)} for i, one in enumerate(self.results, 1)]

    def to_json(self) -> dict[str, Any]:
        """What `--json` has of the set: how it was made, and its table."""
        return {
            "within": self.within,
            "complete": self.complete,
            "met": self.met,
            "counted": self.counted,
            "trees": self.table(),
        }

    def save(self, path: str | Path) -> list[Path]:
        """Write a.json, a-2.json, ... and a-trees.csv for a path a.json. Raises E603."""
        *trees, listing = files(Path(path), len(self))
        for one, file in zip(self.results, trees, strict=True):
            one.save(file)
        rows, text = self.table(), StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        with replacing(listing) as out:
            out.write(text.getvalue().encode())
        return [*trees, listing]


def files(path: Path, trees: int) -> list[Path]:
    """The names of `trees` files, `path` for the first of them, and of their table."""
    others = [path.with_name(f"{path.stem}-{i}{path.suffix}") for i in range(2, trees + 1)]
    return [path, *others, path.with_name(f"{path.stem}-trees.csv")]


def others_there(path: Path, trees: int) -> list[Path]:
    """Files that are named like further trees of a set, such as a-7.json, and are none of the
    `trees` of this one; by their numbers."""
    numbered = re.compile(re.escape(path.stem) + "-([1-9][0-9]*)" + re.escape(path.suffix))
    found = ((numbered.fullmatch(file.name), file) for file in path.parent.iterdir())
    further = {int(match[1]): file for match, file in found if match and int(match[1]) > trees}
    return [further[number] for number in sorted(further)]


def require_set(trees: int, within: float) -> None:
    """Raises E902 for numbers that ask for nothing."""
    if trees < 1:
        message = f"the number of trees must be at least 1, not {trees}"
        raise refused(message, "such as --trees 10")
    if not 0 <= within < np.inf:
        message = f"the share by which trees may be worse must be 0 or more, not {within:g}"
        raise refused(message, "such as --within 0.02 for 2 %")


def require_searched(instance: Instance) -> None:
    """Raises E902 where the spec's trees cannot be searched."""
    from treemip.answers.search.start import refusal

    other = instance.spec.other_answers
    why = f"they are not where leaves predict {other}" if other else refusal(instance)
    if not why and instance.table.without_classes:
        why = f"a search gives leaves classes, and {instance.table.without_classes}"
    if why:
        raise _refused(why)


def near_optimal(best: Result, trees: int, within: float, seconds: float) -> NearOptimalTrees:
    """The trees near `best`, which was solved before. seconds: of wall clock, for looking.

    Raises E902 for numbers out of range and where the spec's trees cannot be searched.
    """
    from treemip.answers.search.sums import NoSums
    from treemip.methods.near_optimal import near_optimal, near_randomized

    require_set(trees, within)
    compiled, instance = best.compiled, best.compiled.instance
    if best.tree is None:
        return NearOptimalTrees((best,), within, False, 0)
    require_searched(instance)
    stated, x = compiled.stated, best.answer.values
    assert x is not None
    asked = trees, within, seconds
    try:
        if instance.spec.split == "randomized":
            solution = compiled
            found = near_randomized(instance, stated, compiled.model, x, *asked)
        else:
            solution = compiled.as_stated()
            x = np.concatenate([best.values[block.name] for block in stated.variables])
            found = near_optimal(instance, stated, x, best.tree, *asked)
    except NoSums as error:
        raise _refused(str(error)) from None
    results = [best if v is x else _read(solution, v, best, found.by) for v in found.values]
    kept = tuple(one for one in results if one is best or one.verdict != "not verified")
    all_kept = len(kept) == len(results)
    met, counted = found.met - len(results) + len(kept), found.counted and all_kept
    return NearOptimalTrees(kept, within, found.complete and all_kept, met, counted)


def _read(compiled: Compiled, values: np.ndarray, best: Result, by: str) -> Result:
    """The verified tree of a solution of the stated model; the best one's bound and proof hold for
    it where it is as good."""
    objective = objective_value(compiled.model, values)
    as_good = best.objective is not None and closed(objective, best.objective)
    if as_good and best.optimality is not None and best.optimality.proven:
        return result(compiled, replace(best.answer, values=values, objective=objective), {}, [])
    gap = relative_gap(objective, best.bound)
    answer = Answer("feasible", values, objective, best.bound, gap, 0.0, None, by, "")
    return result(compiled, answer, {}, [])


def best_alone(best: Result, within: float, error: BaseException) -> NearOptimalTrees:
    """The best tree as the whole list, with a warning, W604, of what kept it from being longer."""
    from treemip.core.strategy.solvers import reason

    what, remedy = "interrupted", ""
    if isinstance(error, TreemipError):
        what, remedy = reason(error), error.diagnostics[0].remedy
    elif isinstance(error, Exception):
        what, remedy = reason(error), "please report it with the spec and its data"
    message = f"the best tree is listed alone, since the search for others failed: {what}"
    note = Diagnostic("W604", message, None, remedy, severity=Severity.WARNING)
    best = replace(best, warnings=[*best.warnings, note])
    return NearOptimalTrees((best,), within, False, 1)


def _refused(why: str) -> TreemipError:
    return refused(f"trees near the best one cannot be listed: {why}", "leave out --trees")


def _row(one: Result) -> dict[str, str]:
    """One line of the table, as text."""
    data, tree = one.compiled.instance.data, one.tree
    row = {"objective": "" if one.objective is None else f"{one.objective:.9g}"}
    if tree is None or data is None:
        return row
    row["training errors"] = str(one.train_errors)
    if one.test_errors is not None:
        row["test errors"] = str(one.test_errors)
    if one.train_score is not None:
        row["splits"] = str(one.train_score.effective_splits)
        row["features"] = "; ".join(one.train_score.distinct_features)
    row["verdict"] = str(one.verdict)
    return row | _by_group(tree, data.train, data.positive)


def _by_group(tree: Tree, table: Table, positive: int | None) -> dict[str, str]:
    """For each value of each group column, the share of errors, and with a positive class the
    share of points that are given it."""
    given, row = tree.predict_numbers(table.inputs), {}
    for column, (codes, names) in table.groups.items():
        for code, name in enumerate(names):
            here = codes == code
            if not here.any():
                continue
            row[f"errors {column}={name}"] = _share(given[here] != table.y[here])
            if positive is not None:
                row[f"positive {column}={name}"] = _share(given[here] == positive)
    return row


def _share(which: np.ndarray) -> str:
    return f"{100 * float(which.mean()):.3g} %"
