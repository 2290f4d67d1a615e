"""A classifier of scikit-learn some leaves of which answer another class than their likeliest."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.tree import DecisionTreeClassifier


class AnsweringTree(DecisionTreeClassifier):
    """A DecisionTreeClassifier that predicts by `leaf_answers_`, the number of a class for each
    node, int64 (nodes,): costs, recall or ties may have chosen others than the greatest shares,
    which are its probabilities."""

    leaf_answers_: np.ndarray

    def fit(self, *arguments: Any, **named: Any) -> Self:
        """Grow another tree, whose leaves answer their likeliest class."""
        super().fit(*arguments, **named)
        self.leaf_answers_ = self.tree_.value[:, 0].argmax(axis=1)
        return self

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The class of each row, (M,)."""
        return np.asarray(self.classes_.take(self.leaf_answers_[self.apply(X, check_input)]))
