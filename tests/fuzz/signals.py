"""Campaign `signals`: commands that are interrupted, ended, hung up on and killed at any moment.

Afterwards no temporary file is left (after SIGKILL one whose name says so), outputs are whole or as
they were, inputs are as they were, nothing keeps running, and the exit code is a documented one.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import ROOT
from .cases import LOST, Campaign, Case, Fault
from .commands import digests, documented, require_polite, require_unharmed, start
from .files import FOLDER, saved_tree

HARD = """data "german-credit.csv" { label class; scale minmax; train 0.2 seed 1; }
topology complete(depth = 3);
split oblique by soct;
"""
END = 40.0  # seconds in which a command must end after a signal
TEMPORARY = (".treemip-", ".part")
OLDER = b'{"older": true}\n'


@dataclass(frozen=True)
class Command:
    """`outputs` with what tells that they are whole; the signal comes within `span` seconds."""

    arguments: tuple[str, ...]
    outputs: Mapping[str, Callable[[bytes], bool]]
    span: float


def _mps(data: bytes) -> bool:
    return data.rstrip().endswith(b"ENDATA")


def _packed_mps(data: bytes) -> bool:
    return _mps(gzip.decompress(data))


def _lp(data: bytes) -> bool:
    return data.rstrip().lower().endswith(b"end")


def _json(data: bytes) -> bool:
    return isinstance(json.loads(data), dict)


def _lines(data: bytes) -> bool:
    return data.endswith(b"\n") and data.count(b"\n") == 11


def _text(data: bytes) -> bool:
    return data.endswith(b"\n")


COMMANDS: dict[str, Command] = {
    "compile mps": Command(("compile", "hard.tree", "-o", "o.mps"), {"o.mps": _mps}, 2.0),
    "compile gz": Command(
        ("compile", "hard.tree", "-o", "o.mps.gz", "--map", "map.json"),
        {"o.mps.gz": _packed_mps, "map.json": _json},
        2.5,
    ),
    "compile lp": Command(("compile", "hard.tree", "-o", "o.lp"), {"o.lp": _lp}, 2.5),
    "compile nl": Command(
        ("compile", "tiny.tree", "-o", "o.nl"),
        {"o.nl": bool, "o.row": _text, "o.col": _text},
        1.0,
    ),
    "lower": Command(
        ("compile", "hard.tree", "--stop-after", "lower", "-o", "o.txt"), {"o.txt": _text}, 3.0
    ),
    "export": Command(
        ("export", "hard.tree", "--to", "pyomo", "-o", "o.py"),
        {"o.py": _text, "o_data.json": _json},
        2.0,
    ),
    "highs": Command(
        ("solve", "hard.tree", "--solver", "highs", "--time-limit", "30", "-o", "o.json"),
        {"o.json": _json},
        5.0,
    ),
    "scip": Command(
        ("solve", "hard.tree", "--solver", "scip", "--time-limit", "30", "-o", "o.json"),
        {"o.json": _json},
        5.0,
    ),
    "cbc": Command(
        ("solve", "hard.tree", "--solver", "cbc", "--time-limit", "30", "-o", "o.json"),
        {"o.json": _json},
        5.0,
    ),
    "small solve": Command(
        ("solve", "tiny.tree", "--solver", "highs", "-o", "o.json"), {"o.json": _json}, 1.5
    ),
    "decode": Command(("decode", "tiny.tree", "highs.sol", "-o", "o.json"), {"o.json": _json}, 1.0),
    "predict": Command(("predict", "tree.json", "tiny.csv", "-o", "o.csv"), {"o.csv": _lines}, 0.8),
    "verify": Command(("verify", "tree.json"), {}, 0.8),
    "explain": Command(("explain", "tiny.tree", "-o", "o.html"), {"o.html": _text}, 1.2),
    "fmt": Command(("fmt", "untidy.tree"), {"untidy.tree": _text}, 0.4),
}
SIGNALS = [signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGTERM, signal.SIGHUP,
           signal.SIGKILL]  # fmt: skip


def _inputs(work: Path) -> None:
    work.mkdir()
    for name in ("tiny.tree", "tiny.csv", "highs.sol"):
        shutil.copy(FOLDER / name, work)
    shutil.copy(ROOT / "specs" / "data" / "german-credit.csv", work)
    (work / "hard.tree").write_text(HARD)
    (work / "untidy.tree").write_text(HARD.replace(";", "  ;"))
    (work / "tree.json").write_bytes(saved_tree())


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    dice = case.dice()
    names = [n for n in COMMANDS if n != "cbc" or shutil.which("cbc")]
    name = dice.choice(names)
    command, sent = COMMANDS[name], dice.choice(SIGNALS)
    delay, group = dice.uniform(0.0, command.span), dice.random() < 0.5
    older = dice.random() < 0.6
    files["command.txt"] = (
        f"treemip {' '.join(command.arguments)}\n{sent.name} after {delay:.3f} s"
        f"{' to the group' if group else ''}{', outputs there before' if older else ''}\n"
    )
    work = folder / "work"
    _inputs(work)
    for output in command.outputs if older else ():
        if not (work / output).exists():
            (work / output).write_bytes(OLDER)
    before = digests(work)
    running = start(command.arguments, folder)
    running.wait_until_up()
    time.sleep(delay)
    alive = running.child.pid in running.orphans()
    if alive:
        (os.killpg if group else os.kill)(running.child.pid, sent)
    ran = running.end(END)
    killed = sent == signal.SIGKILL and alive
    files["printed.txt"] = ran.told()
    require_polite(ran, documented() | ({-9} if killed else set()))
    running.require_no_orphans()
    require_unharmed(before, work, set(command.outputs))
    _require_whole(command, before, work)
    _require_tidy(command, before, folder, killed)
    return {f"{sent.name} exit {ran.code}" if alive else "over before": 1}


def _require_whole(command: Command, before: Mapping[str, Any], work: Path) -> None:
    now = digests(work)
    for output, whole in command.outputs.items():
        if output in now and now[output] != before.get(output):
            try:
                good = whole((work / output).read_bytes())
            except (ValueError, OSError, EOFError):
                good = False
            if not good:
                raise Fault(LOST, f"'{output}' is not whole", "an output is not whole")
        if output in before and output not in now:
            raise Fault(LOST, f"the older '{output}' is gone", "an older output is gone")


def _require_tidy(command: Command, before: Mapping[str, Any], folder: Path, killed: bool) -> None:
    new = set(digests(folder / "work")) - set(before) - set(command.outputs)
    strange = {n for n in new if not (killed and Path(n).name.startswith(TEMPORARY[0])
               and n.endswith(TEMPORARY[1]))}  # fmt: skip
    left = sorted(p.name for p in (folder / "tmp").iterdir())
    if strange or (left and not killed):
        raise Fault(LOST, f"left behind: {sorted(strange)} {left}", "temporary files left behind")


CAMPAIGN = Campaign("signals", "signals", 200, run, cpu=120.0, wall=150.0)
