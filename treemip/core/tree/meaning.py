"""What a spec's objective and constraints are on a tree, apart from the solution it was read from.

The tree says where every point goes and what every leaf predicts; `means` says what concepts and
variables are then. Variables that `route` and `predict value` read are the splits and values
themselves. What depends on any other variable without a meaning is not recomputed, and is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.alike_points import MANY, alike_points
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Meaning, mentioned
from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import GIVEN
from treemip.core.resolve.spec import Constraint, Spec
from treemip.core.resolve.typed import Role
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.residuals import Violation, constraint_violation
from treemip.core.tree.tree import Tree


@dataclass(frozen=True)
class Taken:
    """A variable without a meaning on the tree, and what was not recomputed because of it.

    `place` is "term" or "constraint", `what` the term's text or the constraint's name. `of_split`:
    it is a coefficient of splits, which the repair of one has changed.
    """

    variable: str
    place: Literal["term", "constraint"]
    what: str
    of_split: bool = False

    def text(self) -> str:
        why = "has no meaning on the tree"
        if self.of_split:
            why = "was changed by the repair of a split"
        return f"'{self.variable}' {why}, so the {self.place} '{self.what}' was not recomputed"

    def to_json(self) -> dict[str, str | bool]:
        return {
            "variable": self.variable,
            "place": self.place,
            "what": self.what,
            "of_split": self.of_split,
        }


@dataclass(frozen=True)
class Addend:
    """A term of the objective on the tree; NaN where a variable has neither value nor meaning."""

    text: str
    value: float
    taken: tuple[str, ...]


@dataclass(frozen=True)
class Recomputed:
    """The objective and the spec's own constraints, evaluated by their meaning on the tree.

    `objective` is None where the spec has none, NaN where a term is.
    """

    terms: tuple[Addend, ...]
    side_violations: tuple[Violation, ...]
    taken: tuple[Taken, ...]

    @property
    def objective(self) -> float | None:
        return sum(t.value for t in self.terms) if self.terms else None


def recomputed_as(
    instance: Instance,
    tree: Tree,
    values: dict[str, np.ndarray],
    disagreements: Callable[[Recomputed], list[str]],
    moved: bool = False,
) -> tuple[Recomputed, list[str]]:
    """What the tree means, exactly or with tolerant comparisons, and what disagrees with it.

    moved: as of a `Reading`; the values of split variables are then not the tree's.
    """
    parts = [part for _, part in objective_addends(instance)]
    points = on_alike_points(instance, tree, parts, _own_constraints(instance.spec))
    exact = recomputed(points, meaning_of(points, tree, values), moved)
    wrong = disagreements(exact)
    if wrong:
        near = recomputed(points, meaning_of(points, tree, values, tolerant=True), moved)
        if not disagreements(near):
            return near, []
    return exact, wrong


def on_alike_points(
    instance: Instance, tree: Tree, expressions: Sequence[t.Typed], rows: Sequence[Constraint] = ()
) -> Instance:
    """The instance, over fewer points where neither expressions nor rows tell the others from
    these on the tree."""
    if isinstance(tree, RandomizedTree) or len(instance.table.y) < MANY:
        return instance
    alike = alike_points(instance, expressions, rows, tree.route(instance.table.inputs))
    return instance if alike is None else alike.instance


def _own_constraints(spec: Spec) -> list[Constraint]:
    return [c for c in spec.constraints if c.module == "spec"]


def recomputed(instance: Instance, meaning: Meaning, moved: bool) -> Recomputed:
    evaluator, splits = Evaluator(instance, meaning), split_variables(instance.spec)
    meaning.of_tree -= splits if moved else frozenset()
    terms = terms_of(objective_addends(instance), evaluator, meaning)
    taken = [Taken(v, "term", term.text, v in splits) for term in terms for v in term.taken]
    violations: list[Violation] = []
    for constraint in _own_constraints(instance.spec):
        meaning.taken.clear()
        violations += constraint_violation(constraint, evaluator)
        taken += [
            Taken(name, "constraint", constraint.name, name in splits) for name in meaning.taken
        ]
    return Recomputed(tuple(terms), tuple(violations), tuple(taken))


def terms_of(
    parts: Iterable[tuple[float, t.Typed]], evaluator: Evaluator, meaning: Meaning
) -> list[Addend]:
    """Addends without indices on a tree. evaluator: one that takes values from the meaning."""
    terms = []
    for sign, part in parts:
        meaning.taken.clear()
        value = sign * float(evaluator.known(part, Frame.empty())[0])
        terms.append(Addend(term_text(sign, part), value, tuple(meaning.taken)))
    return terms


def meaning_of(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray], tolerant: bool = False
) -> Meaning:
    """The source of values that knows the tree: where it sends points, what its leaves answer, and
    what follows from these."""
    path = tree.path(instance.table.inputs).astype(float)
    tables = {"routed": path.ravel(), **_answer_tables(instance, tree)}
    return Meaning(tables, values, _tree_variables(instance.spec), tolerant)


def _answer_tables(instance: Instance, tree: Tree) -> dict[str, np.ndarray]:
    """The tables of the language that hold what leaves answer, flat; NaN where they answer
    something else. What no leaf can answer, such as a value that only other rows have, is 0."""
    table, nodes = instance.table, tree.topology.size
    widths = {
        "given_label": len(table.classes),
        "given_value": 1,
        "given_slope": len(table.features),
        **{GIVEN + name: len(each) for name, each in instance.other_labels.items()},
    }
    known = {"given_prediction": np.full(len(table.y), np.nan)}
    if tree.answer.kind == "value":
        known["given_prediction"] = tree.values(table.inputs)
    own = tree.answer.tables()
    for name, width in widths.items():
        answered = own[name].reshape(nodes, -1) if name in own else np.full((nodes, width), np.nan)
        beyond = np.zeros((nodes, width - answered.shape[1]))
        known[name] = np.hstack([answered, beyond]).ravel()
    return known


def split_variables(spec: Spec) -> frozenset[str]:
    """Variables that `route` reads: as coefficients of the splits they are the tree itself."""
    route = spec.route
    return frozenset() if route is None else _read(route.left, route.right, route.probability)


def _tree_variables(spec: Spec) -> frozenset[str]:
    """Variables that are the tree itself: the coefficients of its splits, and of its values, which
    are read from them as they are. Classes are not: a leaf's class may be another than its label
    says."""
    values = spec.predict is not None and spec.predict.kind == "value"
    return split_variables(spec) | (leaf_variables(spec) if values else frozenset())


def leaf_variables(spec: Spec) -> frozenset[str]:
    """Variables that `predict` reads."""
    return frozenset() if spec.predict is None else _read(spec.predict.value)


def _read(*expressions: t.Typed | None) -> frozenset[str]:
    symbols = mentioned(*(e for e in expressions if e is not None))
    return frozenset(s.name for s in symbols if s.role is Role.VARIABLE)


def objective_addends(instance: Instance) -> list[tuple[float, t.Typed]]:
    objective = instance.spec.objective
    return [] if objective is None else addends(objective.value)


def term_text(sign: float, part: t.Typed) -> str:
    text = " ".join(part.span.text.split())
    return text if sign > 0 else f"-({text})"


def addends(expression: t.Typed, sign: float = 1.0) -> list[tuple[float, t.Typed]]:
    """The terms of a sum with their signs."""
    if isinstance(expression, t.Arithmetic) and expression.op in "+-":
        second = sign if expression.op == "+" else -sign
        return addends(expression.left, sign) + addends(expression.right, second)
    return [(sign, expression)]
