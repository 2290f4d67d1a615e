"""Golden files for the whole suite, few hypothesis examples and short searches unless asked for
more, and a summary of the table of targets."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import chromium_path
from hypothesis import settings

from treemip.answers.search import pool

# The suite, `make truth`, and what --hypothesis-profile=long asks for.
settings.register_profile("suite", max_examples=12, deadline=None)
settings.register_profile("truth", max_examples=200, deadline=None)
settings.register_profile("long", max_examples=2000, deadline=None)
settings.load_profile("suite")

# Where Python is told to write no bytecode, as in many containers, each of the hundreds of programs
# that the tests start would compile all of treemip, and each process of the suite all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Jobs in the background, and those of some build servers, are started with SIGINT ignored. The
# tests of Ctrl-C, and the programs they start, need it as it is at a terminal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests and their modules stay: no search for cycles among them, neither while
    they are collected nor whenever a test has made many objects."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="rewrite the expected files with what the tests produce now; review the diff",
    )


LONGER = Path(__file__).with_name("longer.txt")
COLLECTED = pytest.StashKey[set[str]]()
"""The names of all tests of a run, before any is left out."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What longer.txt lists is left to `make truth`, and to `make golden`."""
    listed = set(LONGER.read_text(encoding="utf-8").splitlines())
    config.stash[COLLECTED] = {item.nodeid for item in items}
    for item in items:
        if item.nodeid in listed and not config.getoption("--update-goldens"):
            item.add_marker(pytest.mark.truth)


@pytest.fixture
def longer() -> list[str]:
    """The lines of longer.txt."""
    return LONGER.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def collected(request: pytest.FixtureRequest) -> set[str]:
    return request.config.stash[COLLECTED]


@pytest.fixture(scope="module", autouse=True)
def short_searches(request: pytest.FixtureRequest) -> Iterator[None]:
    """Searches end after 0.1 seconds and 50 trees without a better one, in `make truth` after 1.5
    seconds as always: the trees are what a test can count on, whatever else the machine has to do.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.config.getoption("--hypothesis-profile") != "truth":
            patch.setattr(pool, "WAIT", 0.1)
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str | Path, str], None]:
    """`golden(path, text)`: the text equals the whole file, a path from the test's own folder."""

    def compare(path: str | Path, text: str) -> None:
        target = request.path.parent / path
        if request.config.getoption("--update-goldens"):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode("utf-8"))
            return
        assert target.is_file(), f"{target.name} is missing: run pytest --update-goldens"
        assert text == target.read_bytes().decode("utf-8")

    return compare


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium under Playwright: its own, or as of `chromium_path`."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with playwright.sync_playwright() as started:
        path = chromium_path() or started.chromium.executable_path
        if not Path(path).exists():
            pytest.skip("no Chromium is installed")
        opened = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


# Here and not in tests/targets: the process that prints the summary of tests side by side collects
# none itself, and so reads no other conftest.py.
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    stats = terminalreporter.stats
    failed = Counter(
        r.nodeid.split("/")[1] for kind in ("failed", "error") for r in stats.get(kind, [])
    )
    if failed:
        terminalreporter.section("failures by room (docs/architecture.md has what each is about)")
        for room, count in failed.most_common():
            terminalreporter.line(f"{count:5} in {room}")
    reports = [r for word in ("passed", "failed", "skipped") for r in stats.get(word, [])]
    of_cells = [r for r in reports if "test_targets.py::test_cell[" in r.nodeid]
    if not of_cells:
        return
    found = Counter(_ended(r) for r in of_cells)
    terminalreporter.section("targets (docs/targets.md)")
    for words, count in sorted(found.items()):
        terminalreporter.line(f"{count:5} cells {words}")


def _ended(report: pytest.TestReport) -> str:
    if report.skipped:
        assert isinstance(report.longrepr, tuple)
        return "SKIPPED, not tested: " + report.longrepr[2].removeprefix("Skipped: ")
    if report.failed:
        return "FAILED"
    return dict(report.user_properties)["cell"]
