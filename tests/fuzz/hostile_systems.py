"""Hostile systems: little memory, few files, full disks, closed streams, odd environments."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable

from .hostile_inputs import CSV, Input

ADDRESSES, SIZE, OPEN, STACK = (
    resource.RLIMIT_AS,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_STACK,
)
COMPILE = ("compile", "s.tree", "-o", "out.mps")
SOLVES = {s: ("solve", "s.tree", "--solver", s, "--time-limit", "5") for s in ("highs", "scip")}


def _onto(descriptor: int, path: str, mode: int) -> Callable[[], None]:
    def prepare() -> None:
        os.dup2(os.open(path, mode), descriptor)

    return prepare


def _closed(*descriptors: int) -> Callable[[], None]:
    def prepare() -> None:
        for one in descriptors:
            os.close(one)

    return prepare


def _gone() -> None:
    """The folder one is in is no more."""
    os.mkdir("gone")
    os.chdir("gone")
    os.rmdir("../gone")


SYSTEMS: list[Input] = [
    Input(f"{megabytes} MB of addresses, {arguments[0]} {arguments[3] if i else ''}".strip(),
          arguments, {}, ("out.mps",), limits={ADDRESSES: megabytes << 20})
    for megabytes in (120, 200, 300, 400, 600, 1000)
    for i, arguments in enumerate((COMPILE, SOLVES["highs"], SOLVES["scip"]))
]  # fmt: skip
SYSTEMS += [
    Input("files of 100 bytes at most", COMPILE, {}, ("out.mps",), limits={SIZE: 100}),
    Input("10 open files", SOLVES["highs"], {}, limits={OPEN: 10}),
    Input("5 open files", ("check", "s.tree"), {}, limits={OPEN: 5}),
    Input("a stack of 1 MB", COMPILE, {}, ("out.mps",), limits={STACK: 1 << 20}),
    Input("stdout full", ("list",), codes=(2,), before=_onto(1, "/dev/full", os.O_WRONLY)),
    Input("stdout full, explain", ("explain", "s.tree"), codes=(2,),
          before=_onto(1, "/dev/full", os.O_WRONLY)),
    Input("stderr full", ("check", "none.tree"), codes=(2,),
          before=_onto(2, "/dev/full", os.O_WRONLY)),
    Input("stderr full, compile", COMPILE, {}, ("out.mps",), codes=(0,),
          before=_onto(2, "/dev/full", os.O_WRONLY)),
    Input("stdout closed", ("list",), before=_closed(1)),
    Input("stderr closed", ("check", "none.tree"), codes=(2,), before=_closed(2)),
    Input("all closed", COMPILE, {}, ("out.mps",), codes=(0,), before=_closed(0, 1, 2)),
    Input("all closed, solve", SOLVES["highs"], codes=(0,), before=_closed(0, 1, 2)),
    Input("the folder is gone", ("check", "s.tree"), before=_gone),
    Input("the folder is gone, list", ("list",), before=_gone),
    Input("no HOME", ("list",), environment={"HOME": ""}),
    Input("no TMPDIR", SOLVES["highs"], environment={"TMPDIR": "/nothing"}),
    Input("no TMPDIR, cbc", ("solve", "s.tree", "--solver", "cbc"),
          environment={"TMPDIR": "/nothing"}),
    Input("no PATH", ("solve", "s.tree", "--solver", "cbc"), environment={"PATH": ""}),
    Input("ASCII", ("show", "tree.json"), {"tree.json": "東"},
          environment={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}),
    Input("ASCII, solve", SOLVES["highs"], {"t.csv": CSV.replace("y", "東")},
          environment={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}),
]  # fmt: skip
OPTIONS = ["--time-limit=nan", "--time-limit=-1", "--time-limit=1e400", "--time-limit=x",
           "--gap=nan", "--gap=-1", "--threads=-1", "--threads=1000000000",
           "--threads=99999999999999999999",
           "--seed=-1", "--seed=99999999999999999999", "--feasibility=nan", "--feasibility=0",
           "--solver=none", "--solver=command:", "--solver=command:{model}", "--start=none2",
           "--implications=x", "--keep=/dev/null", "--nonsense", "-o"]  # fmt: skip
SYSTEMS += [
    Input(f"solve {option}", ("solve", "s.tree", "--solver", "highs", option)
          if "--solver" not in option else ("solve", "s.tree", option))
    for option in OPTIONS
]  # fmt: skip
