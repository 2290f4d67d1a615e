"""Arguments and options that several commands have, each written once."""

from __future__ import annotations

from treemip.cli.option_lines import Argument, Lines
from treemip.core.resolve.settings.solve_options import OPTIONS

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
SMOOTHING = {
    "--smoothing S": "Smooth the shares of training points: 1 is Laplace's correction, m=5 the "
    "m-estimate. Default: 0.",
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
DRAWN = (
    "How many rows of a larger table depth and complexity are chosen on, drawn by the seed and "
    "stratified by class; 0: all. Default:"
)
CHOSEN = {
    **FOLDS,
    "--groups COLUMN": "A column whose values are each in one fold. Default: none.",
    "--time COLUMN": "A column of numbers or dates: each fold is learned from what comes before "
    "it. Default: none.",
    "--rule 1se|best": "The fewest splits within one standard error of the best mean score, or "
    "the best. Default: 1se.",
    "--time-limit SECONDS": "Seconds for all runs together. Default: 60.",
}
TUNED = {
    "--folder FOLDER": "Keep each run there; what is there is not run again. Default: none.",
    "--plot FILE  *.png *.svg *.pdf": "A picture: .png, .svg or .pdf. Default: none.",
    **JSON,
}

SPEC_FILE = Argument("spec", "A .tree file.", "*.tree")
TREE_FILE = Argument("tree", "A tree.json that `solve` or `decode` wrote.", "*.json")
FILES = Argument("file", ".tree files.", "*.tree", several=True)
ROWS = "rows: a CSV or Parquet file with a header."
