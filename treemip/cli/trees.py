"""verify, predict, score, convert: what can be done with a saved tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.cli.console import (
    DONE,
    complain,
    note,
    say_json,
    table,
    write_bytes,
    write_text,
)
from treemip.cli.outputs import demand_writable
from treemip.core.source.diagnostic import TreemipError, refused

if TYPE_CHECKING:
    import numpy as np

    from treemip.core.tree.score import AnyScore, Sparsity
    from treemip.core.tree.tree import Tree


def verify(
    tree: Path, data: Path | None = None, include: Sequence[Path] = (), json: bool = False
) -> int:
    """Check a saved tree again.

    The spec and its data are read as the tree's file records them, every point is routed, the
    errors counted, the objective and the side constraints recomputed from the tree. A proof of
    optimality is repeated as the file records it, and not made again.
    """
    from treemip.api.reverify import reverify
    from treemip.cli.results import CODES, number, verdict
    from treemip.core.tree.score import Score

    found = reverify(tree, data, include)
    complain(found.warnings)
    if json:
        say_json(found.to_json())
    else:
        kind = "points" if found.whole is None else "selected points"
        rows: list[tuple[str, ...]] = [("points", str(found.points))]
        if found.errors is not None:
            rows = [("errors", f"{found.errors} of {found.points} {kind}")]
        if isinstance(found.whole, Score):
            rows.append(("errors of all", f"{found.whole.errors} of {found.whole.points} points"))
        if found.objective is not None:
            rows.append(("objective", number(found.objective)))
        rows += [("term", f"{_known(t.value)} = {t.text}") for t in found.terms]
        if found.optimality is None:
            proof = "its file does not record its optimality"
        elif found.verdict == "not verified":
            proof = "what its file says of a proof is not repeated"
        else:
            proof = f"{found.optimality.text(found.verdict)}, as recorded in its file"
        print(table([*rows, *verdict(found.verdict, proof, found.reservations, found.problems)]))
    return CODES[found.verdict]


def _known(value: float) -> str:
    return "unknown" if isnan(value) else f"{value:.10g}"


def predict(
    tree: Path,
    data: Path,
    output: Path | None = None,
    leaf: bool = False,
    proba: bool = False,
    smoothing: str | None = None,
    separator: str | None = None,
) -> int:
    """Predict the class or value of each row.

    The result is a table with one row for each row of the data, in its order: CSV, or what the
    output's name says, Parquet (.parquet) or text with tabs (.tsv). With `--leaf`,
    the leaf of a randomized tree is the one that a row reaches most probably. The probabilities of
    `--proba` are the shares of the classes among the training points of the row's leaf, or what
    the tree itself says of them.
    """
    from treemip.api.store import load_tree
    from treemip.cli.prediction_files import demand_format, write_predictions
    from treemip.cli.streaming import as_text, predicted

    demand_writable([output], [tree, data])
    if output is not None:
        demand_format(output)
    mark = separator_mark(separator, data)
    if smoothing is not None and not proba:
        raise refused("--smoothing is for probabilities", "add --proba, or leave it out")
    found = load_tree(tree).smoothed(smoothing)
    if found.encoder is None:
        raise refused(f"'{tree}' does not say how rows are encoded", "solve again with -o")
    if proba and found.answer.kind != "value":
        _say_empty_leaves(found)
    answers = partial(_predictions, found, leaf=leaf, proba=proba)
    batches = predicted(found, data, mark, answers)
    if output is None:
        for text in as_text(batches):
            print(text, end="")
    else:
        write_predictions(output, batches)
    return DONE


def _predictions(tree: Tree, x: np.ndarray, leaf: bool, proba: bool) -> dict[str, list[object]]:
    """The columns of the result, by their heads. Raises E902."""
    if tree.answer.kind == "value":
        columns = {"value": tree.values(x).tolist()}
    else:
        head = tree.answer.of or "class"
        columns = {head: [tree.classes[k] for k in tree.predict_numbers(x).tolist()]}
    if leaf:
        columns["leaf"] = tree.leaf_numbers(x).tolist()
    if proba and tree.answer.kind == "value":
        raise refused("--proba is for classes, and the tree predicts values", "leave it out")
    if proba:
        chances = tree.class_chances(x).T.tolist()
        columns |= {f"P({name})": own for name, own in zip(tree.classes, chances, strict=True)}
    return columns


def _say_empty_leaves(tree: Tree) -> None:
    """A note on leaves whose probabilities are those of a node above."""
    from treemip.core.tree.leaf_shares import leaves_without_points

    numbers = tree.topology.heap[leaves_without_points(tree)].tolist()
    if numbers:
        which = (
            f"leaves {', '.join(map(str, numbers))} have"
            if numbers[1:]
            else f"leaf {numbers[0]} has"
        )
        note(f"note: {which} no training points: rows there get the shares of the node above")


def convert(
    tree: Path,
    output: Path | None = None,
    target: str | None = None,
    table: str | None = None,
    dialect: str | None = None,
    smoothing: str | None = None,
) -> int:
    """Write a saved tree in another language.

    What is written takes raw rows and needs no treemip. `--to` and the suffixes of the output list
    the languages. Probabilities are those of `predict --proba`.
    """
    from treemip.api.store import load_tree
    from treemip.writers.convert.targets import TARGETS, demand_target, target_of, written

    demand_writable([output], [tree])
    if target is None:
        target = "rules" if output is None else target_of(output)
    demand_target(target, table, dialect)
    if output is None and not TARGETS[target].is_text:
        suffix = TARGETS[target].suffix
        raise refused(f"{target} is not text for the screen", f"give a file: -o tree{suffix}")
    found = load_tree(tree).smoothed(smoothing)
    content = written(found, target, table, dialect)
    _say_unknown_shares(found)
    if isinstance(content, bytes):
        assert output is not None
        write_bytes(output, content)
    elif output is None:
        print(content, end="")
    else:
        write_text(output, content)
    return DONE


def _say_unknown_shares(tree: Tree) -> None:
    """A note on why what is written has no probabilities, where it should have some."""
    if tree.answer.kind != "class" or not tree.predicts_label:
        return
    try:
        tree.shares  # noqa: B018
    except TreemipError as error:
        note(f"note: no probabilities are written: {error.diagnostics[0].message}")


# ---------------------------------------------------------------------------- scores


def score(
    tree: Path,
    data: Path | None = None,
    positive: str | None = None,
    weights: str | None = None,
    bins: int | None = None,
    smoothing: str | None = None,
    separator: str | None = None,
    json: bool = False,
) -> int:
    """Score a saved tree on labelled rows.

    Accuracy, balanced accuracy, recall and precision of each class, the confusion matrix; of
    values MSE, MAE and R2; splits and leaves that points use, and the features of each branch; of a
    randomized tree also the features left unused. Of probabilities of classes AUC, log-loss, Brier
    score, calibration, gains with lift, and thresholds of the positive class; `--weights` counts
    rows by a column for these, all else counts each row once. Without DATA, what was found on the
    training and test parts when the tree was solved, without AUC and the like: these need rows.
    """
    from treemip.api.saved_scores import recorded_scores, saved_sparsity

    if data is not None:
        found = {"": _scored(tree, data, positive, weights, bins, smoothing, separator)}
    elif of_rows := _given(positive, weights, bins, smoothing, separator):
        raise refused(f"{of_rows} needs a file of rows", "name the file of rows as well")
    else:
        found = recorded_scores(tree)
    unused = saved_sparsity(tree)
    if json:
        more = {"sparsity": unused.to_json()} if unused else {}
        say = {part: each.to_json() | more for part, each in found.items()}
        say_json(say.get("", say))
        return DONE
    parts = [(f"{part} part\n" if part else "") + shown(each) for part, each in found.items()]
    print("\n\n".join([*parts, features(next(iter(found.values())), unused)]))
    return DONE


def _scored(
    tree: Path,
    data: Path,
    positive: str | None,
    weights: str | None,
    bins: int | None,
    smoothing: str | None,
    separator: str | None,
) -> AnyScore:
    """The tree's score on a file of rows; its warnings are told. Raises TreemipError."""
    from treemip.api.saved_scores import score_file
    from treemip.core.source.diagnostic import Report
    from treemip.core.tree.probability_curves import BINS

    report = Report()
    found = score_file(
        tree,
        data,
        separator_mark(separator, data),
        report,
        positive=positive,
        weights=weights,
        bins=BINS if bins is None else bins,
        smoothing=smoothing,
    )
    complain(report.warnings)
    return found


