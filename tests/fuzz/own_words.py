"""What specs say in words of their own: own variables, implications, ties of branches, budgets.

As in `search_words`, each word is a text and the same said of many trees. A variable of its own has
`means` or is settled by rows alone, as chance has it. What speaks of branches depends on the shape:
branches are numbered from the root, those below on the left before those on the right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from reference.enumeration import Trees
from reference.shapes import Shape

from .search_words import TINY, Row, Rows, Term, Terms, _class
from .tables import Table
from .valued_forms import Sorted, Valued, of_leaves


@dataclass(frozen=True)
class Branch:
    """text: how a spec calls it. above: the numbers of the branches above it, the root's first."""

    text: str
    above: tuple[int, ...]


@dataclass(frozen=True)
class Site:
    """The branches and leaves of a shape, in the order of `Trees`."""

    branches: tuple[Branch, ...]
    leaves: tuple[Branch, ...]

    @classmethod
    def of(cls, shape: Shape) -> Site:
        branches: list[Branch] = []
        leaves: list[Branch] = []

        def walk(part: Shape, text: str, above: tuple[int, ...]) -> None:
            if not part:
                leaves.append(Branch(text, above))
                return
            number = len(branches)
            branches.append(Branch(text, above))
            for side, child in zip(("left", "right"), part, strict=True):
                walk(child, f"{side}({text})", (*above, number))

        walk(shape, "root", ())
        return cls(tuple(branches), tuple(leaves))

    @property
    def depths(self) -> np.ndarray:
        """The root's is 0, as in specs; int64 (B,)."""
        return np.array([len(b.above) for b in self.branches])

    def some(self, rng: np.random.Generator) -> int:
        return int(rng.integers(len(self.branches)))


def own_variable(rng: np.random.Generator, name: str, domain: str, means: str, *rows: str) -> str:
    """A variable that `rows` press to what it means; with `means`, or without."""
    said = f" means {means}" if rng.random() < 0.5 else ""
    return f"var {name} {domain}{said};\nsubject to\n" + "".join(f"  {row};\n" for row in rows)


def _numeric(table: Table) -> int:
    """How many features `uses` speaks of."""
    return 1 if isinstance(table, Sorted) else table.x.shape[1]


def _tests(rng: np.random.Generator, table: Table) -> str:
    """The concept that says which feature a branch tests."""
    return "uses" if isinstance(table, Sorted) else str(rng.choice(["uses", "coef"]))


# ------------------------------------------------- objectives of classes


def _of_groups(t: Trees) -> np.ndarray:
    """Wrong points of each group, (2, T)."""
    wrong = ~t.right
    return np.array([wrong[:, t.table.group == v].sum(axis=1) for v in (0, 1)])


def _of_classes(t: Trees) -> np.ndarray:
    wrong = ~t.right
    return np.array([wrong[:, t.table.y == k].sum(axis=1) for k in range(t.table.classes)])


def worst_group_errors(rng: np.random.Generator, table: Table) -> Term:
    """The greatest number of errors in a group, as a variable above all of them."""
    errors = "sum {i in points : g[i] = v} (1 - correct[i])"
    before = f"let of_group {{v in values(g)}} = {errors};\n" + own_variable(
        rng, "worst", ">= 0", "max {v in values(g)} of_group[v]",
        "worst_at {v in values(g)}: worst >= of_group[v]",
    )  # fmt: skip
    return Term("worst", lambda t: _of_groups(t).max(axis=0), before=before)


def worst_class_errors(rng: np.random.Generator, table: Table) -> Term:
    before = own_variable(
        rng, "hardest", ">= 0", "max {k in classes} sum {i in points : y[i] = k} (1 - correct[i])",
        "hardest_at {k in classes}: sum {i in points : y[i] = k} (1 - correct[i]) <= hardest",
    )  # fmt: skip
    return Term("hardest", lambda t: _of_classes(t).max(axis=0), before=before)


def most_right_of_the_last(rng: np.random.Generator, table: Table) -> Term:
    """Right points of the group that has fewest of them, as a variable below both."""
    right = "sum {i in points : g[i] = v} correct[i]"
    before = own_variable(
        rng, "last", ">= 0, <= card(points)", f"min {{v in values(g)}} {right}",
        f"last_at {{v in values(g)}}: last <= {right}",
    )  # fmt: skip
    count = np.bincount(table.group, minlength=2)[:, None]
    return Term("last", lambda t: (count - _of_groups(t)).min(axis=0), maximized=True,
                before=before)  # fmt: skip


