"""Passes run in the order that a model needs."""

from __future__ import annotations

import numpy as np
import pytest

from treemip.api.program import loads
from treemip.core.model.model import Model
from treemip.core.reform.editing import Note
from treemip.core.reform.reform import BEFORE_IMPLICATIONS, Construct, Pass, apply
from treemip.core.reform.target import Target

NEEDS = """
var a binary; var b binary; var v >= -1, <= 2;
"""


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("minimize abs(v) + a * v;", ["abs", "product"]),
        ("minimize abs(a * v) + a * b;", ["product", "abs"]),
        ("minimize max(abs(a * v), b) + a * abs(v);", ["product", "abs_2", "max", "abs"]),
        ("minimize v; subject to r: a = 1 ==> abs(b * v) <= 1;", ["product", "abs", "r"]),
        ("minimize a * b * v;", ["product", "product_2"]),
    ],
)
def test_notes_tell_the_order(text: str, order: list[str]) -> None:
    assert [n.source for n in loads(NEEDS + text).compile().reformed.notes] == order


def test_results_are_recomputed_from_products_and_smooth_arguments() -> None:
    text = "minimize max(a * v, abs(exp(w) - v)); var w >= 0, <= 1;"
    reformed = loads(NEEDS + text).compile().reformed
    names = [block.name for block in reformed.original.variables]
    values = np.zeros(reformed.model.column_count)
    values[[names.index(name) for name in ("a", "v", "w")]] = 1.0, 1.5, 0.0
    values[[names.index(name) for name in ("max", "abs")]] = 7.0, 9.0  # too high, as solvers may
    found = dict(zip(names, reformed.invert(values).tolist(), strict=True))
    assert found == {"a": 1.0, "b": 0.0, "v": 1.5, "w": 0.0, "abs": 0.5, "max": 1.5}


# ------------------------------------------------------------------------------ the end


def test_passes_produce_only_what_stands_behind_what_they_consume() -> None:
    """So that the constructs that are left, as a binary number, fall with each run."""
    rank = list(Construct).index
    for one in BEFORE_IMPLICATIONS:
        assert min(map(rank, one.consumes)) < min(map(rank, one.produces), default=len(Construct))
        assert not {*one.consumes} & {*one.after}


def test_a_pass_takes_out_all_it_consumes_and_leaves_no_other_than_it_says() -> None:
    texts = ["minimize abs(a * v) + a * b + abs(v);", "minimize abs(v) + a * b * v;"]
    for text in texts:
        seen: list[set[Construct]] = []
        apply(
            loads(NEEDS + text).compile().reformed.original,
            [watched(p, seen) for p in BEFORE_IMPLICATIONS],
        )
        assert len(seen) == 2


def watched(one: Pass, seen: list[set[Construct]]) -> Pass:
    def rewrite(model: Model, target: Target) -> tuple[Model, list[Note]]:
        before = left(model)
        made, notes = one.rewrite(model, target)
        assert left(made) <= before - {*one.consumes} | {*one.produces}
        seen.append(before)
        return made, notes

    return Pass(one.consumes, one.produces, one.after, rewrite)


def left(model: Model) -> set[Construct]:
    return {construct for construct in Construct if construct.is_in(model)}
