"""Parameters from files of their own: long form and matrices, and what is said of wrong ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from treemip.api.program import loads
from treemip.core.source.diagnostic import TreemipError

DATA = "id,a,kind,sex,y\nP1,0,u,m,no\nP2,1,v,f,yes\nP3,2,w,m,no\nP4,3,u,f,yes\n"
HEAD = (
    'data "points.csv" { use a, kind; label y; group sex; id id; encode onehot; scale minmax;'
    " }\ntopology complete(depth = 1); split univariate by oct;\n"
)
LONG = "name,price,cost\na,5,1\nkind,2,2\nkind=v,7,3\n"
PAIRS = "true,given,cost\nyes,no,9\nno,yes,4\n"
MATRIX = "class,no,yes\nyes,9,0\nno,,4\n"


def values(folder: Path, text: str, declaration: str, file: str = "t.csv") -> list[float]:
    (folder / "points.csv").write_text(DATA)
    (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    program = loads(HEAD + declaration, base=folder)
    return program.instance.values["p"].values.tolist()


@pytest.mark.parametrize(
    ("text", "domain", "arguments", "wanted"),
    [
        (LONG, "{j in features}", 'value = "price"', [5, 2, 7, 2]),
        (LONG, "{j in features}", 'j = "name", value = "cost"', [1, 2, 3, 2]),
        ("cost,key\n3,a\n1,kind\n", "{j in features}", 'j = "key"', [3, 1, 1, 1]),
        ("key,cost\na,3\n", "{j in features}", "default = ord(j) * 10", [3, 20, 30, 40]),
        ("key,cost\nkind,\na,3\n", "{j in features}", "default = 1", [3, 1, 1, 1]),
        (PAIRS, "{k in classes, h in classes}", "default = 0", [0, 4, 9, 0]),
        (PAIRS, "{h in classes, k in classes}", 'k = "true", default = 0', [0, 9, 4, 0]),
        (MATRIX, "{k in classes, h in classes}", "columns = h, default = 1", [1, 4, 9, 0]),
        (MATRIX, "{h in classes, k in classes}", "columns = h, default = 1", [1, 9, 4, 0]),
        ("class,1,2\nyes,9,0\nno,3,4\n", "{k in classes, r in 1..2}", "columns = r", [3, 4, 9, 0]),
        ("k,r,c\nyes,1,9\nno,1,4\n", "{k in classes, r in 1..1}", "", [4, 9]),
        ("id,w\nP2,1\nP9,3\nP1,2\n", "{i in points}", "default = 0.5", [2, 1, 0.5, 0.5]),
        ("sex;w\nf;1.5\nm;2\n", "{s in values(sex)}", 'separator = ";"', [1.5, 2]),
        ('\ufeffsex,w\r\n"f",1.5\r\n m ,2\r\n', "{s in values(sex)}", "", [1.5, 2]),
    ],
)  # fmt: skip
def test_each_index_has_its_value(
    tmp_path: Path, text: str, domain: str, arguments: str, wanted: list[float]
) -> None:
    more = f", {arguments}" if arguments else ""
    assert values(tmp_path, text, f'param p {domain} = table(file = "t.csv"{more});') == wanted


@pytest.mark.parametrize(
    ("text", "domain", "arguments", "wanted"),
    [
        ("key,cost\na,3\nkidn,1\n", "{j in features}", "",
         "error[E309]: 't.csv', row 2, column 'key': there is no feature or column \"kidn\"\n"
         "  = help: did you mean 'kind'?"),
        ("key,cost\na,3\n", "{j in features}", "",
         "error[E308]: 't.csv' has no value for feature 'kind=u'\n"
         "  = help: add a row for it, or a value for all that the file lacks: default = …"),
        ("key,cost\na,3\nkind,2\na,3\n", "{j in features}", "",
         "error[E308]: 't.csv', row 3: row 1 has a value for the same names\n"
         "  = help: leave one of them out"),
        ("key,cost\na,3\nkind,two\n", "{j in features}", "",
         "error[E304]: 't.csv', row 2, column 'cost': 'two' is not a finite number"),
        ("key,cost\na,3\n,2\n", "{j in features}", "",
         "error[E303]: 't.csv', row 2, column 'key': the cell is empty"),
        ("key,cost\na,3\n", "{j in features}", 'value = "price"',
         "error[E302]: 't.csv' has no column \"price\"\n  = help: there are 'key', 'cost'"),
        ("key,cost\na,3\n", "{j in features}", 'j = "keys"',
         "error[E302]: 't.csv' has no column \"keys\"\n  = help: did you mean 'key'?"),
        (LONG, "{j in features}", "",
         "error[E302]: 't.csv' has several columns of values: 'price', 'cost'\n"
         '  = help: name the column of the values, value = "cost"'),
        (MATRIX, "{k in classes, h in classes}", "columns = h",
         "error[E308]: 't.csv' has no value for class 'no', class 'no'\n"
         "  = help: add a row for it, or a value for all that the file lacks: default = …"),
        ("key\na\n", "{j in features}", "", "error[E302]: 't.csv' has no column of values"),
        ("class,no,yess\nyes,9,0\n", "{k in classes, h in classes}", "columns = h",
         "error[E309]: 't.csv', the header: there is no class \"yess\"\n"
         "  = help: did you mean 'yes'?"),
        ("class,1,two\nyes,9,0\n", "{k in classes, r in 1..2}", "columns = r",
         "error[E304]: 't.csv', the header has 'two', not a number"),
        ("class,no,yes\nyes,9,0\nno,1,2\nyes,9,0\n", "{k in classes, h in classes}", "columns = h",
         "error[E308]: 't.csv', row 3, column 'no': row 1 has a value for the same names\n"
         "  = help: leave one of them out"),
        ("sex;w\nf;1.5\n", "{s in values(sex)}", "",
         "error[E301]: 't.csv': the header names only one column\n"
         '  = help: name what parts its cells: separator = ";"'),
        ("", "{s in values(sex)}", "", "error[E301]: 't.csv': the file is empty"),
        ("a,b\n1\n", "{s in values(sex)}", "",
         "error[E301]: 't.csv': row 1 has 1 cell where the header has 2\n"
         "  = help: an empty cell still needs its separator, ','; remove empty lines between rows"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_wrong_file(
    tmp_path: Path, text: str, domain: str, arguments: str, wanted: str
) -> None:
    more = f", {arguments}" if arguments else ""
    with pytest.raises(TreemipError) as caught:
        values(tmp_path, text, f'param p {domain} = table(file = "t.csv"{more});')
    lines = [
        line
        for line in str(caught.value).splitlines()
        if line.startswith("error") or "= help" in line
    ]
    assert "\n".join(line.replace("   =", "  =") for line in lines) == wanted


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TreemipError, match=r"E301.*'gone\.csv': there is no such file"):
        values(tmp_path, "", 'param p {j in features} = table(file = "gone.csv");')


def test_many_names_are_looked_up_at_once(tmp_path: Path) -> None:
    count = 20_000
    rows = np.random.default_rng(3).permutation(count)
    points = "id,a,y\n" + "".join(f"P{i},{i % 7},{i % 2}\n" for i in range(count))
    (tmp_path / "many.csv").write_text(points)
    (tmp_path / "w.csv").write_text("id,w\n" + "".join(f"P{i},{i}\n" for i in rows.tolist()))
    program = loads(
        'data "many.csv" { label y; id id; scale minmax; }\n'
        "topology complete(depth = 1); split univariate by oct;\n"
        'param p {i in points} = table(file = "w.csv");',
        base=tmp_path,
    )
    assert program.instance.values["p"].values.tolist() == list(range(count))
