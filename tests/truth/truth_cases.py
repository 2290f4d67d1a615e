"""Known answers from tests/truth/data, and programs on the data they are for."""

from __future__ import annotations

import csv
from pathlib import Path

import treemip
from treemip.api.compiled import Compiled

HERE = Path(__file__).parent / "data"
SPECS = Path(__file__).parents[2] / "specs" / "data"

KINDS = {
    "binoct": "univariate",
    "oct": "univariate",
    "soct": "oblique",
    "octh": "oblique",
    "svm1_odt": "oblique",
}

SPLITS = {**KINDS, "flow_oct": "univariate", "margot": "margin", "mm_svm_oct": "margin"}
"""KINDS take features in [0, 1] and give linear models; FlowOCT takes binary features."""


def known(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def compiled(
    formulation: str, folder: Path, file: str, settings: str = "", depth: int = 2, rest: str = ""
) -> Compiled:
    text = (
        f'data "{file}" {{ label class; {settings} }}\n'
        f"topology complete(depth = {depth});\n"
        f"split {SPLITS[formulation]} by {formulation};\n{rest}"
    )
    return treemip.loads(text, base=folder).compile()
