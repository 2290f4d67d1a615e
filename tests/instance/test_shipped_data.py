"""The data of the example specs: read as its README says, and bit for bit as the text says."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from small_data import spec_of

from treemip.core.instance.table import load_table
from treemip.core.resolve.settings.data_block import SETTINGS
from treemip.core.resources import specs_path

DATA = specs_path() / "data"
TEXT = (DATA / "README.md").read_text("utf-8")
LISTED = re.findall(r"^\| (\S+\.csv) \| (\d+) \| (\d+) \| (\d+) \|", TEXT, re.M)
OTHERS = re.findall(r"^\| (\S+\.csv) \| (\d+) \| \d+ \| \D*?\|", TEXT, re.M)
"""Tables whose labels are no classes, and their numbers of rows."""


def test_every_file_is_listed() -> None:
    listed = [name for name, *_ in (*LISTED, *OTHERS)]
    assert sorted(listed) == sorted(path.name for path in DATA.glob("*.csv"))


@pytest.mark.parametrize(("name", "rows"), OTHERS)
def test_rows_of_tables_without_classes(name: str, rows: str) -> None:
    assert len((DATA / name).read_text("utf-8").splitlines()) == int(rows) + 1


@pytest.mark.parametrize(("name", "rows", "features", "classes"), LISTED)
def test_counts(name: str, rows: str, features: str, classes: str) -> None:
    data = load_table(spec_of("label class;", name), DATA)
    assert len(data.train.y) == int(rows)
    assert len(set(data.encoder.origin)) == int(features)
    assert len(data.train.classes) == int(classes)
    assert data.warnings == ()


@pytest.mark.parametrize("name", [name for name, *_ in LISTED if "credit" not in name])
def test_numbers_are_those_of_the_text(name: str) -> None:
    with Path(DATA / name).open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    train = load_table(spec_of("label class;", name), DATA).train
    assert train.features == tuple(header[:-1])
    expected = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    assert train.x.tobytes() == expected.tobytes()
    assert [train.classes[k] for k in train.y] == [row[-1] for row in rows]


def test_german_credit_one_hot() -> None:
    """61 columns: 7 numbers and the values of the 13 codes."""
    spec = spec_of("label class positive 1; encode onehot; scale minmax;", "german-credit.csv")
    data = load_table(spec, DATA)
    assert data.train.x.shape == (1000, 61)
    assert (data.train.x.min(), data.train.x.max()) == (0, 1)
    assert data.positive == 0
    assert np.bincount(data.train.y).tolist() == [700, 300]
    for origin in set(data.encoder.origin):
        columns = [j for j, name in enumerate(data.encoder.origin) if name == origin]
        if len(columns) > 1:
            assert (data.train.x[:, columns].sum(axis=1) == 1).all()


def test_credit_24_is_the_head_of_german_credit() -> None:
    def read(name: str) -> list[dict[str, str]]:
        with Path(DATA / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    home = {"A151": "rent", "A152": "own", "A153": "free"}
    whole, small = read("german-credit.csv"), read("credit-24.csv")
    assert len(small) == 24
    for long, short in zip(whole, small, strict=False):
        assert short == {
            "duration": long["duration"],
            "amount": long["credit_amount"],
            "age": long["age"],
            "housing": home[long["housing"]],
            "sex": "female" if long["personal_status"] == "A92" else "male",
            "class": {"1": "good", "2": "bad"}[long["class"]],
        }


def test_balance_scale_one_hot_as_its_numbers() -> None:
    spec = spec_of("label class; encode onehot all;", "balance-scale.csv")
    train = load_table(spec, DATA).train
    assert train.x.shape == (625, 20)
    assert train.features[:5] == tuple(f"left_weight={k}" for k in range(1, 6))


# ------------------------------------------------------------------ what docs/data.md shows

DOCS = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"`([a-z][^`\n]*;)`", DOCS)


def test_the_example_of_the_documentation() -> None:
    block = re.search(r"^```\ndata \"german-credit.csv\" \{\n(.*?)^\}\n```", DOCS, re.M | re.S)
    assert block is not None
    data = load_table(spec_of(block[1], "german-credit.csv"), DATA)
    assert data.train.x.shape == (750, 51) and data.test is not None
    assert data.train.groups["personal_status"][1] == ("A91", "A92", "A93", "A94")


@pytest.mark.parametrize("setting", [text for text in EXAMPLES if "…" not in text])
def test_settings_of_the_documentation(setting: str) -> None:
    spec_of(setting if setting.startswith("label") else f"label y; {setting}")


def test_every_setting_is_documented() -> None:
    assert {setting.split()[0] for setting in EXAMPLES} >= SETTINGS.keys()
