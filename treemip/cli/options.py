"""The commands with their arguments and options: one table, from which `parser.py` reads command
lines and prints help.

What a command line leaves out has the default of the command's function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Kind = Callable[[str], Any]


@dataclass(frozen=True)
class Argument:
    """A word that belongs to no option. key: the parameter of the command's function."""

    key: str
    help: str
    kind: Kind = Path
    required: bool = True
    several: bool = False

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"'{self.key.upper()}...'" if self.several else f"'{self.key.upper()}'"


@dataclass(frozen=True)
class Option:
    """names: as they are typed, parted by spaces, the long one last. value: what stands for its
    value in the help; lower-case words parted by bars are the only values there are; empty for a
    flag. several: it may be repeated. parameter: of the command's function, where that is not the
    long name.
    """

    names: str
    value: str
    help: str
    kind: Kind = str
    required: bool = False
    several: bool = False
    parameter: str = ""

    @property
    def name(self) -> str:
        """The long name."""
        return self.names.split()[-1]

    @property
    def key(self) -> str:
        """The parameter of the command's function."""
        return self.parameter or self.name.lstrip("-").replace("-", "_")

    @property
    def title(self) -> str:
        """Its name in messages."""
        return " / ".join(f"'{name}'" for name in self.names.split())

    @property
    def choices(self) -> list[str]:
        """The only values that it takes; none where any text is one."""
        return self.value.split("|") if self.value.islower() else []


@dataclass(frozen=True)
class Command:
    """function: MODULE.NAME in this folder; a process imports the module of its own command only.

    options: by the heading of their group in the help. given: whether the function wants to know
    which options stand on the command line.
    """

    function: str
    arguments: tuple[Argument, ...]
    options: dict[str, tuple[Option, ...]]
    given: bool = False

    @property
    def all_options(self) -> list[Option]:
        return [option for group in self.options.values() for option in group]


SPEC = Argument("spec", "A .tree file.")
TREE = Argument("tree", "A tree.json that `solve` or `decode` wrote.")
FILES = Argument("file", ".tree files.", several=True)
ROWS = "rows: a CSV or Parquet file with a header."

PARAMETER = Option(
    "-p",
    "NAME=VALUE",
    "Set a parameter, overriding the spec. May be repeated.",
    several=True,
    parameter="parameter",
)
TABLE = Option("--data", "FILE", "The table to use in place of the spec's.", Path)
OUTPUT = Option("-o --output", "FILE", "The file to write.", Path)
JSON = Option("--json", "", "Print the result as JSON.")
TARGET = Option("--for", "SOLVER", "Write the model for this solver's reader.", parameter="target")
IMPLICATIONS = Option(
    "--implications",
    "big_m|indicator|sos1",
    "State all implications this way, overriding the spec.",
)
SEPARATOR = Option("--separator", "CHARACTER", "What parts the cells; a tab is \\t. Comma without.")

COMPILE: dict[str, tuple[Option, ...]] = {
    "the model": (
        Option(
            "-o --output", "FILE", "The model: .mps, .lp or .mof.json, also with .gz, or .nl.", Path
        ),
        PARAMETER,
        TABLE,
        TARGET,
        IMPLICATIONS,
        Option("--cuts", "NAMES", "Names of the families of cuts to add, separated by commas."),
        Option(
            "--cuts-as", "rows|lazy|user", "Cuts as ordinary rows, lazy constraints or user cuts."
        ),
        Option(
            "--names", "spec|short", "Names from the spec, such as go_left(3,1), or short ones."
        ),
        Option("--fixed", "", "MPS in fixed columns, for old readers."),
    ),
    "files beside it": (
        Option(
            "--map",
            "FILE",
            "Write a JSON file that says what each name stands for.",
            Path,
            parameter="map_file",
        ),
        Option("--start", "NAME", "The start to write: search (default), cart or local_svm."),
        Option("--start-file", "FILE", "Write the start, in the format of --for.", Path),
        Option(
            "--priorities",
            "FILE",
            "Write the strategy's branching priorities, in the format of --for.",
            Path,
        ),
    ),
    "output": (
        Option(
            "--stop-after",
            "parse|resolve|bind|lower|reform",
            "Show this stage as text and write no model.",
        ),
        JSON,
    ),
}

