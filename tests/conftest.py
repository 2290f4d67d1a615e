"""Golden files for the whole suite, and few hypothesis examples unless asked for more."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("quick", max_examples=60, deadline=None)
settings.register_profile("long", max_examples=2000, deadline=None)
settings.load_profile("quick")

# Jobs in the background, and those of some build servers, are started with SIGINT ignored. The
# tests of Ctrl-C, and the programs they start, need it as it is at a terminal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="rewrite the expected files with what the tests produce now; review the diff",
    )


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
