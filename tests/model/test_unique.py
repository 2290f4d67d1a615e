"""numpy's unique, without what it imports."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from treemip.model.arrays import numbered, unique


@given(arrays(np.int32, array_shapes(max_dims=2, min_side=0)))
def test_as_numpy(values: np.ndarray) -> None:
    found = unique(values)
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, np.unique(values))


@given(arrays(np.int64, st.integers(0, 20), elements=st.integers(-3, 3)))
def test_numbered_as_numpy(values: np.ndarray) -> None:
    found, which = numbered(values)
    expected = np.unique(values, return_inverse=True)
    assert found.tolist() == expected[0].tolist()
    assert which.tolist() == expected[1].tolist()


def test_of_booleans_and_floats() -> None:
    assert unique(np.array([True, False, True])).tolist() == [False, True]
    assert unique(np.array([0.5, -0.0, 0.0, np.inf])).tolist() == [0.0, 0.5, np.inf]


def test_a_model_is_compiled_without_masked_arrays(tmp_path) -> None:
    code = (
        "import sys, treemip\n"
        "spec = 'data \"d.csv\" { label k; scale minmax; } '\n"
        "spec += 'topology complete(depth = 1); split oblique by soct;'\n"
        "table = {'u': [0.0, 0.3, 1.0], 'k': ['n', 'y', 'n']}\n"
        "treemip.loads(spec, data=table).compile().write(sys.argv[1])\n"
        "assert 'numpy.ma' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "m.mps")], check=True)
