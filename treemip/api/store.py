"""tree.json: everything needed to predict, to score, and to verify again later."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from dataclasses import asdict, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip import __version__
from treemip.api.spec_of_tree import SavedSpec
from treemip.core.files.atomic import replacing
from treemip.core.instance.side_tables import digests
from treemip.core.model.answer import Decomposition
from treemip.core.resolve.module_files import ModuleText
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.reading import read_text
from treemip.core.tree.saved import strict_json
from treemip.core.tree.tree import Tree

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.program import Program
    from treemip.api.result import Result
    from treemip.core.instance.selected import Selected
    from treemip.core.resolve.typed import Symbol


FORMAT, VERSION = "treemip tree", 3

LARGEST = 64_000_000
"""Bytes of a tree.json that is read."""


def result_json(result: Result, folder: Path | None = None) -> dict[str, Any]:
    """Numbers of the solve, the verification, the tree, and the spec it came from.

    folder: of the file that this is for, which the places of spec and data are recorded from; the
    current one if None. No row of the data is in it, and no path but those from `folder`.
    """
    document = _document(result) if result.document is None else json.loads(result.document)
    program, at = result.compiled.program, Path() if folder is None else folder
    return {**document, "spec": {**document["spec"], **places(program, at)}}


def _document(result: Result) -> dict[str, Any]:
    """What `result_json` has but for the places of spec and data."""
    compiled, answer, report = result.compiled, result.answer, result.report
    data = compiled.instance.data
    bound, gap = _bound(result)
    document = {
        "format": f"{FORMAT} {VERSION}",
        "verdict": result.verdict,
        "problems": list(result.problems),
        "not_recomputed": [taken.to_json() for taken in (report.taken if report else ())],
        "status": answer.status,
        "objective": finite(answer.objective),
        "tree_objective": finite(report.tree_objective if report else None),
        "bound": finite(bound),
        "gap": finite(gap),
        "optimality": result.optimality.to_json() if result.optimality else None,
        "sense": compiled.sense,
        "solver": answer.solver,
        "solver_version": answer.solver_version,
        "message": answer.message,
        "seconds": {k: round(v, 6) for k, v in result.seconds.items()},
        "time_limit": result.time_limit,
        "points": result.points if data is not None else None,
        "scores": {
            "training": result.train_score.to_json() if result.train_score else None,
            "test": result.test_score.to_json() if result.test_score else None,
        },
        "repaired": list(report.repaired) if report else [],
        "warnings": [{"code": w.code, "message": w.message} for w in result.warnings],
        "terms": [
            {"term": t.text, "solution": finite(t.solution), "tree": finite(t.tree)}
            for t in (report.terms if report else ())
        ],
        "tree": result.tree.to_json() if result.tree else None,
        "spec": _spec_json(compiled),
        "values": {k: [_plain(v) for v in a] for k, a in kept_values(result).items()},
    }
    if data is not None and data.selected is not None:
        document["selection"] = _selection_json(result, data.selected)
    if result.objectives:
        document["objectives"] = [one.to_json() for one in result.objectives]
    if answer.separated is not None:
        document["separated"] = asdict(answer.separated)
    if answer.decomposition is not None:
        document["decomposition"] = decomposition_json(answer.decomposition)
    return {**document, "checksum": checksum(document)}


def decomposition_json(went: Decomposition) -> dict[str, Any]:
    """How a decomposition went."""
    return {
        "scheme": went.scheme,
        "runs": went.runs,
        "kept": went.kept,
        "initial_objective": finite(went.initial),
        "macro_iterations": [
            {"objective": finite(objective), "seconds": round(seconds, 6)}
            for objective, seconds in zip(went.objectives, went.seconds, strict=True)
        ],
        "steps": went.steps,
        "refused_steps": went.refused,
        "coupled": list(went.coupled),
        "stationarity": finite(went.stationarity),
    }


def _selection_json(result: Result, selected: Selected) -> dict[str, Any]:
    """Which points were selected, and the tree on all of them."""
    score = result.whole_score
    return {
        **selected.to_json(),
        "score_of_all": score.to_json() if score else None,
        "rounds": [one.to_json() for one in result.rounds],
    }


def _spec_json(compiled: Compiled) -> dict[str, Any]:
    program, data = compiled.program, compiled.instance.data
    parameters = dict(program.spec.overrides)
    return {
        "name": os.path.basename(program.source.name),
        "text": program.source.text,
        "parameters": parameters,
        "sha256": spec_digest(program.source.text, parameters),
        "modules": [module_json(module) for module in program.spec.modules],
        "library": f"treemip {__version__}",
        "data_sha256": data.digest if data is not None else None,
        **({"tables_sha256": digests(data)} if data is not None and digests(data) else {}),
        "from_memory": program.table is not None,
    }


def places(program: Program, folder: Path) -> dict[str, str]:
    """The spec's folder, and the table that stands in for its own: from `folder`, else from the
    current one, else nothing but the table's name."""
    here, file = Path(), program.data_file
    found = {"base": way_to(program.base, folder) or way_to(program.base, here) or "."}
    if file is not None:
        found["data_file"] = way_to(file, folder) or way_to(file, here) or file.name
    return found