def counted_errors(rng: np.random.Generator, table: Table) -> Term:
    errors = "sum {i in points} (1 - correct[i])"
    before = own_variable(rng, "wrong_ones", ">= 0", errors, f"count_of: wrong_ones = {errors}")
    return Term("wrong_ones", lambda t: (~t.right).sum(axis=1), before=before)


def far_classes(rng: np.random.Generator, table: Table) -> Term:
    text = "sum {i in points, k in classes} abs(ord(k) - ord(y[i])) * predicts[i,k]"
    return Term(text, lambda t: np.abs(t.given - t.table.y).sum(axis=1))


def f1(rng: np.random.Generator, table: Table) -> Term:
    hits, one = 'confusion["k1","k1"]', '"k1"'
    called = f"sum {{k in classes}} confusion[k,{one}]"
    text = f"2 * {hits} / ({called} + class_count[{one}])"

    def worth(t: Trees) -> np.ndarray:
        called = (t.given == 1).sum(axis=1)
        return 2 * t.confusion(1, 1) / (called + (table.y == 1).sum())

    return Term(text, worth, maximized=True)


def odds(rng: np.random.Generator, table: Table) -> Term:
    text = "(sum {i in points} (1 - correct[i])) / (1 + sum {i in points} correct[i])"
    return Term(text, lambda t: (~t.right).sum(axis=1) / (1 + t.right.sum(axis=1)))


def squared_errors(rng: np.random.Generator, table: Table) -> Term:
    """The sum over groups of the squared number of errors."""
    text = "sum {v in values(g)} (sum {i in points : g[i] = v} (1 - correct[i]))^2"
    return Term(text, lambda t: (_of_groups(t) ** 2).sum(axis=0))


# -------------------------------------------- terms beside an objective


def unequal_errors(rng: np.random.Generator, table: Table) -> Term:
    """The difference of two groups' errors, as a variable above both signs of it."""
    f, m = (f'(sum {{i in points : g[i] = "{v}"}} (1 - correct[i]))' for v in "fm")
    before = own_variable(rng, "unequal", ">= 0", f"abs({f} - {m})",
                          f"unequal_up: unequal >= {f} - {m}",
                          f"unequal_down: unequal >= {m} - {f}")  # fmt: skip
    return Term("unequal", lambda t: np.abs(np.diff(_of_groups(t), axis=0))[0], before=before)


def crowded_leaves(rng: np.random.Generator, table: Table) -> Term:
    """Leaves of more than 3 points, by a binary for each."""
    before = own_variable(
        rng, "crowded {l in leaves}", "binary", "if points_in[l] >= 4 then 1 else 0",
        "crowd {l in leaves}: points_in[l] <= 3 + card(points) * crowded[l]",
    )  # fmt: skip
    return Term("sum {l in leaves} crowded[l]", lambda t: (t.sizes > 3).sum(axis=1), before=before)


def fullest_leaf(rng: np.random.Generator, table: Table) -> Term:
    before = own_variable(
        rng, "fullest", ">= 0", "max {l in leaves} points_in[l]",
        "fullest_at {l in leaves}: fullest >= points_in[l]",
    )  # fmt: skip
    return Term("0.3 * fullest", lambda t: 0.3 * t.sizes.max(axis=1), before=before)


def more_features(rng: np.random.Generator, table: Table) -> Term:
    """Features beyond the first."""
    before = own_variable(
        rng, "beyond", ">= 0", "max(0, distinct_features - 1)",
        "beyond_one: beyond >= distinct_features - 1",
    )  # fmt: skip
    return Term("beyond", lambda t: np.maximum(t.uses.any(axis=1).sum(axis=1) - 1, 0),
                uses=True, before=before)  # fmt: skip


def paid_level(rng: np.random.Generator, table: Table) -> Term:
    """A second split costs once, and there may be three; no row but this one says what it is."""
    before = "var paid binary;\nsubject to\n  by_paid: splits <= 1 + 2 * paid;\n"

    def worth(t: Trees) -> np.ndarray:
        splits = t.active.sum(axis=1)
        return np.where(splits > 3, np.inf, splits > 1)

    return Term("paid", worth, before=before)


