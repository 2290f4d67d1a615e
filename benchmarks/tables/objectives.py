"""Univariate trees for other objectives and under side constraints, depth 2 and 3.

Loss of regression is in units of the best constant's. Policies are valued by the estimate that
they are trained on. F1, policy: more is better. Survival is half the deviance (the library's OST);
STreeD's own hazard is another before the first event. Fairness: errors, where the shares of
answers 1 of two groups, or of those of class 1, are to differ by at most so much.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from contest import Case, Own
from contest import rows as contest_rows

if TYPE_CHECKING:
    from answers import Request

TITLE = "Other objectives and side constraints"
COLUMNS = ("case", "limit", "treemip", "STreeD", "OSRT", "CART", "WRONG")

SPECS = Path(__file__).resolve().parents[2] / "specs" / "data"
LIMIT = 60
BITS = "bin quantile(5); encode onehot;"
SPLIT = "topology complete(depth = {depth}); split univariate by {by};\n"


def rows(request: Request) -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        yield from contest_rows(request, "objectives", _cases(request.data, Path(folder)))


def _cases(data: Path, folder: Path) -> Iterator[Case]:
    yield from _regression(data)
    yield from _policies(folder)
    yield from _fairness(data)
    yield from _f1(data)
    yield from _survival()
    yield from _constraints(data)


def _own(by: str, depth: int, block: str, more: str = "") -> dict[str, Own]:
    return {"treemip": Own(SPLIT.format(by=by, depth=depth) + more, block)}


def _regression(data: Path) -> Iterator[Case]:
    tables = {
        "diabetes": (SPECS / "diabetes.csv", "progression", BITS),
        "wine": (SPECS / "wine.csv", "alcohol", BITS),
        "diabetes, raw": (SPECS / "diabetes.csv", "progression", "encode onehot;"),
        "pima, raw": (data / "pima-diabetes.csv", "age", "encode onehot;"),
    }
    for name, (file, label, encode) in tables.items():
        for squared in (1, 0):
            for depth in (2, 3):
                peers = ("STreeD", "OSRT") if squared else ("OSRT",)
                yield Case(
                    f"{'squared' if squared else 'absolute'} error, {name}, depth {depth}",
                    file,
                    LIMIT,
                    _own(
                        f"ort(squared = {squared})", depth, f"label {label} number; scale minmax;"
                    ),
                    (*(peers if encode == BITS else peers[:-1]), "CART"),
                    "loss",
                    {"depth": depth, "squared": squared},
                    label,
                    encode,
                    {label: label},
                    quick=(name, squared, depth) == ("diabetes", 1, 2),
                )


PREDICTED = (
    "param predicted_outcome {i in points, k in treatments} ="
    ' if k = "1" then predicted_1[i] else predicted_0[i];'
)


def _policies(folder: Path) -> Iterator[Case]:
    """People of the design of specs/data/trial.py."""
    kept = ("treatment", "outcome", "propensity", "predicted_0", "predicted_1", "true_0", "true_1")
    block = f"label none; group treatment; number {', '.join(kept[1:])};"
    sys.path.insert(0, str(SPECS))
    import trial  # type: ignore[import-not-found]

    for people in (500, 5000):
        trial.PEOPLE = people
        (folder / f"{people}.csv").write_text(trial.table())
        for teacher in ("IPW", "DM", "DR"):
            more = "" if teacher == "IPW" else PREDICTED
            for depth in (2, 3):
                yield Case(
                    f"policy by {teacher}, {people} people, depth {depth}",
                    folder / f"{people}.csv",
                    LIMIT,
                    _own(f"prescriptive_{teacher.lower()}", depth, block, more),
                    ("STreeD",),
                    "policy",
                    {"depth": depth, "teacher": teacher, "maximize": True},
                    "none",
                    "bin quantile(10); encode onehot;",
                    {name: name for name in kept},
                    quick=(people, teacher, depth) == (500, "IPW", 2),
                )


RATE = (
    "let rate {{g in values(group)}} = sum {{{who}}} predicts[i,positive] / card({{{who}}});\n"
    "minimize misclassified; subject to parity {{g in values(group), h in values(group) : g != h}}:"
    " rate[g] - rate[h] <= {within};"
)
WHO = {
    "group-fairness": "i in points : group[i] = g",
    "equality-of-opportunity": "i in points : group[i] = g and y[i] = positive",
}


def _fairness(data: Path) -> Iterator[Case]:
    """The group is a feature, too, since STreeD has it as one."""
    tables = {"german-credit": "telephone", "bank-marketing": "housing"}
    for name, group in tables.items():
        for fair, within in ((fair, within) for fair in WHO for within in (0.05, 0.01)):
            for depth in (2, 3):
                rate = RATE.format(who=WHO[fair], within=within)
                yield Case(
                    f"{fair} {within:g}, {name}, depth {depth}",
                    data / f"{name}.csv",
                    LIMIT,
                    _own("binoct", depth, "label class positive 1; group group;", rate),
                    ("STreeD",),
                    asked={"depth": depth, "positive": True, "fair": fair, "within": within},
                    encode=BITS,
                    keep={group: "group"},
                    quick=(name, fair, within, depth)
                    == ("german-credit", "group-fairness", 0.05, 2),
                )


F1 = (
    "let tp = sum {i in points : y[i] = positive} predicts[i,positive];\n"
    "let fp = sum {i in points : y[i] != positive} predicts[i,positive];\n"
    "let fn = sum {i in points : y[i] = positive} (1 - predicts[i,positive]);\n"
    "maximize 2 * tp / (2 * tp + fp + fn);"
)


def _f1(data: Path) -> Iterator[Case]:
    for name in ("german-credit", "bank-marketing", "cleveland-binary"):
        for depth in (2, 3):
            yield Case(
                f"F1, {name}, depth {depth}",
                data / f"{name}.csv",
                LIMIT,
                _own("binoct", depth, "label class positive 1;", F1),
                ("STreeD",),
                "F1",
                {"depth": depth, "positive": True, "maximize": True},
                encode=BITS,
                quick=(name, depth) == ("german-credit", 2),
            )


def _survival() -> Iterator[Case]:
    tables: dict[str, tuple[Path | str, str, str]] = {
        "pumps": (SPECS / "pumps.csv", "months", "failed"),
        "lung": ("lifelines lung", "time", "status"),
        "rossi": ("lifelines rossi", "week", "arrest"),
        "gbsg2": ("lifelines gbsg2", "time", "cens"),
    }
    for name, (source, time, event) in tables.items():
        for depth in (2, 3):
            yield Case(
                f"survival, {name}, depth {depth}",
                source,
                LIMIT,
                _own("ost", depth, "label none; number time, event;"),
                ("STreeD",),
                "survival",
                {"depth": depth},
                "none",
                BITS,
                {time: "time", event: "event"},
                quick=(name, depth) == ("pumps", 2),
            )


CONSTRAINTS = {
    "recall >= 0.6": "minimize misclassified; subject to floor: recall[positive] >= 0.6;",
    "leaves of 30": "minimize misclassified; subject to "
    "size {l in leaves}: points_in[l] >= 30 * occupied[l];",
    "2 features": "minimize misclassified; subject to few: distinct_features <= 2;",
    "prices": "minimize misclassified + 3 * splits + 2 * distinct_features;",
}


def _constraints(data: Path) -> Iterator[Case]:
    for name in ("german-credit", "cleveland-binary", "pima-diabetes", "blood-transfusion"):
        for what, text in CONSTRAINTS.items():
            for depth in (2, 3):
                yield Case(
                    f"{what}, {name}, depth {depth}",
                    data / f"{name}.csv",
                    LIMIT,
                    _own("oct", depth, "label class positive 1; scale minmax;", text),
                    measure="objective" if what == "prices" else "errors",
                    quick=(name, what, depth) == ("german-credit", "2 features", 2),
                )