def way_to(path: Path, folder: Path) -> str | None:
    """`path` from `folder`, such as "../specs"; None where there is no such way, or it leads down
    into a folder above the current or the home folder, so that it would tell their names."""
    at, goal = os.path.realpath(folder), os.path.realpath(path)
    try:
        common = os.path.commonpath([at, goal])
    except ValueError:  # on another drive
        return None
    down = os.path.relpath(goal, common).split(os.sep)[0]
    entered = os.path.join(common, down)
    for hidden in map(os.path.realpath, (os.getcwd(), os.path.expanduser("~"))):
        if goal != common and os.path.commonpath([hidden, entered]) == entered:
            return None
    return Path(os.path.relpath(goal, at)).as_posix()


def module_json(module: ModuleText) -> dict[str, str]:
    """A module that is not of the library, with its text and the text's SHA-256."""
    return {**asdict(module), "sha256": hashlib.sha256(module.text.encode()).hexdigest()}


def module_of(saved: dict[str, str]) -> ModuleText:
    """The inverse of `module_json`. Raises KeyError, TypeError or ValueError when malformed."""
    module = ModuleText(*(saved[k] for k in ("named_by", "reference", "path", "text")))
    if module_json(module) != saved:
        raise ValueError("the text of a module is not the one that was saved")
    return module


def spec_digest(text: str, parameters: dict[str, str]) -> str:
    """SHA-256 of a spec's text with the parameters that were given to it."""
    return _digest([text, sorted(parameters.items())])


def checksum(document: dict[str, Any]) -> str:
    """SHA-256 of all that a file says beside its checksum and where its spec and data lay.

    It tells that a file was changed, not what: verification finds that, whatever is written here.
    """
    rest = {k: v for k, v in document.items() if k not in ("checksum", "spec")}
    spec = document.get("spec")
    if isinstance(spec, dict):
        spec = {**spec, "base": None, "name": None}
        spec.pop("data_file", None)
    return _digest([rest, spec])


def _digest(document: Any) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def kept_values(result: Result) -> dict[str, np.ndarray]:
    """Of a tree: the families it is read from, and those that have no meaning but count.

    Those with a value a point are left out, and so are those that follow from the tree or do not
    matter to it. Without a tree: all that the solver found.
    """
    if result.tree is None or result.report is None:
        return result.values
    # Imported here: who loads a tree needs no grammar and no solver.
    from treemip.core.tree.from_values import settled_values
    from treemip.core.tree.meaning import leaf_variables, split_variables

    spec = result.compiled.instance.spec
    names = split_variables(spec) | leaf_variables(spec)
    names |= {taken.variable for taken in result.report.taken}
    instance = result.compiled.instance
    by_point = {s.name for s in spec.variables if is_by_point(s)}
    settled = settled_values(instance, result.tree, result.values, names - by_point)
    return {name: v for name, v in settled.items() if name in names - by_point}


