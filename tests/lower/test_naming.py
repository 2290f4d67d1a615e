"""Points by row or id, features by column, values of a group: what a spec can name of the data."""

from __future__ import annotations

import numpy as np
import pytest

from treemip.api.program import loads
from treemip.core.lower.bind import bind
from treemip.core.source.diagnostic import Diagnostic, TreemipError

TABLE = {
    "id": ["a", "b", "c", "d", "e", "f", "g", "h"],
    "age": [20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0],
    "home": ["own", "rent", "own", "free", "rent", "own", "own", "rent"],
    "sex": ["m", "f", "m", "m", "f", "m", "m", "x"],
    "class": ["n", "n", "n", "y", "y", "y", "n", "y"],
}

SAMPLE = "use age; train 0.5 seed 1;"


def numbers(declarations: str, settings: str = "") -> dict[str, np.ndarray]:
    """Values of parameters declared over the table."""
    text = f'data "t" {{ label class; id id; group sex; {settings} }}\n{declarations}\nvar v;'
    program = loads(text, data=TABLE)
    instance = bind(program.spec, program.data)
    return {s.name: instance.values[s.name].values for s in program.spec.parameters}


def fault(declarations: str, settings: str = "") -> Diagnostic:
    with pytest.raises(TreemipError) as caught:
        numbers(declarations, settings)
    return caught.value.diagnostics[0]


def test_points_by_row_and_by_id() -> None:
    found = numbers('param r = x[point(3),"age"]; param n = x["g","age"];')
    assert (found["r"][0], found["n"][0]) == (40, 80)


def test_rows_are_those_of_the_file_not_of_the_training_part() -> None:
    text = 'param age {i in points} = x[i,"age"]; param at {i in points} = ord(i);'
    age = numbers(text, SAMPLE)["age"]
    rows = (age / 10 - 1).astype(int)
    assert 0 < len(rows) < 8
    for row in rows:
        assert numbers(f'param a = x[point({row}),"age"];', SAMPLE)["a"] == row * 10 + 10


def test_a_row_of_another_part_or_of_none() -> None:
    here = (numbers('param r {i in points} = x[i,"age"];', SAMPLE)["r"] / 10 - 1).tolist()
    out = next(row for row in range(1, 9) if row not in here)
    said = fault(f'param a = x[point({out}),"age"];', SAMPLE)
    assert (said.code, said.span and said.span.text) == ("E309", f"point({out})")
    assert said.message == f"row {out} is not among the 4 training points"
    assert fault('param a = x[point(9),"age"];').code == "E309"
    assert fault('param a = x[point(card(points) / 16),"age"];').code == "E309"


def test_an_unknown_id_and_no_ids() -> None:
    assert fault('param a = x["z","age"];').message == 'there is no point "z"'
    text = 'data "t" { label class; use age; }\nparam a = x["z","age"]; var v;'
    program = loads(text, data=TABLE)
    with pytest.raises(TreemipError, match="no `id` column"):
        bind(program.spec, program.data)


@pytest.mark.parametrize(
    ("settings", "age", "home"),
    [("", 1, 3), ("bin thresholds(30, 60) age;", 2, 3), ("encode ordinal home;", 1, 1)],
)
def test_features_of_a_column(settings: str, age: int, home: int) -> None:
    found = numbers(
        'param age_ = card(features_of("age")); param home_ = card(features_of("home"));'
        'param all_ {j in features} = if j in features_of("home") then 1 else 0;',
        settings,
    )
    assert (found["age_"][0], found["home_"][0]) == (age, home)
    assert found["all_"].tolist() == [0] * age + [1] * home


def test_a_column_that_is_no_feature() -> None:
    said = fault('param a = card(features_of("sex"));')
    assert (said.code, said.message) == ("E309", 'there is no column "sex"')
    assert said.remedy == "there are 'age', 'home'"


def test_values_of_a_group_are_those_its_points_have() -> None:
    text = "param size {g in values(sex)} = card({i in points : sex[i] = g});"
    assert numbers(text)["size"].tolist() == [2, 5, 1]
    assert numbers(text, 'missing drop marks "x";')["size"].tolist() == [2, 5]


def test_values_takes_a_group() -> None:
    said = fault("param a = card(values(age));")
    assert (said.code, said.message) == ("E204", "'values' takes the name of a group column")
    assert said.remedy == "the groups are 'sex'"


def test_a_bare_number_is_no_point() -> None:
    said = fault('param a = x[3,"age"];')
    assert (said.code, said.remedy) == ("E204", "the point of the file's row 3 is point(3)")


def test_messages_name_points_by_their_row() -> None:
    said = fault('requires {i in points} x[i,"age"] <= 70 else "too old";')
    assert said.message == "too old (it fails for point 7)"
