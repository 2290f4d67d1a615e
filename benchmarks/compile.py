"""treemip beside other tools: from a CSV to a model file, in fresh processes, side by side.

Run `python benchmarks/compile.py --setup` once, then `python benchmarks/compile.py`; README.md
says what is measured. Leaves with 1 where a contender fails or builds another model.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import EXPRESSIONS, HERE, PEERS, READY, TREEMIP, Case, Interpreters, cases
from measure import Cost, measure, summary
from report import machine, table, versions

OWN_VENV = HERE / ".venv" / "bin" / "python"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--setup", action="store_true", help="make benchmarks/.venv and stop")
    parser.add_argument("--quick", action="store_true", help="small instances")
    parser.add_argument("--runs", type=int, default=3, help="runs of each contender, in turn")
    parser.add_argument("--case", action="append", help="one case; may be repeated")
    parser.add_argument("--tool", action="append", choices=[TREEMIP, *PEERS, EXPRESSIONS, READY])
    parser.add_argument("--python", type=Path, help="Python that has the peers installed")
    parser.add_argument("--json", type=Path, help="write every single cost here")
    parser.add_argument("--no-compare", action="store_true", help="skip that models are equal")
    return parser.parse_args()


def setup() -> None:
    """Make benchmarks/.venv with what requirements.txt lists."""
    subprocess.run([sys.executable, "-m", "venv", str(HERE / ".venv")], check=True)
    pip = [str(OWN_VENV), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "-r", str(HERE / "requirements.txt")], check=True)


def interpreters(given: Path | None) -> Interpreters:
    """treemip is this Python's own; the peers' Python is given, or benchmarks/.venv, or this."""
    own = Path(sys.executable)
    peers = given or (OWN_VENV if OWN_VENV.exists() else own)
    return Interpreters(str(own.with_name("treemip")), str(own), str(peers))


def run_case(case: Case, tools: list[str], options: argparse.Namespace, peers: str) -> dict:
    """{"costs": {tool: [Cost, ...]}, "models": {tool: what the comparison said}}."""
    contenders = [tool for tool in case.commands if tool in tools]
    costs: dict[str, list[Cost]] = {tool: [] for tool in contenders}
    models: dict[str, str] = {}
    if case.prepare and contenders:
        measure(case.prepare)
    with tempfile.TemporaryDirectory(dir=HERE / "data" / "made") as folder:
        for turn in range(options.runs):
            reference = None
            for tool in contenders:
                target = Path(folder) / f"{tool}.mps"
                command = [part.replace("{out}", str(target)) for part in case.commands[tool]]
                print(f"{case.key}: {tool}, run {turn + 1}", file=sys.stderr, flush=True)
                costs[tool].append(measure(command))
                if not case.files:
                    continue
                if turn == 0 and not options.no_compare and reference:
                    models[tool] = compared(peers, reference, target)
                if reference or turn or options.no_compare:
                    target.unlink()
                else:
                    reference = target
            if reference:
                reference.unlink()
    return {"costs": costs, "models": models}


def compared(python: str, reference: Path, target: Path) -> str:
    """What compare.py says of the two files: it begins with "equal" where they are."""
    command = [python, str(HERE / "compare.py"), str(reference), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip()


def main() -> int:
    options = arguments()
    if options.setup:
        setup()
        return 0
    python = interpreters(options.python)
    (HERE / "data" / "made").mkdir(exist_ok=True)
    tools = options.tool or [TREEMIP, *PEERS, EXPRESSIONS, READY]
    every = cases(options.quick, python)
    unknown = set(options.case or ()) - {case.key for case in every}
    if unknown:
        sys.exit(
            f"no case {', '.join(sorted(unknown))}; there are "
            f"{', '.join(case.key for case in every)}"
        )
    wanted = [case for case in every if not options.case or case.key in options.case]
    print(machine(), versions(python), sep="\n")
    results, unlike = {}, False
    for case in wanted:
        try:
            result = run_case(case, tools, options, python.peers)
        except subprocess.CalledProcessError as failure:
            sys.exit(f"{' '.join(failure.cmd)} failed:\n{failure.output}")
        unlike |= any(not said.startswith("equal") for said in result["models"].values())
        medians = {tool: summary(costs) for tool, costs in result["costs"].items()}
        if medians:
            print("", table(case.title, medians, result["models"]), sep="\n", flush=True)
        results[case.key] = result
    if options.json:
        text = json.dumps(
            {"machine": machine(), "versions": versions(python), "cases": results},
            default=vars,
            indent=1,
        )
        options.json.write_text(text + "\n")
    return int(unlike)


if __name__ == "__main__":
    sys.exit(main())
