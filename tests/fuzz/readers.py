"""Campaign `readers`: the same rows as a file, as lists, arrays and frames of other libraries.

* Training: each reader makes the same features of a table, or all refuse it.
* New rows: a row is encoded in the same way by each reader, among others and alone, or is refused
  by all. A batch is refused where one of its rows is.
* The estimators give a row the same class in a batch and alone.

One column has what files and frames write differently: blanks and no-break spaces around texts,
marks of missing values, NaN and None, truth values, integers beyond 2**53, texts that look like
numbers, or texts and numbers together.
"""

from __future__ import annotations

import csv
import random
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import treemip
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.raw_table import RawTable, read_table
from treemip.core.source.diagnostic import TreemipError
from treemip.sklearn import OptimalTreeClassifier

from .cases import OTHER, Campaign, Case, Fault
from .promises import require_sound

TRAINING, NEW = 8, 6
NBSP, WIDE = "\u00a0", "\u2003"
WORDS = ["x", "y", "x ", f"x{NBSP}", f"{NBSP}y", f"{WIDE}y", "é", "a b", "nan", "None", "NaN", "1",
         "1.0", "01", "True", "-0", "1e3", "x,y", 'say "x"', "?"]  # fmt: skip
INTEGERS = [0, 1, 2, 3, -7]
FLOATS = [0.25, 1.0, 2.5, -3.0, 1e-3]
HUGE = [2**53, 2**53 + 1, 2**53 + 2, 10**15]
BEYOND = 2**53
KINDS: dict[str, Callable[[random.Random], object]] = {
    "words": lambda dice: dice.choice(WORDS),
    "integers": lambda dice: dice.choice(INTEGERS),
    "floats": lambda dice: dice.choice(FLOATS),
    "huge": lambda dice: dice.choice(HUGE),
    "truth": lambda dice: dice.random() < 0.5,
    "words and numbers": lambda dice: dice.choice([*WORDS[:4], *INTEGERS, *FLOATS]),
    "words and truth": lambda dice: dice.choice(["x", "y", True, False]),
}
GAPS: list[object] = [None, float("nan"), "", "?"]
CODINGS = ["onehot(unseen = zero)", "keep(unseen = zero)", "onehot"]
NAMES = ("x1", "x2")
ESTIMATED = 0.15  # share of cases that fit an estimator, which takes longer
REFUSED = "refused"

Cells = dict[str, list[Any]]
Encoded = Callable[[Cells], np.ndarray]


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    dice = case.dice()
    kind = dice.choice(list(KINDS))
    gaps = 0.25 if dice.random() < 0.4 else 0.0
    training, new = (_cells(dice, kind, size, gaps) for size in (TRAINING, NEW))
    what = kind + " with gaps" * bool(gaps)
    files |= {"columns.txt": f"training {training!r}\nnew {new!r}\n"}
    if dice.random() < ESTIMATED:
        return _estimated(training, new, bool(gaps))
    text = _spec(dice, kind, bool(gaps))
    files["spec.tree"] = text
    try:
        encoder = _trained(text, training, folder)
        if encoder is None:
            return {"refused in training": 1}
        return _read(encoder, new, folder)
    except Fault as fault:
        raise Fault(fault.kind, fault.text, f"{what}: {fault.key}") from None


def _cells(dice: random.Random, kind: str, size: int, gaps: float) -> Cells:
    """A column of the kind, and one of numbers beside it."""

    def cell() -> object:
        return dice.choice(GAPS) if dice.random() < gaps else KINDS[kind](dice)

    column, other = NAMES
    return {column: [cell() for _ in range(size)],
            other: [dice.choice(INTEGERS) for _ in range(size)]}  # fmt: skip


def _spec(dice: random.Random, kind: str, gaps: bool) -> str:
    is_text = kind not in ("integers", "floats")
    said = f"encode {dice.choice(CODINGS)} {NAMES[0]}; " if is_text else ""
    rule = dice.choice(["side ", "side ", "drop ", ""]) if gaps else ""
    return (
        f'data "t.csv" {{ label c; {said}missing {rule}marks "?"; scale minmax; }}\n'
        "topology complete(depth = 1);\nsplit univariate by oct;\n"
    )


# -------------------------------------------------------------------------- readers


def forms(cells: Cells) -> dict[str, Any]:
    """What a program may hold the same cells in; only those that hold them without loss."""
    found: dict[str, Any] = {
        "lists": cells,
        "object arrays": {n: _objects(v) for n, v in cells.items()},
        "an object array": np.column_stack([_objects(v) for v in cells.values()]),
        "pandas objects": pd.DataFrame(cells, dtype=object),
    }
    huge = [v for v in cells.values() if _is_huge(v)]
    if not any(map(_has_gap, huge)):  # pandas rounds long integers beside gaps, polars beside NaN
        found["pandas"] = pd.DataFrame(cells)
        objects = found["pandas objects"]
        found["pandas nullable"] = objects.convert_dtypes()
        found["pyarrow in pandas"] = objects.convert_dtypes(dtype_backend="pyarrow")
    if not any(isinstance(value, float) for values in huge for value in values):
        with suppress(TypeError, pl.exceptions.PolarsError, OverflowError):
            found["polars"] = pl.DataFrame(cells)
    return found


def _objects(values: list[Any]) -> np.ndarray:
    made = np.empty(len(values), object)
    made[:] = values
    return made


def _is_huge(values: list[Any]) -> bool:
    return any(isinstance(v, int) and abs(v) > BEYOND for v in values)


