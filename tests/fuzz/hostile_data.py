"""Hostile data: special files, huge tables, names that are code or escape sequences."""

from __future__ import annotations

import gzip
import io
import os
import socket
from pathlib import Path

from .hostile_inputs import SPEC, Content, Input


def _bomb(size: int) -> bytes:
    """A gzip file that unpacks to so many bytes."""
    made = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, made, mtime=0) as packed:
        packed.write(b"a,b,c\n")
        for _ in range(size >> 20):
            packed.write(b"1" * (1 << 20))
    return made.getvalue()


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


def _wide(columns: int, rows: int) -> str:
    head = ",".join([*(f"a{k}" for k in range(columns)), "c"])
    lines = [",".join([*(str((k * r) % 7) for k in range(columns)), "yn"[r % 2]])
             for r in range(1, rows + 1)]  # fmt: skip
    return "\n".join([head, *lines]) + "\n"


def _levels(count: int) -> str:
    return "a,b,c\n" + "".join(f"{k % 5},v{k},{'yn'[k % 2]}\n" for k in range(count))


TABLES: dict[str, Content] = {
    "a FIFO": os.mkfifo,
    "/dev/zero": lambda p: p.symlink_to("/dev/zero"),
    "/dev/urandom": lambda p: p.symlink_to("/dev/urandom"),
    "/dev/stdin": lambda p: p.symlink_to("/dev/stdin"),
    "/dev/full": lambda p: p.symlink_to("/dev/full"),
    "/proc/self/mem": lambda p: p.symlink_to("/proc/self/mem"),
    "a folder": lambda p: p.mkdir(),
    "a link to itself": lambda p: p.symlink_to(p.name),
    "a link to nothing": lambda p: p.symlink_to("nothing"),
    "a socket": _socket,
    "nothing": "",
    "a line end": "\n",
    "a header": "a,b,c\n",
    "a header of commas": ",,\n1,2,y\n",
    "one row": "a,b,c\n1,2,y\n",
    "one class": "a,b,c\n1,2,y\n2,3,y\n",
    "ragged rows": "a,b,c\n1,2,y\n1,2\n1,2,3,4\n",
    "a byte order mark": "\ufeff" + "a,b,c\n1,2,y\n2,3,n\n",
    "UTF-16": "a,b,c\n1,2,y\n2,3,n\n".encode("utf-16"),
    "NUL bytes": b"a,b,c\n1,2,y\n2,\0\0,n\n",
    "many NUL bytes": b"\0" * 10_000_000,
    "old line ends": "a,b,c\r1,2,y\r2,3,n\r",
    "an unclosed quote": 'a,b,c\n1,2,y\n"' + "x" * 10_000_000,
    "a cell of 2e7 letters": "a,b,c\n1,2,y\n2,3," + "n" * 20_000_000 + "\n",
    "numbers of 1e5 digits": "a,b,c\n" + "1" * 100_000 + ",2,y\n2,3,n\n",
    "1e400": "a,b,c\n1e400,2,y\n2,3,n\n-1e400,2,y\n",
    "nan and inf": "a,b,c\nnan,2,y\ninf,3,n\n1,1,y\n",
    "1e308": "a,b,c\n1e308,2,y\n-1e308,3,n\n1,1,y\n",
    "denormal numbers": "a,b,c\n5e-324,2,y\n1e-323,3,n\n0,1,y\n",
    "one name for all": "a,a,c\n1,2,y\n2,3,n\n",
    "an escape sequence in a name": "a\x1b[31m,b,c\n1,2,y\n2,3,n\nx\x1b[2J,1,y\n",
    "an escape sequence in a class": "a,b,c\n1,2,y\x1b]0;x\x07\n2,3,n\n3,4,n\n",
    "5,000 columns": _wide(5_000, 2),
    "20,000 columns": _wide(20_000, 2),
    "10,000 classes": "a,b,c\n" + "".join(f"{k},{k % 9},k{k}\n" for k in range(10_000)),
    "100,000 classes": "a,b,c\n" + "".join(f"{k},{k % 9},k{k}\n" for k in range(100_000)),
    "3,000 categories": _levels(3_000),
    "30,000 categories": _levels(30_000),
    "300,000 rows": "a,b,c\n"
    + "".join(f"{k % 97},{k % 89},{'yn'[k % 2]}\n" for k in range(300_000)),
}
DATA: list[Input] = [
    Input(f"data: {name}", ("check", "--data", "s.tree"), {"t.csv": content})
    for name, content in TABLES.items()
]
DATA += [
    Input(f"solve of data: {name}", ("solve", "s.tree", "--solver", "highs", "--time-limit", "2"),
          {"t.csv": TABLES[name]})
    for name in ("an escape sequence in a name", "an escape sequence in a class", "1e308",
                 "denormal numbers", "one class", "one row")
]  # fmt: skip
DATA.append(
    Input("data: a gzip bomb", ("check", "--data", "s.tree"),
          {"t.csv.gz": lambda p: p.write_bytes(_bomb(1 << 30)),
           "s.tree": SPEC.replace("t.csv", "t.csv.gz")})
)  # fmt: skip
DATA += [
    Input(f"data: the path {path[:20]!r}", ("check", "--data", "s.tree"),
          {"s.tree": SPEC.replace("t.csv", path)})
    for path in ("t\0.csv", "x" * 5000, "", ".", "..", "/", "~/t.csv", "http://localhost:1/t.csv",
                 "t.csv\x1b[31m", "$(touch pwned)", "| touch pwned")
]  # fmt: skip
