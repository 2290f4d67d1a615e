"""Whole files, column bounds, interrupts and repeated runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import mps_reader
import numpy as np
import pytest
from file_models import INF, Builder, every_bound, grid, index, objective, quadratic

from treemip.core.files import lines
from treemip.core.files.model_files import write_model
from treemip.core.files.mps.writer import KINDS, VALUED, bound_lines, write_mps
from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import TreemipError

FORMS = (".mps", ".lp", ".mof.json")
HERE = Path(__file__).parent


def unicode_names() -> Model:
    """Names outside the safe characters, names that meet when spelt, words of the formats."""
    b = Builder("modèle δ")
    b.var("ξ", index("i j", [-2, 0, 10], [1, 12, 3]), kind=Kind.BINARY, upper=1)
    b.var("é", None)
    b.var("e", None)
    b.var("e_", grid("i", 1))
    b.var("变", None)
    b.var("end", None)
    b.row("ξ", [{0: 1.0}, {1: 1.0, 6: 2.0}], 0, at=index("i", [7, -7]))
    b.row("range", [{2: 1.0, 3: 1.0}], 0)
    return b.model(objective([1, 1, 1, 1, 1, 1, 1, 1], name="größe"))


def twice_named() -> Model:
    """Tuples that occur twice, blocks of one name, a block without indices but several rows."""
    b = Builder("twice")
    b.var("a", index("i j", [1, 1, 2], [12, 12, 1]))
    b.var("a", grid("i", 2))
    b.var("a_1", grid("i", 2))
    b.row("cut", [{0: 1.0}, {1: 1.0}], 0, at=index("i", [5, 5]))
    b.row("cut", [{2: 1.0}], 0)
    return b.model(objective([0, 0, 0, 0, 0, 0, 1], name="cut"))


def nothing() -> Model:
    return Builder("nothing").model(objective(constant=-0.25))


MODELS = {
    "bounds": every_bound,
    "quadratic": quadratic,
    "unicode": unicode_names,
    "twice": twice_named,
    "nothing": nothing,
}


@pytest.mark.parametrize("style", ["spec", "short"])
@pytest.mark.parametrize("name", MODELS)
def test_files_are_as_before(name: str, style: str, tmp_path: Path, golden) -> None:
    """Whole files and side-cars against those in golden/, read by eye and by ten readers."""
    path, side = tmp_path / "model.mps", tmp_path / "model.json"
    report = write_mps(MODELS[name](), path, names=style, map_path=side)  # type: ignore[arg-type]
    golden(f"golden/{name}_{style}.mps", path.read_text())
    golden(f"golden/{name}_{style}.json", side.read_text())
    content = mps_reader.read(path.read_text())
    assert (report.rows, report.columns) == (len(content.rows), len(content.columns))
    assert report.nonzeros == len(content.entries)
    assert report.bytes == path.stat().st_size
    assert (report.path, report.map_path) == (path, side)


def test_report(tmp_path: Path) -> None:
    told = write_mps(quadratic(), tmp_path / "q.mps")
    assert told.negated
    assert told.constant_column == "objective_constant"
    assert told.map_path is None
    told = write_mps(every_bound(), tmp_path / "b.mps")
    assert not told.negated
    assert told.constant_column is None
    assert (told.free_rows, told.rounded_ranges) == (1, 0)


def test_ranges_that_are_rounded_are_counted(tmp_path: Path) -> None:
    b = Builder()
    b.var("x")
    b.row("cap", [{0: 1.0}] * 3, [-0.81, -0.81, -1], [0.82, 0.81, 1])
    assert write_mps(b.model(), tmp_path / "m.mps").rounded_ranges == 1


def test_a_column_cannot_take_the_constants_name(tmp_path: Path) -> None:
    b = Builder()
    b.var("objective_constant")
    write_mps(b.model(objective([3.0], constant=2.0)), tmp_path / "m.mps")
    content = mps_reader.read((tmp_path / "m.mps").read_text())
    assert content.costs["objective_constant"] == 2
    assert list(content.columns.values()) == [(0, INF), (1, 1)]


@pytest.mark.parametrize("form", FORMS)
def test_model_and_map_are_two_files(form: str, tmp_path: Path) -> None:
    with pytest.raises(TreemipError, match="E603"):
        write_model(every_bound(), tmp_path / f"m{form}", map_path=tmp_path / "." / f"m{form}")
    assert list(tmp_path.iterdir()) == []


def test_a_row_cannot_take_the_objectives_name(tmp_path: Path) -> None:
    b = Builder()
    b.var("x")
    b.row("obj", [{0: 1.0}], 0)
    write_mps(b.model(objective([1.0])), tmp_path / "m.mps")
    content = mps_reader.read((tmp_path / "m.mps").read_text())
    assert content.objective == "obj"
    assert list(content.rows) != ["obj"]


@pytest.mark.parametrize("calls", [0, 1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("form", FORMS)
def test_an_interrupt_leaves_nothing(
    form: str,
    calls: int,
    error: type[BaseException],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Stopped before, between and after sections; an older file stays as it was."""
    done = []
    write = lines.Lines.write

    def stopped(self: lines.Lines, *codes: np.ndarray) -> None:
        if len(done) == calls:
            raise error
        done.append(self)
        write(self, *codes)

    monkeypatch.setattr(lines.Lines, "write", stopped)
    with pytest.raises(error):
        write_model(every_bound(), tmp_path / f"m{form}.gz", map_path=tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []
    done.clear()
    (tmp_path / f"m{form}").write_text("older")
    with pytest.raises(error):
        write_model(every_bound(), tmp_path / f"m{form}")
    assert [p.read_text() for p in tmp_path.iterdir()] == ["older"]


SCRIPT = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + '/files']
from test_mps_writer import unicode_names
from treemip.core.files.mps.writer import write_mps
write_mps(unicode_names(), sys.argv[2] + ".mps.gz", map_path=sys.argv[2] + ".json")
"""


def test_equal_models_give_equal_bytes_in_any_run(tmp_path: Path) -> None:
    files = []
    for seed in ("0", "1", "99"):
        target = tmp_path / seed
        command = [sys.executable, "-c", SCRIPT, str(HERE.parent), str(target)]
        subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": seed})
        files.append([target.with_suffix(end).read_bytes() for end in (".mps.gz", ".json")])
    assert files[0] == files[1] == files[2]


def test_reader_refuses_what_is_cut_short(tmp_path: Path) -> None:
    """The tests' own reader takes no part of a file for the whole."""
    write_mps(quadratic(), tmp_path / "m.mps")
    text = (tmp_path / "m.mps").read_text()
    mps_reader.read(text)
    for stop in range(len(text)):
        with pytest.raises(mps_reader.NotPortable):
            mps_reader.read(text[:stop])


