"""One door to the model files: the format is the file's suffix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import get_args

from treemip.core.files.flat_model import CutsAs, demand_known
from treemip.core.files.names import Style
from treemip.core.files.profiles import PORTABLE, Profile
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import fail
from treemip.core.source.suggest import listed

# Each writer's module and function: a process seldom writes more than one format.
FORMATS = {
    ".mps": ("files.mps.writer", "write_mps"),
    ".lp": ("files.lp", "write_lp"),
    ".nl": ("packages.nl", "write_nl"),
    ".mof.json": ("files.mof", "write_mof"),
}

BESIDE = {".nl": (".col", ".row")}
"""Suffixes of the files that a format has beside the model."""


@dataclass(frozen=True)
class WriteReport:
    """A written model file.

    `rows`, `columns` and `nonzeros` count what the file holds, apart from the objective row;
    `bytes` is the file's size on disk. `negated`: the model maximizes, the file minimizes the
    negative. `constant_column`: the column fixed at 1 that carries the objective's constant, or
    None. `free_rows` rows without bounds were left out. The far end of `rounded_ranges` ranges
    is off in its last digit (see files/flat_model.py). `indicators` of the rows hold where a binary
    says so; `cuts` stand in a section of their own. `special_sets` counts sets of type 1.
    """

    path: Path
    map_path: Path | None
    rows: int
    columns: int
    nonzeros: int
    bytes: int
    negated: bool
    constant_column: str | None
    free_rows: int
    rounded_ranges: int = 0
    indicators: int = 0
    cuts: int = 0
    special_sets: int = 0


def write_model(
    model: Model,
    path: str | Path,
    *,
    names: Style = "spec",
    map_path: str | Path | None = None,
    profile: Profile = PORTABLE,
    cuts: CutsAs = "rows",
    fixed: bool = False,
) -> WriteReport:
    """Write `model` in the format of the path's suffix; one more suffix ``.gz`` compresses.

    `fixed`: MPS in fixed columns. Raises TreemipError: E902 for a suffix of no format, for another
    one than MPS when `fixed`, and for `names` or `cuts` of no known way; what the writer raises.
    """
    demand_known("names", names, get_args(Style))
    demand_known("cuts", cuts, get_args(CutsAs))
    form = format_of(path)
    if fixed and form != ".mps":
        message = f"only MPS has a fixed layout, not {form}"
        fail("E902", message, remedy="leave --fixed out, or write .mps")
    more = {"fixed": True} if fixed else {}
    module, name = FORMATS[form]
    write: Callable[..., WriteReport] = getattr(import_module(f"treemip.core.{module}"), name)
    return write(model, path, names=names, map_path=map_path, profile=profile, cuts=cuts, **more)


def format_of(path: str | Path) -> str:
    """The suffix in FORMATS that the file's name has. Raises E902."""
    name = Path(path).name.lower().removesuffix(".gz")
    for suffix in FORMATS:
        if name.endswith(suffix):
            return suffix
    message = f"the suffix of '{Path(path).name}' is not that of a file format"
    remedy = f"use one of {listed(FORMATS)}, followed by .gz to compress"
    fail("E902", message, remedy=remedy)


def side_files(path: str | Path) -> tuple[Path, ...]:
    """The files that `write_model` writes beside `path` without being asked."""
    suffix = Path(path).suffix.lower()
    return tuple(Path(path).with_suffix(beside) for beside in BESIDE.get(suffix, ()))