SOLVE: dict[str, tuple[Option, ...]] = {
    "the model": (PARAMETER, TABLE, IMPLICATIONS),
    "the solver and its limits": (
        Option(
            "--solver",
            "NAME",
            "auto, mip, {in_memory}; installed: {installed}; or 'command:…' with {{model}} and "
            "{{solution}}.",
        ),
        Option("--time-limit", "SECONDS", "Time limit in seconds of wall clock.", float),
        Option("--gap", "SHARE", "Stop at this relative gap.", float),
        Option("--threads", "N", "Maximum number of threads.", int),
        Option(
            "--feasibility",
            "DISTANCE",
            "Feasibility tolerance of rows, 1e-10 to 1e-3; default: the solver's.",
            float,
        ),
    ),
    "where it begins": (
        Option(
            "--start",
            "NAME|FILE",
            "search (the default), cart, local_svm, none, or a tree.json; may be repeated.",
            several=True,
        ),
        Option("--starts", "N", "Number of random points that Ipopt begins from; 10 without.", int),
        Option("--seed", "N", "Seed for the search, the solver and random starts.", int),
    ),
    "further trees": (
        Option(
            "--trees",
            "N",
            "Number of good trees to find; with -o a.json also a-2.json, ..., a-trees.csv.",
            int,
        ),
        Option(
            "--within",
            "SHARE",
            "How much worse they may be, as a share of the objective; default: 0.02.",
            float,
        ),
    ),
    "output": (
        OUTPUT,
        JSON,
        Option("--log", "", "Show the solver's own log; with --json on stderr."),
        Option(
            "--log-json",
            "FILE",
            "Write the progress to a file, one JSON object a line.",
            Path,
        ),
        Option(
            "--keep",
            "FOLDER",
            "Keep model, solution and log of an installed solver in a new folder.",
            Path,
        ),
    ),
}

EXPORT = (
    Option(
        "--to",
        "TARGET",
        "ampl, cvxpy, gurobipy, pyomo or pyscipopt.",
        required=True,
        parameter="target",
    ),
    Option(
        "-o --output", "FILE", "The script, .py or .mod for AMPL, or a folder.", Path, required=True
    ),
    PARAMETER,
    TABLE,
)
EXPLAIN = (
    OUTPUT,
    Option(
        "--format",
        "NAME",
        "text, md, html or latex; default: by the output's suffix.",
        parameter="format_",
    ),
    PARAMETER,
    TABLE,
)
PREDICT = (
    OUTPUT,
    Option(
        "--leaf",
        "",
        "Add the number of the leaf: the root is 1, the children of t are 2t and 2t + 1.",
    ),
    Option("--proba", "", "Add the probability of each class."),
    SEPARATOR,
)
DATA_FILE = Option(
    "--data", "FILE", "The data file, if it is not where the tree's file says.", Path
)
BOUND = Option("--bound", "", "Solve the continuous relaxation for its bound.")
TIME_LIMIT = Option("--time-limit", "SECONDS", "Seconds of wall clock; 60 without.", float)
WITH_DATA = Option("--data", "", "Also read the data and evaluate sets and parameters.")
CHECK_LAYOUT = Option("--check", "", "Change nothing; exit with 1 if a file would change.")
SOLUTION = Argument("solution", "What a solver wrote for the spec's model.")
LABELLED = Argument("data", f"Labelled {ROWS}", required=False)
WHAT = Argument("what", "formulations, concepts, terms or specs; default: all.", str, False)


RUNS: dict[str, tuple[Option, ...]] = {
    "what varies": (
        Option(
            "--vary",
            "NAME=VALUES",
            "Values of a parameter, or data=a.csv,b.csv: 2,3 or 1..5. May be repeated.",
            several=True,
        ),
        PARAMETER,
        TABLE,
    ),
    "every run": (
        Option("--solver", "NAME", "The solver, as for solve."),
        Option("--time-limit", "SECONDS", "Time limit of each run.", float),
        Option("--gap", "SHARE", "Stop at this relative gap.", float),
        Option("--threads", "N", "Maximum number of threads of each run.", int),
    ),
    "where the runs go": (
        Option("--jobs", "N", "Number of runs at a time; -1: one for each core. 1 without.", int),
        Option("--backend", "loky|dask|ray", "Processes here, or a cluster that exists."),
    ),
    "output": (
        Option(
            "-o --output", "FOLDER", "Keep each run there; what is there is not run again.", Path
        ),
        Option("--plot", "FILE", "A picture: .png, .svg or .pdf.", Path),
        JSON,
    ),
}
FOLDS: dict[str, tuple[Option, ...]] = {
    "folds": (
        Option("--folds", "K", "Number of folds, stratified by class; 5 without.", int),
        Option("--seed", "N", "Seed of the folds; 0 without.", int),
    ),
    **RUNS,
}


