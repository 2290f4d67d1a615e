"""Whole numbers too long to be meant, which Python would refuse, or take and be lost in."""

from __future__ import annotations

import pytest
from solution_files import FILES, SAID

from treemip.files.solution_files import Text
from treemip.files.solution_formats import formats
from treemip.source.diagnostic import TreemipError
from treemip.source.reading import HEAD


@pytest.mark.parametrize("digits", [19, 400, 5000])
@pytest.mark.parametrize("name", sorted(SAID))
def test_a_long_number_anywhere_is_refused_or_no_number(name: str, digits: int) -> None:
    data = (FILES / name).read_bytes()
    for at in range(0, len(data), max(1, len(data) // 60)):
        if not data[at : at + 1].isdigit():
            continue
        text = data[:at] + b"7" * digits + data[at + 1 :]
        for form in formats():
            if not form.recognises(text[:HEAD]):
                continue
            try:
                form.read(Text("some.sol", text))
            except TreemipError as error:
                assert {d.code for d in error.diagnostics} == {"E606"}
