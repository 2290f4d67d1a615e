"""Rows that ask for a module with arguments: what they become, and what is said of faults."""

from __future__ import annotations

from pathlib import Path

import pytest

import treemip
from treemip.core.resolve.asked import signature
from treemip.core.resolve.modules import library_module
from treemip.core.source.diagnostic import TreemipError

DATA = {"a": [0, 1, 2, 3], "colour": ["r", "g", "b", "r"], "sex": list("mfmf"), "c": list("nyny")}
HEAD = """data "d.csv" { label c positive "y"; group sex; encode onehot; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
"""
MODULES = {
    "share_of": 'param class = "a class";\nparam most = 0.5 "greatest share";\n'
    "let given = sum {i in points} predicts[i,class];\n"
    "subject to\n  share_of: given <= most * card(points);\n  least: given >= 0;\n",
    "twice": 'param column = "a group";\nsubject to\n  one: parity(column);\n',
    "endless": "subject to\n  again: endless();\n",
    "aims": "minimize misclassified;",
    "broken": 'param class = "a class";\nsubject to\n  broken: predict[root] <= 1;\n',
}


def program(folder: Path, rows: str, before: str = "") -> treemip.Program:
    for name, text in MODULES.items():
        (folder / f"{name}.tree").write_text(text)
    (folder / "s.tree").write_text(f"{HEAD}{before}subject to\n  {rows}\n")
    return treemip.load(folder / "s.tree", DATA)


def faults(folder: Path, rows: str, before: str = "") -> list[tuple[str, str, int]]:
    """Code, message, line of each."""
    with pytest.raises(TreemipError) as caught:
        program(folder, rows, before).compile()
    found = caught.value.diagnostics
    assert all(d.remedy or d.caret or d.code in ("E207", "E307") for d in found), str(caught.value)
    return [(d.code, d.message, d.span.line if d.span else 0) for d in found]


def own_rows(program: treemip.Program) -> dict[str, str]:
    return {c.name: c.asked_as for c in program.spec.constraints if c.module == "spec"}


def test_one_module_twice_and_others_beside_it(tmp_path: Path) -> None:
    rows = 'few: share_of("y"); some: share_of(class = "n", most = 0.75); fair: parity(sex, 0.3);'
    found = program(tmp_path, rows)
    asked = {"few": "few", "few_least": "few", "some": "some", "some_least": "some", "fair": "fair"}
    assert own_rows(found) == asked
    names = {s.name for s in (*found.spec.lets, *found.spec.parameters)}
    assert {"few_given", "some_given", "fair_rate", "few_most", "some_most"} <= names


def test_a_number_is_a_parameter_of_the_spec(tmp_path: Path) -> None:
    program(tmp_path, 'few: share_of("y", 0.4);')
    for value, right in ((None, 1.6), (0.25, 1.0)):
        given = {} if value is None else {"few_most": value}
        compiled = treemip.load(tmp_path / "s.tree", DATA, given).compile()
        (block,) = [b for b in compiled.lowered.model.rows if b.name == "few"]
        assert block.upper.tolist() == [pytest.approx(right)]


def test_names_of_the_spec_hide_no_index_of_the_module(tmp_path: Path) -> None:
    before = "param g = 0.3;\nparam h = 1;\nlet rate = g * h;\n"
    compiled = program(tmp_path, "fair: parity(sex, g);", before).compile()
    (block,) = [b for b in compiled.lowered.model.rows if b.name == "fair"]
    assert block.upper.tolist() == [pytest.approx(0.3)] * 2


def test_a_module_may_ask_for_another(tmp_path: Path) -> None:
    assert own_rows(program(tmp_path, "all: twice(sex);")) == {"all_one": "all_one"}


def test_saved_texts_are_enough(tmp_path: Path) -> None:
    result = program(tmp_path, 'few: share_of("y");').compile().solve(time_limit=60)
    result.save(tmp_path / "t.json")
    (tmp_path / "share_of.tree").unlink()
    assert treemip.load_tree(tmp_path / "t.json").topology.size == 3