def _given(
    positive: str | None,
    weights: str | None,
    bins: int | None,
    smoothing: str | None,
    separator: str | None,
) -> str | None:
    """The first option that is for a file of rows; None where none is given."""
    options = {
        "--positive": positive is not None,
        "--weights": weights is not None,
        "--bins": bins is not None,
        "--smoothing": smoothing is not None,
        "--separator": separator is not None,
    }
    return next((name for name, given in options.items() if given), None)


def shown(found: AnyScore) -> str:
    """Measures, and of classes their measures and the confusion matrix, as text."""
    from treemip.cli.probabilities import shown_probabilities
    from treemip.core.tree.score import Score
    from treemip.core.tree.score_text import class_rows, survival_rows

    rows = [
        *_of_answers(found),
        *survival_rows(found),
        *_of_spec(found),
        ("effective splits", str(found.effective_splits)),
        ("splits with weights", str(found.weighted_splits)),
        ("leaves used", str(found.leaves_used)),
    ]
    text = table(rows)
    if isinstance(found, Score):
        text += f"\n\n{table(class_rows(found, found.classes, with_points=True))}"
        if found.probabilities is not None:
            text += f"\n\n{shown_probabilities(found.probabilities)}"
    return text


def _of_answers(found: AnyScore) -> list[tuple[str, ...]]:
    """How right the tree is, or what it chooses."""
    from treemip.core.tree.score import ChoiceScore, Score
    from treemip.core.tree.score_text import percent, wrong_of

    if isinstance(found, Score):
        right = f"{percent(found.accuracy)}  ({wrong_of(found)})"
        rows: list[tuple[str, ...]] = [("accuracy", right)]
        rows.append(("balanced accuracy", percent(found.balanced_accuracy)))
        chances = ("log-loss", found.log_loss), ("Brier score", found.brier)
        if found.probabilities is not None:  # which says them in a table of its own
            return rows
        return rows + [(name, f"{value:.5g}") for name, value in chances if value is not None]
    rows = [("points", str(found.points))]
    if isinstance(found, ChoiceScore):
        pairs = zip(found.classes, found.chosen.tolist(), strict=True)
        rows += [(f"  {name}", str(count)) for name, count in pairs]
    elif found.mse is not None and found.mse_of_mean is not None:
        rows.append(("MSE", f"{found.mse:.5g}  (constant mean: {found.mse_of_mean:.5g})"))
        rows.append(("MAE", f"{found.mae:.5g}"))
        rows.append(("R2", "none" if found.r2 is None else f"{found.r2:.5g}"))
    return rows


