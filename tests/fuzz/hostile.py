"""Campaign `hostile`: a fixed list of inputs that mean harm, each on the command line.

Each ends within bounds of CPU time and memory, with a documented exit code and no traceback, leaves
the files that were there as they were, and prints nothing that a terminal would obey.
"""

from __future__ import annotations

import ast
import random
import resource
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from .cases import HANG, OTHER, Campaign, Case, Fault
from .commands import Ran, digests, documented, require_polite, require_unharmed, start
from .hostile_inputs import Input

CPU = 5.0 + 1.5  # seconds, with start-up
PEAK = 500 << 20  # bytes
CAP = 12  # seconds of CPU time at which the system ends it
WALL, IDLE = 120.0, 12.0


@cache
def inputs() -> list[Input]:
    """All of them; many megabytes, so they are made where they are wanted."""
    from .hostile_data import DATA
    from .hostile_files import FILES
    from .hostile_specs import SPECS
    from .hostile_systems import SYSTEMS

    return [*SPECS, *DATA, *FILES, *SYSTEMS]


@cache
def _in_order(seed: int) -> list[Input]:
    """Shuffled, so that a run that ends early has some of each kind."""
    return random.Random(seed).sample(inputs(), _size())


def _size() -> int:
    return len(inputs())


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    given = _in_order(case.seed)[case.number % _size()]
    work = folder / "work"
    work.mkdir()
    given.prepare(work)
    files["name.txt"] = given.name + "\n"
    files["command.txt"] = f"treemip {' '.join(a[:300] for a in given.arguments)}\n"
    for path in sorted(work.iterdir()):
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 20_000:
            files[path.name] = path.read_bytes()
    before = digests(work)
    running = start(
        given.arguments,
        folder,
        limits={resource.RLIMIT_CPU: CAP, **given.limits},
        environment=given.environment,
        prepare=given.before,
    )
    ran = running.end(WALL, IDLE)
    files["printed.txt"] = ran.told()
    try:
        _judge(given, ran)
        running.require_no_orphans()
        require_unharmed(before, work, set(given.outputs))
        _require_no_code(work)
    except Fault as fault:
        raise Fault(
            fault.kind, f"{given.name}\n{fault.text}", f"{given.name}: {fault.key}"
        ) from None
    return {f"exit {ran.code}": 1}


def _judge(given: Input, ran: Ran) -> None:
    require_polite(ran, frozenset(given.codes) if given.codes else documented())
    if ran.cpu > CPU:
        raise Fault(HANG, ran.told(), f"more than {CPU:g} s of CPU time")
    if ran.peak > PEAK:
        raise Fault(HANG, ran.told(), f"more than {PEAK >> 20} MB")


def _require_no_code(work: Path) -> None:
    """What an exported script runs is its own: names of the user's stand in strings alone."""
    if (work / "pwned").exists():
        raise Fault(OTHER, "a name was run as code", "code from a name")
    for script in work.glob("out*.py"):
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
            named = getattr(node, "id", getattr(node, "attr", getattr(node, "arg", "")))
            if named in ("system", "pwned", "open_pwned"):
                raise Fault(OTHER, f"{script.name} has code from a name", "code from a name")


CAMPAIGN = Campaign("hostile", "hostile", 1000, run, cpu=120.0, wall=WALL + 40, size=_size)
