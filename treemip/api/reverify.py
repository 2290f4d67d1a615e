"""Verification of a saved tree, from the spec and the data that its file records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.api.recorded import complete, recorded, saved_values, scores, terms
from treemip.api.store import load_tree, read_json
from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.instance.table import Data, load_rows, load_table
from treemip.lower.bind import bind
from treemip.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.source.span import Source
from treemip.tree.score import score
from treemip.tree.tree import Tree
from treemip.tree.verify import TermReport, routing_problem, verify

if TYPE_CHECKING:
    from treemip.api.program import Program


@dataclass(frozen=True)
class Reverified:
    """What was recomputed from the tree alone. `problems` is empty exactly when `verified`.

    `objective` is the tree's own, None where a term cannot be had without the point-indexed
    variables of the solution, which are not saved; `not_recomputed` names those variables.
    """

    points: int
    errors: int
    objective: float | None
    terms: tuple[TermReport, ...]
    problems: tuple[str, ...]
    not_recomputed: tuple[str, ...]
    warnings: tuple[Diagnostic, ...]

    @property
    def verified(self) -> bool:
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        return {
            "verified": self.verified,
            "points": self.points,
            "errors": self.errors,
            "objective": self.objective,
            "terms": [
                {"term": t.text, "tree": t.tree if np.isfinite(t.tree) else None}
                for t in self.terms
            ],
            "problems": list(self.problems),
            "not_recomputed": list(self.not_recomputed),
        }


def reverify(path: str | Path, data: str | Path | None = None) -> Reverified:
    """Route the data by the saved tree, recount its errors, recompute objective and constraints.

    `data` stands in for the recorded data file. Raises TreemipError: E701 for a file that holds
    no tree or does not say where it comes from, E901, and E1xx to E4xx from spec and data.
    """
    said, tree = read_json(path), load_tree(path)
    program = _program(said, path)
    if program.spec.data is None:
        raise _not_recorded(path, "its spec has no data")
    if said["spec"].get("from_memory") and data is None:
        raise _not_recorded(path, "it was solved on data in memory; name a file of them by --data")
    where = replace(program.spec.data, path=str(Path(data).resolve())) if data else None
    used = where or program.spec.data
    found = load_table(used, program.base)
    same = found.digest == said["spec"].get("data_sha256")
    warnings = [] if same or said["spec"].get("from_memory") else [_other_data(used.path)]
    problems = _encoding_problems(tree, found, same)
    _require_fit(tree, found, path)
    if tree.encoder is not None and tree.encoder != found.encoder:
        found = _encoded_by(tree, found, program.base / used.path, used.separator)
    # What the formulation requires of its data is nothing to a tree that meets other data.
    spec = program.spec if same else replace(program.spec, requirements=())
    instance = bind(spec, found)
    if instance.topology is None or instance.topology.heap.tolist() != tree.topology.heap.tolist():
        raise _not_recorded(path, "its nodes are not those of the spec's topology")
    return _compared(said, tree, instance, problems, tuple(warnings))


def _program(said: dict[str, Any], path: str | Path) -> Program:
    from treemip.api.program import Program

    try:
        spec = said["spec"]
        source = Source(str(spec["name"]), spec["text"])
        if not isinstance(source.text, str) or not isinstance(spec["base"], str):
            raise TypeError
        given = [(str(k), str(v)) for k, v in spec["parameters"].items()]
        return Program(source, given, Path(spec["base"]))
    except (KeyError, TypeError, AttributeError):
        raise _not_recorded(path, "it does not record the spec it was made from") from None


def _not_recorded(path: str | Path, why: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E701", f"'{path}' cannot be verified: {why}"))


def _other_data(name: str) -> Diagnostic:
    return Diagnostic(
        "W302",
        f"'{name}' is not the file the tree was learned from: its SHA-256 differs",
        None,
        "numbers that differ from the recorded ones are then no surprise",
        severity=Severity.WARNING,
    )


def _require_fit(tree: Tree, data: Data, path: str | Path) -> None:
    if data.train.classes != tree.classes:
        raise _not_recorded(
            path,
            f"its classes are {', '.join(tree.classes)}, those of the data "
            f"{', '.join(data.train.classes)}",
        )


def _encoding_problems(tree: Tree, data: Data, same: bool) -> list[str]:
    if not same or tree.encoder is None or tree.encoder == data.encoder:
        return []
    return ["the tree's encoding of features is not the one that its spec fits to this data"]


def _encoded_by(tree: Tree, data: Data, path: Path, separator: str | None) -> Data:
    """The data as the tree itself encodes them."""
    assert tree.encoder is not None
    raw, place = load_rows(path, tree.encoder, separator)
    rows = data.train.row_numbers - 1
    columns = {
        f.column: raw[f.column]
        for f in (*tree.encoder.features, *tree.encoder.kept)
        if f.column in raw
    }
    taken = {name: column.take(rows) for name, column in columns.items()}
    where = replace(place, rows=data.train.row_numbers)
    train = replace(
        data.train,
        x=tree.encoder.encode(taken, where),
        features=tree.encoder.names,
        categorical=tree.encoder.encode_kept(taken, where),
    )
    return replace(data, train=train)


def _compared(
    said: dict[str, Any],
    tree: Tree,
    instance: Instance,
    problems: list[str],
    warnings: tuple[Diagnostic, ...],
) -> Reverified:
    values = complete(instance, tree, saved_values(said, instance))
    report = verify(instance, None, values, tree, None)
    missing = tuple(s.name for s in instance.spec.variables if np.isnan(values[s.name]).any())
    total = sum(t.tree for t in report.terms) if report.terms else None
    objective = total if total is not None and np.isfinite(total) else None
    problems = [
        *problems,
        *routing_problem(report.misrouted),
        *(f"the tree violates {v.text()}" for v in report.side_violations),
        *recorded(said, report.errors, objective, instance),
        *terms(said, report.terms),
        *scores(said, score(tree, instance.table.inputs, instance.table.y)),
    ]
    return Reverified(
        report.points, report.errors, objective, report.terms, tuple(problems), missing, warnings
    )
