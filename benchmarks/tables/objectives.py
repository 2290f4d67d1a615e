"""Univariate trees for other objectives and under side constraints, depth 2 and 3.

Loss of regression is in units of the best constant's. Policies are valued by the estimate that
they are trained on. F1, policy: more is better. Survival is half the deviance (the library's OST);
STreeD's own hazard is another before the first event. Fairness: errors, where the shares of
answers 1 of two groups, or of those of class 1, are to differ by at most so much.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contest import Case, Own
from contest import rows as contest_rows

if TYPE_CHECKING:
    from answers import Request

TITLE = "Other objectives and side constraints"
COLUMNS = ("case", "limit", "treemip", "STreeD", "OSRT", "CART", "WRONG")

SPECS = Path(__file__).resolve().parents[2] / "specs" / "data"
LIMIT = 60
BITS = "bin quantile(5); encode onehot;"


def rows(request: Request) -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        yield from contest_rows(request, "objectives", _cases(request.data, Path(folder)))


def _cases(data: Path, folder: Path) -> Iterator[Case]:
    for cases in (_regression, _policies, _fairness, _f1, _survival, _constraints):
        yield from cases(folder if cases is _policies else data)


def _both_depths(
    name: str, source: Path | str, by: str, block: str, more: str = "", quick: bool = False,
    asked: Mapping[str, object] | None = None, encode: str = BITS, **rest: Any,
) -> Iterator[Case]:  # fmt: skip
    """more: of the spec. quick: whether depth 2 is; the rest are fields of a Case."""
    for depth in (2, 3):
        body = f"topology complete(depth = {depth}); split univariate by {by};\n{more}"
        told = {"depth": depth, **(asked or {})}
        own = {"treemip": Own(body, block)}
        small = quick and depth == 2
        full = f"{name}, depth {depth}"
        yield Case(full, source, LIMIT, own, asked=told, encode=encode, quick=small, **rest)


def _regression(data: Path) -> Iterator[Case]:
    tables = {
        "diabetes": (SPECS / "diabetes.csv", "progression", BITS),
        "wine": (SPECS / "wine.csv", "alcohol", BITS),
        "diabetes, raw": (SPECS / "diabetes.csv", "progression", "encode onehot;"),
        "pima, raw": (data / "pima-diabetes.csv", "age", "encode onehot;"),
    }
    for name, (file, label, encode) in tables.items():
        for squared, error in ((1, "squared"), (0, "absolute")):
            peers = [*["STreeD"] * squared, *["OSRT"] * (encode == BITS), "CART"]
            yield from _both_depths(
                f"{error} error, {name}", file, f"ort(squared = {squared})",
                f"label {label} number; scale minmax;", peers=tuple(peers), measure="loss",
                asked={"squared": squared}, label=label, encode=encode, keep={label: label},
                quick=(name, squared) == ("diabetes", 1),
            )  # fmt: skip


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
        for teacher, more in (("IPW", ""), ("DM", PREDICTED), ("DR", PREDICTED)):
            yield from _both_depths(
                f"policy by {teacher}, {people} people", folder / f"{people}.csv",
                f"prescriptive_{teacher.lower()}", block, more, peers=("STreeD",),
                measure="policy", asked={"teacher": teacher, "maximize": True}, label="none",
                encode="bin quantile(10); encode onehot;", keep={name: name for name in kept},
                quick=(people, teacher) == (500, "IPW"),
            )  # fmt: skip


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
    for (name, group), fair, within in product(tables.items(), WHO, (0.05, 0.01)):
        yield from _both_depths(
            f"{fair} {within:g}, {name}", data / f"{name}.csv", "binoct",
            "label class positive 1; group group;", RATE.format(who=WHO[fair], within=within),
            peers=("STreeD",), asked={"positive": True, "fair": fair, "within": within},
            keep={group: "group"}, quick=(fair, within) == ("group-fairness", 0.05),
        )  # fmt: skip


F1 = (
    "let tp = sum {i in points : y[i] = positive} predicts[i,positive];\n"
    "let fp = sum {i in points : y[i] != positive} predicts[i,positive];\n"
    "let fn = sum {i in points : y[i] = positive} (1 - predicts[i,positive]);\n"
    "maximize 2 * tp / (2 * tp + fp + fn);"
)


def _f1(data: Path) -> Iterator[Case]:
    for name in ("german-credit", "bank-marketing", "cleveland-binary"):
        yield from _both_depths(
            f"F1, {name}", data / f"{name}.csv", "binoct", "label class positive 1;", F1,
            peers=("STreeD",), measure="F1", asked={"positive": True, "maximize": True},
            quick=name == "german-credit",
        )  # fmt: skip


def _survival(_: Path) -> Iterator[Case]:
    tables: dict[str, tuple[Path | str, str, str]] = {
        "pumps": (SPECS / "pumps.csv", "months", "failed"),
        "lung": ("lifelines lung", "time", "status"),
        "rossi": ("lifelines rossi", "week", "arrest"),
        "gbsg2": ("lifelines gbsg2", "time", "cens"),
    }
    for name, (source, time, event) in tables.items():
        yield from _both_depths(
            f"survival, {name}", source, "ost", "label none; number time, event;",
            peers=("STreeD",), measure="survival", label="none",
            keep={time: "time", event: "event"}, quick=name == "pumps",
        )  # fmt: skip


CONSTRAINTS = {
    "recall >= 0.6": "minimize misclassified; subject to floor: recall[positive] >= 0.6;",
    "leaves of 30": "minimize misclassified; subject to "
    "size {l in leaves}: points_in[l] >= 30 * occupied[l];",
    "2 features": "minimize misclassified; subject to few: distinct_features <= 2;",
    "prices": "minimize misclassified + 3 * splits + 2 * distinct_features;",
}


def _constraints(data: Path) -> Iterator[Case]:
    tables = ("german-credit", "cleveland-binary", "pima-diabetes", "blood-transfusion")
    for name, (what, text) in product(tables, CONSTRAINTS.items()):
        yield from _both_depths(
            f"{what}, {name}", data / f"{name}.csv", "oct",
            "label class positive 1; scale minmax;", text, encode="encode onehot;",
            measure="objective" if what == "prices" else "errors",
            quick=(name, what) == ("german-credit", "2 features"),
        )  # fmt: skip
