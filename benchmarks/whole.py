"""`treemip solve` as a whole process: what a user waits for, and the tree that comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def solved(
    table: Path,
    split: str,
    depth: int,
    limit: float,
    seed: int = 1,
    more: str = "",
    scaled: bool = False,
    test: float = 0.0,
    words: str = "",
    start: str = "search",
) -> dict[str, object]:
    """What a spec's tree is worth, or why there is none; seconds, CPU seconds and the peak of
    resident memory (MB of 2^20 bytes) are those of the whole process.

    scaled: whether the table's features are in [0, 1] already. test: share of the rows, drawn by
    the seed, that the tree is tried on. words: more of the data block. start: what `--start` takes.
    """
    scale = "" if scaled else "scale minmax;"
    part = f"train {1 - test:g} seed {seed};" if test else ""
    text = (
        f'data "{table}" {{ label class; {scale} {part} {words} }}\n'
        f"topology complete(depth = {depth});\nsplit {split};\n{more}\n"
    )
    if not table.is_file():
        return {"verdict": f"no {table.name} (--data)", "limit": f"{limit:g} s"}
    with tempfile.TemporaryDirectory() as folder:
        spec, tree = Path(folder) / "spec.tree", Path(folder) / "tree.json"
        spec.write_text(text)
        command = [sys.executable, "-m", "treemip", "solve", str(spec), "--start", start]
        command += ["--time-limit", f"{limit:g}", "--seed", str(seed), "-o", str(tree)]
        log = Path(folder) / "log"
        cost = {**finished(command, log), "limit": f"{limit:g} s"}
        if not tree.is_file():
            lines = log.read_text().strip().splitlines()
            return {"verdict": lines[0] if lines else "no answer", **cost}
        return {**_of(json.loads(tree.read_text())), **cost}


def finished(command: list[str], log: Path) -> dict[str, object]:
    """Runs a command to its end, with its output in `log`; seconds, CPU seconds and the peak in
    MB."""
    began = time.perf_counter()
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return {
        "seconds": time.perf_counter() - began,
        "MB": round(usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)),
        "CPU seconds": usage.ru_utime + usage.ru_stime,
    }


def _of(tree: dict) -> dict[str, object]:
    proof = tree["optimality"]
    errors = {part: score and score.get("errors") for part, score in tree["scores"].items()}
    return {
        "objective": tree["objective"],
        "bound": tree["bound"],
        "gap": tree["gap"],
        "separated": tree.get("separated"),
        "points chosen": tree.get("selection"),
        "verdict": tree["verdict"],
        "proven by": proof["by"] if proof and proof["proven"] else "",
        "answered by": tree["solver"],
        "errors": errors["training"],
        "test errors": errors["test"],
    }


CART = """
import sys, treemip
from treemip.answers.starts.cart import cart
instance = treemip.load(sys.argv[1]).instance
grown = cart(instance)
print(sum(grown.classes[n] != y for n, y in zip(grown.ends.tolist(), instance.table.y.tolist())))
test, topology, wrong = instance.data.test, instance.topology, 0
for x, y in zip(test.inputs, test.y.tolist()):
    node = 0
    while node in grown.splits:
        split = grown.splits[node]
        below = topology.left if x[split.feature] <= split.threshold else topology.right
        node = int(below[node])
    wrong += grown.classes[node] != y
print(wrong)
"""


def cart_errors(table: Path, depth: int, seed: int, test: float) -> dict[str, object]:
    """Training and test errors of CART of that depth on the same parts of the table."""
    if not table.is_file():
        return {}
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "spec.tree"
        spec.write_text(
            f'data "{table}" {{ label class; scale minmax; train {1 - test:g} seed {seed}; }}\n'
            f"topology complete(depth = {depth});\nsplit univariate by oct;\n"
        )
        command = [sys.executable, "-c", CART, str(spec)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return {"CART: errors": int(lines[0]), "CART: test errors": int(lines[1])}
