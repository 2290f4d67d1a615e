"""MPS in fixed columns: whole files, readers that know nothing else, and what does not fit."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from file_models import Builder, every_bound, objective, quadratic
from file_readers import by_glpk, reader
from hypothesis import assume, given
from random_models import FEW, WHOLE, demand_optimum, models

from treemip.core.files.model_files import write_model
from treemip.core.files.mps.writer import write_mps
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import TreemipError


def small() -> Model:
    b = Builder("small")
    b.var("x", None, -2.5, 9)
    b.var("y", None, 0, 3)
    b.row("cap", [{0: 1.0, 1: -1e-5}], 1, 4)
    b.row("last", [{1: 2.0}], 0.5)
    return b.model(objective([1.0, 1.0]))


def test_whole_file(tmp_path: Path) -> None:
    write_mps(small(), tmp_path / "m.mps", fixed=True)
    assert [line.rstrip() for line in (tmp_path / "m.mps").read_text().splitlines()] == [
        "NAME          small",
        "ROWS",
        " N  obj",
        " G  cap",
        " G  last",
        "COLUMNS",
        "    x         obj                  1   cap                  1",
        "    y         obj                  1   cap             -1e-05",
        "    y         last                 2",
        "RHS",
        "    RHS       cap                  1",
        "    RHS       last               0.5",
        "RANGES",
        "    RNG       cap                  3",
        "BOUNDS",
        " LO BND       x                 -2.5",
        " UP BND       x                    9",
        " LO BND       y                    0",
        " UP BND       y                    3",
        "ENDATA",
    ]


def test_glpk_reads_it() -> None:
    reader("glpk")

    @given(model=models(WHOLE, free=False, products=False))
    @FEW
    def agree(model: Model) -> None:
        assume(model.column_count and model.row_count and not model.objective.constant)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "m.mps"
            told = write_mps(model, path, names="short", fixed=True)
            demand_optimum(model, by_glpk(path, "--mps"), -1.0 if told.negated else 1.0)

    agree()


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.mps"
    for made, style, said in (
        (every_bound, "short", "12 characters for a number, and '0.3333333333333333' is longer"),
        (quadratic, "short", "8 characters for a name, and 'objective_constant' is longer"),
    ):
        with pytest.raises(TreemipError, match=said) as caught:
            write_mps(made(), path, names=style, fixed=True)  # type: ignore[arg-type]
        assert {d.code for d in caught.value.diagnostics} == {"E601"}
    with pytest.raises(TreemipError, match="only MPS has a fixed layout"):
        write_model(small(), tmp_path / "m.lp", fixed=True)
    assert list(tmp_path.iterdir()) == []