def _of_spec(found: AnyScore) -> list[tuple[str, ...]]:
    """The spec's objective with its terms, its own lets, and why some are left out."""
    rows: list[tuple[str, ...]] = []
    if found.objective is not None:
        rows.append(("objective", f"{found.objective:.10g}"))
    rows += [(f"  {text}", f"{value:.10g}") for text, value in found.terms]
    # Of survival, lets such as `harrell_c` stand beside measures that count pairs in another way.
    whose = "" if found.survival is None else ", as in the spec"
    rows += [(f"{name}{whose}", f"{value:.10g}") for name, value in found.measures.items()]
    return rows + [(f"{name}{whose}", f"left out: {why}") for name, why in found.left_out.items()]


def features(found: AnyScore, unused: Sparsity | None = None) -> str:
    """The features of each branch and of the tree; `unused` of a randomized one."""
    from treemip.cli.results import unused_features

    rows: list[tuple[str, ...]] = [
        (f"branch {node}", f"{len(names)}: {', '.join(names)}" if names else "none")
        for node, names in found.features.items()
    ]
    distinct = found.distinct_features
    rows.append(("in all", f"{found.features_used}, {len(distinct)} distinct"))
    rows += [("unused", unused_features(unused))] if unused else []
    return "features used\n" + table([(f"  {a}", b) for a, b in rows])


def separator_mark(text: str | None, data: Path) -> str | None:
    """The one character that `--separator` means for a data file. Raises E902."""
    from treemip.core.resolve.settings.data_spec import is_parquet

    if text is not None and is_parquet(data.name):
        raise refused(
            f"--separator does not apply to '{data.name}', a Parquet file", "leave it out"
        )
    mark = "\t" if text in ("\\t", "tab") else text
    if mark is not None and len(mark) != 1:
        raise refused(f"'{text}' is not a separator", "give one character, or \\t")
    return mark
