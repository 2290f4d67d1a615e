"""The Spec: a text linked with the library, every name bound, before any data is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from treemip.core.resolve.module_files import SPEC, ModuleText
from treemip.core.resolve.settings.data_block import DataSpec
from treemip.core.resolve.settings.strategy import StrategySpec
from treemip.core.resolve.sorts import CLASS, Element, SetOf
from treemip.core.resolve.typed import Symbol, Typed, TypedDomain
from treemip.core.source.diagnostic import Diagnostic
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n

Press = tuple[str, str]
"""A variable and a way, "rises" or "falls"."""


@dataclass(frozen=True)
class Relation:
    """left op right [op2 right2], op among <= >= =."""

    left: Typed
    op: str
    right: Typed
    op2: str | None
    right2: Typed | None
    span: Span


@dataclass(frozen=True)
class Guard:
    """`left` = `value`, one of the equations before `==>`."""

    left: Typed
    value: Typed
    span: Span


@dataclass(frozen=True)
class Constraint:
    """A family of rows. With `guards` the relation holds where all of them do.

    `local_sets` are the sets of `let … in`, in order. `method` is "", "big_m", "indicator", "sos1".
    `module` tells where it comes from: "spec", a formulation's name, "vocabulary". `used_from` is
    the place in the spec that brought in the concept whose default it belongs to. `asked_as` is the
    requirement that it belongs to where that is stated by a module: `fair: parity(sex, 0.1);`.
    """

    name: str
    tag: str
    domain: TypedDomain
    local_sets: tuple[tuple[str, Typed], ...]
    relation: Relation
    guards: tuple[Guard, ...]
    method: str
    big_m: Typed | None
    span: Span
    name_span: Span
    module: str
    used_from: Span | None = None
    asked_as: str = ""

    @property
    def sides(self) -> list[Typed]:
        """The sides of the relation and of the guards."""
        r = self.relation
        ends = [r.left, r.right] if r.right2 is None else [r.left, r.right, r.right2]
        return [*ends, *(side for guard in self.guards for side in (guard.left, guard.value))]


@dataclass(frozen=True)
class ObjectiveSpec:
    """`then`: those that are solved after it, each among the best trees of those before."""

    sense: str
    name: str
    tag: str
    value: Typed
    span: Span
    then: tuple[ObjectiveSpec, ...] = ()

    @property
    def in_turn(self) -> tuple[ObjectiveSpec, ...]:
        """It and those after it."""
        return (self, *self.then)


@dataclass(frozen=True)
class Requirement:
    """A condition on the data and parameters; an error or, when advice, a warning."""

    domain: TypedDomain
    condition: Typed
    message: str
    advice: bool
    span: Span


@dataclass(frozen=True)
class RouteSpec:
    """`left op right` sends point i left at branch t; or the probability of going left."""

    left: Typed | None
    op: str
    right: Typed | None
    probability: Typed | None
    span: Span


@dataclass(frozen=True)
class PredictSpec:
    """What leaf l predicts.

    kind: "class" (an element, or the number of a class), "distribution" (a number for each
    element), or "value" (a number, affine in the features of point i). over: the sort of the
    elements, the label's classes, the values of a group or a listed set; None of values.
    """

    kind: str
    value: Typed
    span: Span
    over: Element | None = None

    @property
    def words(self) -> str:
        """What leaves predict, in words."""
        if self.over is None:
            return "values"
        of = str(SetOf(self.over)).removeprefix("a set of ")
        return of if self.kind == "class" else f"distributions over {of}"


@dataclass(frozen=True)
class Spec:
    """All that a text says. `symbols` are in order of declaration, by role in their own lists.

    `left_out` are the families that a `drop` takes away; `watched`, which presses would bring
    some of them back; `pressed`, which did, and `called_back` the families. `paper`: of the
    formulation. `modules`: the texts from outside of the library that are linked.
    `uses_weights`: whether anything depends on the weights of points.
    """

    name: str
    file: n.File
    formulation: str
    split: str
    data: DataSpec | None
    topology: n.Topology | None
    strategy: StrategySpec
    parameters: tuple[Symbol, ...]
    sets: tuple[Symbol, ...]
    trees: tuple[Symbol, ...]
    variables: tuple[Symbol, ...]
    lets: tuple[Symbol, ...]
    constraints: tuple[Constraint, ...]
    cuts: tuple[Constraint, ...]
    objective: ObjectiveSpec | None
    requirements: tuple[Requirement, ...]
    route: RouteSpec | None
    predict: PredictSpec | None
    concepts: dict[str, Symbol] = field(default_factory=dict)
    left_out: tuple[Constraint, ...] = ()
    watched: frozenset[Press] = frozenset()
    pressed: frozenset[Press] = frozenset()
    called_back: frozenset[str] = frozenset()
    warnings: tuple[Diagnostic, ...] = ()
    overrides: tuple[tuple[str, str], ...] = ()
    paper: str = ""
    modules: tuple[ModuleText, ...] = ()
    asks_missing: bool = False
    uses_weights: bool = True

    @cached_property
    def own(self) -> tuple[Constraint, ...]:
        """The constraints that the spec itself states, in order; others are its formulation's."""
        return tuple(c for c in self.constraints if c.module == SPEC)

    @cached_property
    def own_by_name(self) -> dict[str, tuple[Constraint, ...]]:
        """The `own` ones by the requirement that they belong to, the rows of its name first."""
        found: dict[str, tuple[Constraint, ...]] = {}
        for c in self.own:
            name = c.asked_as or c.name
            others = found.get(name, ())
            found[name] = (c, *others) if c.name == name else (*others, c)
        return found

    @cached_property
    def own_names(self) -> frozenset[str]:
        return frozenset(c.name for c in self.own)

    @cached_property
    def required(self) -> tuple[Constraint, ...]:
        """The `own` ones that ask something of trees: of a requirement that a module states, the
        rows of its name. The others say what its variables are, as those of a formulation do."""
        return tuple(c for c in self.own if c.asked_as in ("", c.name))

    @cached_property
    def required_names(self) -> frozenset[str]:
        return frozenset(c.name for c in self.required)

    @property
    def has_shares(self) -> bool:
        """Whether leaves predict shares of the classes, each point being in one leaf."""
        chances = self.route is not None and self.route.probability is not None
        return self.predict is not None and self.predict.kind == "distribution" and not chances

    @property
    def other_answers(self) -> str:
        """What leaves predict, in words, where that is not a class of the label in each leaf, or
        its probability in a randomized tree; else empty."""
        predict, route = self.predict, self.route
        if predict is None or (predict.over == CLASS and predict.kind == "class"):
            return ""
        chances = route is not None and route.probability is not None
        return "" if predict.over == CLASS and chances else predict.words
