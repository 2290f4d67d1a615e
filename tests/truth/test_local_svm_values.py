"""The Local SVM start has the values that D'Onofrio et al. (2023) print in Table 11."""

from __future__ import annotations

import pytest
from truth_cases import HERE

import treemip
from treemip.answers.starts.warm_start import warm_start
from treemip.core.model.answer import Limits
from treemip.core.model.values import objective_value, violation

pytestmark = pytest.mark.truth

HEAD = 'data "margot_cleveland_train.csv" { label class positive 1; } topology complete(depth = 2);'
USED = "sum {j in features} uses[t,j]"

TABLE_11 = {
    "MARGOT": ("split margin by margot(C = 0.1);", 18.48),
    "HFS-MARGOT": (
        "split margin by margot(C = level(1: 10, 2: 1000));"
        "param B {t in branches} = level(1: 1, 2: 2);"
        f"subject to budget {{t in branches}}: {USED} <= B[t];",
        98193.89,
    ),
    "SFS-MARGOT": (
        "split margin by margot(C = 1);"
        f"minimize svm + 4 * sum {{t in branches}} max(0, {USED} - 1);",
        215.00,
    ),
}
"""f0 with Local SVM for Heart Disease C.; the hyperparameters are those of Tables 21 and 22."""


@pytest.mark.parametrize(("text", "value"), TABLE_11.values(), ids=list(TABLE_11))
def test_the_start_is_worth_what_the_paper_prints(text: str, value: float) -> None:
    made = treemip.loads(HEAD + text, base=HERE).compile()
    begun = warm_start("local_svm", made.instance, made.model, "auto", Limits())
    assert begun.values is not None
    assert violation(made.model, begun.values) <= 1e-6
    # printed with two decimals; a feasibility of 1e-9 times big-M is worth about 1e-7 of it
    found = objective_value(made.model, begun.values)
    assert found == pytest.approx(value, abs=0.005, rel=1e-6)
