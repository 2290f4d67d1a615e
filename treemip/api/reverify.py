"""Verification of a saved tree, from the spec and the data that its file records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.api import compare_saved as recorded
from treemip.api.compare_saved import differences, optimality_of, require_whole, saved_values
from treemip.api.optimality import Optimality
from treemip.api.recorded_program import data_asked, not_recorded, other_modules, recorded_program
from treemip.api.store import (
    checksum,
    finite,
    load_tree,
    read_json,
)
from treemip.core.instance.encoded_table import Data
from treemip.core.instance.instance import Instance
from treemip.core.instance.selected import selected_of
from treemip.core.instance.side_tables import digests, with_tables
from treemip.core.instance.table import load_rows, load_table
from treemip.core.lower.bind import bind
from treemip.core.model.tolerances import RECOMPUTED
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.tree.from_values import Reading, other_nodes, settled_values, tree_from_values
from treemip.core.tree.leaf_outcomes import outcomes_of
from treemip.core.tree.leaf_shares import class_weights
from treemip.core.tree.meaning import Addend, Recomputed, Taken, recomputed_as
from treemip.core.tree.objective_on import score_of_test, score_of_training
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.score import AnyScore, score_of
from treemip.core.tree.tree import Tree
from treemip.core.tree.verify import SHOWN, Verdict, errors_of, verdict_of

if TYPE_CHECKING:
    from treemip.api.program import Program
    from treemip.core.resolve.settings.data_spec import DataSpec


@dataclass(frozen=True)
class Reverified:
    """What was recomputed from the tree alone.

    `objective` is the tree's own, None where a term needs values that are not saved. `taken` is
    what was not recomputed, `reservations` says that and other reasons for a verdict in part.
    `optimality` is what the file records; nothing of it is proven here. `points` and `errors` are
    those of the model; where its points were selected, `whole` is the tree on all of them.
    """

    points: int
    errors: int | None
    objective: float | None
    terms: tuple[Addend, ...]
    problems: tuple[str, ...]
    taken: tuple[Taken, ...]
    reservations: tuple[str, ...]
    optimality: Optimality | None
    warnings: tuple[Diagnostic, ...]
    whole: AnyScore | None = None

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.problems, self.reservations)

    @property
    def verified(self) -> bool:
        return self.verdict == "verified"

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "verified": self.verified,
            "optimality": self._recorded_proof(),
            "points": self.points,
            "errors": self.errors,
            **({"score_of_all": self.whole.to_json()} if self.whole else {}),
            "objective": self.objective,
            "terms": [{"term": t.text, "tree": finite(t.value)} for t in self.terms],
            "problems": list(self.problems),
            "not_recomputed": [t.to_json() for t in self.taken],
            "reservations": list(self.reservations),
        }

    def _recorded_proof(self) -> dict[str, Any] | None:
        if self.optimality is None:
            return None
        beside = {"gap": self.optimality.gap, "local": self.optimality.local, "recorded": True}
        return {**self.optimality.to_json(), **beside}


def reverify(
    path: str | Path, data: str | Path | None = None, include: Iterable[str | Path] = ()
) -> Reverified:
    """Route the data by the saved tree, recount its errors, recompute objective and constraints.

    `data` stands in for the recorded data file. Modules are those that the file holds; `include`
    are folders to look for what they are now, which is compared (W707). Raises TreemipError: E701
    for a file that holds no tree or does not say where it comes from, E901, and E1xx to E4xx from
    spec and data.
    """
    document, tree = read_json(path), load_tree(path)
    require_whole(document, path)
    program = recorded_program(document, path)
    if program.spec.data is None:
        raise not_recorded(path, "its spec has no data")
    if document["spec"]["from_memory"] is not False and data is None:
        raise not_recorded(path, "it was solved on data in memory; name a file of them by --data")
    used = data_asked(program, path, data)
    found = load_table(used, program.base)
    found = with_tables(program.spec, found, program.base)
    others = _other_files(document, used, found)
    same = not others and found.digest == document["spec"]["data_sha256"]
    warnings = [*_changed(document, path), *other_modules(program, include)]
    warnings += map(_other_data, others)
    problems = _encoding_problems(tree, found, same)
    _require_fit(tree, found, path)
    if tree.encoder is not None and tree.encoder != found.encoder:
        fitted, found = found, encoded_by(tree, found, program.base / used.path, used.separator)
        warnings += found.warnings[len(fitted.warnings) :]
    found = selected_data(document, program, found, path) if same else found
    # What the formulation requires of its data is nothing to a tree that meets other data.
    spec = program.spec if same else replace(program.spec, requirements=())
    instance = bind(spec, found)
    if instance.topology is None or instance.topology.heap.tolist() != tree.topology.heap.tolist():
        raise not_recorded(path, "its nodes are not those of the spec's topology")
    values = saved_values(document, instance)
    end = None if isinstance(tree, RandomizedTree) else tree.route(instance.table.inputs)
    own = tree_from_values(instance, values, end) if same else None
    problems += _tree_problems(document, tree, instance, values, own) if own else []
    return _compared(
        document,
        tree,
        instance,
        values,
        own is not None and own.moved,
        problems,
        tuple(warnings),
        bool(others),
    )


def _other_files(document: dict[str, Any], used: DataSpec, found: Data) -> list[str]:
    """The files of the data that are not what the tree was learned from; a table in memory has no
    file."""
    spec = document["spec"]
    own = spec["from_memory"] is False and found.digest != spec["data_sha256"]
    recorded = spec.get("tables_sha256", {})
    tables = digests(found).items()
    others = [file for file, sha256 in tables if recorded.get(file) != sha256]
    return [Path(used.path).name, *others] if own else others


def selected_data(document: dict[str, Any], program: Program, data: Data, path: str | Path) -> Data:
    """The data with the points that the file records as selected. Raises E701 where it records a
    selection that its spec does not ask for, none that it does, or a damaged one."""
    recorded, asked = document.get("selection"), program.spec.strategy.select
    if (recorded is None) is not (asked is None):
        raise not_recorded(path, "its selection of points is not what its spec asks for")
    if recorded is None or asked is None:
        return data
    try:
        selected = selected_of(recorded, data.train)
        if selected.how != asked.text:
            raise ValueError("it is not the one that its spec asks for")
    except ValueError as error:
        raise not_recorded(path, f"its selection of points is damaged: {error}") from None
    except (KeyError, TypeError, OverflowError):
        raise not_recorded(path, "its selection of points is damaged") from None
    return replace(data, train=selected.table(), selected=selected)


def _changed(document: dict[str, Any], path: str | Path) -> list[Diagnostic]:
    if document["checksum"] == checksum(document):
        return []
    message = f"'{path}' was changed after it was written: its checksum does not match"
    return [Diagnostic("W706", message, None, severity=Severity.WARNING)]


def _other_data(name: str) -> Diagnostic:
    return Diagnostic(
        "W302",
        f"'{name}' is not the file that the tree was learned from: its SHA-256 differs",
        None,
        "so its numbers may differ from the recorded ones",
        severity=Severity.WARNING,
    )


def _require_fit(tree: Tree, data: Data, path: str | Path) -> None:
    if tree.predicts_label and data.train.classes != tree.classes:
        raise not_recorded(
            path,
            f"its classes are {', '.join(tree.classes)}, those of the data "
            f"{', '.join(data.train.classes)}",
        )


def _encoding_problems(tree: Tree, data: Data, same: bool) -> list[str]:
    if tree.encoder is None:
        return ["its file does not say how rows are encoded"]
    if not same or tree.encoder == data.encoder:
        return []
    return ["the tree's encoding of features is not the one that its spec fits to this data"]


def encoded_by(tree: Tree, data: Data, path: Path, separator: str | None) -> Data:
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
    filled = tree.encoder.fill_warnings(taken, place.file)
    return replace(data, train=train, warnings=(*data.warnings, *filled))


def _tree_problems(
    document: dict[str, Any],
    tree: Tree,
    instance: Instance,
    values: dict[str, np.ndarray],
    reading: Reading,
) -> list[str]:
    """Where the tree is not the one that the saved values stand for, or they are not the tree's."""
    own = type(reading.tree).from_json(reading.tree.to_json())
    if (type(own), own.strict) != (type(tree), tree.strict):
        return ["the tree is not of the kind that its spec's rules make"]
    table = instance.table
    counts = tree.counts_of(table.inputs, table.y)
    weights = None
    if tree.leaf_weights is not None and instance.data is not None:  # its file records them
        weights = class_weights(tree, instance.data.whole)
    outcomes = outcomes_of(tree, instance) if tree.outcomes is not None else None
    if outcomes is not None and tree.outcomes is not None and not tree.outcomes.estimated:
        outcomes = outcomes.as_observed()
    made = replace(tree, counts=counts, leaf_weights=weights, outcomes=outcomes)
    whole = replace(made, name=own.name).to_json()
    heap = tree.topology.heap[other_nodes(tree, own)].tolist()
    found = [f"node {n} of the tree does not follow from the saved values" for n in heap[:SHOWN]]
    found += differences(document["tree"], json.loads(json.dumps(whole)), "tree")
    found += differences(document["repaired"], reading.repaired, "repaired")
    settled = settled_values(instance, tree, values, frozenset(values))
    found += [
        f"the saved values of '{name}' are not the tree's"
        for name, numbers in values.items()
        if not np.allclose(numbers, settled[name], rtol=RECOMPUTED, atol=RECOMPUTED)
    ]
    return found


