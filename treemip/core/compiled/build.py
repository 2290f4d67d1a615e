"""Builds the compiled kernel. Run by the build of the package, and by hand after a change of it:

python treemip/core/compiled/build.py

It imports nothing of treemip, which may not be installed yet.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = tuple(sorted(file.name for file in HERE.glob("*.[ch]*")))
FLAGS = (
    "-std=c++17",
    "-O3",
    "-fPIC",
    "-shared",
    "-pthread",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-Wno-psabi",
)


def built_library() -> Path:
    suffix = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return HERE / f"kernel{suffix}"


@cache
def source_hash() -> str:
    """Of the source beside this file, so that a library built from another one is not used."""
    text = b"".join((HERE / name).read_bytes() for name in SOURCES)
    return hashlib.sha256(text).hexdigest()[:16]


def compiler() -> str | None:
    """The C++ compiler: $CXX, or else the first of the usual names that is there."""
    names = (os.environ.get("CXX"), "c++", "g++", "clang++")
    return next((name for name in names if name and shutil.which(name.split()[0])), None)


def build() -> str | None:
    """Builds the library, and returns None; or else why there is none, in one line."""
    found = compiler()
    if found is None:
        return "no C++ compiler is here"
    target = built_library()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / target.name
        command = [*found.split(), *FLAGS, f'-DSOURCE="{source_hash()}"']
        command += [str(HERE / "kernel.cpp"), "-o", str(made)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            return f"{found} does not run: {error}"
        if run.returncode:
            lines = [line for line in run.stderr.splitlines() if "error:" in line]
            return f"{found} failed: {(lines or ['without a message'])[0]}"
        beside = target.with_suffix(f".{os.getpid()}")
        shutil.copyfile(made, beside)
        os.replace(beside, target)  # a process that has the old one open keeps it
    return None


def main() -> int:
    why = build()
    print(f"the compiled kernel is not built: {why}" if why else f"built {built_library()}")
    return int(why is not None)


if __name__ == "__main__":
    sys.exit(main())
