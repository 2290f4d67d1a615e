"""count: kinds of rows, their numbers, and the same tree as of the rows themselves."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from command_line import Run, runner

import treemip
from treemip.core.instance import row_batches
from treemip.study.counting import held, kinds
from treemip.study.counting.counted import Asked, counted

HEAD = ("age", "income", "job", "flag", "empty", "class")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def some_rows(seed: int, count: int = 300) -> list[list[str]]:
    """Rows of three files: numbers that repeat and that do not, texts, missing cells."""
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        age, income = draw.normal(), round(draw.exponential(), 2)
        job = str(draw.choice(["cook", "smith", "baker, old"]))
        flag = str(draw.integers(3))
        label = "yes" if (age > 0.3) ^ (job == "cook") else "no"
        label = "no" if draw.random() < 0.1 else label
        cells = [repr(float(age)), str(income), job, flag, "1", label]
        gone = draw.random(4) < 0.05
        found.append(["" if k < 4 and gone[k] else cell for k, cell in enumerate(cells)])
    return found


def write(path: str, rows: list[list[str]], head: tuple[str, ...] = HEAD) -> None:
    Path(path).parent.mkdir(exist_ok=True, parents=True)
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def three_files(seed: int) -> list[list[str]]:
    rows = some_rows(seed)
    for k in range(3):
        write(f"rows/part{k}/{k}.csv", rows[100 * k : 100 * (k + 1)])
    Path("rows/_SUCCESS").write_text("")
    Path("rows/part0/.0.csv.crc").write_text("no table")
    return rows


def counted_rows(path: str) -> Counter[tuple[str, ...]]:
    with open(path, newline="") as file:
        found: Counter[tuple[str, ...]] = Counter()
        for *cells, count in list(csv.reader(file))[1:]:
            assert tuple(cells) not in found
            found[tuple(cells)] = int(count)
        return found


def test_each_kind_stands_for_its_rows(run, monkeypatch):
    monkeypatch.setattr(row_batches, "BYTES", 900)
    monkeypatch.setattr(kinds, "TOGETHER", 5)
    rows = three_files(1)
    said = run("count", "rows", "--label", "class", "-o", "kinds.csv", "--bins", "4")
    assert said.code == 0, said.err
    assert "kinds of 300 rows" in said.err and "single value or nearly so: empty" in said.err
    program = treemip.load("kinds.tree")
    edges = {part.columns[0].text: part.arguments for part in program.spec.data.bin}
    numbers = {name: [float(row[k]) for row in rows if row[k]] for k, name in enumerate(HEAD[:2])}
    for name, own in numbers.items():
        assert edges[name] == tuple(np.quantile(own, [0.25, 0.5, 0.75]))
    expected: Counter[tuple[str, ...]] = Counter()
    for age, income, job, flag, _, label in rows:
        cells = [label]
        for name, cell in (("age", age), ("income", income)):
            below = [edge for edge in edges[name] if cell and edge <= float(cell)]
            cells.append(repr(max(below, default=min(numbers[name]))) if cell else "")
        expected[(*cells, job, flag)] += 1
    assert counted_rows("kinds.csv") == expected


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_its_tree_is_the_best_of_the_rows(run, seed):
    """The optimum is that of all rows under the same thresholds, and the tree of the kinds has it
    on the rows."""
    rows = three_files(seed)
    asked = ["--label", "class", "-o", "kinds.csv", "--bins", "4"]
    assert run("count", "rows", *asked).code == 0
    found = treemip.load("kinds.tree").compile().solve()
    write("all.csv", rows)
    text = Path("kinds.tree").read_text()
    whole = text.replace('"kinds.csv"', '"all.csv"').replace("weight  rows;", "drop empty;")
    assert whole.count("all.csv") == 1 and "drop empty" in whole
    other = treemip.loads(whole).compile().solve()
    assert found.verified and other.verified
    assert found.status == other.status == "optimal"
    assert found.objective == other.objective > 0
    assert len(found.compiled.instance.table.y) < 220
    columns = {name: [row[k] for row in rows] for k, name in enumerate(HEAD)}
    said = found.tree.predict(columns)
    wrong = sum(one != row[-1] for one, row in zip(said, rows, strict=True))
    assert wrong == found.objective


def test_numbers_are_learned_by_squared_error(run):
    draw = np.random.default_rng(5)
    x, z = draw.integers(4, size=400), draw.normal(size=400)
    y = np.round(x * (z > 0) + draw.normal(size=400) / 5, 1)
    write(
        "t.csv",
        [*map(list, zip(x.astype(str), z.astype(str), y.astype(str), strict=True))],
        (*HEAD[:2], "y"),
    )
    assert run("count", "t.csv", "--label", "y", "-o", "kinds.csv").code == 0
    found = treemip.load("kinds.tree").compile().solve()
    assert (found.status, found.verified) == ("optimal", True)
    assert not [one for one in found.compiled.warnings if one.code == "W302"]
    columns = {"age": x.tolist(), "income": z.tolist(), "y": y.tolist()}
    loss = ((np.array(found.tree.predict(columns)) - y) ** 2).sum()
    assert loss == pytest.approx(found.objective)


def test_parquet_and_text_give_the_same(run):
    polars = pytest.importorskip("polars")
    three_files(6)
    assert run("count", "rows", "--label", "class", "-o", "kinds.csv").code == 0
    for path in list(Path("rows").rglob("[0-9].csv")):
        polars.read_csv(path, schema_overrides={"age": polars.Float64}).write_parquet(
            path.with_suffix(".parquet")
        )
        path.unlink()
    said = run("count", "rows", "--label", "class", "-o", "kinds.parquet", "--force")
    assert said.code == 0, said.err
    other = polars.read_parquet("kinds.parquet")
    assert other.equals(polars.read_csv("kinds.csv"))


def test_workers_count_the_same(run):
    pytest.importorskip("joblib")
    three_files(7)
    for name, more in (("one.csv", []), ("two.csv", ["--jobs", "2"])):
        assert run("count", "rows", "--label", "class", "-o", name, *more).code == 0
    assert Path("one.csv").read_text() == Path("two.csv").read_text()
    texts = [Path(f"{n}.tree").read_text().replace(f"{n}.csv", "") for n in ("one", "two")]
    assert texts[0] == texts[1]


def test_the_sample_is_of_all_rows_and_its_size_is_kept(run, monkeypatch):
    monkeypatch.setattr(row_batches, "BYTES", 900)
    monkeypatch.setattr(held, "SAMPLE", 150)
    three_files(8)
    found = counted([Path("rows")], Asked("class", bins=2))
    (edge,) = found.codings["age"].edges or ()
    assert abs(edge) < 0.4  # the median of 150 of 300 normal numbers
    rows = sum(int(str(count)) for count in found.columns["rows"])
    assert rows == found.rows == 300


def test_weights_are_added_up_and_rows_without_a_label_are_left_out(run):
    rows = [["1", "2.5", "a"], ["1", "2", "a"], ["0", "1", "b"], ["0", "1", ""]]
    write("t.csv", rows, ("x", "w", "class"))
    said = run("count", "t.csv", "--label", "class", "--weight", "w", "-o", "kinds.csv")
    assert "without a label: 1 row" in said.err
    assert Path("kinds.csv").read_text() == "class,x,rows\na,1,4.5\nb,0,1.0\n"


def test_a_column_of_texts_in_one_file_is_one_in_all(run):
    write("a.csv", [["1", "x"], ["2", "y"]], ("code", "class"))
    write("b.csv", [["A7", "x"], ["1", "y"]], ("code", "class"))
    assert run("count", "a.csv", "b.csv", "--label", "class", "-o", "kinds.csv").code == 0
    assert counted_rows("kinds.csv") == Counter([("x", "1"), ("y", "2"), ("x", "A7"), ("y", "1")])


def test_nearly_constant_numbers_keep_an_edge(run):
    rows = [["0", "a"]] * 50 + [["3", "b"], ["4.5", "b"], ["7", "a"]]
    write("t.csv", rows, ("x", "class"))
    assert run("count", "t.csv", "--label", "class", "--bins", "2", "-o", "kinds.csv").code == 0
    assert treemip.load("kinds.tree").spec.data.bin[0].arguments == (3.0,)


REFUSED = {
    "no such label": (["t.csv", "--label", "klass"], "did you mean 'class'?"),
    "no such column": (["t.csv", "--label", "class", "--drop", "z"], "there is no column 'z'"),
    "nothing to split on": (["t.csv", "--label", "class", "--drop", "x"], "no column is left"),
    "one bin": (["t.csv", "--label", "class", "--bins", "1"], "the number of bins is 1"),
    "no table in it": (["none", "--label", "class"], "'none' has no CSV or Parquet files"),
    "no such file": (["u.csv", "--label", "class"], "there is no such file"),
    "other columns": (["t.csv", "other.csv", "--label", "class"], "'other.csv' has no column 'x'"),
    "one label": (["one.csv", "--label", "class"], "the label 'class' has a single value"),
    "no label": (["gone.csv", "--label", "class"], "no row has a label in 'class'"),
    "a mark": (["mark.csv", "--label", "class"], "--missing '?' if it stands for a missing"),
    "texts": (["texts.csv", "--label", "class"], "leave it out: --drop x"),
    "weights": (["t.csv", "--label", "class", "--weight", "x"], "no column is left"),
    "a weight": (["w.csv", "--label", "class", "--weight", "w"], "row 2: '0' in column 'w'"),
    "jobs": (["t.csv", "--label", "class", "--jobs", "0"], "the number of jobs is 0"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_leaves_no_file(run, monkeypatch, case):
    monkeypatch.setattr(held, "MOST_TEXTS", 5)
    write("t.csv", [["1", "a"], ["0", "b"]], ("x", "class"))
    write("w.csv", [["1", "1", "a"], ["0", "0", "b"]], ("x", "w", "class"))
    write("other.csv", [["1", "a"]], ("z", "class"))
    write("one.csv", [["1", "a"], ["2", "a"]], ("x", "class"))
    write("gone.csv", [["1", ""], ["2", ""]], ("x", "class"))
    write("mark.csv", [["1", "a"], ["?", "b"]], ("x", "class"))
    write("texts.csv", [[f"t{k}", "ab"[k % 2]] for k in range(9)], ("x", "class"))
    Path("none").mkdir()
    words, message = REFUSED[case]
    said = run("count", *words, "-o", "kinds.csv")
    assert (said.code, message in said.err) == (2, True), said.err
    assert not Path("kinds.csv").exists() and not Path("kinds.tree").exists()


def test_rows_that_hardly_repeat_are_refused_in_time(run, monkeypatch):
    monkeypatch.setattr(kinds, "room", lambda: 10_000)
    three_files(9)
    said = run("count", "rows", "--label", "class", "-o", "kinds.csv")
    assert (said.code, "the rows hardly repeat" in said.err) == (2, True)


@pytest.mark.parametrize("there", ["kinds.csv", "kinds.tree"])
def test_nothing_of_the_users_is_overwritten(run, there):
    write("t.csv", [["1", "a"], ["0", "b"]], ("x", "class"))
    Path(there).write_text("mine")
    said = run("count", "t.csv", "--label", "class", "-o", "kinds.csv")
    assert (said.code, f"'{there}' cannot be written: it exists" in said.err) == (2, True)
    assert Path(there).read_text() == "mine"
    assert run("count", "t.csv", "--label", "class", "-o", "kinds.csv", "--force").code == 0
    said = run("count", "t.csv", "--label", "class", "-o", "t.csv", "--force")
    assert said.code == 2 and Path("t.csv").read_text().startswith("x,class")
    said = run("count", "t.csv", "--label", "class", "-o", "t.xlsx")
    assert (said.code, "counted tables are CSV or Parquet" in said.err) == (2, True)


def test_a_missing_word_is_a_mark_of_the_spec(run):
    rows = [["1", "a"], ["?", "b"], ["0", "b"], ["?", "a"]]
    write("mark.csv", rows, ("x", "class"))
    asked = ["--label", "class", "--missing", "?", "-o", "kinds.csv"]
    assert run("count", "mark.csv", *asked).code == 0
    assert counted_rows("kinds.csv") == Counter([("a", "1"), ("b", ""), ("b", "0"), ("a", "")])
    tree = treemip.load("kinds.tree").compile().solve().tree
    assert len(tree.predict({"x": ["?", "0", "1"]})) == 3


def test_whether_a_value_is_there_may_be_all_that_tells(run):
    rows = [["5", "a"], ["", "b"], ["5", "a"], ["", "b"]]
    write("t.csv", rows, ("x", "class"))
    assert run("count", "t.csv", "--label", "class", "-o", "kinds.csv").code == 0
    found = treemip.load("kinds.tree").compile().solve()
    assert found.objective == 0
    assert list(found.tree.predict({"x": ["", "5"]})) == ["b", "a"]


def test_a_worker_tells_what_is_wrong_with_its_file(run):
    pytest.importorskip("joblib")
    write("a.csv", [["1", "a"], ["0", "b"]], ("x", "class"))
    write("b.csv", [["1", "a"], ["0", "b"]], ("z", "class"))
    asked = ["a.csv", "b.csv", "--label", "class", "-o", "kinds.csv", "--jobs", "2"]
    said = run("count", *asked)
    assert (said.code, "b.csv' has no column 'x'" in said.err) == (2, True), said.err


def test_all_files_have_the_same_columns(run):
    write("ds/1.csv", [["1", "p"], ["3", "q"]], ("a", "y"))
    said = run("count", "ds", "--label", "y", "-o", "ds/kinds.csv")
    assert (said.code, "counted with the tables of 'ds' the next time" in said.err) == (2, True)
    assert run("count", "ds", "--label", "y", "-o", "kinds.csv").code == 0
    Path("kinds.csv").rename("ds/kinds.csv")
    said = run("count", "ds", "--label", "y", "-o", "more.csv")
    assert (said.code, "has a column 'rows', which other files do not" in said.err) == (2, True)
    assert run("count", "ds", "--label", "y", "--drop", "rows", "-o", "more.csv").code == 0


def test_files_without_rows_and_notes_are_passed_over(run):
    write("ds/0.csv", [], ("a", "y"))
    write("ds/1.csv", [["1", "p"], ["3", "q"]], ("a", "y"))
    Path("ds/readme.txt").write_text("no table")
    assert run("count", "ds", "--label", "y", "-o", "kinds.csv").code == 0
    assert counted_rows("kinds.csv") == Counter([("p", "1"), ("q", "3")])
    Path("ds/1.csv").unlink()
    said = run("count", "ds", "--label", "y", "-o", "more.csv")
    assert (said.code, "has no row of data" in said.err) == (2, True)


def test_one_value_is_written_in_one_way(run):
    polars = pytest.importorskip("polars")
    write("ds/1.csv", [["true", "p"], ["false", "q"]], ("a", "y"))
    polars.DataFrame({"a": [True, False], "y": ["p", "q"]}).write_parquet("ds/2.parquet")
    said = run("count", "ds", "--label", "y", "-o", "kinds.csv")
    assert (said.code, "has 'False' and 'false', which may be one value" in said.err) == (2, True)


def test_what_is_no_cell_is_named(run):
    polars = pytest.importorskip("polars")
    days = polars.Series([1, 2]).cast(polars.Date)
    polars.DataFrame({"a": days, "b": [1, 2], "y": ["p", "q"]}).write_parquet("t.parquet")
    said = run("count", "t.parquet", "--label", "y", "-o", "kinds.csv")
    assert (said.code, "E304" in said.err, "--drop a" in said.err) == (2, True, True), said.err
    write("t.csv", [["1", "p"], ["inf", "q"], ["2", "q"]], ("a", "y"))
    said = run("count", "t.csv", "--label", "y", "-o", "kinds.csv")
    assert (said.code, "column 'a' has 'inf' among numbers" in said.err) == (2, True)
