"""treemip trains a randomized tree by Ipopt, and says what each part took.

train.py prepare SPEC COUNT TABLE.npz   the encoded table, and COUNT starting points
train.py run SPEC TABLE.npz OUT.json [SECONDS]
                                        from the spec and its CSV to solutions

Parts: `first`, with all imports but numpy's, to an Ipopt that can start; then, in the same
process, `model`, from the loaded spec and its table in memory to the model, and `ready`, from there
to an Ipopt that can start, several times each.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

BUILDS, FEWEST, SECONDS = 300, 3, 5.0
"""As many builds as begin within SECONDS or those given, from FEWEST to BUILDS; as for Pyomo."""


def prepare(spec: str, count: str, target: str) -> None:
    """x, y, depth, class_count and starts (COUNT, columns), uniform within the bounds."""
    import treemip

    compiled = treemip.load(spec).compile()
    table, model = compiled.instance.table, compiled.model
    random = np.random.default_rng(0)
    starts = random.uniform(model.lower, model.upper, (int(count), model.column_count))
    depth = int(compiled.instance.topology.depth.max())
    classes = len(table.classes)
    np.savez(target, x=table.x, y=table.y, depth=depth, class_count=classes, starts=starts)


def run(spec: str, table: str, target: str, seconds: str = str(SECONDS)) -> None:
    starts = np.load(table)["starts"]
    clock = Clock(float(seconds))
    import treemip
    from treemip.core.solvers.ipopt.solve import Ipopt

    program = treemip.load(spec)
    ipopt = Ipopt(program.compile().model)
    clock.stop("first")
    while clock.goes_on():  # the spec is loaded, its table in memory
        model = program.compile().model
        clock.stop("model")
        ipopt = Ipopt(model)
        clock.stop("ready")
    runs = []
    for start in starts:
        answer = ipopt.solve([start])
        runs.append({"objective": answer.objective, "status": answer.status})
        runs[-1]["seconds"] = clock.stop()
    result = {"parts": clock.parts, "runs": runs, "values": values(model, starts)}
    with open(target, "w") as file:
        json.dump(result, file)


class Clock:
    """CPU seconds of this process, part by part."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.parts: dict[str, list[float]] = {}
        self.began = time.process_time()

    def goes_on(self) -> bool:
        """Whether there are builds left to do."""
        done = len(self.parts.get("ready", ()))
        spent = sum(map(sum, self.parts.values()))
        return done < FEWEST or (done < BUILDS and spent < self.seconds)

    def stop(self, part: str = "") -> float:
        """Seconds since the last stop, kept among the part's."""
        now = time.process_time()
        seconds, self.began = now - self.began, now
        if part:
            self.parts.setdefault(part, []).append(seconds)
        return seconds


def values(model, starts: np.ndarray) -> list[list[float]]:
    """Objective and rows at each starting point."""
    from treemip.core.model.values import objective_value, row_values

    return [[objective_value(model, x), *row_values(model, x).tolist()] for x in starts]


if __name__ == "__main__":
    {"prepare": prepare, "run": run}[sys.argv[1]](*sys.argv[2:])
