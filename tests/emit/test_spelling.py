"""Block names in safe characters."""

from __future__ import annotations

import re

import pytest

from treemip.files.names import spell


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("go_left", "go_left"),
        ("_x.y", "_x.y"),
        ("δ", "delta"),
        ("Ξ_1", "Xi_1"),
        ("ﬁné", "fine"),
        ("λ₂", "lambda2"),
        ("变", "u53d8"),
        ("a[b]", "a_b_"),
        ("a b-c", "a_b_c"),
        ("2x", "_2x"),
        (".x", "_.x"),
        ("", "_"),
        ("e", "_e"),
        ("E12", "_E12"),
        ("e1x", "_e1x"),
        ("error", "error"),
        ("Infinity", "_Infinity"),
        ("info", "_info"),
        ("NaN_share", "_NaN_share"),
        ("confine", "confine"),
        ("ST", "_ST"),
        ("end", "_end"),
    ],
)
def test_spelling(name: str, spelt: str) -> None:
    assert spell([name], [96]) == [spelt]


def test_safe_names_keep_their_place_and_others_add_a_hash() -> None:
    bases = spell(["é_", "e_", "ê_", "e_"], [96] * 4)
    assert bases[1] == "e_"
    assert all(re.fullmatch(r"e__[0-9a-f]{8}", bases[k]) for k in (0, 2, 3))
    assert len(set(bases)) == 4
    assert spell(["a b", "a_b"], [96] * 2)[1] == "a_b"
    assert spell(["ê_", "e_"], [96] * 2)[0] == bases[2]  # its own hash, whatever stands beside it
