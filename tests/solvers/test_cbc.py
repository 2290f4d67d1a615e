"""CBC's binary file beside its text: every digit where the two agree, and else the text alone."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from treemip.core.files.solution_formats import read_solution
from treemip.core.solvers.cbc import saved_values

VALUES = np.array([1.0, 2.0000000004, 0.0, -1 / 3, 1e-9])
TEXT = """Optimal - objective value 2.5
      0 a                      1                       0
      1 b              2.0000000                       1
      3 d            -0.33333333                       0
"""


def saved(values: np.ndarray, rows: int = 2) -> bytes:
    """As `saveSolution` lays it out, with numbers for rows and duals that must not be taken."""
    rest = [np.array([2.5]), np.full(2 * rows, 7.0), values, np.full(len(values), 8.0)]
    return np.array([rows, len(values)], np.int32).tobytes() + np.concatenate(rest).tobytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "m.sol").write_text(TEXT)
    return tmp_path / "m.sol"


def test_the_values_have_all_digits(path: Path) -> None:
    path.with_name("m.sol.saved").write_bytes(saved(VALUES))
    found = read_solution(path)
    assert found.values is not None and found.names is not None
    assert (found.status, found.objective, found.digits) == ("optimal", 2.5, 17)
    assert found.names.tolist() == [b"a", b"b", b"d"]
    assert found.values.tolist() == VALUES[[0, 1, 3]].tolist()


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"1234567",
        saved(VALUES)[:-1],
        saved(VALUES) + b"0",
        saved(VALUES[:3]),
        saved(VALUES + np.array([0, 1e-6, 0, 0, 0])),
        saved(VALUES + np.array([0, 0, 1e-6, 0, 0])),
        saved(VALUES * [1, 1, 1, np.nan, 1]),
        np.array([-1, 5], np.int32).tobytes(),
    ],
)
def test_a_file_that_does_not_belong_here_is_left(path: Path, content: bytes | None) -> None:
    if content is not None:
        path.with_name("m.sol.saved").write_bytes(content)
    found = read_solution(path)
    assert found.values is not None
    assert (found.digits, found.values.tolist()) == (8, [1.0, 2.0, -0.33333333])


def test_no_columns_at_all(tmp_path: Path) -> None:
    (tmp_path / "m.saved").write_bytes(saved(np.zeros(2)))
    none = np.zeros(0)
    found = saved_values(str(tmp_path / "m"), none.astype(np.int64), none)
    assert found is not None and found.tolist() == [0.0, 0.0]


@pytest.mark.skipif(shutil.which("cbc") is None, reason="CBC is not installed")
def test_as_cbc_writes_it(tmp_path: Path) -> None:
    """max x + y, 3x <= 1, 7y <= 2 z, z binary: thirds and sevenths, which 8 digits cannot hold."""
    (tmp_path / "m.mps").write_text(
        "NAME m FREE\nROWS\n N obj\n L a\n L b\nCOLUMNS\n x obj -1 a 3\n y obj -1 b 7\n"
        " M1 'MARKER' 'INTORG'\n z obj 0.001 b -2\n M2 'MARKER' 'INTEND'\n"
        "RHS\n RHS a 1 b 0\nBOUNDS\n UP BND z 1\nENDATA\n"
    )
    words = ["solve", "solution", "m.sol", "saveSolution", "m.sol.saved"]
    subprocess.run(["cbc", "m.mps", *words], cwd=tmp_path, capture_output=True, check=True)
    found = read_solution(tmp_path / "m.sol")
    assert found.values is not None and found.names is not None
    values = dict(zip(found.names.tolist(), found.values.tolist(), strict=True))
    assert values == pytest.approx({b"x": 1 / 3, b"y": 2 / 7, b"z": 1.0}, abs=1e-15)
