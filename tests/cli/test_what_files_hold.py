"""docs/privacy.md: no file that treemip writes tells where it was written or by whom, rows are in
those alone that the page says, and the page lists every kind of file."""

from __future__ import annotations

import gzip
import pickle
import re
import zlib
from pathlib import Path

import pytest

import treemip
from treemip.cli.options import COMMANDS
from treemip.core.files.model_files import FORMATS
from treemip.writers.convert.targets import TARGETS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
TABLE = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| `")
]
TOLD = b"telltale"
ROW = b"31007.625"
"""A number of a row that is on no split, written as it is in the file."""

PICTURES = ("svg", "png", "pdf", "html", "dot", "txt")
TEXTS = ("txt", "md", "html", "tex")
SPEC = """\
data "people.csv" { label class; id name; group town; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below a user's home, all of whose names tell; the current one."""
    home = tmp_path / "telltale_home" / "telltale_user"
    folder = home / "telltale_project"
    folder.mkdir(parents=True)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in ("USER", "LOGNAME", "USERNAME"):
        monkeypatch.setenv(name, "telltale_user")
    monkeypatch.chdir(folder)
    rows = [f"person{k},{31000 + k}.625,{'ab'[k % 2]},{'ny'[k > 9]}" for k in range(20)]
    Path("people.csv").write_text("\n".join(["name,income,town,class", *rows]) + "\n")
    Path("spec.tree").write_text(SPEC)
    return folder


def commands(here: Path) -> dict[str, list[list[object]]]:
    """Command lines with absolute paths that write each kind of file of the page."""
    spec, data, tree = here / "spec.tree", here / "people.csv", here / "tree.json"
    made: dict[str, list[list[object]]] = {
        "init": [["init", data, "-o", here / "first.tree"]],
        "count": [["count", data, "--label", "class", "--drop", "name", "-o", here / "kinds.csv"]],
        "solve -o": [
            ["solve", spec, "-o", tree, "--log-json", here / "progress.jsonl"],
            ["solve", spec, "--data", data, "-o", here / "near.json", "--trees", 2, "--within", 1],
        ],
        "solve --log-json": [],
        "report": [["report", tree, "-o", here / "r.html", "--progress", here / "progress.jsonl"]],
        "report --rows": [["report", tree, "--rows", "--data", data, "-o", here / "rows.html"]],
        "show": [["show", tree, "-o", f"picture.{s}"] for s in PICTURES],
        "convert": [["convert", tree, "-o", f"tree{target.suffix}"] for target in TARGETS.values()],
        "compile": [
            *(["compile", spec, "-o", here / f"model{suffix}"] for suffix in FORMATS),
            ["compile", spec, "-o", "m.mps.gz", "--map", here / "map.json", "--names", "short"],
            ["compile", spec, "-o", "g.mps", "--for", "gurobi", "--start-file", here / "g.mst"],
        ],
        "explain": [["explain", spec, "-o", f"explained.{s}"] for s in TEXTS],
        "predict": [["predict", tree, data, "-o", here / "classes.csv"]],
        "sweep": [["sweep", spec, "--vary", f"data={data}", "-o", here / "runs"]],
        "cv": [["cv", spec, "--folds", 2, "-o", here / "folds"]],
        "compare": [["compare", "binoct", "--depth", 1, "--data", data, "-o", here / "compared"]],
        "tune": [
            ["tune", spec, "--vary", "alpha=0,0.1", "--folder", here / "tuning"],
            ["tune", spec, "--plot", here / "tuning.svg", "-o", here / "tuned.json"],
        ],
        "fit": [["fit", data, "-o", here / "fitted.json", "--spec", here / "fitted.tree"]],
        "diff": [
            ["diff", tree, here / "fitted.json", "--data", data, "-o", here / f"diff.{s}"]
            for s in ("svg", "html")
        ],
        "card": [["card", tree, "-o", here / "card.md"]],
        "export": [
            ["export", spec, "--to", name, "-o", f"{name}.{'mod' if name == 'ampl' else 'py'}"]
            for name in ("pyomo", "gurobipy", "pyscipopt", "cvxpy", "ampl")
        ],
    }
    return made


def unpacked(path: Path) -> bytes:
    """The bytes of a file; behind those of a PDF its compressed streams."""
    found = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(found)
    if path.suffix != ".pdf":
        return found
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", found, re.S)
    return found + b"".join(zlib.decompressobj().decompress(each) for each in streams if each)


def test_no_file_tells_where_it_was_written_or_by_whom(home: Path, run) -> None:
    with_rows = set()
    for kind, lines in commands(home).items():
        known = {path for path in home.rglob("*") if path.is_file()}
        for words in lines:
            said = run(*words)
            assert said.code == 0, (words, said.err)
        for path in {path for path in home.rglob("*") if path.is_file()} - known:
            found = unpacked(path)
            name = path.relative_to(home).as_posix()
            assert TOLD not in found and TOLD not in name.encode(), name
            with_rows |= {kind} if ROW in found else set()
    assert with_rows == {"report --rows"}
    solved = treemip.load("spec.tree").compile().solve()
    for one in (solved, solved.tree, solved.compiled.program):
        text = pickle.dumps(one)
        assert TOLD not in text and ROW not in text and b"person7" not in text


def test_a_report_on_data_that_cannot_be_read_does_not_say_where(
    home: Path, run, monkeypatch
) -> None:
    assert run("solve", home / "spec.tree", "-o", home / "tree.json").code == 0
    for faulty in (None, "", "name,income,town,class\n", "a,b\n1,2\n"):
        if faulty is not None:
            (home / "other.csv").write_text(faulty)
        run("report", home / "tree.json", "--data", home / "other.csv", "-o", "report.html")
        page = (home / "report.html").read_bytes()
        assert b"other.csv" in page and TOLD not in page
    monkeypatch.chdir("/")  # beside its data a tree is verified from anywhere
    assert run("verify", home / "tree.json").code == 0


def test_the_page_lists_every_kind_of_file_that_commands_write() -> None:
    listed = {match for row in TABLE for match in re.findall(r"`([^`]+)`", row[0])}
    writers = {
        name
        for name, command in COMMANDS.items()
        if any(option.key in ("output", "keep") for option in command.all_options)
    }
    assert {name.split()[0] for name in listed if name.split()[0] in COMMANDS} >= writers
    assert set(commands(Path())) <= listed


def test_what_the_page_says_of_rows_is_so() -> None:
    """The second column says "no" of every file without rows."""
    rows = {re.findall(r"`([^`]+)`", row[0])[0]: row[1] for row in TABLE}
    assert {name for name in commands(Path()) if rows.get(name, "no") != "no"} <= {
        "count",
        "report --rows",
        "compile",
        "export",
    }
    assert rows["report --rows"] != "no" and rows["report"] == "no"


def test_pages_that_users_begin_with_link_to_it() -> None:
    for page in ("README.md", "docs/cli.md", "docs/pictures.md", "docs/sklearn.md"):
        assert "privacy.md" in (ROOT / page).read_text(encoding="utf-8"), page
