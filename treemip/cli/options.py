"""The commands with their arguments and options: one table, from which `parser.py` reads command
lines and prints help, `completion.py` makes scripts for shells, and `make docs` the tables of
docs/cli.md.

`option_lines.py` says how a line is written.
"""

from __future__ import annotations

from treemip.cli.option_lines import Argument, Command, Lines
from treemip.core.resolve.settings.solve_options import OPTIONS
from treemip.writers.convert.targets import SUFFIXES, TARGETS, either

# ---------------------------------------------------------------------- options of several commands

TABLES = "*.csv *.tsv *.tab *.txt *.parquet *.pq *.gz"
SOLVERS = "auto mip {solvers}"
STARTS = "search cart local_svm svm_tree"

SPEC: Lines = {
    "-p NAME=VALUE...": "Set a parameter, overriding the spec. May be repeated. Default: the "
    "spec's value.",
    "-I --include FOLDER...": "A folder to look for modules in, after the spec's own. May be "
    "repeated. Default: the folders of TREEMIP_PATH.",
    f"--data FILE  {TABLES}": "The table to use in place of the spec's. Default: the spec's.",
}
INCLUDE = {name: text for name, text in SPEC.items() if name.startswith("-I")}
OUTPUT = {"-o --output FILE": "The file to write. Default: none."}
TEXT_OUTPUT = {"-o --output FILE": "The file to write. Default: stdout."}
JSON = {"--json": "Print the result as JSON."}
TARGET = {
    "--for SOLVER  {profiles}": "Write the model for this solver's reader. Default: portable.",
}
IMPLICATIONS = {
    "--implications big_m|indicator|sos1": "State all implications this way. Default: as the spec "
    "says.",
}
STAGE = {
    "--stage K": "Use the Kth objective. Default: the only one.",
    "--earlier VALUES": "Values of the objectives before --stage, separated by commas. Default: "
    "none.",
}
SEPARATOR = {
    "--separator CHARACTER": "What separates the cells; a tab is \\t. Default: a comma.",
}
DATA_FILE = {f"--data FILE  {TABLES}": "The data file. Default: where the tree's file says."}


def of_solve(name: str, proposed: str = "") -> Lines:
    """A line for an option of `Compiled.solve`, as all doors have it."""
    one = OPTIONS[name]
    repeated = "..." if name == "start" else ""
    spelling = f"--{name.replace('_', '-')} {one.placeholder}{repeated}  {proposed}".rstrip()
    return {spelling: f"{one.help} Default: the strategy's, else {one.default}."}


def of_each_run(solver: str, time_limit: str, gap: str, threads: str) -> Lines:
    """The options of a solve that belong to each of many runs, with their defaults."""
    return {
        f"--solver NAME  {SOLVERS}": f"The solver, as for solve. Default: {solver}.",
        "--time-limit SECONDS": f"Time limit of each run. Default: {time_limit}.",
        "--gap SHARE": f"Stop at this relative gap. Default: {gap}.",
        "--threads N": f"Maximum number of threads of each run. Default: {threads}.",
    }


WHERE_RUNS_GO = {
    "--jobs N": "Number of runs at a time; -1: one for each core. Default: 1.",
    "--backend loky|dask|ray": "Processes here, or a cluster that exists. Default: loky.",
}
RUNS: dict[str, Lines] = {
    "what varies": {
        "--vary NAME=VALUES...": "Values of a parameter, or data=a.csv,b.csv: 2,3 or 1..5. May be "
        "repeated. Default: none.",
        **SPEC,
    },
    "every run": of_each_run("the strategy's, else auto", *["the strategy's"] * 3),
    "where the runs go": WHERE_RUNS_GO,
    "output": {
        "-o --output FOLDER": "Keep each run there; what is there is not run again. Default: none, "
        "which sweep does not take.",
        "--plot FILE  *.png *.svg *.pdf": "A picture: .png, .svg or .pdf. Default: none.",
        **JSON,
    },
}
FOLDS = {
    "--folds K": "Number of folds, stratified by class. Default: 5.",
    "--seed N": "Seed of the folds. Default: 0.",
}

SPEC_FILE = Argument("spec", "A .tree file.", "*.tree")
TREE_FILE = Argument("tree", "A tree.json that `solve` or `decode` wrote.", "*.json")
FILES = Argument("file", ".tree files.", "*.tree", several=True)
ROWS = "rows: a CSV or Parquet file with a header."

# --------------------------------------------------------------------------------- the commands

