"""What a table's columns look like, and what is guessed from that."""

from __future__ import annotations

from pathlib import Path

import pytest

from treemip.core.instance.columns import CellColumn, Unreadable
from treemip.core.instance.survey import (
    classes_of,
    guess_label,
    guess_positive,
    read_guessing,
    survey,
    unlikely_label,
    words_of,
)


def of(*cells: str, name: str = "a"):
    return survey(CellColumn.of(list(cells)), name)


@pytest.mark.parametrize(
    ("cells", "numeric", "mixed", "infinite", "marks", "levels"),
    [
        (["1", "2.5", "2.5"], True, False, False, (), 2),
        (["1", "?", ""], True, False, False, ("?",), 1),
        (["1", "NA", "none", "-"], True, False, False, ("-", "NA", "none"), 1),
        (["1", "inf", "2"], True, False, True, (), 2),
        (["x", "?", "y"], False, False, False, ("?",), 2),
        (["none", "-", "y"], False, False, False, (), 3),
        (["1", "2", "x"], False, True, False, (), 3),
        (["", "", ""], False, False, False, (), 0),
        (["?", "?", ""], False, False, False, ("?",), 0),
        (["inf", "inf", "-"], True, False, True, ("-",), 0),
    ],
)
def test_a_column_is_numbers_or_text_with_marks(cells, numeric, mixed, infinite, marks, levels):
    one = of(*cells)
    found = one.numeric, one.mixed, one.infinite, one.marks, one.levels
    assert found == (numeric, mixed, infinite, marks, levels)


def test_running_numbers_are_those_that_count_the_rows():
    assert of("0", "1", "2").running and of("1", "2", "3").running and of("1", "2", "3").distinct
    assert not of("1", "3", "2").running and not of("7", "8", "9").running
    assert of(*map(str, range(10_001, 10_012))).running
    assert not of("1", "2", "2").distinct
    assert not of("a", "b", "c").running


@pytest.mark.parametrize(
    ("name", "text", "separator", "named"),
    [
        ("a.csv", "a,b\n1,2\n", ",", False),
        ("a.csv", "a;b\n1;2\n", ";", True),
        ("a.csv", "a;b\n1,5;2\n", ";", True),
        ("a.csv", "a\tb\n1\t2\n", "\t", True),
        ("a.tsv", "a\tb\n1\t2\n", "\t", False),
        ("a.tsv", "a,b\n1,2\n", ",", True),
        ("a.csv", "a|b\n1|2\n", "|", True),
        ("a.csv", "a;b,c\n1;2,3\n", ",", False),
    ],
)
def test_the_separator_is_the_one_that_parts_all_rows(tmp_path, name, text, separator, named):
    path = tmp_path / name
    path.write_text(text)
    raw, found, must = read_guessing(path)
    assert (found, must, len(raw.names)) == (separator, named, 2)


def test_a_table_without_a_line_of_names_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("5.1,3.5,setosa\n4.9,3.0,setosa\n")
    with pytest.raises(Unreadable, match="the first line is data, not column names"):
        read_guessing(path)


def test_a_file_that_no_separator_parts_is_refused_for_the_usual_one():
    with pytest.raises(Unreadable, match="there is no such file"):
        read_guessing(Path("nowhere.csv"))


def test_words_for_a_missing_value_are_no_cells_of_a_column():
    column = CellColumn.of(["1,5", "?", "-", "NA", "0,25"])
    assert sorted(words_of(column)) == ["0,25", "1,5"]


def test_what_text_stands_for_is_seen_beside_missing_values():
    assert of("2024-01-31", "?", "2024-02-01").unread == "dates"
    assert of("3%", "-", "4%").unread == "numbers with a unit"
    assert (of("3", "?", "4").unread, of("low", "3%").unread) == ("", "")


def test_a_label_by_name_alone_is_told():
    one = columns(a="1 2 1 2", label="x x x x")
    assert unlikely_label(one) == one[1]
    assert unlikely_label(columns(a="1 2 1 2", label="x y x y")) is None
    assert unlikely_label(columns(target="1 1 1 1", label="x y x y")) is None
    assert unlikely_label(columns(a="1 2 1 2", y="1 1 1 1")) is None
    many = columns(a="1 2 " * 25, target=" ".join(f"c{k % 25}" for k in range(50)))
    assert unlikely_label(many) == many[1]
    each = columns(a="1 2 " * 25, target=" ".join(str(k) for k in range(50)))
    assert unlikely_label(each) is None


def columns(**cells: str):
    return [of(*words.split(), name=name) for name, words in cells.items()]


@pytest.mark.parametrize(
    ("table", "label"),
    [
        (columns(y="a b a b", z="a b a b"), ("y", "guessed by its name")),
        (columns(Class="a b a b", y="a b a b"), ("Class", "guessed by its name")),
        (columns(u="1 2 3 4", z="a b a b"), ("z", "guessed: the last column, with few values")),
        (columns(z="a b a b", u="1 2 3 4"), ("z", "guessed: the first column, with few values")),
        (
            columns(u="1 2 3 4", z="a b a b", v="1 2 3 4"),
            ("z", "guessed: the only column with few values"),
        ),
        (columns(u="1 2 3 4", v="1 2 3 4"), None),
        (columns(y="1 2 3 4", z="a b a b"), ("z", "guessed: the last column, with few values")),
        (columns(y="a a a a"), None),
        (columns(default="n y n y", opened_year="8 8 9 9"), ("default", "guessed by its name")),
        (
            columns(u="1 2 3 4", **{"Churn?": "n y n y"}, w="1 1 2 2", v="1 2 3 4"),
            ("Churn?", "guessed by its name"),
        ),
        (
            columns(w="1 1 2 2", **{"late?": "n y n y"}, v="1 2 3 4"),
            ("late?", "guessed by its name"),
        ),
        (
            columns(**{"late?": "n y n y", "paid?": "n y n y"}, v="1 2 3 4"),
            ("late?", "guessed: the first column, with few values"),
        ),
        (
            columns(default="a b c d", z="a b a b"),
            ("z", "guessed: the last column, with few values"),
        ),
        (
            columns(u="1 2 3 4", z="n y n y", opened_year="8 8 9 9", v="1 2 3 4"),
            None,
        ),
        (
            columns(z="n y n y", opened_year="8 8 9 9"),
            ("z", "guessed: the first column, with few values"),
        ),
    ],
)
def test_the_label_has_a_usual_name_or_few_values_at_an_end(table, label):
    assert guess_label(table) == label


@pytest.mark.parametrize(
    ("classes", "positive"),
    [
        ({"no": 1, "yes": 9}, ("yes", "by its name")),
        ({"0": 1, "1": 9}, ("1", "by its name")),
        ({"-1": 1, "1": 9}, ("1", "by its name")),
        ({"1": 7, "2": 3}, ("2", "the rarer one")),
        ({"a": 3, "b": 7}, ("a", "the rarer one")),
        ({"a": 5, "b": 5}, ("b", "the rarer one")),
        ({"bad": 5, "spam": 4}, ("spam", "the rarer one")),
    ],
)
def test_the_positive_class_has_a_usual_name_or_is_rarer(classes, positive):
    assert guess_positive(classes) == positive


def test_classes_are_named_as_the_language_names_them():
    assert classes_of(CellColumn.of(["1.0", "01", "", "2"])) == {"1": 2, "2": 1}
