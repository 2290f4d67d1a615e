"""A tree as text: a line for each node, its splits in words.

A split of one feature is in the feature's own units, or by its categories; a split of several is
in the encoded features, and notes below the tree tell how those are scaled. Numbers are rounded to
five digits; `Tree.to_json` has them exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treemip.instance.encodings import AS_IS, AsIs, MinMax, Standard, Thermometer
from treemip.instance.missing_columns import MISSING, Part, part_of
from treemip.model.tolerances import SCALED_BACK
from treemip.source.render import visible
from treemip.tree.answers import ClassAnswer, DistributionAnswer
from treemip.tree.raw_units import feature_of, value_in_raw_units

if TYPE_CHECKING:
    from treemip.instance.encoder import Feature
    from treemip.tree.randomized import RandomizedTree
    from treemip.tree.tree import Tree


NUMBER = re.compile(r"[-+]?\d+(\.\d*)?")


def draw(tree: Tree, counts: np.ndarray | None = None) -> str:
    """The tree from the root down, without a final line end; points that satisfy a split go left.

    counts int64 (nodes, n): points in each leaf, as `class_counts` gives; those of the tree where
    they are left out.
    """
    counts = tree.counts if counts is None else counts
    lines: list[str] = []
    notes = _scalings(tree, _node(tree, 0, "", "", lines, counts))
    drawn = [*lines, *([""] if notes else []), *notes]
    return "\n".join(visible(line.replace("\r", "\\r").replace("\n", "\\n")) for line in drawn)


def class_counts(tree: Tree, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Points in each node where they end, int64 (nodes, n), as `Tree.counts`."""
    counts = np.zeros((tree.topology.size, max(1, len(tree.count_names))), np.int64)
    np.add.at(counts, (tree.route(x), y if tree.count_names else np.zeros(len(x), np.int64)), 1)
    return counts


def _node(
    tree: Tree, node: int, lead: str, below: str, lines: list[str], counts: np.ndarray | None
) -> list[int]:
    """Append the node's line after `lead`, then its children, indented by `below`.

    A branch without weights sends every row one way: the child it leads to is drawn in its place,
    so a node where the tree stops early is one leaf. A branch whose leaves all answer the same is
    drawn as one leaf too, with the number of leaves beside it. Returns the branches drawn.
    """
    node = tree.applied(node)
    leaves = reachable_leaves(tree, node)
    if tree.answer.is_same(np.array(leaves)):
        lines.append(lead + _leaf_text(tree, leaves, counts))
        return []
    lines.append(f"{lead}{split_text(tree, node)}?")
    left, right = int(tree.topology.left[node]), int(tree.topology.right[node])
    return [
        node,
        *_node(tree, left, f"{below}├─ yes: ", f"{below}│  ", lines, counts),
        *_node(tree, right, f"{below}└─ no:  ", f"{below}   ", lines, counts),
    ]


def reachable_leaves(tree: Tree, node: int) -> list[int]:
    """The leaves below a node that rows can reach, from left to right."""
    node = tree.applied(node)
    if tree.topology.is_leaf[node]:
        return [node]
    left, right = int(tree.topology.left[node]), int(tree.topology.right[node])
    return reachable_leaves(tree, left) + reachable_leaves(tree, right)


def _leaf_text(tree: Tree, leaves: list[int], counts: np.ndarray | None) -> str:
    """`virginica  (46 points: 45 virginica, 1 versicolor; 2 leaves)`: leaves of one answer."""
    notes = [] if counts is None else [_counted(tree, counts[leaves].sum(axis=0))]
    notes += [f"{len(leaves)} leaves"] if len(leaves) > 1 else []
    return answer_text(tree, leaves[0]) + (f"  ({'; '.join(notes)})" if notes else "")


def _counted(tree: Tree, row: np.ndarray) -> str:
    """`46 points: 45 virginica, 1 versicolor`, the most frequent class first; `46 points` where
    the tree does not predict the label's classes."""
    total = int(row.sum())
    if not total:
        return "no point"
    if not tree.count_names:
        return f"{total} point{'s' * (total != 1)}"
    order = [k for k in np.argsort(-row, kind="stable") if row[k]]
    of = " of " if are_numbers(tree.classes) else " "
    parts = ", ".join(f"{row[k]}{of}{tree.classes[k]}" for k in order)
    return f"{total} point{'s' * (total != 1)}: {parts}"


