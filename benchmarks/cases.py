"""What is measured: the cases, and every contender's command for each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from integers import write as write_integers

HERE = Path(__file__).resolve().parent
SPAMBASE = HERE / "data" / "spambase.csv"
MADE = HERE / "data" / "made"
PEERS = ("arrays", "gurobipy", "linopy", "pyoptinterface", "pyomo")
EXPRESSIONS = "gurobipy, A @ x"
TREEMIP = "treemip"
NAMED = "treemip, spec names"
READY = "ready arrays"


@dataclass(frozen=True)
class Case:
    """The contenders' commands, treemip's first; `files` says that they write MPS to `{out}`.

    `prepare` is a command run once before anything is measured.
    """

    key: str
    title: str
    commands: dict[str, list[str]]
    files: bool = False
    prepare: list[str] | None = None


@dataclass(frozen=True)
class Interpreters:
    """treemip: its command. own: the Python it lives in. peers: the Python of the others."""

    treemip: str
    own: str
    peers: str


@dataclass(frozen=True)
class Written:
    """A model to be written: its formulation and depth, its table, and its spec for treemip."""

    key: str
    title: str
    formulation: str
    depth: int
    table: Path
    spec: str


INTEGERS, SMALL = MADE / "integers.csv", MADE / "small.csv"
FULL = (
    Written("soct3", "S-OCT, depth 3", "soct", 3, SPAMBASE, "soct_spambase"),
    Written("soct4", "S-OCT, depth 4", "soct", 4, SPAMBASE, "soct_spambase_depth4"),
    Written("binoct3", "BinOCT, depth 3", "binoct", 3, INTEGERS, "binoct_integers"),
)
QUICK = (
    Written("soct", "S-OCT, small", "soct", 2, SMALL, "soct_small"),
    Written("binoct", "BinOCT, small", "binoct", 2, SMALL, "binoct_small"),
)


def cases(quick: bool, python: Interpreters) -> list[Case]:
    """All cases, their tables made where they are missing."""
    if quick and not SMALL.exists():
        write_integers(SMALL, points=300, features=8, values=10)
    if not quick and not INTEGERS.exists():
        write_integers(INTEGERS)
    written = QUICK if quick else FULL
    iris = str(HERE.parent / "specs" / "iris.tree")
    return [
        *(_to_file(model, python) for model in written),
        _to_memory(written[0], python),
        Case("check", "check of a spec, no model", {TREEMIP: [python.treemip, "check", iris]}),
    ]


def _to_file(model: Written, python: Interpreters) -> Case:
    # Short names, since four of the five peers write numbered names too; and the spec's own.
    compile_ = [python.treemip, "compile", _spec(model), "-o", "{out}"]
    commands = {TREEMIP: [*compile_, "--names", "short"], NAMED: compile_}
    what = [model.formulation, str(model.depth), str(model.table), "{out}"]
    for peer in PEERS:
        commands[peer] = [python.peers, str(HERE / "peers" / f"with_{peer}.py"), *what]
    if model.formulation == "soct":
        script = HERE / "peers" / "with_gurobipy_expressions.py"
        commands[EXPRESSIONS] = [python.peers, str(script), *what]
    return Case(model.key, f"{model.title}: CSV to MPS", commands, files=True)


def _to_memory(model: Written, python: Interpreters) -> Case:
    ready = [python.peers, str(HERE / "peers" / "ready.py")]
    arrays = str(MADE / f"{model.spec}.npz")
    return Case(
        "memory",
        f"{model.title}: into HiGHS' memory, no text",
        {
            TREEMIP: [python.own, str(HERE / "in_memory.py"), _spec(model)],
            READY: [*ready, "load", arrays],
        },
        prepare=[*ready, "make", str(model.depth), str(model.table), arrays],
    )


def _spec(model: Written) -> str:
    return str(HERE / "specs" / f"{model.spec}.tree")
