"""odtlearn's FlowOCT, with all rows or by Benders' decomposition, solved by CBC without threads.

`python train_odtlearn.py rows|benders DEPTH SECONDS TABLE.csv` prints a line of JSON: points that
the tree gets `right`, counted by its predictions; `right_claimed` and `bound` as the solver has
them; whether it says that this is `optimal`. The table's features are 0 or 1, its class is last.

The limit is of wall clock. With `num_threads=1` Benders' decomposition went on past it; without
threads it ends. Where CBC goes on, the system ends the process after LATE times as many seconds of
CPU time, and the first line printed is the last.
"""

from __future__ import annotations

import json
import resource
import sys

import pandas as pd
from odtlearn.flow_oct import BendersOCT, FlowOCT
from table import read

LATE = 1.5

METHODS = {"rows": FlowOCT, "benders": BendersOCT}


def main() -> None:
    if len(sys.argv) != 5 or sys.argv[1] not in METHODS:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join(METHODS)} DEPTH SECONDS TABLE.csv")
    _, method, depth, seconds, path = sys.argv
    most = int(LATE * int(seconds))
    print(f"no end after {most} s of CPU time", flush=True)  # the last line if it is killed
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    table = read(path)
    x = pd.DataFrame(table.x.astype(int)).rename(columns="f{}".format)
    tree = METHODS[method]("cbc", depth=int(depth), time_limit=int(seconds), num_threads=0)
    tree.fit(x, table.y)
    answer: dict[str, object] = {"right": None, "right_claimed": None, "optimal": False}
    answer["bound"] = tree.objective_bound
    if tree.num_solutions:
        answer["right"] = int((tree.predict(x) == table.y).sum())
        answer["right_claimed"] = tree.objective_value
        answer["optimal"] = tree._solver.model.status.name == "OPTIMAL"
    print("\n" + json.dumps(answer))


if __name__ == "__main__":
    main()
