"""Rows in batches are those of the whole file, wherever it is cut."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from treemip.core.instance.raw_table import read_table
from treemip.core.instance.row_batches import row_batches
from treemip.core.source.diagnostic import TreemipError

TEXTS = {
    "plain": "a,b\n" + "".join(f"{k},x{k % 3}\n" for k in range(40)),
    "no end": "a,b\n1,x\n2,y\n3,z",
    "windows": "a,b\r\n" + "".join(f"{k},x{k % 3}\r\n" for k in range(40)),
    "quoted": 'a,"b"\n' + "".join(f'{k},"x, ""{k}""\nand"\n' for k in range(20)),
    "mark": "\ufeffa,b\n1,x\n2,y\n",
    "quoted head": '"a\n1",b\n1,x\n2,y\n',
    "empty lines": "a,b\n1,x\n2,y\n\n\n",
    "one column": "a\n1\n2\n\n",
    "old mac": "a,b\r1,x\r2,y\r",
}


def cells(tables) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table in tables:
        for name in table:
            column = table[name]
            found.setdefault(name, []).extend(column.text(k) for k in range(len(column)))
    return found


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("kind", TEXTS)
def test_batches_of_a_text(tmp_path: Path, kind: str, size: int) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(TEXTS[kind].encode())
    batches = [*row_batches(path, size=size)]
    assert cells(raw for raw, _ in batches) == cells([read_table(path)])
    rows = np.concatenate([place.row_at(np.arange(raw.count)) for raw, place in batches])
    assert rows.tolist() == [*range(1, len(rows) + 1)]
    assert size > 64 or len(batches) > 1 or kind not in ("plain", "windows", "quoted")


def test_batches_of_packed_and_parquet_files(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    path, packed = tmp_path / "rows.csv", tmp_path / "rows.csv.gz"
    path.write_text(TEXTS["plain"])
    packed.write_bytes(gzip.compress(TEXTS["plain"].encode()))
    polars.read_csv(path).write_parquet(tmp_path / "rows.parquet")
    whole = cells([read_table(path)])
    for name, size in (("rows.csv.gz", 50), ("rows.parquet", 7)):
        batches = [*row_batches(tmp_path / name, size=size)]
        assert len(batches) > 2
        assert cells(raw for raw, _ in batches) == whole


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"a,b\n", "there is a header but no row of data"),
        ("a.csv", b"a,b\n1,2\n3,4\n5\n", "row 3 has 1 cell"),
        ("a.csv", b"a,b\n1,2\n\n3,4\n", "row 2 has 1 cell"),
        ("a.csv", b"a,b\n1,2\n3,\xff\n", "line 3 is not UTF-8"),
        ("a.csv.gz", gzip.compress(b"a,b\n1,2\n" * 9)[:-9], "compression"),
        ("a.parquet", b"PAR1", "not Parquet"),
        ("none.csv", None, "there is no such file"),
    ],
)
def test_faults_are_those_of_the_whole_file(tmp_path: Path, name, content, message) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TreemipError) as error:
        list(row_batches(path, size=4))
    assert message in str(error.value)


def test_a_parquet_file_that_is_damaged_further_on_is_not_cut_short(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("polars")
    from pyarrow import parquet

    path = tmp_path / "rows.parquet"
    numbers = pyarrow.table({"a": np.random.default_rng(0).random(4000)})
    parquet.write_table(numbers, path, row_group_size=1000, use_dictionary=False)
    third = parquet.ParquetFile(path).metadata.row_group(2).column(0).data_page_offset
    data = bytearray(path.read_bytes())
    data[third : third + 100] = b"\xff" * 100
    path.write_bytes(bytes(data))
    read = 0
    with pytest.raises(TreemipError, match=r"rows from 2,001 on cannot be read"):
        for raw, _ in row_batches(path, size=1000):
            read += raw.count
    assert read == 2000
