"""Definitions that mention each other twice at each step: no 2^60 evaluations."""

import numpy as np
import pytest

import treemip
from treemip.core.lower.linear import Linear, Products
from treemip.core.lower.sharing import MOST, Sharing, gathered
from treemip.core.model.sparse_rows import Part
from treemip.core.source.diagnostic import TreemipError

ROWS = {"a": [2, 3, 0, 1], "b": [1, 1, 2, 3], "c": ["no", "no", "yes", "no"]}
HEAD = """data "none.csv" { label c; scale minmax; }
topology complete(depth = 1);
split oblique by soct;
"""
STEPS = 60


def spec(first: str, step: str, domain: str = "", last: str = "d60") -> str:
    lets = [f"let d0{domain} = {first};"]
    lets += [f"let d{k}{domain} = {step.replace('d', f'd{k - 1}')};" for k in range(1, STEPS + 1)]
    return HEAD + "\n".join(lets) + f"\nminimize misclassified + {last};\n"


def objective(text: str) -> np.ndarray:
    return treemip.loads(text, data=ROWS).compile().reformed.original.objective.linear


LABELS = "sum {t in leaves, k in classes} label[t,k]"


def test_sixty_sums_of_the_one_before() -> None:
    """The coefficient of each label is 2^60, beside what `misclassified` gives it."""
    linear = objective(spec(LABELS, "d + d"))
    plain = objective(HEAD + "minimize misclassified;")
    more = np.flatnonzero(linear - np.pad(plain, (0, len(linear) - len(plain))))
    assert len(more) == 4  # two leaves, two classes
    assert (linear[more] == 2.0**STEPS).all()


def test_sixty_sums_over_a_domain() -> None:
    text = spec("sum {k in classes} label[t,k]", "d[t] + d[t]", " {t in leaves}",
                "sum {t in leaves} d60[t]")  # fmt: skip
    assert (objective(text) == objective(spec(LABELS, "d + d"))).all()


def test_sixty_products_are_squares_that_are_added_up() -> None:
    text = spec(f"({LABELS})^2", "d + d")
    quadratic = treemip.loads(text, data=ROWS).compile().reformed.original.objective.quadratic
    assert quadratic.count <= 4 * 5 / 2
    assert quadratic.coef.max() == 2.0 * 2.0**STEPS


def test_what_is_mentioned_is_counted_once_and_not_without_end() -> None:
    program = treemip.loads(spec(LABELS, "d + d"), data=ROWS)
    lets = {s.name: s for s in program.spec.lets}
    sharing = Sharing()
    # d0 itself, label, and what label means on a tree; then twice that and one more.
    assert [sharing.mentions(lets[f"d{k}"]) for k in range(3)] == [3, 7, 15]
    assert sharing.mentions(lets["d60"]) == MOST


def test_ampl_cannot_write_them_out() -> None:
    with pytest.raises(TreemipError, match="mention each other so often cannot be exported"):
        treemip.loads(spec(LABELS, "d + d"), data=ROWS).compile().to_script("ampl", "x.mod")


def test_gathering_changes_no_row() -> None:
    rows = Linear(
        2,
        np.array([1.0, 2.0]),
        (Part(1, np.array([3, 4], np.int32)), Part(1, np.array([3, 5], np.int32))),
        Products(
            np.array([1, 0, 1]),
            np.array([2, 2, 2], np.int32),
            np.array([3, 3, 3], np.int32),
            np.array([1.0, 5.0, 2.0]),
        ),
    )
    found = gathered(rows)
    assert len(found.parts) == 1
    for mine, other in zip(found.matrix().__dict__.values(), rows.matrix().__dict__.values(),
                           strict=True):  # fmt: skip
        np.testing.assert_array_equal(mine, other)
    assert found.products is not None
    assert found.products.row.tolist() == [0, 1]
    assert found.products.coef.tolist() == [5.0, 3.0]
