"""Limits on memory, and what is left under them."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from treemip.core.solving import optional
from treemip.core.source import memory
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.memory import (
    addresses_left,
    demand_addresses,
    is_memory_error,
    memory_left,
)

PAGE = memory.os.sysconf("SC_PAGE_SIZE") if hasattr(memory.os, "sysconf") else 4096


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A process with 1000 pages of addresses, 300 resident, 500 of data, in the group a/b."""
    sizes, own, groups = (tmp_path / name for name in ("statm", "cgroup", "groups"))
    sizes.write_text("1000 300 100 1 0 500 0\n")
    own.write_text("0::/a/b\n")
    (groups / "a" / "b").mkdir(parents=True)
    monkeypatch.setattr(memory, "SIZES", sizes)
    monkeypatch.setattr(memory, "OWN_GROUP", own)
    monkeypatch.setattr(memory, "GROUPS", groups)
    limits: dict[str, int] = {}
    monkeypatch.setattr(memory, "address_limit", limits.get)
    return limits, groups


def test_no_limit(system) -> None:
    assert (addresses_left(), memory_left()) == (None, None)
    demand_addresses("SCIP", 2**60)


def test_the_least_of_the_limits_counts(system) -> None:
    limits, groups = system
    limits["RLIMIT_AS"] = 1500 * PAGE
    assert (addresses_left(), memory_left()) == (500 * PAGE, 500 * PAGE)
    limits["RLIMIT_DATA"] = 600 * PAGE
    assert addresses_left() == 100 * PAGE
    (groups / "a" / "memory.max").write_text(f"{350 * PAGE}\n")
    (groups / "a" / "b" / "memory.max").write_text("max\n")
    assert (addresses_left(), memory_left()) == (100 * PAGE, 50 * PAGE)
    (groups / "a" / "b" / "memory.max").write_text(f"{200 * PAGE}\n")
    assert memory_left() == 0


def test_too_little_to_begin_with(system) -> None:
    limits, _ = system
    limits["RLIMIT_AS"] = 1000 * PAGE + 30 * 2**20
    demand_addresses("SCIP", 30 * 2**20)
    with pytest.raises(TreemipError) as raised:
        demand_addresses("SCIP", 31 * 2**20)
    assert str(raised.value) == (
        "error[E405]: not enough memory for SCIP: 30 MB are left under the limit, and it "
        "takes 31 MB to begin with\n  = help: use fewer points or a smaller topology, or raise "
        "the limits that ulimit shows"
    )


@pytest.mark.parametrize(
    ("error", "is_one"),
    [
        (MemoryError(), True),
        (OSError(12, "Cannot allocate memory"), True),
        (ImportError("libx.so: failed to map segment from shared object"), True),
        (ImportError("libx.so: cannot allocate memory in static TLS block"), True),
        (RuntimeError("can't start new thread"), True),
        (ImportError("No module named 'x'"), False),
        (OSError(28, "No space left on device"), False),
        (RuntimeError("generator raised StopIteration"), False),
        (ValueError("cannot allocate memory"), False),
    ],
)
def test_errors_that_mean_memory(error: BaseException, is_one: bool) -> None:
    assert is_memory_error(error) is is_one


@pytest.mark.parametrize("limit", [None, 5000 * PAGE])
def test_code_that_fails_silently_does_so_under_a_limit(system, limit: int | None) -> None:
    limits, _ = system
    limits["RLIMIT_AS"] = limit
    silent = SystemError("error return without exception set")
    assert is_memory_error(silent) is (limit is not None)
    assert not is_memory_error(SystemError("bad argument to internal function"))


def test_a_package_that_does_not_fit_is_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(name: str) -> None:
        raise ImportError(f"{name}.so: failed to map segment from shared object")

    monkeypatch.setattr(optional, "import_module", too_large)
    with pytest.raises(TreemipError, match=r"E405.*to load the package 'highspy'"):
        optional.needed("highspy", "highs")
    monkeypatch.setattr(optional, "import_module", importlib.import_module)
    with pytest.raises(TreemipError, match=r"E602.*'no_such_package' is not installed"):
        optional.needed("no_such_package", "highs")
