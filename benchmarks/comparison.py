"""The study of docs/comparison.md: every formulation of the library on six public tables.

    python benchmarks/comparison.py                 run what is not done yet, and write the page
    python benchmarks/comparison.py --folder DIR    keep the runs there, or go on with those there
    python benchmarks/comparison.py --page FILE     write another page than docs/comparison.md

It is `treemip compare` with the settings below, one run at a time. Ctrl-C keeps the runs that are
done. `--note` adds a sentence on the machine, such as what else ran on it.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# One core: solvers get one thread, and so does the linear algebra below them.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks" / "data" / "made" / "comparison"
PAGE = ROOT / "docs" / "comparison.md"
TABLES = (
    "specs/data/iris.csv",
    "specs/data/wine.csv",
    "specs/data/monks-1.csv",
    "specs/data/sonar.csv",
    "benchmarks/data/blood-transfusion.csv",
    "benchmarks/data/banknote.csv",
)
FORMULATIONS = (
    *("oct", "binoct", "flow_oct"),
    *("octh", "soct", "svm1_odt"),
    *("margot", "mm_svm_oct", "mrct"),
)
DEPTH, FOLDS, SEED, SECONDS, THREADS = 2, 3, 0, 10, 1
PACKAGES = ("highspy", "pyscipopt", "casadi", "numpy")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--note", default="", help="what else ran on the machine")
    options = parser.parse_args()
    import treemip
    from treemip.core.resolve.library_page import filled_in

    os.chdir(ROOT)
    comparison = treemip.compare(
        FORMULATIONS,
        TABLES,
        DEPTH,
        folds=FOLDS,
        seed=SEED,
        time_limit=SECONDS,
        threads=THREADS,
        folder=options.folder,
        on_row=_show,
    )
    made = f"{_protocol(options.folder, options.note)}\n\n{comparison.to_markdown().rstrip()}"
    text = options.page.read_text(encoding="utf-8")
    options.page.write_text(filled_in(text, {"study": lambda: made}), encoding="utf-8")
    return 0


def _show(row: dict[str, object], done: int, runs: int) -> None:
    print(f"{done} of {runs}: {row['data']} {row['formulation']}", file=sys.stderr, flush=True)


def _protocol(folder: Path, note: str) -> str:
    """What was run where and when, by the files of the runs."""
    times = [path.stat().st_mtime for path in (folder / "rows").glob("*.json")]
    first, last = (datetime.fromtimestamp(at, UTC) for at in (min(times), max(times)))
    minutes = round((last - first).total_seconds() / 60)
    packages = ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name)))
    return (
        f"Depth {DEPTH}, {FOLDS} stratified folds of seed {SEED}, at most {SECONDS} s of wall "
        f"clock and {THREADS} thread a run, {len(times)} runs one after the other in "
        f"{minutes} minutes. "
        f"{last:%d %B %Y}, {_processor()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, treemip {_version('treemip')}, {packages}."
        + (f" {note}" if note else "")
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    """The processor's name as Linux has it, else what Python knows of it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


if __name__ == "__main__":
    sys.exit(main())
