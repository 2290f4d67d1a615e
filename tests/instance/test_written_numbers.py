"""Decimal commas, thousands separators, units, dates: what all cells of a column say together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.instance.columns import Unreadable
from treemip.core.instance.written_numbers import demand_plain_numbers, unread

DECIMALS = "a decimal comma"
THOUSANDS = "thousands separators"


def refusal(*words: str) -> tuple[str, str]:
    with pytest.raises(Unreadable) as error:
        demand_plain_numbers("a", words)
    return error.value.message, error.value.remedy


@pytest.mark.parametrize(
    ("words", "how", "cell", "remedy"),
    [
        (("1,5", "2"), DECIMALS, "1,5", "save the table with decimal points: 1.5"),
        (("1,200", "1,5"), DECIMALS, "1,5", "save the table with decimal points: 1.5"),
        (("0,500", "0,250"), DECIMALS, "0,250", "save the table with decimal points: 0.250"),
        (
            ("1.234,56", "7,5"),
            DECIMALS,
            "1.234,56",
            "save the table with decimal points alone: 1234.56",
        ),
        (("1,200", "850"), THOUSANDS, "1,200", "save the table without them: 1200"),
        (("1,200.50", "3,000"), THOUSANDS, "1,200.50", "save the table without them: 1200.50"),
        (("-1,200,000",), THOUSANDS, "-1,200,000", "save the table without them: -1200000"),
        (("1.200.000", "3.000"), THOUSANDS, "1.200.000", "save the table without them: 1200000"),
    ],
)
def test_one_reading(words, how, cell, remedy) -> None:
    assert refusal(*words) == (f"column 'a' has numbers with {how}, such as {cell}", remedy)


@pytest.mark.parametrize("words", [("1,200", "3,450"), ("1,200", "12000")])
def test_both_readings_where_all_commas_stand_before_three_digits(words) -> None:
    assert refusal(*words) == (
        "column 'a' has numbers with a comma, such as 1,200, which may mean 1200 or 1.200",
        "save the table without thousands separators and with decimal points",
    )


@pytest.mark.parametrize("words", [(), ("a,b", "1,5"), ("12", "1.5"), ("1,2,3", "4"), ("v1",)])
def test_other_columns_are_left_alone(words) -> None:
    demand_plain_numbers("a", words)


@given(st.lists(st.integers(1_000_000, 10**12), min_size=1))
def test_large_numbers_with_separators_are_never_taken_for_decimals(numbers) -> None:
    message, _ = refusal(*(f"{number:,}" for number in numbers))
    assert THOUSANDS in message


@given(st.lists(st.decimals(0, 1000, places=2), min_size=1))
def test_two_decimals_are_never_taken_for_thousands(numbers) -> None:
    message, _ = refusal(*(f"{number:f}".replace(".", ",") for number in numbers))
    assert DECIMALS in message


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("2024-01-31", "2024/2/1"), "dates"),
        (("31.12.2024", "1.1.99"), "dates"),
        (("2024-01-31T10:15:00", "2024-01-31 10:15"), "dates"),
        (("3%", "12.5 %"), "numbers with a unit"),
        (("$3.50", "-€ 1,200"), "numbers with a unit"),
        (("C10001", "C10002"), ""),
        (("3%", "none"), ""),
        ((), ""),
    ],
)
def test_text_that_numbers_could_stand_for(words, what) -> None:
    assert unread(words) == what
