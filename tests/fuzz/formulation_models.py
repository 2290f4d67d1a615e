"""Random formulations: a library module rewritten, in a file or in the spec itself, with words of
the vocabulary and words of its own, on a tiny table, with the optimum over all trees.

The formulations are those of univariate trees whose leaves have one answer. Shapes are complete,
depth 1 to 3, or not; at depth 3 tables have few values, so that all trees can be listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from reference.enumeration import complete
from reference.shapes import Shape, depth, read

from . import own_words as own
from .models import FORMS, Form, Model, random_model, random_table
from .own_words import Site
from .rewritten import NEW, Rewritten, rewritten
from .search_words import CLASSES, Rows, Terms, Words
from .tables import Table
from .valued_forms import VALUED

UNIVARIATE = (
    *("oct", "oct", "oct", "binoct", "binoct", "flow_oct", "flow_oct"),
    *("ort", "ost_grid", "prescriptive_ipw", "prescriptive_dm", "prescriptive_dr"),
    *("categorical_odt", "categorical_odt"),
)
"""As often as they are drawn: three kinds of thresholds, labels, values, treatments, categories."""
IN_SPEC = 0.4  # share of formulations that the spec itself has
AS_PUBLISHED = 0.2  # share of cases with words of the vocabulary alone
UNBALANCED = 0.25  # share of shapes that are
DEEP = 0.15  # share of cases of depth 3
SHAPES = ["((. .) .)", "(. (. .))", "(((. .) .) .)", "((. (. .)) .)", "(. (. (. .)))"]
DEPTH_3 = ("oct", "binoct", "flow_oct", "prescriptive_ipw", "prescriptive_dr")


@dataclass(frozen=True)
class Formulation:
    """model: the spec with its reference. module: the text of its formulation, None where that is
    part of the spec. in_part: whether the spec has variables without a meaning of its own."""

    model: Model
    module: str | None
    in_part: bool


def random_formulation(rng: np.random.Generator) -> Formulation:
    name, shape = str(rng.choice(UNIVARIATE)), _shape(rng)
    if depth(shape) == 3 and len(Site.of(shape).branches) > 3 and name not in DEPTH_3:
        name = str(rng.choice(DEPTH_3))
    form = FORMS.get(name) or VALUED[name]
    if rng.random() >= AS_PUBLISHED:
        form = replace(form, words=_with_own(form.words, name, Site.of(shape)))
    if len(Site.of(shape).branches) > 3:
        form = replace(form, table=_few_values(form.table or random_table, name))
    model = random_model(rng, name, shape, form=form)
    spare = "sum {l in leaves} loss" not in model.text
    mine = rewritten(rng, name, spare)
    inside = bool(rng.random() < IN_SPEC)
    text, variables = _with_split(model, mine, inside), re.findall(r"^var [^;]*;", model.text, re.M)
    in_part = any("means" not in variable for variable in variables)
    return Formulation(replace(model, text=text), None if inside else mine.text, in_part)


def _shape(rng: np.random.Generator) -> Shape:
    if rng.random() < DEEP:
        return complete(3)
    if rng.random() < UNBALANCED:
        return read(str(rng.choice(SHAPES)))
    return complete(int(rng.choice([1, 2, 2, 2])))


def _with_split(model: Model, mine: Rewritten, inside: bool) -> str:
    """The spec's text with `mine` for the library's formulation."""
    goal = "goal:" in model.text
    split = f"split univariate by {NEW}{mine.options(model.parameters)};\n"
    if inside:
        split = "split univariate;\n" + mine.in_spec(model.parameters, not goal)
    text, found = re.subn(r"^split [^;]*;\n", lambda _: split, model.text, count=1, flags=re.M)
    assert found
    return text


def _with_own(words: Words, name: str, site: Site) -> Words:
    """The words with those of `own_words` that mean something for the formulation."""
    rows: list[Rows] = [
        *own.at_branches(site), own.implied_size, own.free_more, own.few_crowded]  # fmt: skip
    if len(site.branches) > 1:
        rows += 2 * own.two_branches(site)
    priced: list[Terms] = [
        own.crowded_leaves, own.fullest_leaf, own.more_features, own.paid_level,
        own.levels(site), own.dear_branch(site), own.ways_of_points(site)]  # fmt: skip
    bases: list[Terms] = []
    if words is CLASSES:
        bases += [own.worst_group_errors, own.worst_class_errors, own.most_right_of_the_last]
        bases += [own.counted_errors, own.far_classes, own.f1, own.odds, own.squared_errors]
        priced += [own.unequal_errors]
        rows += [own.few_of_a_group, own.right_with, own.smooth_precision, own.limited_errors]
        rows += [own.each_class]
    if name == "ort":
        bases += [own.greatest_error, own.lopsided_error]
    if name.startswith("prescriptive"):
        rows += [own.counted_treatments]
    return Words([*words.bases, *bases], [*words.priced, *priced], [*words.rows, *rows])


Draw = Callable[[np.random.Generator, Form, int, int], Table]


def _few_values(draw: Draw, name: str) -> Draw:
    """Tables for trees of seven branches: two features of 0 and 1; OCT's thresholds, which may
    be below all values too, leave room for one of up to three values."""

    def few(rng: np.random.Generator, form: Form, classes: int, distinct: int) -> Table:
        table = draw(rng, form, classes, distinct)
        x = table.x[:, :2]
        if name == "oct" and not form.binary:
            values = np.unique(x[:, 0])
            x = np.minimum(np.searchsorted(values, x[:, :1]), 2).astype(float)
        elif not form.binary:
            x = (x > x.min(axis=0)).astype(float)
        kept: dict[str, Any] = {"x": x}
        return replace(table, **kept)

    return few
