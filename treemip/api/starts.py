"""What a user gives as a start: names, trees, results, values, or several of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.answers.search.complete import add_results, as_columns
from treemip.answers.starts.given_trees import (
    is_sklearn_regressor,
    is_sklearn_tree,
    splits_of_sklearn,
    splits_of_tree,
)
from treemip.answers.starts.problem import OwnStart, OwnStarts, Start
from treemip.api.result import Result
from treemip.api.store import read_tree
from treemip.core.lower.evaluate import Evaluator
from treemip.core.registry import STARTS
from treemip.core.resolve.sorts import CLASS
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.tree.answers import ValueAnswer
from treemip.core.tree.from_values import values_of
from treemip.core.tree.meaning import meaning_of
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.tree import Tree

if TYPE_CHECKING:
    from treemip.answers.search.candidate import Label, Split
    from treemip.api.compiled import Compiled
    from treemip.core.instance.instance import Instance

KINDS = (
    "the name of a start, the path of a tree.json, a Result, a Tree, a fitted "
    "DecisionTreeClassifier or DecisionTreeRegressor, values by variable, or a list of these"
)


def start_of(given: Any, compiled: Compiled) -> Start | None:
    """A start in the form that `warm_start` takes; a single name stays one.

    Raises E902 for what is no start, E901 and E701 for a file, E302 and E305 for a tree of other
    features or classes than the spec's, E607 for values of another model.
    """
    if given is None or (isinstance(given, str) and (given == "none" or given in STARTS)):
        return given
    several = given if isinstance(given, list | tuple) else [given]
    if not several:
        raise refused("the list of starts is empty", "leave it out, or give one")
    starts = tuple(_one(item, compiled) for item in several)
    if len(starts) > 1:
        starts = tuple(
            replace(start, who=f"{start.who} (start {k})") if start.kind is None else start
            for k, start in enumerate(starts, 1)
        )
    if len(starts) == 1 and starts[0].kind is not None:
        return starts[0].kind
    return OwnStarts(starts)


def _one(given: Any, compiled: Compiled) -> OwnStart:
    if isinstance(given, str) and given in STARTS:
        return OwnStart(given, kind=given)
    if isinstance(given, str) and given == "none":
        raise refused("the start 'none' cannot be combined with others", "leave it out of the list")
    instance = compiled.instance
    if isinstance(given, str | Path):
        return _of_file(given, compiled)
    if isinstance(given, Result):
        who = "the tree of the Result"
        return OwnStart(who, None, _splits(given.tree, instance, who), _values(given, compiled))
    if isinstance(given, Tree):
        who = "the Tree"
        tree = _splits(given, instance, who)
        if tree is None:
            raise _misses_spec(who, given, instance)
        return OwnStart(who, None, tree)
    if isinstance(given, Mapping):
        return OwnStart("the dictionary of values", values=(_of_mapping(given, compiled),))
    if is_sklearn_tree(given):
        who = f"the {type(given).__name__}"
        _require_tree(instance, who)
        if instance.spec.route is not None and instance.spec.route.probability is not None:
            raise _otherwise_split(who, randomized=False)
        predict = instance.spec.predict
        values = predict is not None and predict.over is None
        if values != is_sklearn_regressor(given):
            raise _other_answers(who, "values" if not values else "classes", instance)
        return OwnStart(who, None, splits_of_sklearn(instance, given, who))
    raise refused(f"a start cannot be a value of type '{type(given).__name__}'", f"give {KINDS}")


def _of_file(given: str | Path, compiled: Compiled) -> OwnStart:
    name = str(given)
    if isinstance(given, str) and not Path(name).exists() and _is_word(name):
        hint = did_you_mean(name, [*STARTS, "none"])
        known = f"there are {listed([*STARTS, 'none'])}, and the path of a tree.json"
        raise refused(f"unknown start '{name}'", f"{hint} {known}" if hint else known)
    contents, tree = read_tree(given)
    who = f"the tree of '{name}'"
    values = contents.get("values")
    columns = _of_families(values, tree, compiled) if isinstance(values, dict) else ()
    splits = _splits(tree, compiled.instance, who)
    if splits is None and not columns:
        raise _misses_spec(who, tree, compiled.instance)
    return OwnStart(who, None, splits, columns)


def _is_word(text: str) -> bool:
    return not any(mark in text for mark in "./\\")


def _splits(tree: Tree | None, instance: Instance, who: str) -> Split | Label | None:
    """A tree over the spec's inputs; None where its splits are randomized, or the spec's are."""
    _require_tree(instance, who)
    route = instance.spec.route
    randomized = route is not None and route.probability is not None
    if tree is None or isinstance(tree, RandomizedTree) or randomized:
        return None
    return splits_of_tree(instance, tree, who) if _answers_alike(instance, tree) else None


def _answers_alike(instance: Instance, tree: Tree) -> bool:
    """Whether the tree's leaves answer what the spec's do, be it with other values, and no
    distributions."""
    predict = instance.spec.predict
    if predict is None:
        return tree.predicts_label
    if predict.over is None or isinstance(tree.answer, ValueAnswer):
        return predict.over is None and isinstance(tree.answer, ValueAnswer)
    if predict.kind == "distribution" or predict.over == CLASS:
        return predict.kind == "class" and tree.predicts_label
    return tree.answer.of == predict.over.name


def _require_tree(instance: Instance, who: str) -> None:
    if instance.topology is None or instance.data is None:
        raise refused(f"{who} cannot be a start for a spec without a tree and data", "leave it out")


def _misses_spec(who: str, tree: Tree, instance: Instance) -> TreemipError:
    """Why a tree without values of this spec's variables is no start."""
    if not instance.spec.other_answers and tree.predicts_label:
        return _otherwise_split(who, isinstance(tree, RandomizedTree))
    message = f"{who} has no values of this spec's variables, and leaves that predict "
    message += f"{instance.spec.other_answers or 'classes'} are not completed from a tree alone"
    return refused(message, "give a Result or a tree.json of the same formulation and data")


