"""A tree in another language answers what the tree answers, row by row."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from converted_trees import (
    SCALINGS,
    WITH_SIDES,
    answering,
    as_rows,
    random_tree,
    rows_for,
    split_of,
    table,
    tree_asking,
    with_columns,
)
from drawn_trees import tree as drawn_tree
from run_programs import (
    DIALECTS,
    PROBABILITIES,
    PROGRAMS,
    Rows,
    c_answers,
    module_of,
    needed,
    rust_answers,
)
from suite import one_in

import treemip
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.tree import Tree
from treemip.writers.convert.c_source import c_string
from treemip.writers.convert.raw_splits import raw_tree
from treemip.writers.convert.targets import TARGETS

NOT_SQL = [language for language in PROGRAMS if language != "sql"]

KINDS = ("univariate", "sets", "mixed", "oblique", "randomized")
EVERY = [(kind, scaling) for kind in KINDS for scaling in SCALINGS]
FIFTH, ANOTHER = (
    [case for n, case in enumerate(EVERY) if (n + n // 5) % 5 == rest] for rest in (0, 2)
)
CASES = {
    "python": EVERY,
    "javascript": FIFTH + ANOTHER,
    "c": FIFTH + ANOTHER,
    "rust": FIFTH,
    "onnx": EVERY,
    "sql": [case for case in EVERY if case[0] != "randomized"],
    "duckdb": [case for case in FIFTH + ANOTHER if case[0] != "randomized"],
    "sqlite": [case for case in FIFTH + ANOTHER if case[0] != "randomized"],
}
"""Trees of the suite by language: fewer where a process or a compiler runs for each. What SQL says
of randomized trees differs by database, and has tests of its own."""


def test_every_language_is_run() -> None:
    assert {*PROGRAMS} == {*TARGETS} - {"rules"}
    assert CASES.keys() == {*PROGRAMS, *DIALECTS}


def demand_the_same(language: str, tree: Tree, rows: Rows, folder: Path) -> None:
    assert (PROGRAMS | DIALECTS)[language](tree, rows, folder) == tree.predict(rows).tolist()


def tree_of(kind: str, scaling: str, seed: int) -> Tree:
    return random_tree(kind, scaling, seed, "numbers" if seed % 3 == 1 else "text")


@pytest.mark.parametrize(
    ("language", "kind", "scaling"), [(name, *case) for name in CASES for case in CASES[name]]
)
def test_it_predicts_as_the_tree_does(
    language: str, kind: str, scaling: str, tmp_path: Path
) -> None:
    seed = (KINDS.index(kind) + SCALINGS.index(scaling)) % 3
    tree = tree_of(kind, scaling, seed)
    demand_the_same(language, tree, rows_for(tree, 100, seed), tmp_path)


@pytest.mark.truth
@pytest.mark.parametrize(
    ("language", "kind"), [*product(PROGRAMS, KINDS[:-1]), *product(NOT_SQL, KINDS[-1:])]
)
def test_it_predicts_many_rows(language: str, kind: str, tmp_path: Path) -> None:
    many = {"c": 2_000, "rust": 400}.get(language, 10_000)
    for seed, scaling in enumerate(SCALINGS):
        tree = tree_of(kind, scaling, seed)
        demand_the_same(language, tree, rows_for(tree, many, seed), tmp_path)


WITH_SHARES = {
    "shares": "mixed",
    "randomized shares": "randomized",
    "points": "mixed",
    "weights": "oblique",
    "smoothed points": "univariate",
}
"""Trees with probabilities, by what `answering` makes of one, and of which kind."""

ANSWERS = [
    ("constants", "univariate", SCALINGS[1]),
    ("linear", "mixed", SCALINGS[2]),
    ("shares", "oblique", SCALINGS[3]),
]


@pytest.mark.parametrize(("how", "kind", "scaling"), ANSWERS)
@pytest.mark.parametrize("language", PROGRAMS)
def test_it_answers_as_the_tree_does(
    language: str, how: str, kind: str, scaling: str, tmp_path: Path
) -> None:
    tree = answering(random_tree(kind, scaling, 1), how, 1)
    demand_the_same(language, tree, rows_for(tree, 100, 1), tmp_path)


@pytest.mark.parametrize("how", ["", "linear"])
@pytest.mark.parametrize("language", PROGRAMS)
def test_it_refuses_what_the_tree_refuses(language: str, how: str, tmp_path: Path) -> None:
    tree = tree_asking("mixed", "level", "the town")
    tree = answering(tree, how, 0) if how else tree
    rows = {name: values[:5] for name, values in rows_for(tree, 5, 0).items()}
    rows["level"] = np.array([np.nan, -999.0, 1.0, 1.0, 1.0], object)
    rows["the town"] = np.array(["A", "A", "C", "", "A"], object)
    found = PROGRAMS[language](tree, rows, tmp_path)
    last = {name: values[-1:] for name, values in rows.items()}
    assert found == [None] * 4 + tree.predict(last).tolist()


@pytest.mark.parametrize("language", NOT_SQL)
def test_it_refuses_infinite_numbers(language: str, tmp_path: Path) -> None:
    tree = tree_asking("oblique", "level")
    rows = {name: values[:2] for name, values in table().items() if name != "class"}
    rows["level"] = np.array([np.inf, -np.inf], object)
    assert PROGRAMS[language](tree, rows, tmp_path) == [None, None]


LOWEST, HIGHEST = "age (missing lowest)", "age (missing highest)"


@pytest.mark.parametrize("language", PROGRAMS)
def test_it_sends_missing_values_to_their_side(language: str, tmp_path: Path) -> None:
    """By a number, in a sum, and where the split asks for nothing else."""
    for weights in ({LOWEST: 1.0}, {LOWEST: 1.0, HIGHEST: -0.5}, {"level=missing": 1.0}):
        tree = split_of(weights, 0.2, WITH_SIDES)
        demand_the_same(language, tree, rows_for(tree, 60, 0), tmp_path)


@cache
def tree_of_written_levels() -> Tree:
    """Of a column of texts, of which some are numbers."""
    columns = {"k": ["x", "1", "007", "True", "2.50"], "y": ["p", "q", "r", "s", "t"]}
    spec = (
        'data "m" { label y; encode onehot(unseen = zero) k; missing side marks "-9"; } '
        "topology complete(depth = 4); split univariate by oct; minimize misclassified;"
    )
    tree = treemip.loads(spec, data=columns).compile().solve(time_limit=20).tree
    assert tree is not None
    return tree


@pytest.mark.parametrize("language", NOT_SQL)
def test_it_knows_the_texts_that_stand_for_a_level(language: str, tmp_path: Path) -> None:
    """As a data file has them: 1.0 is 1, 7 is the only level with that number."""
    tree = tree_of_written_levels()
    cells = ["x", "1.0", "7", "TRUE", "2.5", "01", "1.00", "7.0", "other", "07", "false"]
    rows = {"k": np.array(cells, object)}
    assert (tree.encode({"k": ["1.0", "7"]}) == tree.encode({"k": ["1", "007"]})).all()
    demand_the_same(language, tree, rows, tmp_path)


@pytest.mark.parametrize(
    ("language", "scaling", "how"), one_in(3, PROBABILITIES, SCALINGS, [*WITH_SHARES])
)
def test_it_has_the_probabilities_of_the_tree(
    language: str, scaling: str, how: str, tmp_path: Path
) -> None:
    tree = answering(random_tree(WITH_SHARES[how], scaling, 1), how.rsplit(maxsplit=1)[-1], 1)
    if how == "smoothed points":
        tree = tree.smoothed("m=5")
    rows = rows_for(tree, 100, 1)
    found = PROBABILITIES[language](tree, rows, tmp_path)
    off = np.abs(found - tree.predict_proba(rows)).max()
    by_exp = tree.answer.kind == "distribution" and language in ("sql", "duckdb")
    assert off < 1e-14 if by_exp else off == 0
    if how.endswith("points"):
        demand_the_same(language, tree, rows, tmp_path)


@pytest.mark.truth
@pytest.mark.parametrize("language", PROBABILITIES)
def test_it_has_the_probabilities_of_many_rows(language: str, tmp_path: Path) -> None:
    many = {"c": 2_000, "rust": 400}.get(language, 10_000)
    for seed, scaling in enumerate(SCALINGS):
        tree = answering(tree_of("mixed", scaling, seed), "weights", seed)
        rows = rows_for(tree, many, seed)
        found = PROBABILITIES[language](tree, rows, tmp_path)
        assert np.array_equal(found, tree.predict_proba(rows))


@pytest.mark.parametrize("language", ["python", "javascript", "onnx"])
def test_without_training_points_there_are_no_probabilities(language: str, tmp_path: Path) -> None:
    tree = random_tree("mixed", "scale minmax", 1)
    rows = rows_for(tree, 20, 1)
    demand_the_same(language, tree, rows, tmp_path)
    if language == "onnx":
        assert [each.name for each in tree.to_onnx().graph.output] == ["prediction", "refused"]
    else:
        assert "probabilities" not in tree.to_text(language)


def test_leaves_of_one_class_and_unlike_shares_stay_apart() -> None:
    tree = answering(random_tree("univariate", "scale none", 2), "points", 2)
    tree = replace(tree, answer=ClassAnswer(np.minimum(tree.leaf_class, 0), tree.classes))
    whole = replace(tree, counts=None, leaf_weights=None)
    assert len(raw_tree(tree).leaves) > 1 == len(raw_tree(whole).leaves)


def test_a_refused_row_has_no_probabilities(tmp_path: Path) -> None:
    tree = answering(tree_asking("mixed", "level", "the town"), "points", 1)
    rows = {name: values[:1] for name, values in rows_for(tree, 1, 0).items()}
    rows["level"] = np.array([np.nan], object)
    for language in ("c", "sql", "onnx"):
        assert np.isnan(PROBABILITIES[language](tree, rows, tmp_path)).all()


@pytest.mark.parametrize("language", NOT_SQL)
def test_columns_may_be_called_as_words_and_functions_are(language: str, tmp_path: Path) -> None:
    tree = random_tree("oblique", "scale minmax(0.1, 0.7)", 3)
    assert tree.encoder is not None
    words = ["class", "between", "match", "function", "number", "level", "undefined", "int"]
    names = dict(zip((f.column for f in tree.encoder.features), words, strict=False))
    rows = rows_for(tree, 20, 3)
    called = {names.get(name, name): values for name, values in rows.items()}
    answers = PROGRAMS[language](with_columns(tree, names, "label"), called, tmp_path)
    assert answers == tree.predict(rows).tolist()


@pytest.mark.parametrize("language", ["rust", "javascript"])
def test_a_whole_module(language: str) -> None:
    tree = drawn_tree(
        {1: ({"length": 0.5, "width": -1.0}, 0.25), 3: ({"colour=red": -1.0}, -0.5)},
        {2: 0, 6: 1, 7: 0},
    )
    golden = Path(__file__).parent / "golden" / f"tree{TARGETS[language].suffix}"
    assert tree.to_text(language) == golden.read_text(encoding="utf-8")


# ---------------------------------------------------------------- of one language


def test_python_reads_the_texts_of_a_data_file() -> None:
    tree = random_tree("oblique", "scale standard", 4)
    rows = rows_for(tree, 200, 4)
    predict = module_of(tree)["predict"]
    texts = [
        {name: "" if str(value) == "nan" else f" {value} " for name, value in row.items()}
        for row in as_rows(rows)
    ]
    assert [predict(row) for row in texts] == tree.predict(rows).tolist()


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("level", None, "no value in column 'level'"),
        ("level", "-999", "no value in column 'level'"),
        ("level", "1_0", "'1_0' in column 'level', which holds finite numbers"),
        ("level", math.inf, "inf in column 'level', which holds finite numbers"),
        ("the town", "C", "'C' in column 'the town', a value that training did not have"),
    ],
)
def test_what_the_tree_refuses_is_a_value_error(column: str, value: object, message: str) -> None:
    tree = tree_asking("mixed", "level", "the town")
    row = as_rows(rows_for(tree, 1, 0))[-1]
    predict = module_of(tree)["predict"]
    assert predict(row) in tree.classes
    with pytest.raises(ValueError) as error:
        predict(row | {column: value})
    assert str(error.value) == message


@pytest.mark.parametrize("value", ["'1.5'", "true", "undefined"])
def test_javascript_takes_no_cell_of_another_type(value: str, tmp_path: Path) -> None:
    tree = tree_asking("mixed", "level")
    (tmp_path / "tree.mjs").write_text(tree.to_text("javascript"), encoding="utf-8")
    row = dict.fromkeys(f.column for f in raw_tree(tree).features)
    call = f"tree.predict({{...{json.dumps(row | {'age': 1.0})}, level: {value}}})"
    (tmp_path / "main.mjs").write_text(f'import * as tree from "./tree.mjs";\n{call};\n')
    command = [needed("node"), "main.mjs"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "TypeError: " in run.stderr and "in column 'level', which is a number" in run.stderr


def test_no_two_operations_become_one(tmp_path: Path) -> None:
    """A product and a sum as one fused operation, rounded once, would send each of these rows to
    the other side of its own threshold."""
    with open("/proc/cpuinfo") as file:
        if " fma " not in file.read():
            pytest.skip("the processor has no fused operations")
    tree, row = on_a_fused_edge()
    rows = {name: np.array([value], object) for name, value in row.items()}
    flags = "-O3", "-ffp-contract=fast", "-mfma"
    assert tree.predict(rows).tolist() == [tree.classes[0]]
    assert c_answers(tree, rows, tmp_path, *flags) == [tree.classes[0]]
    if shutil.which("rustc"):
        flags = "-O", "-C", "target-cpu=native"
        assert rust_answers(tree, rows, tmp_path, *flags) == [tree.classes[0]]


def on_a_fused_edge() -> tuple[Tree, dict[str, object]]:
    """A split of two columns, and a row on its threshold that is beyond it if rounded once."""
    weights = 1 / 3, 0.3
    for row in as_rows(rows_for(random_tree("univariate", "scale none", 0), 400, 0)):
        age, income = row["age"], row["income (k€)"]
        assert isinstance(age, float) and isinstance(income, float)
        products = age * weights[0], income * weights[1]
        exact = Fraction(weights[1]) * Fraction(income) if age > 0 else Fraction(0)
        if age > 0 and float(exact + Fraction(products[0])) > sum(products):
            columns = "age", "income (k€)"
            return split_of(dict(zip(columns, weights, strict=True)), sum(products)), row
    raise AssertionError("there is no such row")


def test_a_string_literal_holds_any_bytes() -> None:
    assert c_string('a"b\\c??/é\n1') == '"a\\042b\\134c\\077\\077/\\303\\251\\0121"'


def test_a_rule_has_the_points_and_shares_of_its_leaves() -> None:
    tree = drawn_tree({1: ({"length": 1.0}, 0.5), 2: ({"width": 1.0}, 0.2)}, {4: 0, 5: 0, 3: 1})
    counts = np.zeros((tree.topology.size, len(tree.classes)), np.int64)
    for heap, own in {4: 1, 5: 49}.items():
        counts[tree.topology.heap == heap, 0] = own
    counts[tree.topology.heap == 3, :2] = 1, 3
    tree = replace(tree, counts=counts, leaf_weights=counts * np.array([1.0, 3.0]))
    first, second = tree.to_text("rules").splitlines()[:2]
    name, other = tree.classes[:2]
    assert first.endswith(f"then {name}  (50 points: {name} 1)")
    assert second.endswith(f"then {other}  (4 points: {other} 0.9, {name} 0.1)")