def levels(site: Site) -> Terms:
    def deep_splits(rng: np.random.Generator, table: Table) -> Term:
        return Term("sum {t in branches} (1 + depth(t)) * active[t]",
                    lambda t: (t.active * (1 + site.depths)).sum(axis=1))  # fmt: skip

    return deep_splits


def dear_branch(site: Site) -> Terms:
    def dear(rng: np.random.Generator, table: Table) -> Term:
        """What a split on each feature costs at one branch alone."""
        b, n = site.some(rng), _numeric(table)
        price, what = int(rng.integers(1, 4)), _tests(rng, table)
        return Term(f"{price} * sum {{j in features}} ord(j) * {what}[{site.branches[b].text},j]",
                    lambda t: price * t.uses[:, b, :n] @ np.arange(1, n + 1))  # fmt: skip

    return dear


def ways_of_points(site: Site) -> Terms:
    def long_ways(rng: np.random.Generator, table: Table) -> Term:
        long = np.array([len(leaf.above) for leaf in site.leaves])
        text = "0.1 * sum {i in points, l in leaves} card(ancestors(l)) * reach[i,l]"
        return Term(text, lambda t: 0.1 * long[t.ends].sum(axis=1))

    return long_ways


# ------------------------------------------------------ rows about splits


def two_branches(site: Site) -> list[Rows]:
    """Rows about branches and those above them; of shapes with more than one branch."""
    below = [(b, a) for b, branch in enumerate(site.branches) for a in branch.above]

    def tied(rng: np.random.Generator, table: Table) -> Row:
        a, b = (int(v) for v in rng.choice(len(site.branches), 2, replace=False))
        what, n = _tests(rng, table), _numeric(table)
        one, other = (f"{what}[{site.branches[v].text},j]" for v in (a, b))
        return Row(f"tied {{j in features}}: {one} = {other};",
                   lambda t: (t.uses[:, a, :n] == t.uses[:, b, :n]).all(axis=1))  # fmt: skip

    def fresh(rng: np.random.Generator, table: Table) -> Row:
        """No feature twice on a path."""
        what, n = _tests(rng, table), _numeric(table)
        text = (
            "fresh {t in branches, a in ancestors(t), j in features}: "
            f"{what}[t,j] + {what}[a,j] <= 1;"
        )

        def keeps(t: Trees) -> np.ndarray:
            twice = [(t.uses[:, b, :n] & t.uses[:, a, :n]).any(axis=1) for b, a in below]
            return ~np.any(twice, axis=0)

        return Row(text, keeps)

    def ranked(rng: np.random.Generator, table: Table) -> Row:
        """Along a path no feature comes before one of its ancestors'."""
        what, n = _tests(rng, table), _numeric(table)
        rank = [f"(sum {{j in features}} ord(j) * {what}[{v},j])" for v in ("t", "parent(t)")]
        text = f"ranked {{t in branches : t != root}}: {rank[0]} <= {rank[1]};"

        def keeps(t: Trees) -> np.ndarray:
            of = (t.uses[:, :, :n] * np.arange(1, n + 1)).sum(axis=2)
            parents = [(b, branch.above[-1]) for b, branch in enumerate(site.branches) if b]
            return np.all([of[:, b] <= of[:, a] for b, a in parents], axis=0)

        return Row(text, keeps)

    def not_after(rng: np.random.Generator, table: Table) -> Row:
        """Where the root tests the first feature, no other branch does: an implication."""
        what = _tests(rng, table)
        text = (
            f'not_after {{t in branches : t != root}}: {what}[root,"a1"] = 1 '
            f'==> {what}[t,"a1"] = 0;'
        )
        return Row(text, lambda t: ~(t.uses[:, :1, 0] & t.uses[:, 1:, 0]).any(axis=1))

    return [tied, fresh, ranked, not_after]


