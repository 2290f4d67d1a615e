"""Random models under names that a format could trip over, and what a reader must hold of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from file_models import sparse
from hypothesis import strategies as st
from mps_reader import INF, Content
from random_models import TAME, dense, limits, models, row_limits

from treemip.core.files.names import Style, name_model
from treemip.core.model.blocks import Index, Kind, Rows, Variables
from treemip.core.model.model import Model

CONSTANT = "objective_constant"

_WORDS = """
free st s.t. subject to such that end inf infinity nan bound bounds bin binary binaries int integer
general generals gen min max minimize maximize sos sos1 sos2 semi sec sin range ranges rhs rows
columns name endata objsense quadobj qcmatrix indicators lazycons usercuts marker intorg intend
lazy user cuts constraints obj objective objective_constant rng bnd e E1 e5 1e5 x1 r1 cap.lo cap.hi
nil true null N L G E R lo up fx mi pl bv if not -> := == <= [ ] ] / 2
"""
KEYWORDS = _WORDS.split()
ODD = "aAbé_ß .,;:'\"`[](){}<>%$#!?&|\\/+-*^~=@δ变☃0123456789\t\n"

KEYWORD = st.sampled_from(KEYWORDS).flatmap(
    lambda word: st.sampled_from(
        [word, word.upper(), word.capitalize(), f"{word} {word}", f" {word}"]
    )
)
COLLIDING = st.text(st.sampled_from("aA _-ä"), min_size=1, max_size=3)
BEGINNING = st.sampled_from(["long ", "ö", "x"])
LONG = st.tuples(BEGINNING, st.integers(90, 300), st.text(max_size=2)).map(
    lambda part: part[0] * part[1] + part[2]
)
ANY = st.text(st.sampled_from(ODD), min_size=1, max_size=9) | st.text(min_size=1)
NAME = st.one_of(KEYWORD, COLLIDING, LONG, ANY)


@st.composite
def odd_models(
    draw: st.DrawFn,
    numbers: st.SearchStrategy[float] = TAME,
    products: bool = True,
    free: bool = True,
    solved: bool = False,
    touched: bool = False,
) -> Model:
    """`models` under other names; a family of one may have no index.

    `solved`: bounds of integers are whole, without which Xpress refuses a file. `touched`: the
    last row has every column, since lp_solve leaves out what no row has when it writes.
    """
    model = draw(models(numbers, free, products))
    if solved:
        model = model.with_(variables=tuple(map(with_whole_bounds, model.variables)))
    if touched:
        model = model.with_(rows=(*model.rows, of_every_column(model)))

    def renamed(blocks: tuple) -> tuple:
        found = draw(st.lists(NAME, min_size=len(blocks), max_size=len(blocks), unique=True))
        made = []
        for block, name in zip(blocks, found, strict=True):
            bare = block.length == 1 and draw(st.booleans())
            made.append(replace(block, name=name, index=Index() if bare else block.index))
        return tuple(made)

    return model.with_(
        name=draw(NAME),
        variables=renamed(model.variables),
        rows=renamed(model.rows),
        objective=replace(model.objective, name=draw(NAME)),
    )


def with_whole_bounds(block: Variables) -> Variables:
    if block.kind is Kind.CONTINUOUS:
        return block
    lower = np.ceil(block.lower)
    return replace(block, lower=lower, upper=np.maximum(lower, np.floor(block.upper)))


def of_every_column(model: Model) -> Rows:
    row = sparse([dict.fromkeys(range(model.column_count), 1.0)])
    return Rows("every", Index(), row, np.full(1, -INF), np.full(1, 1000.0))


def names_of(model: Model, style: Style = "spec") -> tuple[list[str], list[str]]:
    """Of columns and rows."""
    named = name_model(model, style)
    return named.columns().astype(str).tolist(), named.rows().astype(str).tolist()


def written_rows(
    model: Model, content: Content, ranges: bool, style: Style
) -> dict[str, tuple[float, float, int]]:
    """Each row that a file has, with its sides and place; without `ranges` two for a range."""
    found = {}
    for k, (name, (low, high)) in enumerate(
        zip(names_of(model, style)[1], row_limits(model), strict=True)
    ):
        if -INF < low < high < INF and not ranges:
            number = next(n for n in ("", "2", "3", "4") if f"{name}.lo{n}" in content.rows)
            found[f"{name}.lo{number}"] = (low, INF, k)
            found[f"{name}.hi{number}"] = (-INF, high, k)
        elif low > -INF or high < INF:
            found[name] = (low, high, k)
    return found


def stated_products(model: Model, columns: list[str], sign: float) -> dict[tuple[str, str], float]:
    form = model.objective.quadratic
    triples = zip(form.first.tolist(), form.second.tolist(), form.coef.tolist(), strict=True)
    return {(columns[i], columns[j]): sign * v * (1 + (i == j)) for i, j, v in triples}


def assert_same(
    model: Model,
    content: Content,
    sign: float,
    *,
    ranges: bool = True,
    style: Style = "spec",
    last_bit: bool = False,
) -> None:
    """Rows, sides, columns, bounds, kinds, costs, entries and products, up to order.

    Bit for bit, but for the far end of a `range`, which may be off in its last digits, and for the
    last bit of any number where that is allowed.
    """
    columns = names_of(model, style)[0]
    rows = written_rows(model, content, ranges, style)
    full = dense(model)
    entries = {
        (n, columns[j]): full[k, j] for n, (*_, k) in rows.items() for j in np.flatnonzero(full[k])
    }
    products = stated_products(model, columns, sign)
    costs = dict(zip(columns, (sign * model.costs).tolist(), strict=True))
    ends = dict(zip(columns, limits(model), strict=True))
    whole = {name for name, is_ in zip(columns, model.integer, strict=True) if is_}
    if model.objective.constant or CONSTANT in content.columns:
        costs[CONSTANT], ends[CONSTANT] = sign * model.objective.constant, (1.0, 1.0)
    assert set(content.columns) == set(ends)
    assert content.integer == whole
    close(rounded(content.columns, whole), rounded(ends, whole), last_bit)
    close({c: content.costs.get(c, 0.0) for c in ends}, {c: costs[c] for c in ends}, last_bit)
    assert set(content.rows) == set(rows)
    close(content.rows, {n: (low, high) for n, (low, high, _) in rows.items()}, last_bit, ranges)
    close({at: v for at, v in content.entries.items() if v}, entries, last_bit)
    close(
        {tuple(sorted(at)): v for at, v in content.products.items()},
        {tuple(sorted(at)): v for at, v in products.items()},
        last_bit,
    )


def rounded(ends: dict[str, tuple[float, float]], whole: set[str]) -> dict:
    """Bounds, those of integers as whole numbers, which some readers make of them, Gurobi by its
    tolerance: 1 of 0.99999."""
    near = 1.1e-5
    return {
        c: (np.ceil(low - near), np.floor(high + near)) if c in whole else (low, high)
        for c, (low, high) in ends.items()
    }


def close(found: dict, expected: dict, last_bit: bool, ranges: bool = False) -> None:
    assert found.keys() == expected.keys()
    for at, value in expected.items():
        low, high = value if isinstance(value, tuple) else (value, value)
        got_low, got_high = found[at] if isinstance(value, tuple) else (found[at], found[at])
        spread = high - low if ranges and -INF < low < high < INF else 0.0
        for got, told in ((got_low, low), (got_high, high)):
            off = np.spacing(abs(told)) if last_bit and np.isfinite(told) else 0.0
            off += 2 * np.spacing(max(spread, abs(told))) if spread else 0.0
            assert got == told or abs(got - told) <= off, (at, found[at], value)
