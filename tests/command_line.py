"""Running the command line inside the test's own process."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from treemip.cli.main import main


class Said(NamedTuple):
    """What a run left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


Run = Callable[..., Said]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """run("solve", path, …) -> Said(code, out, err); no command may end with a traceback."""

    def run(*arguments: object) -> Said:
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Said(code, out, err)

    return run