def at_branches(site: Site) -> list[Rows]:
    deepest = int(site.depths.max())

    def forced_split(rng: np.random.Generator, table: Table) -> Row:
        b, what = site.some(rng), _tests(rng, table)
        text = f'forced: {what}[{site.branches[b].text},"a1"] = 1;'
        return Row(text, lambda t: t.uses[:, b, 0])

    def forbidden_split(rng: np.random.Generator, table: Table) -> Row:
        b, what = site.some(rng), _tests(rng, table)
        text = f'barred: {what}[{site.branches[b].text},"a1"] <= 0;'
        return Row(text, lambda t: ~t.uses[:, b, 0])

    def must_split(rng: np.random.Generator, table: Table) -> Row:
        b = site.some(rng)
        return Row(f"must: active[{site.branches[b].text}] = 1;", lambda t: t.active[:, b])

    def level_budget(rng: np.random.Generator, table: Table) -> Row:
        """So many splits of one level."""
        level, most = int(rng.integers(deepest + 1)), int(rng.integers(0, 3))
        text = f"level: sum {{t in branches : depth(t) = {level}}} active[t] <= {most};"
        return Row(text, lambda t: t.active[:, site.depths == level].sum(axis=1) <= most)

    def level_feature(rng: np.random.Generator, table: Table) -> Row:
        """The first feature at most once in each level."""
        text = (
            f'once {{d in 0..{deepest}}}: sum {{t in branches : depth(t) = d}} uses[t,"a1"] <= 1;'
        )

        def keeps(t: Trees) -> np.ndarray:
            of = [t.uses[:, site.depths == d, 0].sum(axis=1) for d in range(deepest + 1)]
            return (np.array(of) <= 1).all(axis=0)

        return Row(text, keeps)

    def path_budget(rng: np.random.Generator, table: Table) -> Row:
        most = int(rng.integers(0, deepest + 1))
        text = f"path {{l in leaves}}: sum {{t in ancestors(l)}} active[t] <= {most};"

        def keeps(t: Trees) -> np.ndarray:
            of = [t.active[:, list(leaf.above)].sum(axis=1) for leaf in site.leaves]
            return (np.array(of) <= most).all(axis=0)

        return Row(text, keeps)

    def one_leaf_size(rng: np.random.Generator, table: Table) -> Row:
        leaf, least = int(rng.integers(len(site.leaves))), int(rng.integers(1, 4))
        text = f"this_leaf: points_in[{site.leaves[leaf].text}] >= {least};"
        return Row(text, lambda t: t.sizes[:, leaf] >= least)

    return [forced_split, forbidden_split, must_split, level_budget, level_feature, path_budget,
            one_leaf_size]  # fmt: skip


# --------------------------------------- rows about leaves and answers


def implied_size(rng: np.random.Generator, table: Table) -> Row:
    """A least size of leaves by an implication."""
    m = int(rng.integers(2, 4))
    text = f"held {{l in leaves}}: occupied[l] = 1 ==> points_in[l] >= {m};"
    return Row(text, lambda t: ((t.sizes == 0) | (t.sizes >= m)).all(axis=1))


def free_more(rng: np.random.Generator, table: Table) -> Row:
    """A variable that costs nothing and is settled by nothing."""
    before = "var more binary;\n"
    return Row("few_or_more: splits <= 1 + more;", lambda t: t.active.sum(axis=1) <= 2,
               before=before)  # fmt: skip


def few_crowded(rng: np.random.Generator, table: Table) -> Row:
    """At most one leaf with more than four points, by binaries."""
    before = own_variable(
        rng, "many {l in leaves}", "binary", "if points_in[l] >= 5 then 1 else 0",
        "many_in {l in leaves}: points_in[l] <= 4 + card(points) * many[l]",
    )  # fmt: skip
    return Row("few_many: sum {l in leaves} many[l] <= 1;",
               lambda t: (t.sizes > 4).sum(axis=1) <= 1, before=before)  # fmt: skip


def few_of_a_group(rng: np.random.Generator, table: Table) -> Row:
    """At most four points of a group in each leaf."""
    text = 'mixed {l in leaves}: sum {i in points : g[i] = "f"} reach[i,l] <= 4;'

    def keeps(t: Trees) -> np.ndarray:
        ends, leaves = t.ends[:, t.table.group == 0], np.arange(t.labels.shape[1])
        return ((ends[:, :, None] == leaves).sum(axis=1) <= 4).all(axis=1)

    return Row(text, keeps)


def right_with(rng: np.random.Generator, table: Table) -> Row:
    """Where one point is right, so is another: an implication."""
    i, k = (int(v) for v in rng.choice(len(table.y), 2, replace=False))
    text = f"with_it: correct[point({i + 1})] <= correct[point({k + 1})];"
    return Row(text, lambda t: ~t.right[:, i] | t.right[:, k])


