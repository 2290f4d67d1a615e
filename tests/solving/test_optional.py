from __future__ import annotations

import sys

import pytest

from treemip.core.solving.optional import is_installed, needed
from treemip.core.source.diagnostic import TreemipError


def test_a_package_that_is_there() -> None:
    assert is_installed("numpy")
    assert needed("numpy", "highs").__name__ == "numpy"


def test_a_package_that_is_missing() -> None:
    assert not is_installed("no_such_solver")
    with pytest.raises(TreemipError) as raised:
        needed("no_such_solver", "scip")
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "E602"
    assert "'no_such_solver' is not installed" in diagnostic.message
    assert diagnostic.remedy == 'pip install "pyscipopt>=5.5,<7"'


def test_a_package_that_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(TreemipError, match="does not load") as raised:
        needed("highspy", "highs")
    assert raised.value.diagnostics[0].remedy == "pip install highspy"
