"""`treemip playground` on the command line."""

import os
import re
import subprocess
import sys

import pytest

from treemip.cli.main import main, reported


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--host", "0.0.0.0"), "add --public if whoever reaches the port may solve here"),
        (("--port", "70000"), "a port is a number from 0 to 65535"),
        (("--seconds", "0"), "--seconds 0.0 is not a limit"),
        (("--workers", "-1"), "--workers -1 is not a limit"),
    ],
)
def test_refusals(words, says, capsys):
    assert reported(lambda: main(["playground", *words])) == 2
    assert says in capsys.readouterr().err


def test_without_its_packages(monkeypatch, capsys):
    for name in [one for one in sys.modules if one.startswith("treemip.study.playground.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert reported(lambda: main(["playground"])) == 2
    told = capsys.readouterr().err
    assert "E602" in told and "the playground needs uvicorn" in told and "pip install" in told


@pytest.mark.skipif(os.name != "posix", reason="ended by a signal")
def test_it_says_where_it_is_and_ends():
    httpx = pytest.importorskip("httpx")
    pytest.importorskip("uvicorn")
    words = [sys.executable, "-m", "treemip", "playground", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+", line)[0]
        assert "treemip" in httpx.get(url, timeout=60).text
        process.terminate()
        assert process.wait(60) is not None
