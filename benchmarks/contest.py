"""One question put to treemip and to its peers in turn, each in a process of its own.

All contenders read one file of numbers (`judge.py` makes it), and what their trees are worth on it
is counted by `judge.py`, whatever they claim. A cell of a table is the value, * proven or ? open,
the CPU seconds of the whole process / the seconds in the call.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import Ran, measured

if TYPE_CHECKING:
    from answers import Request

HERE = Path(__file__).resolve().parent
TREES = HERE / "peers" / "trees.py"
ERROR = re.compile(r"[\w.]*[Ee]rror\b")
CLOSE = 1e-6  # values nearer than this, relative to the larger, are the same


@dataclass(frozen=True)
class Own:
    """A spec of treemip: what follows the data block, what is in it, and more options of `treemip
    solve`; without a spec, those of `treemip fit`. rules: whether it may have rules that peers'
    trees break, so that a better tree of theirs does not refute a proof."""

    body: str = ""
    block: str = "label class;"
    options: tuple[str, ...] = ()
    rules: bool = False


@dataclass(frozen=True)
class Case:
    """A line of a table.

    source: a CSV, or "made N" or "lifelines NAME", as `judge.py` and `peers/trees.py` make them.
    measure: how `judge.py` counts. asked: what peers and measures are told, the depth among it.
    encode: the data block by which `judge.py` makes numbers of it; None leaves the file as it is.
    keep: names of columns that are no features, and what they are called then. test: share of the
    rows that only errors are counted on. beside: more columns. show: of a run, besides seconds.
    grace: seconds beyond the limit after which a process is killed.
    """

    name: str
    source: Path | str
    limit: float
    own: Mapping[str, Own]
    peers: tuple[str, ...] = ()
    measure: str = "errors"
    asked: Mapping[str, Any] = field(default_factory=dict)
    label: str = "class"
    encode: str | None = "encode onehot;"
    keep: Mapping[str, str] = field(default_factory=dict)
    test: float = 0.0
    beside: Mapping[str, object] = field(default_factory=dict)
    show: tuple[str, ...] = ()
    grace: float = 30
    quick: bool = False


def rows(request: Request, table: str, cases: Iterable[Case]) -> Iterator[dict[str, object]]:
    """A row for each case that is asked for and not known: a text for each contender, and the runs
    that the texts are made from."""
    for case in cases:
        missing = isinstance(case.source, Path) and not case.source.is_file()
        wanted = request.wants(table, case.name) and (case.quick or not request.quick)
        if wanted and not missing:
            try:
                yield _row(case, request)
            except NotMade as error:
                yield {"case": case.name, "limit": case.limit, next(iter(case.own)): str(error)}


class NotMade(Exception):
    """There is no table to train on, or no verdict."""


def _row(case: Case, request: Request) -> dict[str, object]:
    limit = case.limit if request.limit is None else request.limit
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task = _prepared(case, folder, limit, request)
        runs: dict[str, dict[str, Any]] = {}
        for who, own in case.own.items():
            runs[who] = _of_treemip(own, task, folder / f"{len(runs)}", request)
        for who in case.peers:
            runs[who] = _of_peer(who, task, folder / f"{len(runs)}", request)
        task["answers"] = {who: str(folder / str(k)) for k, who in enumerate(runs)}
        for who, worth in _told("judge", task, folder).items():
            runs[who] |= worth
    wrong = list(_wrong(case, runs))
    texts = {who: _text(run, case) for who, run in runs.items()}
    row = {"case": case.name, "limit": limit, **case.beside, **texts}
    return row | ({"WRONG": "; ".join(wrong)} if wrong else {}) | {"runs": runs}


def _prepared(case: Case, folder: Path, limit: float, request: Request) -> dict[str, Any]:
    """What contenders and judge are told; the files that they read are there then."""
    source = str(case.source)
    if source.startswith("lifelines "):
        made = folder / "lifelines.csv"
        name = source.removeprefix("lifelines ")
        _output([_python(request), TREES, "table", name, made])
        source = str(made)
    task: dict[str, Any] = {
        "source": source,
        "label": case.label,
        "encode": case.encode,
        "keep": dict(case.keep),
        "test": case.test,
        "measure": case.measure,
        "limit": limit,
        "patience": limit + case.grace,
        **case.asked,
    }
    return task | _told("prepare", task, folder)


def _told(what: str, task: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What `judge.py` says, in a process of its own: this one stays small (measure.py)."""
    file = folder / f"{what}.json"
    file.write_text(json.dumps(task))
    output = _output([sys.executable, HERE / "judge.py", what, file])
    told: dict[str, Any] = json.loads(output.splitlines()[-1])
    return told


def _output(command: list[str | Path]) -> str:
    ran = measured([*map(str, command)])
    if ran.code:
        raise NotMade(_said(ran))
    return ran.output


