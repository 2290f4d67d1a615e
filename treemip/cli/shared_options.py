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


def of_solve(name: str, proposed: str = "") -> Lines:
    """A line for an option of `Compiled.solve`, as all doors have it."""
    one = OPTIONS[name]
    repeated = "..." if name == "start" else ""
    spelling = f"--{name.replace('_', '-')} {one.placeholder}{repeated}  {proposed}".rstrip()
    return {spelling: f"{one.help} Default: the strategy's, else {one.default}."}


WHERE_RUNS_GO = {
    "--jobs N": "Number of runs at a time; -1: one for each core. Default: 1.",
    "--backend loky|dask|ray": "Processes here, or a cluster that exists. Default: loky.",
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
    "the best. Default: 1se, and best where values are chosen on drawn rows.",
    "--time-limit SECONDS": "Seconds for all runs together. Default: 60.",
}
TUNED = {
    "--folder FOLDER": "Keep each run there; what is there is not run again. Default: none.",
    "--plot FILE  *.png *.svg *.pdf": "A picture: .png, .svg or .pdf. Default: none.",
    **JSON,
}

SPEC_FILE = Argument("spec", "A .tree file.", "*.tree")
FILES = Argument("file", ".tree files.", "*.tree", several=True)
ROWS = "rows: a CSV or Parquet file with a header."
