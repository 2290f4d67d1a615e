"""Rows of one variable are its bounds, so that big-Ms are proven from them."""

from __future__ import annotations

import pytest

from treemip.api.program import loads
from treemip.core.reform.bounds_from_rows import tightened
from treemip.core.source.diagnostic import TreemipError

HEAD = "var b binary; var v; var w;\nmaximize v + w - b;\n"


@pytest.mark.parametrize(
    ("row", "bounds"),
    [
        ("-3 <= v <= 5", (-3, 5)),
        ("-2 * v <= 6", (-3, float("inf"))),
        ("-2 * v >= 6", (float("-inf"), -3)),
        ("2 * v = 6", (3, 3)),
        ("v + w <= 6", (float("-inf"), float("inf"))),
        ("v + v * b <= 6", (float("-inf"), float("inf"))),
        ("v + b * b * b <= 6", (float("-inf"), float("inf"))),
        ("v + exp(w) <= 6", (float("-inf"), float("inf"))),
        ("v + 1 <= 6", (float("-inf"), 5)),
    ],
)
def test_what_a_row_says_of_its_variable(row: str, bounds: tuple[float, float]) -> None:
    text = HEAD + "".join(f"subject to {name}: {part};" for name, part in (("r", row),))
    from treemip.core.lower.bind import bind
    from treemip.core.lower.lower import lower

    model = lower(bind(loads(text).spec, None))
    lower_, upper = tightened(model.lower, model.upper, model.rows)
    assert (lower_[1], upper[1]) == bounds


def test_without_it_the_message_says_which_row_would_do() -> None:
    text = "var b binary; var v {k in 1..2} free;\nmaximize v[1] - b;\n"
    with pytest.raises(TreemipError) as caught:
        loads(text + "subject to off {k in 1..2}: b = 0 ==> v[k] <= 1;").compile(target="portable")
    remedy = caught.value.diagnostics[0].remedy
    row = remedy.rpartition(": cap ")[2]
    assert row == "{k in 1..2}: -10 <= v[k] <= 10;"
    loads(text + f"subject to off {{k in 1..2}}: b = 0 ==> v[k] <= 1; cap {row}").compile(
        target="portable"
    )


NORM = """var b binary; var v {k in 1..2} free;
maximize v[1] - b;
subject to off: b = 0 ==> norm1(v[*]) <= 0;
"""


def test_the_message_names_what_a_function_is_made_of() -> None:
    with pytest.raises(TreemipError) as caught:
        loads(NORM).compile(target="portable")
    first = caught.value.diagnostics[0]
    assert "'v' has no finite bounds" in first.message
    assert first.remedy.endswith("cap {k in 1..2}: -10 <= v[k] <= 10;")