def smooth_precision(rng: np.random.Generator, table: Table) -> Row:
    """A ratio of sums of variables."""
    k = _class(rng, table)
    called = f'(1 + sum {{m in classes}} confusion[m,"k{k}"])'
    text = f'smooth: confusion["k{k}","k{k}"] / {called} >= 0.4;'

    def keeps(t: Trees) -> np.ndarray:
        return t.confusion(k, k) >= 0.4 * (1 + (t.given == k).sum(axis=1)) - TINY

    return Row(text, keeps)


def limited_errors(rng: np.random.Generator, table: Table) -> Row:
    """How many more errors one group may have, as a variable within bounds."""
    f, m = (f'(sum {{i in points : g[i] = "{v}"}} (1 - correct[i]))' for v in "fm")
    most = int(rng.integers(0, 3))
    before = own_variable(rng, "more_wrong", f">= 0, <= {most}", f"max(0, {f} - {m})",
                          f"more_wrong_at: more_wrong >= {f} - {m}")  # fmt: skip

    def keeps(t: Trees) -> np.ndarray:
        of = _of_groups(t)
        return of[0] - of[1] <= most

    # the bound of the variable is the constraint; a row that mentions it beside
    return Row("within: more_wrong <= card(points);", keeps, before=before)


def each_class(rng: np.random.Generator, table: Table) -> Row:
    """Every class is given to some point."""
    text = "each {k in classes}: sum {i in points} predicts[i,k] >= 1;"

    def keeps(t: Trees) -> np.ndarray:
        given = t.given
        return np.all([(given == k).any(axis=1) for k in range(t.table.classes)], axis=0)

    return Row(text, keeps)


# ---------------------------------------------------- leaves with numbers


def greatest_error(rng: np.random.Generator, table: Table) -> Term:
    """Half of the widest range of labels in a leaf."""
    before = own_variable(
        rng, "furthest", ">= 0", "max {i in points} abs(predicted[i] - y[i])",
        "too_high {i in points}: furthest >= predicted[i] - y[i]",
        "too_low {i in points}: furthest >= y[i] - predicted[i]",
    )  # fmt: skip
    assert isinstance(table, Valued)
    label = table.more["c"]

    def worth(t: Trees) -> np.ndarray:
        if t.answers is not None:
            return np.array([np.abs(label - t.answers).max()])
        widths = np.zeros((len(t.ends), t.labels.shape[1]))
        for leaf in range(t.labels.shape[1]):
            here = t.ends == leaf
            top = np.where(here, label, -np.inf).max(axis=1)
            low = np.where(here, label, np.inf).min(axis=1)
            widths[:, leaf] = np.where(here.any(axis=1), top - low, 0.0)
        return widths.max(axis=1) / 2

    return Term("furthest", worth, before=before)


def lopsided_error(rng: np.random.Generator, table: Table) -> Term:
    """Too little costs three times as much as too much: a quantile in each leaf is best."""

    def loss(label: np.ndarray, value: np.ndarray, weight: np.ndarray) -> float:
        return float((weight * np.maximum(3 * (label - value), value - label)).sum())

    def cost(table: Valued, here: np.ndarray) -> float:
        label, weight = table.more["c"][here], table.weights[here]
        return min(loss(label, value, weight) for value in np.unique(label))

    text = "sum {i in points} weight[i] * max(3 * (y[i] - predicted[i]), predicted[i] - y[i])"
    worth = of_leaves(cost, lambda table, given: loss(table.more["c"], given, table.weights))
    return Term(text, worth)


# ---------------------------------------------------------- treatments


def counted_treatments(rng: np.random.Generator, table: Table) -> Row:
    """A budget by a variable that counts."""
    assert isinstance(table, Valued)
    k, most = int(rng.integers(table.classes)), int(rng.integers(0, 6))
    drug = np.unique(table.more["treatment"])[k]
    text = f'sum {{i in points}} prescribed[i,"{drug}"]'
    before = own_variable(rng, "treated", ">= 0", text, f"treated_at: treated = {text}")
    return Row(f"supply: treated <= {most};", lambda t: (t.given == k).sum(axis=1) <= most,
               before=before)  # fmt: skip