FROM_TABLE, TO_TREE, MANY = "From a table to a spec", "From a spec to a tree", "Many trees"
SAYS, SAVED = "What a spec says", "A saved tree"

COMMANDS = {
    "init": Command(
        "starting.init",
        FROM_TABLE,
        "Write a first spec that fits a table.",
        "treemip init customers.csv --label churn -o churn.tree",
        (Argument("data", f"Labelled {ROWS}", TABLES),),
        {
            "-o --output FILE  *.tree": "The spec to write. Default: NAME.tree, here.",
            "--label NAME": "The column with the classes. Default: guessed.",
            "--formulation NAME  {formulations} *.tree": "A formulation of the library (treemip "
            "list formulations) or a .tree file. Default: oct, or binoct where oct has a warning; "
            "ort for numbers; prescriptive_ipw for treatments.",
            "--depth N": "Depth of the tree, 1 to 10. Default: 2.",
            "--treatment NAME": "The column with the treatment that each row received. Default: "
            "none.",
            "--outcome NAME": "The outcome column; larger is better. Default: none.",
            "--propensity NAME": "The column with the probability of the received treatment. "
            "Default: none.",
            "--randomized": "Treatments were given at random, with the same probabilities.",
            "--separator CHARACTER": "What separates the cells; a tab is \\t. Default: guessed.",
            "--force": "Overwrite the spec if it exists.",
        },
    ),
    "compile": Command(
        "compiling.compile_spec",
        TO_TREE,
        "Write a spec's model for any solver.",
        "treemip compile iris.tree -o iris.mps --for gurobi --start-file iris.mst",
        (SPEC_FILE,),
        {
            "the model": {
                "-o --output FILE": "The model: .mps, .lp or .mof.json, also with .gz, or .nl. "
                "Default: none, with --stop-after.",
                **SPEC,
                **TARGET,
                **IMPLICATIONS,
                **STAGE,
                "--cuts NAMES": "Names of the families of cuts to add, separated by commas. "
                "Default: those of the spec's strategy.",
                "--cuts-as rows|lazy|user": "Cuts as ordinary rows, lazy constraints or user cuts. "
                "Default: rows.",
                "--names spec|short": "Names from the spec, such as go_left(3,1), or short ones. "
                "Default: spec.",
                "--fixed": "MPS in fixed columns, for old readers.",
            },
            "files beside it": {
                "--map FILE": "Write a JSON file that says what each name stands for. Default: "
                "none.",
                f"--start NAME|FILE  {STARTS} *.json": "The start to write: search, cart, "
                "local_svm, svm_tree or a tree.json. Default: search.",
                "--start-file FILE": "Write the start, in the format of --for. Default: none.",
                "--priorities FILE": "Write the strategy's branching priorities, in the format of "
                "--for. Default: none.",
            },
            "output": {
                "--stop-after parse|resolve|bind|lower|reform": "Show this stage as text and write "
                "no model. Default: none.",
                **JSON,
            },
        },
        given=True,
    ),
    "export": Command(
        "compiling.export",
        TO_TREE,
        "Write a spec as a program of its own.",
        "treemip export iris.tree --to pyomo -o iris.py",
        (SPEC_FILE,),
        {
            "--to TARGET  ampl cvxpy gurobipy pyomo pyscipopt": "What to write: ampl, cvxpy, "
            "gurobipy, pyomo or pyscipopt.",
            "-o --output FILE": "The script, .py or .mod for AMPL, or a folder.",
            **SPEC,
            **STAGE,
        },
    ),
    "solve": Command(
        "solving.solve",
        TO_TREE,
        "Solve a spec for its verified tree.",
        "treemip solve iris.tree -o tree.json --time-limit 60 -p eps=0.01",
        (SPEC_FILE,),
        {
            "the model": {**SPEC, **IMPLICATIONS, **of_solve("presolve", "merge_points none")},
            "the solver and its limits": {
                **of_solve("solver", SOLVERS),
                **of_solve("time_limit"),
                **of_solve("gap"),
                **of_solve("threads"),
                **of_solve("feasibility"),
            },
            "where it begins": {
                **of_solve("start", f"{STARTS} none *.json"),
                **of_solve("starts"),
                **of_solve("seed"),
            },
            "a proof by several processes": {
                "--backend loky|dask": "Share it: with --threads processes here, or with a Dask "
                "cluster that exists. Default: none.",
                "--resume FOLDER": "Keep there what is proven, and go on from it. Default: none.",
            },
            "further trees": {
                "--trees N": "Number of good trees to find; with -o a.json also a-2.json, ..., "
                "a-trees.csv. Default: 1, with --within 10.",
                "--within SHARE": "How much worse they may be, as a share of the objective. "
                "Default: 0.02.",
            },
            "output": {
                **OUTPUT,
                **JSON,
                "--log": "Show the solver's own log; with --json on stderr.",
                "--log-json FILE": "Write the progress to a file, one JSON object a line. Default: "
                "none.",
                "--keep FOLDER": "Keep model, solution and log of an installed solver in a new "
                "folder. Default: none.",
            },
        },
    ),
    "decode": Command(
        "solving.decode",
        TO_TREE,
        "Read the tree out of a solution file.",
        "treemip decode iris.tree iris.sol -o tree.json",
        (SPEC_FILE, Argument("solution", "What a solver wrote for the spec's model.", "*")),
        {**OUTPUT, **SPEC, **TARGET, **IMPLICATIONS, **STAGE, **JSON},
    ),
    "sweep": Command(
        "sweeping.sweep",
        MANY,
        "Solve a spec with every combination of values.",
        "treemip sweep iris.tree --vary depth=1,2 --vary eps=0.001,0.005 -o runs",
        (SPEC_FILE,),
        RUNS,
    ),
    "cv": Command(
        "sweeping.cv",
        MANY,
        "Cross-validate a spec.",
        "treemip cv iris.tree --folds 5 --vary depth=1,2",
        (SPEC_FILE,),
        {"folds": FOLDS, **RUNS},
    ),
    "compare": Command(
        "comparing.compare",
        MANY,
        "Compare formulations, of the library or your own.",
        "treemip compare oct,binoct,soct --data iris.csv,wine.csv --depth 2,3 -o study",
        (
            Argument(
                "formulations",
                "Formulations separated by commas: names (treemip list formulations) or .tree "
                "files.",
                "{formulations} *.tree",
                str,
            ),
        ),
        {
            "what is compared": {
                f"--data FILES...  {TABLES}": "The tables, separated by commas. May be repeated.",
                "--depth DEPTHS": "Depths of the tree: 2,3 or 2..4. Default: 2.",
                "--label NAME": "The column with the classes, the same in all tables. Default: "
                "guessed for each table.",
                "--objective TEXT": "One objective for all, such as 'misclassified + 0.1 * splits'."
                " Default: each formulation's own.",
                **INCLUDE,
            },
            "folds": FOLDS,
            "every run": of_each_run("auto", "60", "a proof", "the solver's own"),
            "where the runs go": WHERE_RUNS_GO,
            "output": {
                "-o --output FOLDER": "Keep each run there, and write the tables; what is there is "
                "not run again. Default: none.",
                **JSON,
            },
        },
    ),
    "check": Command(
        "checking.check",
        SAYS,
        "Find all that is wrong in specs.",
        "treemip check iris.tree --data",
        (FILES,),
        {
            **{name: text for name, text in SPEC.items() if not name.startswith("--data")},
            "--data": "Also read the data and evaluate sets and parameters.",
        },
    ),
    "explain": Command(
        "describing.explain",
        SAYS,
        "Say what a spec states and becomes.",
        "treemip explain iris.tree -o iris.html",
        (SPEC_FILE,),
        {
            **TEXT_OUTPUT,
            "--format NAME  text md html latex": "The format: text, md, html or latex. Default: by "
            "the output's suffix, else text.",
            "--engine": "What the exact engines make of the spec, or what stands in their way.",
            **SPEC,
        },
    ),
    "stats": Command(
        "describing.stats",
        SAYS,
        "Sizes of the compiled model.",
        "treemip stats iris.tree --bound",
        (SPEC_FILE,),
        {
            "--bound": "Solve the continuous relaxation for its bound.",
            "--cuts NAMES": "Families of cuts, separated by commas: the bounds without, with each "
            "and with all of them. Default: none.",
            **IMPLICATIONS,
            **SPEC,
            **JSON,
        },
    ),
    "diagnose": Command(
        "describing.diagnose",
        SAYS,
        "Say which requirements of a spec without solution exclude each other.",
        "treemip diagnose iris.tree --time-limit 30",
        (SPEC_FILE,),
        {
            "--time-limit SECONDS": "Time limit in seconds of wall clock. Default: 60.",
            **SPEC,
            **JSON,
        },
    ),
    "fmt": Command(
        "checking.fmt",
        SAYS,
        "Lay .tree files out, in place. Comments stay.",
        "treemip fmt *.tree",
        (FILES,),
        {"--check": "Change nothing; exit with 1 if a file would change."},
    ),
    "lsp": Command(
        "serving.lsp",
        SAYS,
        "Serve .tree files to an editor.",
        "treemip lsp",
        (),
        {
            "--stdio": "Speak on standard input and output, as without an option.",
            "--tcp N": "Wait for one client on this port of this machine. Default: none.",
        },
    ),
    "show": Command(
        "trees.show",
        SAVED,
        "Draw a saved tree.",
        "treemip show tree.json -o tree.svg",
        (TREE_FILE,),
        {
            "-o --output FILE  *.svg *.png *.pdf *.html *.dot *.txt": "A picture: .svg, .png, .pdf,"
            " .html, .dot or .txt. Default: text on the screen.",
        },
    ),
    "report": Command(
        "trees.report",
        SAVED,
        "Write a page about a saved tree that needs no network.",
        "treemip report tree.json -o report.html",
        (TREE_FILE,),
        {
            "-o --output FILE  *.html": "The page to write, .html.",
            **DATA_FILE,
            "--progress FILE  *.json *.jsonl": "What `solve --log-json` wrote: the page shows how "
            "the gap closed. Default: no chart.",
            "--rows": "List training rows of each node, at most 100; none are listed without.",
        },
    ),
    "verify": Command(
        "trees.verify",
        SAVED,
        "Check a saved tree again.",
        "treemip verify tree.json",
        (TREE_FILE,),
        {**DATA_FILE, **INCLUDE, **JSON},
    ),
    "predict": Command(
        "trees.predict",
        SAVED,
        "Predict the class or value of each row.",
        "treemip predict tree.json new.csv -o classes.csv --proba",
        (TREE_FILE, Argument("data", f"New {ROWS}", TABLES)),
        {
            **TEXT_OUTPUT,
            "--leaf": "Add the number of the leaf: the root is 1, the children of t are 2t and 2t "
            "+ 1.",
            "--proba": "Add the probability of each class.",
            **SEPARATOR,
        },
    ),
    "score": Command(
        "trees.score",
        SAVED,
        "Score a saved tree on labelled rows.",
        "treemip score tree.json labelled.csv",
        (TREE_FILE, Argument("data", f"Labelled {ROWS}", TABLES, required=False)),
        {**SEPARATOR, **JSON},
    ),
    "convert": Command(
        "trees.convert",
        SAVED,
        "Write a saved tree in another language.",
        "treemip convert tree.json -o tree.py",
        (TREE_FILE,),
        {
            f"-o --output FILE  {' '.join(f'*{suffix}' for suffix in SUFFIXES)}": "The file: "
            f"{either(SUFFIXES)}. Default: the screen.",
            f"--to {'|'.join(TARGETS)}": "What to write. Default: by the output's suffix, rules on "
            "the screen.",
            "--table NAME": "The table that the SQL query reads. Default: data.",
            "--dialect NAME": "The database of the SQL query: postgres, duckdb, bigquery or "
            "another one of sqlglot. Default: standard SQL.",
        },
    ),
    "formulations": Command(
        "library.choose",
        "The library",
        "Say what each formulation is for, or all about one.",
        "treemip formulations oct",
        (
            Argument(
                "name",
                "A formulation of the library, or a .tree file. Default: all.",
                "{formulations} *.tree",
                str,
                required=False,
            ),
        ),
        JSON,
    ),
    "example": Command(
        "examples.example",
        "The library",
        "Copy a shipped example with its data.",
        "treemip example credit -o first",
        (
            Argument(
                "name",
                "The example, as listed without a name. Default: list them.",
                "{examples}",
                str,
                required=False,
            ),
        ),
        {
            "-o --output FOLDER": "Where to copy it. Default: the current folder.",
            "--force": "Overwrite files that are there and differ.",
            **JSON,
        },
    ),
    "list": Command(
        "library.list_library",
        "The library",
        "List the library.",
        "treemip list formulations",
        (
            Argument(
                "what",
                "formulations, modules, concepts, terms or specs. Default: all.",
                "formulations modules concepts terms specs",
                str,
                required=False,
            ),
        ),
        JSON,
    ),
    "completion": Command(
        "completion.completion",
        "The shell",
        "Print a completion script for a shell.",
        "treemip completion zsh",
        (Argument("shell", "bash, zsh or fish.", "bash zsh fish", str),),
        {},
    ),
}
"""In the order of the overview."""

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
