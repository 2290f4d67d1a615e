"""The commands with their arguments and options: one table, from which `parser.py` reads command
lines and prints help, `completion.py` makes scripts for shells, and `make docs` the tables of
docs/cli.md.

Two of its parts have files: `run_options.py` the commands that solve many times, and
`saved_tree_options.py` those on saved trees. `option_lines.py` says how a line is written,
`shared_options.py` has those of several commands.
"""

from __future__ import annotations

from treemip.cli.option_lines import Argument, Command
from treemip.cli.run_options import OF_RUNS
from treemip.cli.saved_tree_options import OF_SAVED_TREES
from treemip.cli.shared_options import (
    CHOSEN,
    DRAWN,
    FILES,
    IMPLICATIONS,
    JSON,
    OUTPUT,
    ROWS,
    SEPARATOR,
    SOLVERS,
    SPEC,
    SPEC_FILE,
    STAGE,
    STARTS,
    TABLES,
    TARGET,
    TEXT_OUTPUT,
    TUNED,
    WHERE_RUNS_GO,
    of_solve,
)

FROM_TABLE, TO_TREE = "From a table to a spec", "From a spec to a tree"
SAYS = "What a spec says"

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
            "ort for numbers; prescriptive_ipw for treatments; ost for times of events.",
            "--depth N": "Depth of the tree, 1 to 10. Default: 2.",
            "--treatment NAME": "The column with the treatment that each row received. Default: "
            "none.",
            "--outcome NAME": "The outcome column; larger is better. Default: none.",
            "--propensity NAME": "The column with the probability of the received treatment. "
            "Default: none.",
            "--randomized": "Treatments were given at random, with the same probabilities.",
            "--time NAME": "The column with the time at which each row was last observed, for a "
            "survival tree. Default: guessed with --event or a survival formulation.",
            "--event NAME": "The column with 1 where the event happened at that time, else 0. "
            "Default: as for --time.",
            "--separator CHARACTER": "What separates the cells; a tab is \\t. Default: guessed.",
            "--force": "Overwrite the spec if it exists.",
        },
    ),
    "count": Command(
        "counting.count",
        FROM_TABLE,
        "Count equal rows of tables of any size.",
        "treemip count rows/ --label churn -o counted.parquet",
        (Argument("data", f"Files or folders of {ROWS}", TABLES, several=True),),
        {
            "what is counted": {
                "--label NAME": "The column with the label.",
                "--use NAME...": "A column to split on. May be repeated. Default: all.",
                "--drop NAME...": "A column that is left out. May be repeated. Default: none.",
                "--weight NAME": "A column that says how many rows each row stands for. Default: "
                "1 each.",
                "--bins N": "Bins of numbers that have more values, of about equally many rows. "
                "Default: 8.",
                "--missing WORD...": "A word for a missing value, such as ?. May be repeated. "
                "Default: the empty cell.",
                **SEPARATOR,
            },
            "where files are read": {
                **WHERE_RUNS_GO,
                "--jobs N": "Number of files at a time; -1: one for each core. Default: 1.",
            },
            "output": {
                "-o --output FILE  *.csv *.parquet": "The counted table, CSV or Parquet. A spec is "
                "written beside it: NAME.tree.",
                "--force": "Overwrite them if they exist.",
            },
        },
    ),
    "fit": Command(
        "tuning.fit",
        FROM_TABLE,
        "From a table to a tuned and verified tree.",
        "treemip fit customers.csv --label churn -o churn.json",
        (Argument("data", f"Labelled {ROWS}", TABLES),),
        {
            "the table": {
                "--label NAME": "The column with the label. Default: guessed.",
                "--formulation NAME  {formulations} *.tree": "A formulation of the library or a "
                ".tree file. Default: as for init.",
                "--separator CHARACTER": "What separates the cells; a tab is \\t. Default: "
                "guessed.",
            },
            "how it is chosen": {**CHOSEN, "--rows N": f"{DRAWN} 5000."},
            "where the runs go": WHERE_RUNS_GO,
            "output": {
                "-o --output FILE": "The tree.json to write. Default: none.",
                "--spec FILE  *.tree": "Write the spec with the chosen values. Default: none.",
                "--force": "Overwrite the spec if it exists.",
                **TUNED,
            },
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
    **OF_RUNS,
    "check": Command(
        "checking.check",
        SAYS,
        "Find all that is wrong in specs.",
        "treemip check iris.tree --data",
        (FILES,),
        {
            **{name: text for name, text in SPEC.items() if not name.startswith("--data")},
            "--data": "Also read the data and evaluate sets and parameters.",
            **JSON,
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
            "-o --output FOLDER": "Save the best tree for each relaxation there, NAME.json. "
            "Default: none.",
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
    "playground": Command(
        "serving.playground",
        SAYS,
        "Serve a page to write specs and solve them.",
        "treemip playground",
        (),
        {
            "--host NAME": "The address to listen on; one beyond this machine needs --public. "
            "Default: 127.0.0.1.",
            "--port N": "The port; 0 is a free one. Default: 8137.",
            "--seconds SECONDS": "How long a solve may take. Default: 60.",
            "--megabytes N": "How large an uploaded table may be. Default: 10.",
            "--workers N": "Solves at a time. Default: one for each core.",
            "--public": "Serve others than this machine: whoever reaches the port may solve.",
        },
    ),
    "mcp": Command(
        "serving.mcp",
        SAYS,
        "Serve treemip to an assistant.",
        "treemip mcp --folder tables",
        (),
        {
            "--folder FOLDER": "The tables and specs that may be read. Default: the current one.",
            "--seconds SECONDS": "Time limit of each solve. Default: 60.",
        },
    ),
    **OF_SAVED_TREES,
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
