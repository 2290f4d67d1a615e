"""The commands with their arguments and options: one table, from which `parser.py` reads command
lines and prints help, `completion.py` makes scripts for shells, and `make docs` the tables of
docs/cli.md.

`option_lines.py` says how a line is written, `shared_options.py` has those of several commands.
"""

from __future__ import annotations

from treemip.cli.option_lines import Argument, Command
from treemip.cli.shared_options import (
    CHOSEN,
    DATA_FILE,
    DRAWN,
    FILES,
    FOLDS,
    IMPLICATIONS,
    INCLUDE,
    JSON,
    OUTPUT,
    ROWS,
    RUNS,
    SEPARATOR,
    SMOOTHING,
    SOLVERS,
    SPEC,
    SPEC_FILE,
    STAGE,
    STARTS,
    TABLES,
    TARGET,
    TEXT_OUTPUT,
    TREE_FILE,
    TUNED,
    WHERE_RUNS_GO,
    of_each_run,
    of_solve,
)
from treemip.writers.convert.targets import SUFFIXES, TARGETS, either

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
    "tune": Command(
        "tuning.tune",
        MANY,
        "Choose a spec's depth and complexity by cross-validation.",
        "treemip tune iris.tree -o iris.json",
        (SPEC_FILE,),
        {
            "what varies": {
                "--vary NAME=VALUES...": "Values of a parameter: 2,3 or 1..5. May be repeated. "
                "Default: depths, and prices of a split.",
                **SPEC,
            },
            "how it is chosen": {**CHOSEN, "--rows N": f"{DRAWN} 0."},
            "every run": {
                line: text
                for line, text in of_each_run(*["the strategy's"] * 4).items()
                if not line.startswith("--time-limit")
            },
            "where the runs go": WHERE_RUNS_GO,
            "output": {"-o --output FILE": "The tree.json to write. Default: none.", **TUNED},
        },
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
    "show": Command(
        "showing.show",
        SAVED,
        "Draw a saved tree.",
        "treemip show tree.json -o tree.svg",
        (TREE_FILE,),
        {
            "-o --output FILE  *.svg *.png *.pdf *.html *.dot *.txt": "A picture: .svg, .png, .pdf,"
            " .html, .dot or .txt. Default: text on the screen.",
            "--title TEXT": "A line above the tree. Default: none.",
            "--note TEXT": "A line below the tree. Default: none.",
            "--size WIDTHxHEIGHT": "Scale the picture to fit so many pixels; 1200 and x800 are "
            "widths and heights alone. A PNG has exactly these. Default: its own size.",
            "--palette colour|grey": "Colours of classes. Default: colour, which colour-blind "
            "readers can tell apart.",
            "--language en|de|fr": "Language of the picture's words. Default: en.",
            "--word NAME=TEXT...": "A text of your own in place of a word, such as "
            "points=customers. May be repeated. Default: the language's.",
            "--digits N": "Digits of numbers. Default: 5.",
            "--depth N": "Levels of splits that are shown. Default: all.",
            "--unit TEXT": "Unit of the label, outcome or time, such as EUR. Default: none.",
        },
    ),
    "report": Command(
        "showing.report",
        SAVED,
        "Write a page about a saved tree that needs no network.",
        "treemip report tree.json -o report.html",
        (TREE_FILE,),
        {
            "-o --output FILE  *.html": "The page to write, .html.",
            **DATA_FILE,
            "--progress FILE  *.json *.jsonl": "What `solve --log-json` wrote: the page shows how "
            "the gap closed. Default: no chart.",
            "--title TEXT": "The heading. Default: the names of the spec and its data.",
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
            **SMOOTHING,
            **SEPARATOR,
        },
    ),
    "score": Command(
        "trees.score",
        SAVED,
        "Score a saved tree on labelled rows.",
        "treemip score tree.json labelled.csv",
        (TREE_FILE, Argument("data", f"Labelled {ROWS}", TABLES, required=False)),
        {
            "--positive CLASS": "The class whose probabilities are measured. Default: the spec's, "
            "else the second of two; of more each.",
            "--weights COLUMN": "The column of weights by which measures of probabilities count "
            "the rows. Default: each counts one.",
            "--bins N": "Bins of calibration and gains. Default: 10.",
            **SMOOTHING,
            **SEPARATOR,
            **JSON,
        },
    ),
    "diff": Command(
        "life.diff",
        SAVED,
        "Say what differs between two saved trees.",
        "treemip diff old.json new.json -o diff.svg",
        (
            Argument("old", "The older tree.json.", "*.json"),
            Argument("new", "The newer tree.json.", "*.json"),
        ),
        {
            f"--data FILE  {TABLES}": "Rows to compare the answers on. Default: the data that the "
            "new tree records.",
            "-o --output FILE  *.svg *.html": "Both trees side by side, .svg or .html. Default: "
            "none.",
            "--by COLUMN": "Count changed answers for each value of this column too. Default: "
            "none.",
            **SEPARATOR,
            **JSON,
        },
    ),
    "drift": Command(
        "life.drift",
        SAVED,
        "Compare new rows with those that a tree was learned from.",
        "treemip drift tree.json new.csv --time month",
        (TREE_FILE, Argument("data", f"New {ROWS}", TABLES)),
        {
            "--by COLUMN": "Score the rows of each value of this column too. Default: none.",
            "--time COLUMN": "The same for a column of times, such as months. Default: none.",
            **SEPARATOR,
            **JSON,
        },
    ),
    "card": Command(
        "life.card",
        SAVED,
        "Write a model card of a saved tree.",
        "treemip card tree.json -o card.md",
        (TREE_FILE,),
        TEXT_OUTPUT,
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
            **SMOOTHING,
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