def bounds(lower: float, upper: float, kind: Kind) -> list[str]:
    block = Builder().var("x", None, lower, upper, kind)
    at, kinds, values = bound_lines(block)
    assert at.tolist() == [0] * len(at)
    return [
        KINDS[k].decode().split()[0] + (f" {v:g}" if k in VALUED else "")
        for k, v in zip(kinds, values, strict=True)
    ]


@pytest.mark.parametrize("kind", [Kind.CONTINUOUS, Kind.INTEGER])
def test_bounds(kind: Kind) -> None:
    assert bounds(0, INF, kind) == ["LO 0", "PL"]
    assert bounds(0, 1, kind) == ["LO 0", "UP 1"]
    assert bounds(-2, -1, kind) == ["LO -2", "UP -1"]
    assert bounds(-INF, 0, kind) == ["MI", "UP 0"]
    assert bounds(-INF, INF, kind) == ["FR"]
    assert bounds(-7, -7, kind) == ["FX -7"]


def test_bounds_of_binaries() -> None:
    assert bounds(0, 1, Kind.BINARY) == ["BV"]
    assert bounds(-INF, INF, Kind.BINARY) == ["BV"]
    assert bounds(-3, 0, Kind.BINARY) == ["FX 0"]
    assert bounds(1, 5, Kind.BINARY) == ["FX 1"]
    assert bounds(0.5, 1, Kind.BINARY) == ["LO 0.5", "UP 1"]


def test_bounds_stay_in_column_order() -> None:
    block = Builder().var("x", grid("i", 3), [0, 1, -INF], [INF, 1, INF])
    assert bound_lines(block)[0].tolist() == [0, 0, 1, 2]
