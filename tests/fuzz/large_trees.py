"""Trees of depth 4 to 6 in a second, of any formulation: what a solve that cannot end promises.

No reference knows these optima. What must hold:

* The solve is over soon after its limit, in CPU time.
* A tree is verified, and worth what is said by an evaluation that shares nothing with treemip.
* No bound is beyond the tree's worth.
* Where CART's tree or one without a split is a solution, there is a tree, and it is no worse.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from reference.enumeration import complete
from reference.shapes import LEAF, Shape, depth, drawn

import treemip
from treemip.answers.search.candidate import Candidate
from treemip.answers.starts.cart import cart, of_cart
from treemip.answers.starts.from_tree import from_tree
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.model.values import objective_value
from treemip.core.source.diagnostic import TreemipError

from .cases import HANG, OTHER, WRONG_VERDICT, Fault
from .judge import own_worth, shown
from .models import FORMS, Form, Model, random_model, random_table
from .promises import require_sound
from .tables import Table
from .valued_forms import VALUED

LIMITS = [0.2, 1.0]
MORE = 2.0
"""Seconds of CPU time beyond a limit."""
DEEPEST = 6
POINTS = [0, 20, 60]
"""Drawn once more from the points of a small table."""
OTHERS = {
    "svm1_odt": "split oblique by svm1_odt;",
    "margot": "split margin by margot;",
    "mm_svm_oct": "split margin by mm_svm_oct;",
    "mrct": "split randomized by mrct(min_rate = 0);",
    "roct": "split univariate by roct;",
}
"""Formulations whose specs are not drawn: they are solved with their own objectives."""


@dataclass(frozen=True)
class LargeModel:
    """drawn: what tells a tree's worth by hand, None where nothing does."""

    formulation: str
    table: Table
    text: str
    drawn: Model | None


def checked(rng: np.random.Generator, files: dict[str, str | bytes]) -> Mapping[str, int]:
    """One case; what is counted. Raises `Fault`."""
    model, limit = large_model(rng), float(rng.choice(LIMITS))
    name = model.formulation
    files |= {"spec.tree": model.text, "table.csv": model.table.csv, "how.txt": f"{limit} s\n"}
    try:
        compiled = treemip.loads(model.text, data=model.table.columns).compile()
        compiled.model  # noqa: B018 (building it is not the solve's)
        began = time.process_time()
        result = compiled.solve(time_limit=limit, threads=1)
        seconds = time.process_time() - began
    except TreemipError as error:
        require_sound(error)
        return {f"{name} deep refused {error.diagnostics[0].code}": 1}
    files["result.txt"] = shown(result)
    if seconds > limit + MORE:
        raise Fault(HANG, f"{seconds:.1f} s of CPU time for {limit} s", f"{name}: beyond its limit")
    _require_kept(model, result, compiled)
    return {f"{name} deep {result.status}": 1}


def _require_kept(model: LargeModel, result: Result, compiled: Compiled) -> None:
    """Raises `Fault` for a tree that is not verified, or a bound or a simple tree beyond it."""
    name, sign = model.formulation, 1.0
    if compiled.stated.objective.sense == "maximize":
        sign = -1.0
    simple = dict(_simple_trees(sign, compiled))
    if result.tree is None:
        if simple:
            raise Fault(OTHER, f"no tree, but {simple}", f"{name}: no deep tree")
        return
    if result.verdict not in ("verified", "verified in part"):
        if model.table.plain:
            text = f"{result.verdict}: {result.problems}"
            raise Fault(WRONG_VERDICT, text, f"{name}: not verified")
        return
    assert result.objective is not None
    worth = sign * result.objective
    near = 1e-5 * max(1.0, abs(worth))
    if model.drawn is not None:
        worth = own_worth(model.drawn, result)
    if result.bound is not None and sign * result.bound > worth + near:
        raise Fault(WRONG_VERDICT, f"{worth}, bound {result.bound}", f"{name}: bound beyond tree")
    for who, value in simple.items():
        if worth > value + 10 * near:
            raise Fault(OTHER, f"{worth}, but {who} has {value}", f"{name}: worse than {who}")


def _simple_trees(sign: float, compiled: Compiled) -> Iterator[tuple[str, float]]:
    """CART's tree and those without a split, where these are solutions, and their objectives of
    minimization."""
    instance = compiled.instance
    assert instance.topology is not None
    if instance.spec.split not in ("univariate", "oblique"):
        return
    if instance.spec.other_answers:
        return
    bare = Candidate.empty(instance.topology, instance.table.inputs.shape[1])
    yield from _worth("CART", sign, compiled, of_cart(instance, cart(instance)))
    for label in np.unique(instance.table.y):
        tree = replace(bare, labels=np.full_like(bare.labels, label))
        yield from _worth(f"no split and class {label}", sign, compiled, tree)


def _worth(
    who: str, sign: float, compiled: Compiled, tree: Candidate
) -> Iterator[tuple[str, float]]:
    """Nothing where the tree is no solution as it is."""
    begun = from_tree(compiled.instance, compiled.stated, compiled.model, [tree], None)
    if begun.values is not None:
        yield who, sign * float(objective_value(compiled.model, begun.values))


# ------------------------------------------------------------------------ models


def large_model(rng: np.random.Generator) -> LargeModel:
    forms = FORMS | VALUED
    name = str(rng.choice([*forms, *OTHERS]))
    if name in OTHERS:
        form = FORMS["soct"]
        table = _larger(rng, random_table(rng, form, 2, 30), form)
        text = (
            'data "table.csv" { label c positive "k1"; drop g; drop w; scale minmax; }\n'
            f'topology shape "{drawn(large_shape(rng))}";\n{OTHERS[name]}\n'
        )
        return LargeModel(name, table, text.replace("drop w;" * (table.weight is None), ""), None)
    form = forms[name]
    draw = form.table or random_table
    larger = replace(form, table=lambda *given: _larger(rng, draw(*given), form))
    model = random_model(rng, name, large_shape(rng), form=larger)
    return LargeModel(name, model.table, model.text, model)


def large_shape(rng: np.random.Generator) -> Shape:
    """A complete tree of depth 4 to 6, or one with as deep a leaf and others anywhere."""
    deep = int(rng.integers(4, DEEPEST + 1))
    if rng.random() < 0.4:
        return complete(deep)
    shape = _grown(rng, deep)
    while depth(shape) < deep:
        shape = _grown(rng, deep)
    return shape


def _grown(rng: np.random.Generator, most: int) -> Shape:
    if not most or rng.random() < 0.3:
        return LEAF
    return _grown(rng, most - 1), _grown(rng, most - 1)


def _larger(rng: np.random.Generator, table: Table, form: Form) -> Table:
    """The table with some points once more, moved by a little where features are numbers."""
    again = rng.integers(len(table.y), size=int(rng.choice(POINTS)))
    rows = np.concatenate([np.arange(len(table.y)), again])
    larger = table.part(rows)
    if form.binary:
        return larger
    x = larger.x.copy()
    x[len(table.y) :] += rng.integers(0, 3, (len(again), x.shape[1])) / 2
    return replace(larger, x=x)