def _other_answers(who: str, given: str, instance: Instance) -> TreemipError:
    wanted = instance.spec.other_answers or "classes"
    message = f"{who} predicts {given}, and the spec's leaves predict {wanted}"
    kind = "DecisionTreeRegressor" if wanted == "values" else "DecisionTreeClassifier"
    return refused(message, f"give a {kind}" if wanted in ("values", "classes") else "leave it out")


def _otherwise_split(who: str, randomized: bool) -> TreemipError:
    if randomized:
        message = f"{who} has randomized splits, and no values of this spec's variables"
        return refused(message, "give a Result or a tree.json of the same formulation and data")
    return refused(
        f"{who} has no randomized splits, and the spec's trees have", "give a randomized tree"
    )


# ----------------------------------------------------------------------------- values


def _values(result: Result, compiled: Compiled) -> tuple[np.ndarray, ...]:
    """A Result's values as columns of this model, where its variables are the same ones."""
    found = _of_families(result.values, result.tree, compiled)
    values = result.answer.values
    same = compiled.model.column_count == result.compiled.model.column_count
    if found and values is not None and same:
        return (values, *found)
    if result.tree is None and not found:
        message = "the Result has no tree, and no values of this spec's variables"
        raise refused(message, "give one with a solution")
    return found


def _of_families(
    values: Mapping[str, Any], tree: Tree | None, compiled: Compiled
) -> tuple[np.ndarray, ...]:
    """Values by family as columns of the stated model; none where a family is another one here, or
    the tree stands on other inputs. What a file leaves out is what it means on the tree."""
    instance = compiled.instance
    if tree is not None and (instance.data is None or tree.encoder != instance.data.encoder):
        return ()
    blocks = {block.name: block for block in compiled.stated.variables}
    known: dict[str, np.ndarray] = {}
    for name, given in values.items():
        try:
            known[name] = np.array([np.nan if v is None else v for v in given], float)
        except (TypeError, ValueError):
            return ()
        if name not in blocks or len(known[name]) != blocks[name].length:
            return ()
    if not known:
        return ()
    if tree is not None:
        route, topology = instance.spec.route, instance.topology
        randomized = route is not None and route.probability is not None
        if topology is None or tree.topology.size != topology.size:
            return ()
        if isinstance(tree, RandomizedTree) != randomized:
            return ()
        evaluator = Evaluator(instance, meaning_of(instance, tree, known))
        for symbol in instance.spec.variables:
            if symbol.name not in known and symbol.means is not None:
                known[symbol.name] = values_of(symbol, evaluator)
        add_results(compiled.stated, known)
    return (as_columns(compiled.stated, known),)


def _of_mapping(values: Mapping[Any, Any], compiled: Compiled) -> np.ndarray:
    """The same for values that a user writes. Raises E607 for what does not fit."""
    blocks = {block.name: block for block in compiled.stated.variables}
    x = np.full(compiled.stated.column_count, np.nan)
    for name, given in values.items():
        if name not in blocks:
            remedy = did_you_mean(str(name), blocks) or f"the variables are {listed(blocks)}"
            raise _misfit(f"the start has values of '{name}', which is not a variable", remedy)
        block = blocks[name]
        try:
            numbers = np.asarray(given, float).ravel()
        except (TypeError, ValueError):
            remedy = "give numbers, and nan where one is unknown"
            raise _misfit(f"the start's values of '{name}' are not numbers", remedy) from None
        if len(numbers) != block.length or np.isinf(numbers).any():
            message = f"the start has {len(numbers)} values of '{name}'"
            if len(numbers) == block.length:
                message = f"the start has an infinite value for '{name}'"
            remedy = f"it takes {block.length} finite ones, in the order of the model's columns"
            raise _misfit(message, remedy)
        x[block.start : block.stop] = numbers
    if np.isnan(x).all():
        raise _misfit("the start has no values", "give values by variable, such as Result.values")
    return x


def _misfit(message: str, remedy: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E607", message, remedy))
