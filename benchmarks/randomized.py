"""treemip beside Pyomo: a randomized tree from its table to Ipopt's solutions, in fresh processes.

Run `python benchmarks/compile.py --setup` once, then `python benchmarks/randomized.py`; README.md
says what is measured. Leaves with 1 where the two have not built the same model.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from cases import HERE
from compile import interpreters
from report import machine

CASES = ("wdbc_depth1", "iris_depth2", "wdbc_depth2", "car_depth2")
PARTS = ("first", "model", "ready")
WANTED = 20  # times as fast from table to Ipopt
CLOSE = 1e-9
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
"""Of both: threads that wait for work would be counted in whatever part comes first."""
SOLVED = ("locally_optimal", "Solve_Succeeded", "Solved_To_Acceptable_Level")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", action="append", choices=CASES, help="may be repeated")
    parser.add_argument("--runs", type=int, default=3, help="runs of each contender, in turn")
    parser.add_argument("--starts", type=int, default=5, help="starting points, the same for both")
    parser.add_argument("--python", type=Path, help="Python that has Pyomo and CasADi installed")
    parser.add_argument("--json", type=Path, help="write every single measurement here")
    return parser.parse_args()


def measured(command: list[str], target: Path) -> dict:
    line = [*command, str(target)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return json.loads(target.read_text())


def run_case(case: str, options: argparse.Namespace) -> dict[str, list[dict]]:
    """The results of each contender, which take turns."""
    python = interpreters(options.python)
    spec, own = str(HERE / "specs" / f"mrct_{case}.tree"), str(HERE / "train.py")
    found: dict[str, list[dict]] = {"treemip": [], "pyomo": []}
    with tempfile.TemporaryDirectory() as folder:
        table, target = Path(folder) / "table.npz", Path(folder) / "out.json"
        prepare = [python.own, own, "prepare", spec, str(options.starts), str(table)]
        subprocess.run(prepare, check=True, env=ENVIRONMENT)
        commands = {
            "treemip": [python.own, own, "run", spec, str(table)],
            "pyomo": [python.peers, str(HERE / "peers" / "train_pyomo.py"), str(table)],
        }
        for turn in range(options.runs):
            for tool, command in commands.items():
                print(f"{case}: {tool}, run {turn + 1}", file=sys.stderr, flush=True)
                found[tool].append(measured(command, target))
    return found


def furthest(first: dict, second: dict) -> float:
    """Greatest relative difference of objective and rows over all starting points."""
    pairs = [
        pair
        for one, other in zip(first["values"], second["values"], strict=True)
        for pair in zip(one, other, strict=True)
    ]
    return max(abs(a - b) / max(1.0, abs(a)) for a, b in pairs)


def summary(results: list[dict]) -> dict[str, float]:
    """Medians: of each part over builds and runs, of building, and of the mean solve over runs."""
    found = {part: median(s for r in results for s in r["parts"][part]) for part in PARTS}
    builds = [r["parts"] for r in results]
    both = [m + s for p in builds for m, s in zip(p["model"], p["ready"], strict=True)]
    solves = [[run["seconds"] for run in r["runs"]] for r in results]
    solved = [run for r in results for run in r["runs"] if run["status"] in SOLVED]
    found["building"] = median(both)
    found["solve"] = median(sum(s) / len(s) for s in solves)
    return {**found, "best": min((run["objective"] for run in solved), default=float("nan"))}


def table(case: str, found: dict[str, list[dict]], apart: float) -> str:
    own, peer = summary(found["treemip"]), summary(found["pyomo"])
    names = (*PARTS, "building", "solve")
    lines = [
        f"{case}: values at the starting points differ by at most {apart:.1g}",
        f"{'CPU seconds':12}" + "".join(f"{name:>10}" for name in names) + f"{'best':>12}",
    ]
    for tool, row in (("treemip", own), ("pyomo", peer)):
        numbers = "".join(f"{row[name]:10.4f}" for name in names)
        lines.append(f"{tool:12}{numbers}{row['best']:12.5f}")
    ratios = {name: peer[name] / own[name] for name in names}
    lines.append(f"{'ratio':12}" + "".join(f"{ratios[name]:10.1f}" for name in names))
    reached = "reached" if ratios["building"] >= WANTED else "missed"
    return "\n".join([*lines, f"building {WANTED} times as fast: {reached}"])


def main() -> int:
    options = arguments()
    print(machine())
    every, unlike = {}, False
    for case in options.case or CASES:
        found = run_case(case, options)
        apart = furthest(found["treemip"][0], found["pyomo"][0])
        unlike |= not apart <= CLOSE
        print("", table(case, found, apart), sep="\n", flush=True)
        every[case] = found
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "cases": every}, indent=1) + "\n")
    return int(unlike)


if __name__ == "__main__":
    sys.exit(main())
