"""Parameters from files of their own: what is not in values.expected."""

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


def values(folder: Path, text: str, declaration: str, file: str = "t.csv") -> list[float]:
    (folder / "points.csv").write_text(DATA)
    (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    program = loads(HEAD + declaration, base=folder)
    return program.instance.values["p"].values.tolist()


def test_a_byte_order_mark_and_ends_of_lines(tmp_path: Path) -> None:
    text = '\ufeffsex,w\r\n"f",1.5\r\n m ,2\r\n'
    assert values(tmp_path, text, 'param p {s in values(sex)} = table(file = "t.csv");') == [1.5, 2]


def test_a_file_without_text(tmp_path: Path) -> None:
    with pytest.raises(TreemipError, match=r"E301.*'t\.csv': the file is empty"):
        values(tmp_path, "", 'param p {j in features} = table(file = "t.csv");')


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
