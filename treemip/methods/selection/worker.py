"""A process for a part of the clusters: tasks on stdin, counts and answers on stdout, pickled."""

from __future__ import annotations

import pickle
import sys

from treemip.methods.selection.parallel import run_part


def main() -> None:
    tasks = pickle.load(sys.stdin.buffer)
    answers = run_part(tasks, _tell)
    _write(answers)


def _tell(decided: int) -> None:
    _write(decided)


def _write(message: object) -> None:
    pickle.dump(message, sys.stdout.buffer)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