def _scalings(tree: Tree, branches: list[int]) -> list[str]:
    """The scaling of the features in splits with several features."""
    used = np.zeros(len(tree.features), bool)
    for node in branches:
        here = tree.weights[node] != 0
        used |= here & (here.sum() > 1)
    lines = [line for j in np.flatnonzero(used) for line in scaling(tree, int(j))]
    return ["scaled in splits of several features:", *lines] if lines else []


# ----------------------------------------------------------- randomized trees


def draw_randomized(tree: RandomizedTree, counts: np.ndarray | None = None) -> str:
    """The tree from the root down, without a final line end.

    counts int64 (nodes, n): points in the leaf they reach most probably; those of the tree where
    they are left out.
    """
    counts = tree.counts if counts is None else counts
    lines: list[str] = []
    _randomized_node(tree, 0, "", "", lines, counts)
    used = np.flatnonzero((tree.weights != 0).any(axis=0))
    notes = [line for j in used for line in scaling(tree, int(j))]
    drawn = [*lines, *(["", "scaled:"] if notes else []), *notes]
    return "\n".join(visible(line.replace("\r", "\\r").replace("\n", "\\n")) for line in drawn)


def _randomized_node(
    tree: RandomizedTree,
    node: int,
    lead: str,
    below: str,
    lines: list[str],
    counts: np.ndarray | None,
) -> None:
    if tree.topology.is_leaf[node]:
        lines.append(lead + _most_probable_text(tree, node, counts))
        return
    lines.append(lead + chance_text(tree, node))
    left, right = int(tree.topology.left[node]), int(tree.topology.right[node])
    _randomized_node(tree, left, f"{below}├─ left:  ", f"{below}│  ", lines, counts)
    _randomized_node(tree, right, f"{below}└─ right: ", f"{below}   ", lines, counts)


def chance_text(tree: RandomizedTree, node: int) -> str:
    """`left with probability logistic(85.333 petal_width - 512)`."""
    weights, threshold = tree.weights[node], float(tree.threshold[node])
    used = np.flatnonzero(weights)
    if not len(used):
        return f"left with probability {short(float(tree.chance_left(node, weights[None])[0]))}"
    constant = f" {'-' if threshold > 0 else '+'} {short(abs(threshold))}" if threshold else ""
    return f"left with probability logistic({sum_text(tree, weights, used)}{constant})"


def _most_probable_text(tree: RandomizedTree, node: int, counts: np.ndarray | None) -> str:
    text = answer_text(tree, node)
    if counts is None:
        return text
    total = int(counts[node].sum())
    return f"{text}  (most probable for {total} point{'s' * (total != 1)})"


# ----------------------------------------------------------- answers in words


def answer_text(tree: Tree, node: int) -> str:
    """What a leaf answers: `setosa`; `outcome = 1`; `setosa 0.9, virginica 0.1`; `12.5`;
    `3 age - 12.5`, in raw units."""
    answer = tree.answer
    if isinstance(answer, ClassAnswer):
        return class_names(tree)[answer.leaf[node]]
    if isinstance(answer, DistributionAnswer):
        return shares_text(tree, answer.shares[node])
    constant, slopes = value_in_raw_units(tree, node)
    used = np.flatnonzero(slopes)
    if not len(used):
        return short(constant)
    sign = "-" if constant < 0 else "+"
    return f"{sum_text(tree, slopes, used)}" + (
        f" {sign} {short(abs(constant))}" if constant else ""
    )


def class_names(tree: Tree) -> tuple[str, ...]:
    """What leaves answer, as a reader sees it: the classes or, where all of them are numbers,
    `outcome = 1` with the name of the label, group or set."""
    of = tree.answer.of or (tree.encoder.label if tree.encoder is not None else "")
    if not of or not are_numbers(tree.classes):
        return tree.classes
    return tuple(f"{of} = {name}" for name in tree.classes)


