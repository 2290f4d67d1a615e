"""The command line in a process of its own: measured, limited, and what it leaves behind."""

from __future__ import annotations

import hashlib
import os
import re
import resource
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import ROOT
from .cases import HANG, LOST, OTHER, TRACEBACK, Fault

MARK = "TREEMIP_FUZZ"
UP = (
    "from treemip.cli.entry import run; import treemip.core.files.undo; "
    "open('../up', 'x').close(); run()"
)
"""The installed command, that says when Python has come to its handlers: a signal that is met by
imports before is not for us."""

SIGNS = ("Traceback (most recent call last)", "Fatal Python error", "Exception ignored")
"""What begins a line that no user should read, apart from warnings of Python's."""

GRACE = 10  # seconds of CPU time between the signal that is sent at its limit and the end
ADDRESSES = 3 << 30  # bytes, so that what takes all memory takes no other process with it
PATIENCE = 8.0  # seconds for processes that a command started to end after it


@dataclass(frozen=True)
class Ran:
    """`code` is negative for a signal. `peak` is bytes in memory, `cpu` seconds."""

    code: int
    out: str
    err: str
    cpu: float
    peak: int
    hung: bool

    def told(self) -> str:
        sizes = f"exit {self.code}, {self.cpu:.1f} s, {self.peak >> 20} MB"
        return f"{sizes}\n{self.out[-2000:]}\n{self.err[-3000:]}"


@cache
def documented() -> frozenset[int]:
    """Exit codes of docs/cli.md."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    table = text.split("## Exit codes")[1].split("\n## ")[0]
    return frozenset(int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE))


@dataclass(frozen=True)
class Running:
    """A command that runs, its output in files beside its folder."""

    child: subprocess.Popen[bytes]
    folder: Path
    mark: str

    def wait_until_up(self) -> None:
        ends = time.monotonic() + 20
        while not (self.folder / "up").exists() and time.monotonic() < ends:
            time.sleep(0.005)

    def end(self, seconds: float, idle: float = 1e9) -> Ran:
        """Wait for it; past `seconds`, or `idle` of them without work, all it started is killed."""
        ends, done = time.monotonic() + seconds, None
        worked, changed, peak = -1, time.monotonic(), 0
        while done is None and time.monotonic() < min(ends, changed + idle):
            pid, status, used = os.wait4(self.child.pid, os.WNOHANG)
            done = (status, used) if pid else None
            if done is None:
                time.sleep(0.01)
                peak = self._peak() or peak
                if (ticks := self._ticks()) != worked:
                    worked, changed = ticks, time.monotonic()
        hung = done is None
        if done is None:
            self.kill()
            _, status, used = os.wait4(self.child.pid, 0)
            done = (status, used)
        status, used = done
        self.child.returncode = os.waitstatus_to_exitcode(status)
        out, err = ((self.folder / n).read_text(errors="replace") for n in ("stdout", "stderr"))
        cpu = used.ru_utime + used.ru_stime
        return Ran(self.child.returncode, out, err, cpu, peak, hung)

    def _ticks(self) -> int:
        """CPU time it has had, in the system's ticks."""
        try:
            fields = Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return int(10 * time.monotonic())  # not known: never idle
        return int(fields[11]) + int(fields[12])

    def _peak(self) -> int:
        """The most memory so far, in bytes; what wait4 says counts ours before exec as well."""
        try:
            status = Path(f"/proc/{self.child.pid}/status").read_text()
        except OSError:
            return 0
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        return 1024 * int(found[1]) if found else 0

    def kill(self) -> None:
        for pid in self.orphans():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def orphans(self) -> list[int]:
        """Processes that carry this command's mark, itself among them while it runs."""
        wanted, found = f"{MARK}={self.mark}".encode(), []
        for entry in Path("/proc").iterdir() if Path("/proc").is_dir() else []:
            with suppress(OSError, ValueError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                    found += [int(entry.name)] if state != "Z" else []
        return found

    def require_no_orphans(self) -> None:
        ends = time.monotonic() + PATIENCE
        while left := self.orphans():
            if time.monotonic() > ends:
                names = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in left]
                self.kill()
                raise Fault(LOST, f"left running: {names}", "a process is left running")
            time.sleep(0.05)


def start(
    arguments: Sequence[str],
    folder: Path,
    *,
    limits: Mapping[int, int] | None = None,
    environment: Mapping[str, str] | None = None,
    prepare: Callable[[], None] | None = None,
) -> Running:
    """Run treemip in `folder`/work. `limits` by resource.RLIMIT_*; `prepare` runs in the child."""
    work, temporary = folder / "work", folder / "tmp"
    work.mkdir(exist_ok=True)
    temporary.mkdir(exist_ok=True)
    (folder / "up").unlink(missing_ok=True)
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    bounds = {resource.RLIMIT_AS: ADDRESSES, resource.RLIMIT_CORE: 0, **(limits or {})}

    def begin() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for which, most in bounds.items():
            more = GRACE if which == resource.RLIMIT_CPU else 0
            resource.setrlimit(which, (most, most + more))
        if prepare is not None:
            prepare()

    given = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), MARK: mark,
             "NO_COLOR": "1", **(environment or {})}  # fmt: skip
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        child = subprocess.Popen(
            [sys.executable, "-c", UP, *arguments],
            cwd=work,
            env=given,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            preexec_fn=begin,  # noqa: PLW1509 (this process has one thread)
        )
    return Running(child, folder, mark)


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every ordinary file in a folder and below; the kind of all others."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name, mode = str(path.relative_to(folder)), path.lstat().st_mode
        if stat.S_ISREG(mode):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        elif not stat.S_ISDIR(mode):
            found[name] = stat.filemode(mode)
    return found


def require_unharmed(before: Mapping[str, str], folder: Path, outputs: set[str]) -> None:
    """Raise `Fault` where a file that was there is gone or other than it was."""
    after = digests(folder)
    for name, digest in before.items():
        if name not in outputs and after.get(name) != digest:
            what = "changed" if name in after else "gone"
            raise Fault(LOST, f"the file '{name}' is {what}", "a file of the user's is harmed")


def require_polite(ran: Ran, codes: frozenset[int]) -> None:
    """No traceback, an exit code that is documented, an end."""
    if ran.hung or ran.code == -signal.SIGXCPU:
        raise Fault(HANG, ran.told(), "no end")
    for line in (ran.err + ran.out).splitlines():
        if line.startswith(SIGNS) or "Warning: " in line:
            last = [text for text in ran.err.splitlines() if text.strip() and text[0] != " "]
            what = line if "Warning: " in line or not last else last[-1]
            raise Fault(TRACEBACK, ran.told(), f"traceback: {what.rpartition('/')[2]}")
    if ran.code not in codes:
        kind = TRACEBACK if ran.code < 0 else OTHER
        raise Fault(kind, ran.told(), f"exit code {ran.code}")
    if controls := re.findall(r"[^\n\t\x20-\x7e\x80-\U0010ffff]|[\x80-\x9f]", ran.out + ran.err):
        raise Fault(OTHER, f"{controls[:5]} is printed\n{ran.told()}", "control characters printed")
