"""tree.json: everything needed to predict, and to verify again later."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.emit.files import replacing
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.reading import read_text
from treemip.tree.randomized import RandomizedTree
from treemip.tree.strict_json import strict_json
from treemip.tree.tree import Tree

if TYPE_CHECKING:
    from treemip.api.result import Result

FORMAT = "treemip tree 1"

LARGEST = 64_000_000
"""Bytes of a tree.json that is read."""


def result_json(result: Result) -> dict[str, Any]:
    """Numbers of the solve, the verification, the tree, and the spec it came from."""
    compiled, answer, report = result.compiled, result.answer, result.report
    program = compiled.program
    data = compiled.instance.data
    test = data.test if data is not None else None
    return {
        "format": FORMAT,
        "status": answer.status,
        "objective": answer.objective,
        "bound": answer.bound,
        "gap": answer.gap,
        "sense": compiled.model.objective.sense,
        "solver": answer.solver,
        "solver_version": answer.solver_version,
        "seconds": {k: round(v, 6) for k, v in result.seconds.items()},
        "points": result.points if data is not None else None,
        "train_errors": result.train_errors,
        "test_points": len(test.y) if test is not None else None,
        "test_errors": result.test_errors,
        "scores": {
            "training": result.train_score.to_json() if result.train_score else None,
            "test": result.test_score.to_json() if result.test_score else None,
        },
        "sparsity": result.sparsity.to_json() if result.sparsity else None,
        "verified": result.verified,
        "problems": list(report.problems) if report else [],
        "repaired": list(report.repaired) if report else [],
        "terms": [
            {"term": t.text, "solution": t.solution, "tree": t.tree}
            for t in (report.terms if report else ())
        ],
        "tree": result.tree.to_json() if result.tree else None,
        "spec": {
            "name": program.source.name,
            "text": program.source.text,
            "parameters": dict(program.spec.overrides),
            "base": str(program.base),
            "data_sha256": data.digest if data is not None else None,
            "from_memory": program.table is not None,
        },
        "values": {k: [_plain(v) for v in a] for k, a in _kept(result).items()},
    }


def _kept(result: Result) -> dict[str, np.ndarray]:
    """Families without a point index: the others follow from the tree's routing."""
    spec = result.compiled.instance.spec
    sorts = {s.name: s.sorts for s in spec.variables}
    return {
        name: values
        for name, values in result.values.items()
        if name in sorts and not any(getattr(s, "of", "") == "point" for s in sorts[name])
    }


def _plain(value: float) -> float | int:
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def save(result: Result, path: str | Path) -> None:
    text = json.dumps(result_json(result), indent=1, ensure_ascii=False, allow_nan=False)
    with replacing(path) as file:
        file.write((text + "\n").encode())


def read_json(path: str | Path) -> dict[str, Any]:
    """A tree.json as it stands. Raises E701, and E901 where there is no such file."""
    try:
        said = strict_json(read_text(path, LARGEST))
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"it is not UTF-8 text, from byte {error.start} on") from None
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        if error.errno == errno.EFBIG:
            raise _unreadable(path, reason) from None
        raise TreemipError(Diagnostic.outside("E901", f"'{path}': {reason}")) from None
    except ValueError as error:
        raise _unreadable(path, str(error)) from None
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise _unreadable(path, "it is not a file that `treemip solve -o` writes")
    return said


def load_tree(path: str | Path) -> Tree:
    """The tree of a tree.json, ready to predict. Raises E701, E901."""
    said = read_json(path)
    if not said.get("tree"):
        raise _unreadable(path, f"it holds no tree; the solver's status was {said.get('status')}")
    try:
        kinds: dict[str, type[Tree]] = {"": Tree, "randomized": RandomizedTree}
        return kinds[said["tree"].get("kind", "")].from_json(said["tree"])
    except ValueError as error:
        raise _unreadable(path, f"its tree is damaged: {error}") from None
    except (LookupError, TypeError, AttributeError, OverflowError):
        raise _unreadable(path, "its tree is damaged") from None


def _unreadable(path: str | Path, why: str) -> TreemipError:
    return TreemipError(
        Diagnostic.outside("E701", f"'{path}' is no tree: {why}", "solve again with -o tree.json")
    )