def are_numbers(classes: tuple[str, ...]) -> bool:
    """Whether all names of classes are numbers, such as 0 and 1."""
    return bool(classes) and all(NUMBER.fullmatch(name) for name in classes)


def shares_text(tree: Tree, shares: np.ndarray) -> str:
    """`setosa`, or `setosa 0.9, virginica 0.1`, or `outcome = 1: 0.9, outcome = 0: 0.1`; what is
    below 0.0005 is left out."""
    classes, colon = class_names(tree), ":" * are_numbers(tree.classes)
    order = [k for k in np.argsort(-shares, kind="stable") if shares[k] >= 5e-4]
    sure = len(order) == 1
    return ", ".join(classes[k] if sure else f"{classes[k]}{colon} {shares[k]:.3g}" for k in order)


# ------------------------------------------------------------ splits in words

ALWAYS, NEVER = "every point", "no point"


def split_text(tree: Tree, node: int) -> str:
    """What sends a point left at a branch: `petal_length <= 2.45`, `colour is red`.

    Of a kept column `colour in {blue, red}`; a value that training did not have goes right.
    """
    weights, threshold = tree.weights[node], float(tree.threshold[node])
    used = np.flatnonzero(weights)
    if len(used) == 0:
        holds = threshold > 0 if tree.strict else threshold >= 0
        return ALWAYS if holds else NEVER
    by_category = tree.by_category(node)
    if by_category is not None:
        return by_category.text
    if len(used) == 1:
        return _single(tree, int(used[0]), float(weights[used[0]]), threshold)
    op = "<" if tree.strict else "<="
    return f"{sum_text(tree, weights, used)} {op} {short(threshold)}"


def sum_text(tree: Tree, weights: np.ndarray, used: np.ndarray) -> str:
    """`2 age - 0.5 income`"""
    text = ""
    for j in used:
        sign = ("-" if not text else " - ") if weights[j] < 0 else ("" if not text else " + ")
        size = short(abs(float(weights[j])))
        text += sign + ("" if size == "1" else f"{size} ") + tree.features[j]
    return text


def _single(tree: Tree, j: int, weight: float, threshold: float) -> str:
    """The split weight * x[j] <= threshold, in the words of the raw column."""
    origin = feature_of(tree, j)
    if origin is None:
        return _by_number(tree, tree.features[j], AS_IS, weight, threshold)
    feature, position = origin
    if feature.levels is not None:
        return _by_levels(tree, feature, position, weight, threshold)
    part, finish, place = part_of(feature.finish, position)
    text = _of_present(tree, feature.column, part, finish, place, weight, threshold)
    if part is None:
        return text
    return _with_missing(
        feature.column, text, _goes_left(tree, weight, threshold, part.missing[place])
    )


def _with_missing(column: str, text: str, missing: bool) -> str:
    """Which present values go left, as `text`, and whether missing ones do."""
    if text in (ALWAYS, NEVER):
        if missing == (text == ALWAYS):
            return text
        return f"{column} is {MISSING}" if missing else f"{column} is not {MISSING}"
    return f"{text} or {MISSING}" if missing else f"{text} and not {MISSING}"


def _of_present(
    tree: Tree,
    column: str,
    part: Part | None,
    finish: object,
    place: int,
    weight: float,
    threshold: float,
) -> str:
    """Which present numbers go left at weight * x[j] <= threshold."""
    if isinstance(finish, Thermometer):
        return _by_edge(tree, column, finish.edges[place], weight, threshold)
    if not isinstance(finish, AsIs):  # an indicator
        return ALWAYS if _goes_left(tree, weight, threshold, 0.0) else NEVER
    if part is not None and part.end is not None:
        # Present values begin at the end and lead away from the missing ones.
        end = _goes_left(tree, weight, threshold, float(finish.apply(np.array([part.end]))[0, 0]))
        if end == ((weight < 0) == part.lowest):
            return ALWAYS if end else NEVER
    return _by_number(tree, column, finish, weight, threshold)


