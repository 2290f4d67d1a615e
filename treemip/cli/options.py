"""The commands with their arguments and options: one table, from which `parser.py` reads command
lines and prints help.

What a command line leaves out has the default of the command's function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treemip.tree.convert.targets import SUFFIXES, TARGETS, either

Kind = Callable[[str], Any]


@dataclass(frozen=True)
class Argument:
    """A word that belongs to no option. key: the parameter of the command's function. complete: as
    of an option."""

    key: str
    help: str
    kind: Kind = Path
    required: bool = True
    several: bool = False
    complete: str = ""

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"'{self.key.upper()}...'" if self.several else f"'{self.key.upper()}'"


@dataclass(frozen=True)
class Option:
    """names: its spellings, separated by spaces, the long one last. value: its placeholder in the
    help; lower-case words separated by bars are the only values accepted; empty for a flag.
    several: it may be repeated. parameter: the argument of the command's function, where that is
    not the long name. default: what holds without the option, as the help says it; a flag and an
    option that has to be given have none. complete: the values that a shell proposes: words,
    patterns of files and the lists of `completion.py`; those of `value` need not be named.
    """

    names: str
    value: str
    help: str
    kind: Kind = str
    required: bool = False
    several: bool = False
    parameter: str = ""
    default: str = ""
    complete: str = ""

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


SPEC = Argument("spec", "A .tree file.", complete="*.tree")
TREE = Argument("tree", "A tree.json that `solve` or `decode` wrote.", complete="*.json")
FILES = Argument("file", ".tree files.", several=True, complete="*.tree")
ROWS = "rows: a CSV or Parquet file with a header."
TABLES = "*.csv *.tsv *.tab *.txt *.parquet *.pq *.gz"

PARAMETER = Option(
    "-p",
    "NAME=VALUE",
    "Set a parameter, overriding the spec. May be repeated.",
    several=True,
    parameter="parameter",
    default="the spec's value",
)
INCLUDE = Option(
    "-I --include",
    "FOLDER",
    "A folder to look for modules in, after the spec's own. May be repeated.",
    Path,
    several=True,
    default="the folders of TREEMIP_PATH",
    complete="*",
)
TABLE = Option(
    "--data",
    "FILE",
    "The table to use in place of the spec's.",
    Path,
    default="the spec's",
    complete=TABLES,
)
OUTPUT = Option("-o --output", "FILE", "The file to write.", Path, default="none", complete="*")
TEXT_OUTPUT = replace(OUTPUT, default="stdout")
JSON = Option("--json", "", "Print the result as JSON.")
TARGET = Option(
    "--for",
    "SOLVER",
    "Write the model for this solver's reader.",
    parameter="target",
    default="portable",
    complete="{profiles}",
)
IMPLICATIONS = Option(
    "--implications",
    "big_m|indicator|sos1",
    "State all implications this way.",
    default="as the spec says",
)
STAGE = Option(
    "--stage",
    "K",
    "Of objectives in turn, take the one of this number.",
    int,
    default="the only one",
)
EARLIER = Option(
    "--earlier",
    "VALUES",
    "Values of the objectives before --stage, separated by commas.",
    default="none",
)
SEPARATOR = Option(
    "--separator", "CHARACTER", "What separates the cells; a tab is \\t.", default="a comma"
)

COMPILE: dict[str, tuple[Option, ...]] = {
    "the model": (
        Option(
            "-o --output",
            "FILE",
            "The model: .mps, .lp or .mof.json, also with .gz, or .nl.",
            Path,
            default="none, with --stop-after",
            complete="*",
        ),
        PARAMETER,
        INCLUDE,
        TABLE,
        TARGET,
        IMPLICATIONS,
        STAGE,
        EARLIER,
        Option(
            "--cuts",
            "NAMES",
            "Names of the families of cuts to add, separated by commas.",
            default="those of the spec's strategy",
        ),
        Option(
            "--cuts-as",
            "rows|lazy|user",
            "Cuts as ordinary rows, lazy constraints or user cuts.",
            default="rows",
        ),
        Option(
            "--names",
            "spec|short",
            "Names from the spec, such as go_left(3,1), or short ones.",
            default="spec",
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
            default="none",
            complete="*",
        ),
        Option(
            "--start",
            "NAME|FILE",
            "The start to write: search, cart, local_svm, svm_tree or a tree.json.",
            default="search",
            complete="search cart local_svm svm_tree *.json",
        ),
        Option(
            "--start-file",
            "FILE",
            "Write the start, in the format of --for.",
            Path,
            default="none",
            complete="*",
        ),
        Option(
            "--priorities",
            "FILE",
            "Write the strategy's branching priorities, in the format of --for.",
            Path,
            default="none",
            complete="*",
        ),
    ),
    "output": (
        Option(
            "--stop-after",
            "parse|resolve|bind|lower|reform",
            "Show this stage as text and write no model.",
            default="none",
        ),
        JSON,
    ),
}

SOLVE: dict[str, tuple[Option, ...]] = {
    "the model": (
        PARAMETER,
        INCLUDE,
        TABLE,
        IMPLICATIONS,
        Option(
            "--presolve",
            "NAMES",
            "Passes that shrink the model for the solver: merge_points or none.",
            default="the strategy's, else merge_points",
            complete="merge_points none",
        ),
    ),
    "the solver and its limits": (
        Option(
            "--solver",
            "NAME",
            "The solver: auto, mip, {in_memory}; installed: {installed}; or 'command:…' with "
            "{{model}} and {{solution}}.",
            default="the strategy's, else auto",
            complete="auto mip {solvers}",
        ),
        Option(
            "--time-limit",
            "SECONDS",
            "Time limit in seconds of wall clock.",
            float,
            default="the strategy's, else none",
        ),
        Option(
            "--gap",
            "SHARE",
            "Stop at this relative gap.",
            float,
            default="the strategy's, else a proof",
        ),
        Option(
            "--threads",
            "N",
            "Maximum number of threads.",
            int,
            default="the strategy's, else the solver's own",
        ),
        Option(
            "--feasibility",
            "DISTANCE",
            "Feasibility tolerance of rows, 1e-10 to 1e-3.",
            float,
            default="the strategy's, else the solver's own",
        ),
    ),
    "where it begins": (
        Option(
            "--start",
            "NAME|FILE",
            "The start: search, cart, local_svm, svm_tree, none or a tree.json; may be repeated.",
            several=True,
            default="the strategy's, else search",
            complete="search cart local_svm svm_tree none *.json",
        ),
        Option(
            "--starts",
            "N",
            "Number of random points that Ipopt begins from.",
            int,
            default="the strategy's, else 10",
        ),
        Option(
            "--seed",
            "N",
            "Seed for the search, the solver and random starts.",
            int,
            default="the strategy's, else 0",
        ),
    ),
    "a proof by several processes": (
        Option(
            "--backend",
            "loky|dask",
            "Share it: with --threads processes here, or with a Dask cluster that exists.",
            default="none",
            complete="loky dask",
        ),
        Option(
            "--resume",
            "FOLDER",
            "Keep there what is proven, and go on from it.",
            Path,
            default="none",
            complete="*",
        ),
    ),
    "further trees": (
        Option(
            "--trees",
            "N",
            "Number of good trees to find; with -o a.json also a-2.json, ..., a-trees.csv.",
            int,
            default="1, with --within 10",
        ),
        Option(
            "--within",
            "SHARE",
            "How much worse they may be, as a share of the objective.",
            float,
            default="0.02",
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
            default="none",
            complete="*",
        ),
        Option(
            "--keep",
            "FOLDER",
            "Keep model, solution and log of an installed solver in a new folder.",
            Path,
            default="none",
            complete="*",
        ),
    ),
}

EXPORT = (
    Option(
        "--to",
        "TARGET",
        "What to write: ampl, cvxpy, gurobipy, pyomo or pyscipopt.",
        required=True,
        parameter="target",
        complete="ampl cvxpy gurobipy pyomo pyscipopt",
    ),
    Option(
        "-o --output",
        "FILE",
        "The script, .py or .mod for AMPL, or a folder.",
        Path,
        required=True,
        complete="*",
    ),
    PARAMETER,
    INCLUDE,
    TABLE,
    STAGE,
    EARLIER,
)
EXPLAIN = (
    TEXT_OUTPUT,
    Option(
        "--format",
        "NAME",
        "The format: text, md, html or latex.",
        parameter="format_",
        default="by the output's suffix, else text",
        complete="text md html latex",
    ),
    Option("--engine", "", "What the exact engines make of the spec, or what stands in their way."),
    PARAMETER,
    INCLUDE,
    TABLE,
)
PREDICT = (
    TEXT_OUTPUT,
    Option(
        "--leaf",
        "",
        "Add the number of the leaf: the root is 1, the children of t are 2t and 2t + 1.",
    ),
    Option("--proba", "", "Add the probability of each class."),
    SEPARATOR,
)
CONVERT = (
    Option(
        "-o --output",
        "FILE",
        f"The file: {either(SUFFIXES)}.",
        Path,
        default="the screen",
        complete=" ".join(f"*{suffix}" for suffix in SUFFIXES),
    ),
    Option(
        "--to",
        "|".join(TARGETS),
        "What to write.",
        parameter="target",
        default="by the output's suffix, rules on the screen",
    ),
    Option("--table", "NAME", "The table that the SQL query reads.", default="data"),
    Option(
        "--dialect",
        "NAME",
        "The database of the SQL query: postgres, duckdb, bigquery or another one of sqlglot.",
        default="standard SQL",
    ),
)
DATA_FILE = Option(
    "--data", "FILE", "The data file.", Path, default="where the tree's file says", complete=TABLES
)
BOUND = Option("--bound", "", "Solve the continuous relaxation for its bound.")
BOUND_CUTS = Option(
    "--cuts",
    "NAMES",
    "Families of cuts, separated by commas: the bounds without, with each and with all of them.",
    default="none",
)
TIME_LIMIT = Option(
    "--time-limit", "SECONDS", "Time limit in seconds of wall clock.", float, default="60"
)
WITH_DATA = Option("--data", "", "Also read the data and evaluate sets and parameters.")
CHECK_LAYOUT = Option("--check", "", "Change nothing; exit with 1 if a file would change.")
SOLUTION = Argument("solution", "What a solver wrote for the spec's model.", complete="*")
PICTURE = Option(
    "-o --output",
    "FILE",
    "A picture: .svg, .png, .pdf, .html, .dot or .txt.",
    Path,
    default="text on the screen",
    complete="*.svg *.png *.pdf *.html *.dot *.txt",
)
REPORT = (
    Option(
        "-o --output", "FILE", "The page to write, .html.", Path, required=True, complete="*.html"
    ),
    DATA_FILE,
    Option(
        "--progress",
        "FILE",
        "What `solve --log-json` wrote: the page shows how the gap closed.",
        Path,
        default="no chart",
        complete="*.json *.jsonl",
    ),
    Option("--rows", "", "List training rows of each node, at most 100; none are listed without."),
)
LABELLED = Argument("data", f"Labelled {ROWS}", required=False, complete=TABLES)
WHAT = Argument(
    "what",
    "formulations, modules, concepts, terms or specs. Default: all.",
    str,
    False,
    complete="formulations modules concepts terms specs",
)
NEW = Argument("data", f"New {ROWS}", complete=TABLES)
SHELL = Argument("shell", "bash, zsh or fish.", str, complete="bash zsh fish")


RUNS: dict[str, tuple[Option, ...]] = {
    "what varies": (
        Option(
            "--vary",
            "NAME=VALUES",
            "Values of a parameter, or data=a.csv,b.csv: 2,3 or 1..5. May be repeated.",
            several=True,
            default="none",
        ),
        PARAMETER,
        INCLUDE,
        TABLE,
    ),
    "every run": (
        Option(
            "--solver",
            "NAME",
            "The solver, as for solve.",
            default="the strategy's, else auto",
            complete="auto mip {solvers}",
        ),
        Option(
            "--time-limit", "SECONDS", "Time limit of each run.", float, default="the strategy's"
        ),
        Option("--gap", "SHARE", "Stop at this relative gap.", float, default="the strategy's"),
        Option(
            "--threads",
            "N",
            "Maximum number of threads of each run.",
            int,
            default="the strategy's",
        ),
    ),
    "where the runs go": (
        Option("--jobs", "N", "Number of runs at a time; -1: one for each core.", int, default="1"),
        Option(
            "--backend",
            "loky|dask|ray",
            "Processes here, or a cluster that exists.",
            default="loky",
        ),
    ),
    "output": (
        Option(
            "-o --output",
            "FOLDER",
            "Keep each run there; what is there is not run again.",
            Path,
            default="none, which sweep does not take",
            complete="*",
        ),
        Option(
            "--plot",
            "FILE",
            "A picture: .png, .svg or .pdf.",
            Path,
            default="none",
            complete="*.png *.svg *.pdf",
        ),
        JSON,
    ),
}
FOLDS: dict[str, tuple[Option, ...]] = {
    "folds": (
        Option("--folds", "K", "Number of folds, stratified by class.", int, default="5"),
        Option("--seed", "N", "Seed of the folds.", int, default="0"),
    ),
    **RUNS,
}


def _plain(*options: Option) -> dict[str, tuple[Option, ...]]:
    return {"options": options}


INIT = (
    Option(
        "-o --output",
        "FILE",
        "The spec to write.",
        Path,
        default="NAME.tree, here",
        complete="*.tree",
    ),
    Option("--label", "NAME", "The column with the classes.", default="guessed"),
    Option(
        "--formulation",
        "NAME",
        "A formulation of the library (treemip list formulations) or a .tree file.",
        default="oct, or binoct where oct has a warning; ort for numbers; prescriptive_ipw for "
        "treatments",
        complete="{formulations} *.tree",
    ),
    Option("--depth", "N", "Depth of the tree, 1 to 10.", int, default="2"),
    Option(
        "--treatment",
        "NAME",
        "The column with the treatment that each row received.",
        default="none",
    ),
    Option(
        "--outcome", "NAME", "The column with what came of it; larger is better.", default="none"
    ),
    Option(
        "--propensity",
        "NAME",
        "The column with the probability of the received treatment.",
        default="none",
    ),
    Option("--randomized", "", "Treatments were given at random, with the same probabilities."),
    Option(
        "--separator", "CHARACTER", "What separates the cells; a tab is \\t.", default="guessed"
    ),
    Option("--force", "", "Overwrite the spec if it exists."),
)

COMPARE: dict[str, tuple[Option, ...]] = {
    "what is compared": (
        Option(
            "--data",
            "FILES",
            "The tables, separated by commas. May be repeated.",
            required=True,
            several=True,
            complete=TABLES,
        ),
        Option("--depth", "DEPTHS", "Depths of the tree: 2,3 or 2..4.", default="2"),
        Option(
            "--label",
            "NAME",
            "The column with the classes, the same in all tables.",
            default="guessed for each table",
        ),
        Option(
            "--objective",
            "TEXT",
            "One objective for all, such as 'misclassified + 0.1 * splits'.",
            default="each formulation's own",
        ),
        INCLUDE,
    ),
    "folds": FOLDS["folds"],
    "every run": (
        Option(
            "--solver",
            "NAME",
            "The solver, as for solve.",
            default="auto",
            complete="auto mip {solvers}",
        ),
        Option("--time-limit", "SECONDS", "Time limit of each run.", float, default="60"),
        Option("--gap", "SHARE", "Stop at this relative gap.", float, default="a proof"),
        Option(
            "--threads",
            "N",
            "Maximum number of threads of each run.",
            int,
            default="the solver's own",
        ),
    ),
    "where the runs go": RUNS["where the runs go"],
    "output": (
        Option(
            "-o --output",
            "FOLDER",
            "Keep each run there, and write the tables; what is there is not run again.",
            Path,
            default="none",
            complete="*",
        ),
        JSON,
    ),
}
FORMULATIONS = Argument(
    "formulations",
    "Formulations separated by commas: names (treemip list formulations) or .tree files.",
    str,
    complete="{formulations} *.tree",
)

COMMANDS = {
    "init": Command("starting.init", (replace(LABELLED, required=True),), _plain(*INIT)),
    "compile": Command("compiling.compile_spec", (SPEC,), COMPILE, given=True),
    "export": Command("compiling.export", (SPEC,), _plain(*EXPORT)),
    "solve": Command("solving.solve", (SPEC,), SOLVE),
    "decode": Command(
        "solving.decode",
        (SPEC, SOLUTION),
        _plain(OUTPUT, PARAMETER, INCLUDE, TABLE, TARGET, IMPLICATIONS, STAGE, EARLIER, JSON),
    ),
    "sweep": Command("sweeping.sweep", (SPEC,), RUNS),
    "cv": Command("sweeping.cv", (SPEC,), FOLDS),
    "compare": Command("comparing.compare", (FORMULATIONS,), COMPARE),
    "verify": Command("trees.verify", (TREE,), _plain(DATA_FILE, INCLUDE, JSON)),
    "predict": Command("trees.predict", (TREE, NEW), _plain(*PREDICT)),
    "score": Command("trees.score", (TREE, LABELLED), _plain(SEPARATOR, JSON)),
    "show": Command("trees.show", (TREE,), _plain(PICTURE)),
    "report": Command("trees.report", (TREE,), _plain(*REPORT)),
    "convert": Command("trees.convert", (TREE,), _plain(*CONVERT)),
    "explain": Command("describing.explain", (SPEC,), _plain(*EXPLAIN)),
    "stats": Command(
        "describing.stats",
        (SPEC,),
        _plain(BOUND, BOUND_CUTS, IMPLICATIONS, PARAMETER, INCLUDE, TABLE, JSON),
    ),
    "diagnose": Command(
        "describing.diagnose", (SPEC,), _plain(TIME_LIMIT, PARAMETER, INCLUDE, TABLE, JSON)
    ),
    "check": Command("checking.check", (FILES,), _plain(PARAMETER, INCLUDE, WITH_DATA)),
    "fmt": Command("checking.fmt", (FILES,), _plain(CHECK_LAYOUT)),
    "list": Command("library.list_library", (WHAT,), _plain(JSON)),
    "completion": Command("completion.completion", (SHELL,), {}),
}

GROUPS = {
    "From a table to a spec": ("init",),
    "From a spec to a tree": ("compile", "export", "solve", "decode"),
    "Many trees": ("sweep", "cv", "compare"),
    "What a spec says": ("check", "explain", "stats", "diagnose", "fmt"),
    "A saved tree": ("show", "report", "verify", "predict", "score", "convert"),
    "The library": ("list",),
    "The shell": ("completion",),
}
"""The commands as the overview shows them."""

EXAMPLES = {
    "init": "treemip init customers.csv --label churn -o churn.tree",
    "compile": "treemip compile iris.tree -o iris.mps --for gurobi --start-file iris.mst",
    "export": "treemip export iris.tree --to pyomo -o iris.py",
    "solve": "treemip solve iris.tree -o tree.json --time-limit 60 -p eps=0.01",
    "decode": "treemip decode iris.tree iris.sol -o tree.json",
    "verify": "treemip verify tree.json",
    "sweep": "treemip sweep iris.tree --vary depth=1,2 --vary eps=0.001,0.005 -o runs",
    "cv": "treemip cv iris.tree --folds 5 --vary depth=1,2",
    "compare": "treemip compare oct,binoct,soct --data iris.csv,wine.csv --depth 2,3 -o study",
    "predict": "treemip predict tree.json new.csv -o classes.csv --proba",
    "show": "treemip show tree.json -o tree.svg",
    "report": "treemip report tree.json -o report.html",
    "score": "treemip score tree.json labelled.csv",
    "convert": "treemip convert tree.json -o tree.py",
    "explain": "treemip explain iris.tree -o iris.html",
    "stats": "treemip stats iris.tree --bound",
    "diagnose": "treemip diagnose iris.tree --time-limit 30",
    "check": "treemip check iris.tree --data",
    "fmt": "treemip fmt *.tree",
    "list": "treemip list formulations",
    "completion": "treemip completion zsh",
}

IN_THE_SPEC = {
    "--label": 'the spec names the label: data "file.csv" { label class; }; for a first spec: '
    "treemip init file.csv --label class",
    "--depth": "the spec gives the depth; set it with -p depth=3",
    "--formulation": "the spec names the formulation: split oblique by soct;",
    "--train": "the spec sets the training part: train 0.75 seed 1;  in the data block",
    "--seed": "set the seed of the training part with -p seed=1; the solver's stands in "
    "strategy { seed 1; }",
}
"""Options that users expect and no command has, with the statement that has their place."""


def instead(command: str, option: str) -> str:
    """What to write in place of an unknown option of a command, or an empty string."""
    if command == "cv" and option == "--stratified":
        return "leave it out: folds are always stratified by class"
    return IN_THE_SPEC.get(option, "")
