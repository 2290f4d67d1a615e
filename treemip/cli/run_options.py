"""The commands that solve many times, with their arguments and options: a part of the table in
`options.py`."""

from __future__ import annotations

from treemip.cli.option_lines import Argument, Command, Lines
from treemip.cli.shared_options import (
    CHOSEN,
    DRAWN,
    FOLDS,
    INCLUDE,
    JSON,
    SOLVERS,
    SPEC,
    SPEC_FILE,
    TABLES,
    TUNED,
    WHERE_RUNS_GO,
)

MANY = "Many trees"


def of_each_run(solver: str, time_limit: str, gap: str, threads: str) -> Lines:
    """The options of a solve that belong to each of many runs, with their defaults."""
    return {
        f"--solver NAME  {SOLVERS}": f"The solver, as for solve. Default: {solver}.",
        "--time-limit SECONDS": f"Time limit of each run. Default: {time_limit}.",
        "--gap SHARE": f"Stop at this relative gap. Default: {gap}.",
        "--threads N": f"Maximum number of threads of each run. Default: {threads}.",
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

OF_RUNS = {
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
}