def _compared(
    document: dict[str, Any],
    tree: Tree,
    instance: Instance,
    values: dict[str, np.ndarray],
    moved: bool,
    problems: list[str],
    warnings: tuple[Diagnostic, ...],
    other_data: bool,
) -> Reverified:
    table = instance.table
    errors = errors_of(tree, table)

    def disagreements(found: Recomputed) -> list[str]:
        return [
            *(f"the tree violates {v.text()}" for v in found.side_violations),
            *recorded.on_tree(document, found, instance),
        ]

    found, wrong = recomputed_as(instance, tree, values, disagreements, moved)
    selected = instance.data.selected if instance.data is not None else None
    whole = None if selected is None else score_of(tree, selected.whole)
    problems = _all_problems(document, tree, instance, values, found, whole, [*problems, *wrong])
    reservations = [taken.text() for taken in found.taken]
    reservations += ["the data are not those the tree was learned from"] if other_data else []
    objective = found.objective
    return Reverified(
        len(table.y),
        errors,
        None if objective is None or not np.isfinite(objective) else objective,
        found.terms,
        tuple(problems),
        found.taken,
        tuple(reservations),
        optimality_of(document),
        warnings,
        whole,
    )


def _all_problems(
    document: dict[str, Any],
    tree: Tree,
    instance: Instance,
    values: dict[str, np.ndarray],
    found: Recomputed,
    whole: AnyScore | None,
    of_tree: list[str],
) -> list[str]:
    """What the file records otherwise than it is found, with what is wrong of the tree itself."""
    return [
        *recorded.spec(document),
        *recorded.verdict(document),
        *of_tree,
        *recorded.in_turn(document, instance, tree, values),
        *recorded.solution(document),
        *recorded.proof(document, instance.spec),
        *recorded.on_data(
            document,
            len(instance.table.y),
            score_of_training(instance, tree, values, instance.table, found.terms),
            score_of_test(instance, tree, values),
            whole,
        ),
    ]