def _by_number(tree: Tree, column: str, finish: AsIs, weight: float, threshold: float) -> str:
    if _is_constant(finish):
        encoded = float(finish.apply(np.zeros(1))[0, 0])
        return ALWAYS if _goes_left(tree, weight, threshold, encoded) else NEVER
    number = unscaled(finish, threshold / weight)
    shown = short(number)
    strict = tree.strict
    if abs(float(shown) - number) <= SCALED_BACK * abs(number):
        at = float(finish.apply(np.array([float(shown)]))[0, 0])
        strict = not _goes_left(tree, weight, threshold, at)
    op = "<" if weight > 0 else ">"
    return f"{column} {op if strict else op + '='} {shown}"


def _is_constant(finish: AsIs) -> bool:
    return (isinstance(finish, MinMax) and finish.low == finish.high) or (
        isinstance(finish, Standard) and finish.deviation == 0
    )


def unscaled(finish: AsIs, value: float) -> float:
    """The raw number that is scaled to `value`."""
    if isinstance(finish, MinMax):
        share = (value - finish.lower) / (finish.upper - finish.lower)
        return finish.low + share * (finish.high - finish.low)
    if isinstance(finish, Standard):
        return finish.mean + value * finish.deviation
    return value


def _by_levels(tree: Tree, feature: Feature, position: int, weight: float, threshold: float) -> str:
    """Which categories go left, or which do not where those are fewer, or where a category that
    training did not have goes left as well."""
    assert feature.levels is not None and feature.finish is not None
    names = feature.levels.names
    places = np.arange(len(names), dtype=float)
    if feature.keeps_missing:
        names, places = (*names, MISSING), np.append(places, np.nan)
    encoded = feature.finish.apply(places)[:, position]
    left = [
        n for n, v in zip(names, encoded, strict=True) if _goes_left(tree, weight, threshold, v)
    ]
    right = [n for n in names if n not in left]
    if not right or not left:
        return ALWAYS if left else NEVER
    is_named = len(left) <= len(right)
    if feature.takes_unseen:  # such a category has 0 in all columns
        is_named = not _goes_left(tree, weight, threshold, 0.0)
    if is_named:
        return f"{feature.column} is {' or '.join(left)}"
    return f"{feature.column} is not {' or '.join(right)}"


def _by_edge(tree: Tree, column: str, edge: float, weight: float, threshold: float) -> str:
    below, above = (_goes_left(tree, weight, threshold, v) for v in (0.0, 1.0))
    if below == above:
        return ALWAYS if below else NEVER
    return f"{column} {'<' if below else '>='} {short(edge)}"


def _goes_left(tree: Tree, weight: float, threshold: float, value: float) -> bool:
    return weight * value < threshold if tree.strict else weight * value <= threshold


def scaling(tree: Tree, j: int) -> Iterator[str]:
    """A line on how column j of x is scaled, if it is."""
    origin = feature_of(tree, j)
    if origin is None:
        return
    part, finish, place = part_of(origin[0].finish, origin[1])
    stated = list(_scale_text(part, finish))
    if part is not None and isinstance(finish, AsIs):
        stated.append(f"{MISSING} becomes {short(part.missing[place])}")
    if stated:
        yield f"  {tree.features[j]}: {', '.join(stated)}"


def _scale_text(part: Part | None, finish: object) -> Iterator[str]:
    if isinstance(finish, MinMax):
        low, high, lower, upper = finish.low, finish.high, finish.lower, finish.upper
        if part is not None and part.end is not None:
            end = float(finish.apply(np.array([part.end]))[0, 0])
            low, lower = (part.end, end) if part.lowest else (low, lower)
            high, upper = (high, upper) if part.lowest else (part.end, end)
        yield f"{short(low)} .. {short(high)} becomes {short(lower)} .. {short(upper)}"
    elif isinstance(finish, Standard):
        mean, deviation = short(finish.mean), short(finish.deviation)
        yield f"mean {mean} becomes 0, standard deviation {deviation} becomes 1"


def short(value: float) -> str:
    """Five digits, and at least one after the point of a number with fewer than 16 before it, so
    that a threshold between two whole numbers is shown between them; never -0."""
    if abs(value) < 1e4 or abs(value) >= 1e15:
        return str(int(value)) if value.is_integer() and abs(value) < 1e4 else f"{value:.5g}"
    return f"{value:.1f}".removesuffix(".0")