def is_by_point(symbol: Symbol) -> bool:
    """Whether a family has a value for each point."""
    return any(getattr(sort, "of", "") == "point" for sort in symbol.sorts)


def finite(value: float | None) -> float | None:
    """The number, or None for what JSON has no number for."""
    return value if value is not None and isfinite(value) else None


def _plain(value: float) -> float | int | None:
    number = float(value)
    if not isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def save(result: Result, path: str | Path, document: dict[str, Any] | None = None) -> None:
    """Write tree.json. document: what `result_json` gives, where the caller has it. Raises E603."""
    document = result_json(result, Path(path).parent) if document is None else document
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    with replacing(path) as file:
        file.write((text + "\n").encode())


def read_json(path: str | Path) -> dict[str, Any]:
    """A tree.json as it stands. Raises E701, and E901 where there is no such file."""
    try:
        document = strict_json(read_text(path, LARGEST))
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"it is not UTF-8 text, from byte {error.start} on") from None
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        if error.errno == errno.EFBIG:
            raise _unreadable(path, reason) from None
        raise TreemipError(Diagnostic.outside("E901", f"'{path}': {reason}")) from None
    except ValueError as error:
        raise _unreadable(path, str(error)) from None
    if not isinstance(document, dict):
        raise _unreadable(path, "it is not a file that `treemip solve -o` writes")
    _require_version(document, path)
    return document


def _require_version(document: dict[str, Any], path: str | Path) -> None:
    """Raise E701 for no tree.json, and for one of another version."""
    name, _, version = str(document.get("format")).rpartition(" ")
    if name != FORMAT or re.fullmatch("[1-9][0-9]{0,8}", version) is None:
        raise _unreadable(path, "it is not a file that `treemip solve -o` writes")
    if int(version) != VERSION:
        message = f"'{path}' has version {version} of tree.json, and this treemip reads {VERSION}"
        remedy = "use the treemip that wrote it, or solve again with -o"
        raise TreemipError(Diagnostic.outside("E701", message, remedy))


def _bound(result: Result) -> tuple[float | None, float | None]:
    """Bound and gap; of a proven optimum without a bound, which some solvers do not state, its
    value and 0."""
    answer, proven = result.answer, result.optimality is not None and result.optimality.proven
    if answer.bound is None and proven:
        return answer.objective, 0.0
    return answer.bound, answer.gap


def load_tree(path: str | Path) -> Tree:
    """The tree of a tree.json, ready to predict. Raises E701, E901."""
    return read_tree(path)[1]


def read_tree(path: str | Path) -> tuple[dict[str, Any], Tree]:
    """A tree.json as it stands, and its tree. Raises E701, E901."""
    document = read_json(path)
    if not document.get("tree"):
        raise _unreadable(path, f"it has no tree; {_why_none(document)}")
    try:
        return document, replace(Tree.from_json(document["tree"]), spec=SavedSpec(document, path))
    except ValueError as error:
        raise _unreadable(path, f"its tree is damaged: {error}") from None
    except (LookupError, TypeError, AttributeError, OverflowError):
        raise _unreadable(path, "its tree is damaged") from None


def _why_none(document: dict[str, Any]) -> str:
    problems = document.get("problems")
    if isinstance(problems, list) and problems:
        return "; ".join(str(problem) for problem in problems)
    return f"the solver's status was {document.get('status')}"


def _unreadable(path: str | Path, why: str) -> TreemipError:
    return TreemipError(
        Diagnostic.outside(
            "E701", f"'{path}' is not a tree: {why}", "solve again with -o tree.json"
        )
    )
