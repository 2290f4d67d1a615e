"""Spec and data to a model in HiGHS' memory, without text: `in_memory.py SPEC`."""

from __future__ import annotations

import sys

import treemip
from treemip.core.solvers.highs.model import to_highs


def main(spec: str) -> None:
    highs = to_highs(treemip.load(spec).compile().model)
    print(highs.getNumRow(), highs.getNumCol(), highs.getNumNz())


if __name__ == "__main__":
    main(sys.argv[1])
