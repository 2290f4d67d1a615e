"""Jobs in a folder of their own: outcomes, limits, stops."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from treemip.core.resources import specs_path
from treemip.core.source.diagnostic import TreemipError
from treemip.study.sandbox.folder import MOST_FILES, Folder, remove_abandoned
from treemip.study.sandbox.job import KILLED, PROGRESS, Command, Job, JobLimits

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and signals are those of POSIX")

SOLVE = Command(("solve", "spec.tree", "-o", "tree.json", "--log-json", PROGRESS))

LONG = """\
data "noise.csv" { label y; scale minmax; }
topology complete(depth = 3);
split oblique by soct;
"""


@pytest.fixture
def folder():
    with Folder() as made:
        yield made


@pytest.fixture
def credit(folder):
    folder.put("spec.tree", (specs_path() / "credit.tree").read_bytes())
    folder.put("data/credit-24.csv", (specs_path() / "data" / "credit-24.csv").read_bytes())
    return folder


def run(folder, *commands, tell=None, limits=None):
    return asyncio.run(Job(folder, commands, limits).run(tell))


def test_commands_run_in_turn(credit):
    events = []
    checked, solved, shown, left_out = run(
        credit,
        Command(("check", "spec.tree", "--data")),
        SOLVE,
        Command(("show", "tree.json", "-o", "tree.svg"), needs="tree.json"),
        Command(("show", "other.json"), needs="other.json"),
        tell=events.append,
    )
    assert checked.out.startswith("spec.tree: fine")
    assert solved.code == 0 and "verified; proven optimal" in solved.out
    assert shown.code == 0 and credit.read("tree.svg").startswith(b"<svg")
    assert left_out.code is None
    assert events[-1]["event"] == "end" and events[-1]["objective"] == 3
    assert str(credit.path) not in checked.out + solved.out + solved.err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("data/credit-24.csv", "/etc/passwd", "outside of the folder"),
        ("by oct", 'by "/etc/hosts"', "E210"),
        ("topology", "topolgy", "E10"),
    ],
)
def test_messages_of_hostile_specs(credit, old, new, message):
    text = credit.read("spec.tree").decode().replace(old, new, 1)
    credit.put("spec.tree", text)
    (outcome,) = run(credit, SOLVE)
    assert outcome.code == 2 and message in outcome.err and "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("solve", "spec.tree", "--solver", "command:touch owned {model}"),
            "no command may be run",
        ),
        (("playground",), "cannot be run here"),
        ((), "cannot be run here"),
    ],
)
def test_no_program_and_no_server_is_started(credit, words, message):
    (outcome,) = run(credit, Command(words))
    assert outcome.code == 2 and message in outcome.err and not credit.read("owned")


def long_running(folder):
    """Labels without a pattern, which no search proves anything about."""
    draw = Random(1)
    rows = (f"{draw.random()},{draw.random()},{draw.choice('ab')}" for _ in range(300))
    folder.put("noise.csv", "\n".join(["u,v,y", *rows]))
    folder.put("spec.tree", LONG)


def test_a_stopped_solve_keeps_its_tree(folder):
    long_running(folder)

    async def stopped():
        job = Job(folder, [SOLVE])
        found = []

        def tell(event):
            if event.get("objective") is not None and not found:
                found.append(event)
                job.stop()

        return await job.run(tell)

    (outcome,) = asyncio.run(stopped())
    assert "status           interrupted" in outcome.out and folder.read("tree.json")


def test_a_job_ends_at_its_limit(folder):
    long_running(folder)
    began = time.monotonic()
    (outcome,) = run(folder, SOLVE, limits=JobLimits(seconds=3))
    assert outcome.code in (0, 1, 3, 130, KILLED) and time.monotonic() - began < 20


def test_memory_is_limited(folder):
    rows = "\n".join(f"{i},{i % 7},{'ab'[i % 2]}" for i in range(300_000))
    folder.put("big.csv", "u,v,y\n" + rows)
    folder.put("spec.tree", LONG.replace("noise.csv", "big.csv"))
    (outcome,) = run(folder, SOLVE, limits=JobLimits(memory=600 << 20))
    assert outcome.code == 2 and "E405" in outcome.err


@pytest.mark.parametrize("name", ["", "/a", "../a", "a/../b", ".hidden", "a\0", "x" * 101, "a/.b"])
def test_names_stay_in_the_folder(folder, name):
    with pytest.raises(TreemipError, match="cannot be the name"):
        folder.put(name, "")


def test_files_are_counted_and_measured(folder):
    folder.most = 1000
    folder.put("a", "x" * 900)
    folder.put("a", "x" * 950)
    with pytest.raises(TreemipError, match="the limit is"):
        folder.put("b", "x" * 100)
    for i in range(MOST_FILES - 1):
        folder.put(f"c{i}", "")
    with pytest.raises(TreemipError, match="files already"):
        folder.put("d", "")
    folder.remove()
    assert not folder.path.exists()


SERVER = """
import asyncio, sys
from pathlib import Path
from treemip.study.sandbox.folder import Folder
from treemip.study.sandbox.job import Command, Job

async def main():
    folder = Folder()
    for name in ("noise.csv", "spec.tree"):
        folder.put(name, Path(sys.argv[1], name).read_bytes())
    job = Job(folder, [Command(("solve", "spec.tree"))])
    running = asyncio.create_task(job.run())
    while job._process is None:
        await asyncio.sleep(0.01)
    await asyncio.sleep(1)
    print(job._process.pid, folder.path, flush=True)
    await running

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="others do not tell a process of its parent")
def test_a_job_ends_with_its_server(folder):
    long_running(folder)
    words = [sys.executable, "-c", SERVER, str(folder.path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pid, place = server.stdout.readline().split()
        server.kill()
    remove_abandoned()
    assert not Path(place).exists() and folder.path.exists()
    end = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()
