"""Writes trial.csv: an observational study after Jo, Aghaei, Gómez and Vayanos (2021, section 5).

The first design of Athey and Imbens (2016): the outcome under treatment k of 0 and 1 is
x1 / 2 + x2 + (2k - 1) x1 / 4, plus noise, so those with x1 > 0 should be treated. Each person
received the better treatment with probability 0.75. Propensities are estimated by a logistic
regression, outcomes under both treatments by a linear regression for each. x3 says nothing; people
with a larger x1 are more often from the city.

    python trial.py
"""

from pathlib import Path

import numpy as np

SEED = 7
PEOPLE = 200


def logistic(design: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Coefficients of the logistic regression, by Newton's method."""
    beta = np.zeros(design.shape[1])
    for _ in range(25):
        chance = 1 / (1 + np.exp(-design @ beta))
        hessian = design.T @ (design * (chance * (1 - chance))[:, None])
        beta += np.linalg.solve(hessian, design.T @ (y - chance))
    return beta


def table() -> str:
    """The text of trial.csv."""
    rng = np.random.default_rng(SEED)
    x = np.round(rng.normal(size=(PEOPLE, 3)), 2)
    base = x[:, 0] / 2 + x[:, 1]
    true = np.column_stack([base - x[:, 0] / 4, base + x[:, 0] / 4])
    better = true.argmax(axis=1)
    received = np.where(rng.random(PEOPLE) < 0.75, better, 1 - better)
    people = np.arange(PEOPLE)
    outcome = true[people, received] + rng.normal(0, 0.1, PEOPLE)
    city = rng.random(PEOPLE) < 1 / (1 + np.exp(-x[:, 0]))

    design = np.column_stack([np.ones(PEOPLE), x])
    treated = 1 / (1 + np.exp(-design @ logistic(design, received)))
    propensity = np.where(received == 1, treated, 1 - treated)
    predicted = np.column_stack(
        [
            design @ np.linalg.lstsq(design[received == k], outcome[received == k], rcond=None)[0]
            for k in (0, 1)
        ]
    )
    numbers = np.column_stack([outcome, propensity, predicted, true])
    header = "x1,x2,x3,region,outcome,propensity,predicted_0,predicted_1,true_0,true_1,treatment"
    lines = [
        ",".join(
            [
                *(f"{v:g}" for v in x[i]),
                "city" if city[i] else "country",
                *(f"{v:.4f}" for v in numbers[i]),
                "treated" if received[i] else "control",
            ]
        )
        for i in people
    ]
    return "\n".join([header, *lines]) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("trial.csv").write_text(table(), encoding="utf-8")
