"""MRCT by hand in Pyomo, as its authors did, solved by Ipopt from its NL file.

train_pyomo.py TABLE.npz OUT.json [SECONDS]

Indexed rules over the paper's sets, the probabilities (1) written out in the objective. The NL
file is read by CasADi and solved by the Ipopt in CasADi's wheel, the one that treemip calls, with
its options; `expand` makes CasADi's scalar code, its fastest for such a file. Parts: `first`, from
the table in memory, with all imports but numpy's, to an Ipopt that can start; then, several times
in the same process, `model`, from the table to the NL file, and `ready`, from there to an Ipopt
that can start.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

GAMMA, MIN_RATE, WRONG = 512.0, 0.1, 0.5
BUILDS, FEWEST, SECONDS = 300, 3, 5.0  # as in train.py


def formulate(x: np.ndarray, y: np.ndarray, depth: int, class_count: int):
    """Amaldi, Consolo and Manno (2023), (2a)-(2c) and the least rate of each class."""
    import pyomo.environ as pyo

    points, features = (range(size) for size in x.shape)
    classes = range(class_count)
    branches, leaves = range(1, 2**depth), range(2**depth, 2 ** (depth + 1))
    left = {leaf: [t for t in ancestors(leaf) if below(leaf, t) % 2 == 0] for leaf in leaves}
    right = {leaf: [t for t in ancestors(leaf) if below(leaf, t) % 2 == 1] for leaf in leaves}
    at, label_of = x.tolist(), y.tolist()
    count = float(len(features))

    m = pyo.ConcreteModel()
    m.coef = pyo.Var(branches, features, bounds=(-1, 1))
    m.bias = pyo.Var(branches, bounds=(-1, 1))
    m.label = pyo.Var(leaves, classes, bounds=(0, 1))

    def go_left(m, i, t):
        v = sum(m.coef[t, j] * at[i][j] for j in features) / count - m.bias[t]
        return 0.5 * (1 + pyo.tanh(GAMMA * v / 2))  # 1/(1+exp(-GAMMA v)) overflows

    def reach(m, i, leaf):
        return pyo.prod(m.go_left[i, t] for t in left[leaf]) * pyo.prod(
            1 - m.go_left[i, t] for t in right[leaf]
        )

    m.go_left = pyo.Expression(points, branches, rule=go_left)
    m.reach = pyo.Expression(points, leaves, rule=reach)
    m.cost = pyo.Objective(
        expr=sum(
            m.reach[i, leaf] * sum(WRONG * m.label[leaf, k] for k in classes if k != label_of[i])
            for i in points
            for leaf in leaves
        )
    )
    m.one_label = pyo.Constraint(
        leaves, rule=lambda m, leaf: sum(m.label[leaf, k] for k in classes) == 1
    )
    m.every_class = pyo.Constraint(
        classes, rule=lambda m, k: sum(m.label[leaf, k] for leaf in leaves) >= 1
    )
    m.least_rate = pyo.Constraint(
        classes,
        rule=lambda m, k: (
            sum(
                m.reach[i, leaf] * m.label[leaf, k]
                for i in points
                for leaf in leaves
                if label_of[i] == k
            )
            >= MIN_RATE * label_of.count(k)
        ),
    )
    return m


def ancestors(leaf: int) -> list[int]:
    return [leaf >> k for k in range(1, leaf.bit_length())]


def below(leaf: int, t: int) -> int:
    """The child of t on the way to the leaf."""
    return leaf >> (leaf.bit_length() - t.bit_length() - 1)


def main(table: str, target: str, seconds: str = str(SECONDS)) -> None:
    given = np.load(table)
    x, y, starts = given["x"], given["y"], given["starts"]
    depth, class_count = int(given["depth"]), int(given["class_count"])
    clock = Clock(float(seconds))
    import casadi
    import pyomo.environ as pyo

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "m.nl"
        m, info = written(x, y, depth, class_count, file)
        solver, bounds = ready(casadi, file)
        clock.stop("first")
        while clock.goes_on():
            m, info = written(x, y, depth, class_count, file)
            clock.stop("model")
            solver, bounds = ready(casadi, file)
            clock.stop("ready")
    variables = list(m.component_data_objects(pyo.Var))
    place = {id(v): k for k, v in enumerate(variables)}
    order = [place[id(v)] for v in info.variables]
    runs = []
    for start in starts:
        found = solver(x0=start[order], **bounds)
        runs.append({"objective": float(found["f"]), "status": solver.stats()["return_status"]})
        runs[-1]["seconds"] = clock.stop()
    result = {"parts": clock.parts, "runs": runs, "values": values(pyo, m, variables, starts)}
    Path(target).write_text(json.dumps(result))


def written(x: np.ndarray, y: np.ndarray, depth: int, class_count: int, file: Path):
    """The model, and what the writer says of the NL file it made of it."""
    from pyomo.opt import WriterFactory

    m = formulate(x, y, depth, class_count)
    with file.open("w") as stream:
        return m, WriterFactory("nl_v2").write(m, stream)


def ready(casadi, file: Path):
    """Ipopt for an NL file, and the bounds it is called with."""
    nlp = casadi.NlpBuilder()
    nlp.import_nl(str(file))
    bounds = {"lbx": nlp.x_lb, "ubx": nlp.x_ub, "lbg": nlp.g_lb, "ubg": nlp.g_ub}
    return casadi.nlpsol("ipopt", "ipopt", stacked(casadi, nlp), options()), bounds


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


def stacked(casadi, nlp) -> dict:
    return {"x": casadi.vcat(nlp.x), "f": nlp.f, "g": casadi.vcat(nlp.g)}


def options() -> dict:
    """Those of treemip's Ipopt."""
    return {
        "expand": True,
        "print_time": False,
        "ipopt": {
            "print_level": 0,
            "sb": "yes",
            "tol": 1e-8,
            "constr_viol_tol": 1e-6,
            "acceptable_constr_viol_tol": 1e-6,
            "honor_original_bounds": "yes",
        },
    }


def values(pyo, m, variables: list, starts: np.ndarray) -> list[list[float]]:
    """Objective and rows at each starting point."""
    found = []
    for start in starts:
        for variable, value in zip(variables, start.tolist(), strict=True):
            variable.set_value(value)
        rows = m.component_data_objects(pyo.Constraint)
        found.append([pyo.value(m.cost), *(pyo.value(row.body) for row in rows)])
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