def _has_gap(values: list[Any]) -> bool:
    return any(_is_gap(v) for v in values)


def _is_gap(value: object) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def written(cells: Cells, path: Path) -> Path:
    """The cells as a file; a number is written as short as it can be."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(cells)
        rows.writerows([_text(v) for v in row] for row in zip(*cells.values(), strict=True))
    return path


def _text(value: object) -> str:
    if _is_gap(value):
        return ""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


# ------------------------------------------------------------------------- training


def _trained(text: str, cells: Cells, folder: Path) -> Encoder | None:
    """What the file's columns are encoded by, None where all readers refuse it. Raises `Fault`."""
    labelled = {**cells, "c": ["p", "q"] * (TRAINING // 2)}
    written(labelled, folder / "t.csv")
    made = {"a file": _bound(text, None, folder)}
    for name, data in forms(cells).items():
        y = labelled["c"]
        if isinstance(data, Mapping):
            made[name] = _bound(text, {**data, "c": y}, folder)
        else:
            made[name] = _bound(text, (data, y), folder)
    first = made["a file"]
    for name, one in made.items():
        if (one is None) != (first is None) or (
            one is not None and first is not None and not _same(one[1], first[1])
        ):
            told = "\n".join(f"{n}: {_told(m and m[1])}" for n, m in made.items())
            raise Fault(OTHER, told, f"training: {name} is not read as a file is")
    return None if first is None else first[0]


def _bound(text: str, data: Any, folder: Path) -> tuple[Encoder, np.ndarray] | None:
    try:
        found = treemip.loads(text, data=data, base=folder).data
    except TreemipError as error:
        require_sound(error)
        return None
    assert found is not None
    return found.encoder, found.train.inputs


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and bool((one == other).all())


# ------------------------------------------------------------------------- new rows


def _read(encoder: Encoder, cells: Cells, folder: Path) -> Mapping[str, int]:
    """Each row by each reader, alone and among others. Raises `Fault`."""
    alone = [{n: [v[i]] for n, v in cells.items()} for i in range(NEW)]
    expected = [_of_file(encoder, row, folder) for row in alone]
    _require("a file", "among others", _of_file(encoder, cells, folder), expected)
    for name, data in forms(cells).items():
        _require(name, "among others", _of_memory(encoder, data), expected)
    for row, one in zip(alone, expected, strict=True):
        for name, data in forms(row).items():
            _require(name, "alone", _of_memory(encoder, data), [one])
    kept = sum(one is not None for one in expected)
    return {"rows read": kept, "rows refused": NEW - kept}


def _of_file(encoder: Encoder, cells: Cells, folder: Path) -> np.ndarray | None:
    path = written(cells, folder / "new.csv")
    return _inputs(encoder, lambda: read_table(path, marks=encoder.marks))


def _of_memory(encoder: Encoder, data: Any) -> np.ndarray | None:
    from treemip.core.instance.data_frames import columns_of
    from treemip.core.instance.raw_table import table_of_arrays

    return _inputs(encoder, lambda: table_of_arrays(columns_of(data), encoder.marks))


def _inputs(encoder: Encoder, read: Callable[[], RawTable]) -> np.ndarray | None:
    """float64 (rows, inputs); None where a row is refused."""
    try:
        return encoder.inputs(read())
    except TreemipError as error:
        require_sound(error)
        return None


def _require(
    name: str, how: str, found: np.ndarray | None, expected: list[np.ndarray | None]
) -> None:
    known = [one for one in expected if one is not None]
    wanted = np.concatenate(known) if len(known) == len(expected) else None
    if (found is None) == (wanted is None) and (
        found is None or wanted is None or _same(found, wanted)
    ):
        return
    text = f"{name}, {how}: {_told(found)}\nrows of a file, alone: {_told(wanted)}"
    raise Fault(OTHER, text, f"{how}: {name} is not read as a file is")


def _told(x: np.ndarray | None) -> str:
    return REFUSED if x is None else str(x.tolist())


# ----------------------------------------------------------------------- estimators


def _estimated(training: Cells, new: Cells, gaps: bool) -> Mapping[str, int]:
    """What a fitted estimator gives to rows in a batch and alone, from frames and arrays."""
    matrix, frame = (forms(training)[n] for n in ("an object array", "pandas objects"))
    counted = 0
    for name, X in (("an object array", matrix), ("pandas objects", frame)):
        model = OptimalTreeClassifier(
            depth=1, time_limit=2, **({"missing": "side"} if gaps else {})
        )
        with warnings.catch_warnings():
            # Such as of a limit that was reached, or of a first missing value among new rows.
            warnings.simplefilter("ignore")
            try:
                model.fit(X, ["p", "q"] * (TRAINING // 2))
            except ValueError:
                continue
            rows = forms(new)[name]
            one = [_class(model, rows[i : i + 1]) for i in range(NEW)]
            batch = _class(model, rows)
        whole = None if None in one else [k for some in one for k in some or []]
        if batch != whole:
            text = f"{name}\nbatch {batch}\nalone {one}"
            raise Fault(OTHER, text, f"estimator: {name} alone and in a batch")
        counted += 1
    return {"estimators": counted}


def _class(model: OptimalTreeClassifier, rows: Any) -> list[str] | None:
    try:
        return [str(k) for k in model.predict(rows)]
    except ValueError:
        return None


CAMPAIGN = Campaign("readers", "readings", 2000, run, cpu=30.0, wall=60.0)
