"""Trees of all nine formulations as tree.json, and random changes of such files."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import treemip
from treemip.api.store import checksum, result_json

Said = dict[str, Any]
Path_ = tuple[str | int, ...]

MIXED = "a,b,c,class\n" + "".join(
    f"{k % 7},{3 * k % 5},{'pqr'[k % 3]},{'yes' if (k % 7 > 3) != (k == 5) else 'no'}\n"
    for k in range(12)
)
BINARY = "a,b,c,class\n" + "".join(
    f"{k % 2},{k // 2 % 2},{k // 4 % 2},{'yes' if k % 2 and k // 2 % 2 else 'no'}\n"
    for k in range(8)
)
SCALED = 'data "mixed.csv" { label class; scale minmax; }'
FEW = "subject to few {t in branches}: sum {j in features} uses[t,j] <= 3;"

SPECS = {
    "soct": f"{SCALED} topology complete(depth = 2); split oblique by soct; "
    f"minimize misclassified + 0.25 * distinct_features; {FEW}",
    "octh": f"{SCALED} topology complete(depth = 1); split oblique by octh; {FEW}",
    "svm1_odt": 'data "mixed.csv" { label class; encode keep c; scale minmax; }'
    "topology complete(depth = 1); split oblique by svm1_odt;",
    "oct": f"{SCALED} topology complete(depth = 2); split univariate by oct(alpha = 0.1);",
    "binoct": f"{SCALED} topology complete(depth = 2); split univariate by binoct;",
    "flow_oct": 'data "binary.csv" { label class; } topology complete(depth = 2); '
    "split univariate by flow_oct(lambda = 0.1);",
    "margot": f"{SCALED} topology complete(depth = 1); split margin by margot;",
    "mm_svm_oct": f"{SCALED} topology complete(depth = 1); split margin by mm_svm_oct(c3 = 0.5);",
    "mrct": f"{SCALED} topology complete(depth = 1); split randomized by mrct;",
    # a part for testing, and a variable that has no meaning on the tree
    "parts": 'data "mixed.csv" { label class; scale minmax; train 0.7 seed 1; }'
    "topology complete(depth = 1); split oblique by soct; var spare integer >= 0; "
    "minimize misclassified + spare; subject to own: spare >= misclassified - 1;",
}
SOLVERS = {"margot": "scip", "mm_svm_oct": "scip", "mrct": "ipopt"}
UNSEARCHED = {"soct", "svm1_odt", "margot", "mm_svm_oct"}
"""Solved to the optimum at once; a search would go on for a second or more."""


def solved_files(folder: Path) -> dict[str, Said]:
    """Each spec's tree as JSON; their data are in the folder."""
    (folder / "mixed.csv").write_text(MIXED)
    (folder / "binary.csv").write_text(BINARY)
    found = {}
    for name, text in SPECS.items():
        solver = SOLVERS.get(name, "highs")
        starts = 1 if solver == "ipopt" else None
        compiled = treemip.loads(text, base=folder).compile()
        start = "none" if name in UNSEARCHED else None
        found[name] = result_json(compiled.solve(solver, seed=1, starts=starts, start=start))
    return found


def places(said: Any, path: Path_ = ()) -> list[Path_]:
    """The paths of everything inside, from the outside in."""
    inner = said.items() if isinstance(said, dict) else enumerate(said)
    found: list[Path_] = []
    for key, value in inner:
        found.append((*path, key))
        if isinstance(value, dict | list):
            found += places(value, (*path, key))
    return found


def at(said: Any, path: Path_) -> Any:
    for key in path:
        said = said[key]
    return said


def changed(said: Said, chance: random.Random) -> tuple[Said, Path_, str] | None:
    """A copy with one change, where and what that is; None where nothing came of it.

    Every field of the file is as likely as any other, whatever it holds. The checksum is right
    again, so that it is not what gives the change away.
    """
    made = copy.deepcopy(said)
    path: Path_ = (chance.choice([key for key in made if key != "checksum"]),)
    while isinstance(at(made, path), dict | list) and at(made, path) and chance.random() < 0.9:
        value = at(made, path)
        path = (*path, chance.choice(list(value) if isinstance(value, dict) else range(len(value))))
    how = _change(made, path, chance)
    if made == said and repr(made) == repr(said):
        return None
    made["checksum"] = checksum(made)
    return made, path, how


def _change(said: Said, path: Path_, chance: random.Random) -> str:
    home, key, value = at(said, path[:-1]), path[-1], at(said, path)
    if chance.random() < 0.15:
        del home[key]
        return "deleted"
    if isinstance(home, list) and chance.random() < 0.3:
        other = chance.randrange(len(home))
        if chance.random() < 0.5:
            home[key], home[other] = home[other], home[key]
            return f"swapped with {other}"
        home.insert(other, copy.deepcopy(value))
        return f"doubled at {other}"
    home[key] = _other(value, chance)
    return f"{value!r:.40} -> {home[key]!r:.40}"


def _other(value: Any, chance: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return chance.choice([value + 1, value - 1, 2 * value, -value, value + 0.01, 0, 1e6])
    if isinstance(value, str):
        swap = {"yes": "no", "no": "yes", "a": "b", "<=": "<", "<": "<=", "minimize": "maximize"}
        return chance.choice([swap.get(value, value + " "), value + "x", value[1:], "", None])
    if value is None:
        return chance.choice([0, 1.5, "x", False, True])
    return chance.choice([None, [], {}, 0, "x"])