def _of_treemip(own: Own, task: dict[str, Any], target: Path, request: Request) -> dict[str, Any]:
    spec, tree = target.with_suffix(".tree"), target.with_suffix(".json")
    what = ["fit", task["train"], "--label", task["label"]]
    if own.body:
        spec.write_text(f'data "{task["train"]}" {{ {own.block} }}\n{own.body}\n')
        what = ["solve", str(spec)]
    command = [sys.executable, "-m", "treemip", *what, "-o", str(tree)]
    command += ["--time-limit", f"{task['limit']:g}", *own.options]
    ran = measured(command, request.cores, task["patience"])
    run = _cost(ran)
    answer: dict[str, Any] = json.loads(tree.read_text()) if tree.is_file() else {}
    if answer.get("tree") is None:
        return run | {"said": _said(ran)}
    seconds = answer["seconds"]
    return (
        run
        | {
            "call": sum(seconds.values()) - seconds["read"],
            "claimed": answer["tree_objective"] if own.body else None,  # it may count splits
            "proven": answer["optimality"]["proven"],
            "gap": answer["gap"],
            "verdict": answer["verdict"],
        }
        | ({"value": answer["tree_objective"]} if task["measure"] == "objective" else {})
    )


def _of_peer(who: str, task: dict[str, Any], target: Path, request: Request) -> dict[str, Any]:
    """A peer's function in `peers/trees.py`; those of treemip's Python are called "own ..."."""
    file, answer = target.with_suffix(".task"), target.with_suffix(".json")
    file.write_text(json.dumps(task | {"answer": str(target)}))
    python = sys.executable if who.startswith("own ") else _python(request)
    command = [python, str(TREES), who, str(file)]
    ran = measured(command, request.cores, task["patience"])
    said = json.loads(answer.read_text()) if answer.is_file() else {"said": _said(ran)}
    return _cost(ran) | said


def _python(request: Request) -> str:
    own = HERE / ".venv" / "bin" / "python"
    return str(request.python or (own if own.exists() else sys.executable))


def _cost(ran: Ran) -> dict[str, Any]:
    return {"cpu": ran.cost.cpu, "wall": ran.cost.wall, "MB": round(ran.cost.peak)}


def _said(ran: Ran) -> str:
    """The line of what it said that tells why."""
    if ran.code < 0:
        return f"ended by signal {-ran.code} after {ran.cost.wall:.0f} s"
    lines = (ran.errors + ran.output).strip().splitlines() or ["no answer"]
    return next(filter(ERROR.match, lines), lines[-1])[:80].replace("|", "/")


def _wrong(case: Case, runs: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Claims that a tree of this row refutes: an optimum where another has better, or a value that
    its own tree has not. A known optimum is one more claim; those of treemip are bold."""
    known = case.beside.get("known optimum")
    if known is not None:
        runs = runs | {"the known optimum": {"value": float(str(known)), "proven": True}}
    for who, run in runs.items():
        own = case.own.get(who)
        for text in _refuted(who, run, runs, own, bool(case.asked.get("maximize"))):
            yield text if own is None else f"**{text}**"


def _refuted(
    who: str, run: dict[str, Any], runs: dict[str, dict[str, Any]], own: Own | None, maximize: bool
) -> Iterator[str]:
    value = run.get("value")
    if value is None:
        return
    if run.get("verdict") == "not verified":
        yield f"{who}: its tree is not verified"
    if run.get("broken"):
        yield f"{who}: its tree breaks {run['broken']}"
    if run.get("claimed") is not None and not _same(run["claimed"], value):
        yield f"{who} claims {run['claimed']:.9g}, its tree has {value:.9g}"
    if not run.get("proven") or (own is not None and own.rules):
        return
    for other, beside in runs.items():
        least = beside.get("value")
        if least is None or beside.get("broken") or _same(least, value):
            continue
        if (least > value) == maximize:
            yield f"{who} claims the optimum {value:.9g}, {other} has {least:.9g}"


def _same(first: float, second: float) -> bool:
    return abs(first - second) <= CLOSE * max(abs(first), abs(second), CLOSE)


def _text(run: dict[str, Any], case: Case) -> str:
    if run.get("value") is None and "call" not in run:
        return f"{run['said']}, {run['cpu']:.2g}"
    mark = {True: "\\*", False: "?", None: ""}[run.get("proven")]
    value = "" if run.get("value") is None else f"{run['value']:.6g}"
    if run.get("value on test") is not None:
        value += f" / {run['value on test']:.6g}"
    gap = run.get("gap")
    gap_text = f" ({100 * gap:.2g} %)" if mark == "?" and gap is not None and gap < 10 else ""
    more = "".join(f", {run[name]:.{0 if run[name] >= 10 else 1}f} {name}" for name in case.show)
    return f"{value}{mark}{gap_text}, {run['cpu']:.2g} / {run['call']:.2g}{more}".lstrip(", ")