@pytest.mark.parametrize(
    ("row", "code", "words"),
    [
        ("a: pairity(sex);", "E210", "unknown requirement 'pairity'"),
        ("a: l0_local(2);", "E210", "a row has a relation"),
        ("a: parity();", "E203", "lacks its 'column': a group of the data block"),
        ("a: parity(sex, 0.1, 3);", "E203", "takes fewer arguments"),
        ("a: parity(sex, limits = 0.1);", "E211", "has no parameter 'limits'"),
        ("a: parity(sex, column = sex);", "E209", "'column' is given twice"),
        ("a {l in leaves}: parity(sex);", "E209", "asked for once"),
        ("a: aims();", "E209", "cannot be asked for by a row"),
        ("a: oct();", "E209", "is a formulation"),
        ("a: parity(a);", "E204", "takes the name of a group column"),
        ('a: parity("sex");', "E204", "without quotes"),
        ("a: monotone(a, sideways);", "E201", "unknown direction 'sideways'"),
        ('a: monotone(a, "up");', "E204", "a word without quotes"),
        ("a: monotone(a, up, 0);", "E203", "takes fewer arguments"),
        ("a: monotone(a, up, up = 0);", "E211", "has no parameter 'up'"),
        ("a: monotone(a, 3);", "E307", "a direction is up or down"),
        ("a: first_split(age);", "E309", "age"),
        ("a: same_answer(point(1), point(9));", "E309", "row 9"),
    ],
)
def test_faults_are_shown_where_the_row_stands(
    tmp_path: Path, row: str, code: str, words: str
) -> None:
    (found, *_) = faults(tmp_path, row)
    assert (found[0], words in found[1], found[2]) == (code, True, 5), found


@pytest.mark.parametrize("row", ["parity(sex)", "equal_opportunity(sex)", "accuracy_at_least(sex)"])
def test_a_requirement_of_classes_is_named_where_the_label_is_a_number(
    tmp_path: Path, row: str
) -> None:
    head = HEAD.replace('label c positive "y"', "label a number").replace("oct", "ort")
    (tmp_path / "s.tree").write_text(f"{head}subject to\n  fair: {row};\n")
    with pytest.raises(TreemipError) as caught:
        treemip.load(tmp_path / "s.tree", DATA).compile()
    (found,) = caught.value.diagnostics
    name = row.partition("(")[0]
    assert (found.code, found.message.partition(" ")[0]) == ("E206", f"'{name}'"), str(found)
    assert found.span is not None and (found.span.line, found.span.text) == (5, row)


def test_a_warning_names_the_class_that_counts_as_positive(tmp_path: Path) -> None:
    rows = "a: parity(sex); b: equal_opportunity(sex); c: monotone(a, up); d: first_split(a);"

    def warned(before: str) -> list[str]:
        text = program(tmp_path, rows).source.text.replace(' positive "y"', before)
        return [w.message for w in treemip.loads(text, data=DATA).compile().warnings]

    assert warned(' positive "n"') == []
    (message,) = warned("")
    assert message.startswith("'y' counts as positive in 'a', 'b', 'c':")


@pytest.mark.parametrize(
    ("column", "encoding", "warned"),
    [
        ("colour", "encode onehot", True),
        ("sex2", "encode onehot", True),
        ("sex2", "encode onehot(drop = if_binary)", False),
        ("colour", 'encode ordinal colour("r", "g", "b")', False),
        ("a", "encode onehot", False),
        ("a", "bin thresholds", False),
    ],
)
def test_a_warning_for_categories_without_an_order(
    tmp_path: Path, column: str, encoding: str, warned: bool
) -> None:
    text = program(tmp_path, f"a: monotone({column}, up);").source.text
    text = text.replace("encode onehot", encoding)
    found = treemip.loads(text, data={**DATA, "sex2": DATA["sex"]}).compile().warnings
    assert [w.message.startswith("categories have no order") for w in found] == [True] * warned


def test_a_fault_of_a_module_of_the_users_is_shown_in_its_file(tmp_path: Path) -> None:
    with pytest.raises(TreemipError) as caught:
        program(tmp_path, 'a: broken("y");')
    (found,) = caught.value.diagnostics
    assert found.span is not None and found.span.source.name.endswith("broken.tree")


def test_a_module_that_asks_for_itself(tmp_path: Path) -> None:
    (found, *_) = faults(tmp_path, "a: endless();")
    assert (found[0], "endless -> endless" in found[1]) == ("E207", True)