def _plain(*options: Option) -> dict[str, tuple[Option, ...]]:
    return {"options": options}


COMMANDS = {
    "compile": Command("compiling.compile_spec", (SPEC,), COMPILE, given=True),
    "export": Command("compiling.export", (SPEC,), _plain(*EXPORT)),
    "solve": Command("solving.solve", (SPEC,), SOLVE),
    "decode": Command(
        "solving.decode",
        (SPEC, SOLUTION),
        _plain(OUTPUT, PARAMETER, TABLE, TARGET, IMPLICATIONS, JSON),
    ),
    "sweep": Command("sweeping.sweep", (SPEC,), RUNS),
    "cv": Command("sweeping.cv", (SPEC,), FOLDS),
    "verify": Command("trees.verify", (TREE,), _plain(DATA_FILE, JSON)),
    "predict": Command("trees.predict", (TREE, Argument("data", f"New {ROWS}")), _plain(*PREDICT)),
    "score": Command("trees.score", (TREE, LABELLED), _plain(SEPARATOR, JSON)),
    "show": Command("trees.show", (TREE,), {}),
    "explain": Command("describing.explain", (SPEC,), _plain(*EXPLAIN)),
    "stats": Command("describing.stats", (SPEC,), _plain(BOUND, PARAMETER, TABLE, JSON)),
    "diagnose": Command("describing.diagnose", (SPEC,), _plain(TIME_LIMIT, PARAMETER, TABLE, JSON)),
    "check": Command("checking.check", (FILES,), _plain(PARAMETER, WITH_DATA)),
    "fmt": Command("checking.fmt", (FILES,), _plain(CHECK_LAYOUT)),
    "list": Command("library.list_library", (WHAT,), _plain(JSON)),
}

GROUPS = {
    "From a spec to a tree": ("compile", "export", "solve", "decode"),
    "Many trees of one spec": ("sweep", "cv"),
    "What a spec says": ("check", "explain", "stats", "diagnose", "fmt"),
    "A saved tree": ("show", "verify", "predict", "score"),
    "The library": ("list",),
}
"""The commands as the overview shows them."""

EXAMPLES = {
    "compile": "treemip compile iris.tree -o iris.mps --for gurobi --start-file iris.mst",
    "export": "treemip export iris.tree --to pyomo -o iris.py",
    "solve": "treemip solve iris.tree -o tree.json --time-limit 60 -p eps=0.01",
    "decode": "treemip decode iris.tree iris.sol -o tree.json",
    "sweep": "treemip sweep iris.tree --vary depth=1,2 --vary seed=1..5 -o runs",
    "cv": "treemip cv iris.tree --folds 5 --vary depth=1,2",
    "predict": "treemip predict tree.json new.csv -o classes.csv --proba",
    "explain": "treemip explain iris.tree -o iris.html",
    "fmt": "treemip fmt *.tree",
}

IN_THE_SPEC = {
    "--label": 'the spec names the label: data "file.csv" { label class; }',
    "--depth": "the spec gives the depth; set it with -p depth=3",
    "--formulation": "the spec names the formulation: split oblique by soct;",
    "--train": "the spec sets the training part: train 0.75 seed 1;  in the data block",
    "--seed": "set the seed of the training part with -p seed=1; the solver's stands in "
    "strategy { seed 1; }",
}
"""Options that users expect and no command has, with the statement that has their place."""

PICTURE = "a tree is shown as text: treemip show tree.json > tree.txt; there are no pictures yet"


def instead(command: str, option: str) -> str:
    """What to write in place of an unknown option of a command, or an empty string."""
    if command == "cv" and option == "--stratified":
        return "leave it out: folds are always stratified by class"
    if command == "show" and option in ("-o", "--output"):
        return PICTURE
    return IN_THE_SPEC.get(option, "")
