"""What commands say: each file of transcripts/ is a session in a copy of folder/, with command
lines behind `$`, and below each what it prints and an exit code that is not 0. --update-goldens
runs the lines again. What is refused with 2 prints no result and changes no file."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
CHANGING = (
    (re.compile(r"^(solver +\w+).*$", re.M), r"\1"),
    (re.compile(r"(not decided in|\"seconds\":) [\d.]+"), r"\1 0"),
    (re.compile(r"(by HiGHS) \d[\d.]*\d"), r"\1"),
)
"""Seconds, and versions of solvers."""
LINKED = {
    "m.mst": os.link,
    "m_data.json": os.link,
    "d.dat": os.link,
    "n.col": os.link,
    "o.row": os.symlink,
    "m.ord": os.symlink,
    "m.run": os.symlink,
    "m.json": os.symlink,
}
"""Other names of small.csv."""


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_session(path: Path, run, here: Path, golden) -> None:
    pytest.importorskip("highspy", reason="a solver is needed")
    for name, link in LINKED.items():
        link("small.csv", name)
    parts = []
    for line in re.findall(r"^(?:\$|==) .*$", path.read_text(encoding="utf-8"), re.M):
        parts.append(f"{line}\n")
        program, *words = shlex.split(line[2:]) if line[0] == "$" else [""]
        if program == "cat":
            parts.append((here / words[0]).read_text(encoding="utf-8"))
        elif program == "treemip":
            before = contents(here)
            said = run(*words)
            assert said.code != 2 or said.out == "" or words[0] == "check", line
            assert said.code != 2 or contents(here) == before, line
            parts.append(said.out + said.err)
            if said.code:
                parts.append(f"exit {said.code}\n")
    text = "".join(parts).replace(f"{here}/", "")
    for changing, said in CHANGING:
        text = changing.sub(said, text)
    golden(path, text)
