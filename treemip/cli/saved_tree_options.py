"""The commands on a saved tree, with their arguments and options: a part of the table in
`options.py`."""

from __future__ import annotations

from treemip.cli.option_lines import Argument, Command
from treemip.cli.shared_options import (
    INCLUDE,
    JSON,
    ROWS,
    SEPARATOR,
    TABLES,
    TEXT_OUTPUT,
)
from treemip.writers.convert.targets import SUFFIXES, TARGETS, either

SAVED = "A saved tree"

TREE_FILE = Argument("tree", "A tree.json that `solve` or `decode` wrote.", "*.json")
DATA_FILE = {f"--data FILE  {TABLES}": "The data file. Default: where the tree's file says."}
SMOOTHING = {
    "--smoothing S": "Smooth the shares of training points: 1 is Laplace's correction, m=5 the "
    "m-estimate. Default: 0.",
}

OF_SAVED_TREES = {
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
}