def test_a_column_counts_once_whatever_is_made_of_it(tmp_path: Path) -> None:
    """The spec splits by two features of the colour, and then by one of them and a."""
    both = 'one: uses_anywhere["colour=r"] = 1; other: uses_anywhere["%s"] = 1;'
    for second, holds in (("colour=g", True), ("a", False)):
        rows = f"few: at_most_features(1); {both % second}"
        found = program(tmp_path, rows)
        text = found.source.text.replace("depth = 1", "depth = 2")
        result = treemip.loads(text, data=DATA).compile().solve(time_limit=60)
        assert (result.status == "optimal") is holds


def test_a_cut_asks_for_no_module(tmp_path: Path) -> None:
    (found, *_) = faults(tmp_path, "a: splits <= 1;\ncut b: parity(sex);")
    assert found[0] == "E209"


def test_signatures_say_what_is_given() -> None:
    module = library_module("parity")
    assert module is not None
    assert signature("parity", module) == "parity(column, limit = 0.1)"


def warning_for(label: str, group: str, wanted: str) -> tuple[str, list[str]]:
    """What is said of two classes with one named otherwise, and of the remedy that it gives."""
    head = HEAD.replace('c positive "y"', label).replace("group sex", f"group {group}")
    data = {**DATA, "c": [wanted if c == "y" else c for c in DATA["c"]], "age; band": DATA["sex"]}
    text = f"{head}subject to\n  a: parity({group.partition(' ')[0]});\n"
    (said,) = treemip.loads(text, data=data).compile().warnings
    setting = (said.remedy or "").removeprefix("write  label ").partition(";")[0]
    again = treemip.loads(text.replace(f"label {label};", f"label {setting};"), data=data)
    return said.remedy or "", [w.message for w in again.compile().warnings]


def test_remedies_write_texts_with_quotes_as_the_language_does() -> None:
    remedy, after = warning_for("c", "sex", 'yes "sure" \\ ok')
    assert remedy.startswith(r'write  label c positive "yes \"sure\" \\ ok";') and after == []


def test_a_class_with_a_line_break_is_to_be_renamed() -> None:
    text = f"{HEAD}subject to\n  a: parity(sex);\n".replace(' positive "y"', "")
    data = {**DATA, "c": ["z\nz" if c == "y" else c for c in DATA["c"]]}
    (said,) = treemip.loads(text, data=data).compile().warnings
    assert said.remedy and "without line breaks" in said.remedy


def test_a_column_that_is_no_name_is_asked_for_by_a_group_of_another_name(tmp_path: Path) -> None:
    with pytest.raises(TreemipError) as caught:
        program(tmp_path, 'a: parity("age; band");')
    remedy = caught.value.diagnostics[0].remedy or ""
    setting = 'group age_band from "age; band";'
    assert remedy == f"write  {setting}  in the data block, and age_band here"
    said, after = warning_for("c", setting.removeprefix("group ").rstrip(";"), "y")
    assert 'positive "y"' in said and after == []


THREE = HEAD.replace(' positive "y"', "")
IRIS = {
    "a": [0, 1, 2, 3, 4, 5],
    "b": [0, 0, 1, 1, 2, 2],
    "sex": list("mfmfmf"),
    "c": list("kknnyy"),
}


@pytest.mark.parametrize("row", ["monotone(a, up)", "parity(sex)", "equal_opportunity(sex)"])
def test_of_several_classes_the_positive_one_is_to_be_named(row: str) -> None:
    text = f"{THREE}subject to\n  up: {row};\n"
    with pytest.raises(TreemipError) as caught:
        treemip.loads(text, data=IRIS).compile()
    (found,) = caught.value.diagnostics
    assert found.code == "E305" and found.message.startswith("'up' is about the positive class")
    assert found.span is not None and (found.span.line, found.span.text) == (5, row)
    assert found.remedy.startswith('name it:  label c positive "y";')
    treemip.loads(text.replace("label c;", 'label c positive "y";'), data=IRIS).compile()


@pytest.mark.parametrize(("direction", "errors"), [("up", 3), ("down", 1)])
def test_monotone_is_of_the_positive_class_where_there_are_three(
    direction: str, errors: int
) -> None:
    """k comes first in the order of a: `up` forbids to answer it there and not later."""
    text = THREE.replace("label c;", 'label c positive "k"; use a;')
    rows = f"minimize misclassified;\nsubject to\n  way: monotone(a, {direction});\n"
    data = {**IRIS, "c": list("kkknny")}
    result = treemip.loads(text + rows, data=data).compile().solve(time_limit=60)
    assert (result.status, result.objective) == ("optimal", errors)
