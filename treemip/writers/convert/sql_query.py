"""A tree as a query in standard SQL, or in that of one database, translated by sqlglot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treemip.core.instance.decimals import number_of
from treemip.core.instance.feature import Feature
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.extras import pip_install
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_splits import (
    Branch,
    Leaf,
    Path,
    RawTree,
    Sum,
    level_names,
    paths,
)
from treemip.writers.convert.source_text import (
    Expressions,
    fill_name,
    marks_in_text,
    other_texts,
)

TABLE = "data"

HEAD = """-- A decision tree, written by treemip: the rows of a table with the {answer} of each.
-- A missing value is NULL. A row that the tree refuses has the {answer} NULL.
"""

FLAT = 700.0
"""Beyond it a logistic function is 0 or 1 to within 1e-304, and exp leaves the range of doubles in
some databases."""


@dataclass(frozen=True)
class SqlExpressions(Expressions):
    def number(self, value: float) -> str:
        return sql_number(value)

    def value(self, feature: Feature) -> str:
        """Of a categorical column of numbers the number, of another one the text."""
        column = f"t.{sql_name(feature.column)}"
        marks = self.tree.tree.fitted_encoder().marks
        if feature.levels is not None and not feature.levels.numeric:
            text = f"TRIM({column})"
            for mark in ("", *marks_in_text(self.tree)):
                text = f"NULLIF({text}, {sql_string(mark)})"
            fill = fill_name(feature)
            return text if fill is None else f"COALESCE({text}, {sql_string(fill)})"
        words = [sql_string(mark) for mark in marks if number_of(mark) is None]
        if words:  # some databases read a text that is no number as 0
            listed = ", ".join(["''", *words])
            is_mark = f"TRIM(CAST({column} AS VARCHAR(255))) IN ({listed})"
            column = f"CASE WHEN {is_mark} THEN NULL ELSE {column} END"
        text = f"CAST({column} AS DOUBLE PRECISION)"
        for number in map(number_of, marks):
            if number is not None:
                text = f"NULLIF({text}, {sql_number(number)})"
        if feature.fill is None:
            return text
        name = fill_name(feature) if feature.levels is not None else None
        return f"COALESCE({text}, {sql_number(feature.fill if name is None else float(name))})"

    def missing(self, feature: Feature, absent: bool) -> str:
        return f"{self.value(feature)} IS {'' if absent else 'NOT '}NULL"

    def joined(self, first: str, both: bool, second: str) -> str:
        return f"{first} {'AND' if both else 'OR'} {second}"

    def levels(self, feature: Feature, name: str) -> list[str]:
        """The values that are one level."""
        assert feature.levels is not None
        if feature.levels.numeric:
            return [sql_number(float(name))]
        place = level_names(feature).index(name)
        others = (text for text, k in other_texts(feature).items() if k == place)
        return [sql_string(text) for text in (name, *others)]

    def member(self, feature: Feature, names: list[str], inside: bool) -> str:
        listed = [value for name in names for value in self.levels(feature, name)]
        if len(listed) == 1:
            return f"{self.value(feature)} {'=' if inside else '<>'} {listed[0]}"
        return f"{self.value(feature)} {'IN' if inside else 'NOT IN'} ({', '.join(listed)})"

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"CASE WHEN {condition} THEN {yes} ELSE {no} END"

    def looked_up(self, feature: Feature, table: tuple[float, ...]) -> str:
        *known, unseen = table
        entries = zip(level_names(feature), known, strict=True)
        cases = " ".join(
            f"WHEN {value} THEN {sql_number(entry)}"
            for name, entry in entries
            if entry != unseen
            for value in self.levels(feature, name)
        )
        if not cases:
            return sql_number(unseen)
        return f"CASE {self.value(feature)} {cases} ELSE {sql_number(unseen)} END"

    def between(self, share: str, lower: float, upper: float) -> str:
        low, width = sql_number(lower), sql_number(upper - lower)
        return self.choose(f"{share} = 1e0", sql_number(upper), f"{low} + {width} * {share}")

    @property
    def refused(self) -> list[str]:
        """Conditions on rows, of which each is a value that the tree does not take."""
        tests = []
        for feature in self.tree.features:
            value = self.value(feature)
            if feature.fill is None and not feature.keeps_missing:
                tests.append(f"{value} IS NULL")
            if feature.levels is not None and not feature.takes_unseen:
                tests.append(self.member(feature, list(level_names(feature)), inside=False))
        return tests


def sql_query(tree: RawTree, table: str | None = None, dialect: str | None = None) -> str:
    """A SELECT of all rows of a table, with their classes or values as `prediction`; where
    probabilities are known also with their leaf and the probability of each class.

    table: TABLE without; dialect: of sqlglot, standard SQL without. Raises E602, E902 as
    `translated`.
    """
    query = _standard(tree, TABLE if table is None else table)
    return query if dialect is None else translated(query, dialect)


def _standard(tree: RawTree, table: str) -> str:
    expressions = SqlExpressions(tree)
    source = f"FROM {'.'.join(map(sql_name, table.split('.')))} AS t"
    head = HEAD.replace("{answer}", "value" if tree.predicts_values else "class")
    if tree.is_randomized:
        return head + _randomized(expressions, source)
    if tree.shares is None:
        return f"{head}SELECT t.*,\n{_column(expressions, 'prediction')}\n{source};\n"
    inner = f"SELECT t.*,\n{_column(expressions, _leaf_column(tree))}\n{source}"
    columns = ",\n  ".join(["t.*", *_of_leaf(tree)])
    return f"{head}SELECT {columns}\nFROM (\n{inner}\n) AS t;\n"


def _column(expressions: SqlExpressions, name: str) -> str:
    """What the tree answers a row, as a column of this name."""
    tests = "\n      OR ".join(expressions.refused)
    body = "\n".join(_nodes(expressions, expressions.tree.root, "      "))
    if not tests:
        return f"{body}\n  AS {name}"
    return f"  CASE\n    WHEN {tests}\n    THEN NULL\n    ELSE\n{body}\n  END AS {name}"


def _leaf_column(tree: RawTree) -> str:
    """The column with the number of a row's leaf, of leaves that answer the same the first; its
    name is that of no column that the tree knows."""
    encoder, name = tree.tree.fitted_encoder(), "tree leaf"
    while name in {encoder.label, *(f.column for f in (*encoder.features, *encoder.kept))}:
        name += "_"
    return sql_name(name)


def _of_leaf(tree: RawTree) -> Iterator[str]:
    """The class and the probabilities of a row, by its leaf; NULL where it has none."""
    heap, shares = tree.tree.topology.heap, tree.shares
    assert shares is not None

    def column(answers: dict[int, str], name: str) -> str:
        cases = "".join(f" WHEN {heap[leaf]} THEN {text}" for leaf, text in answers.items())
        return f"CASE t.{_leaf_column(tree)}{cases} END AS {name}"

    classes = {leaf: _class(tree, int(tree.tree.leaf_class[leaf])) for leaf in tree.leaves}
    yield column(classes, "prediction")
    for k, name in enumerate(tree.tree.classes):
        chances = {leaf: sql_number(float(shares[leaf, k])) for leaf in tree.leaves}
        yield column(chances, _chance_name(name))


def sql_number(value: float) -> str:
    """A literal with an exponent, which is a double where others are decimals."""
    text = repr(float(value))
    return text if "e" in text else f"{text.removesuffix('.0')}e0"


def sql_string(text: str) -> str:
    quoted = text.replace("'", "''")
    return f"'{quoted}'"


def sql_name(name: str) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


def _class(tree: RawTree, k: int) -> str:
    """A class: a number where the label's classes are numbers."""
    value = tree.tree.class_values.tolist()[k]
    return sql_string(value) if isinstance(value, str) else repr(value)


def _nodes(expressions: SqlExpressions, node: Branch | Leaf, indent: str) -> Iterator[str]:
    if isinstance(node, Leaf):
        tree = expressions.tree
        if tree.predicts_values:
            yield f"{indent}{expressions.leaf_value(node.node)}"
            return
        if tree.shares is not None:
            yield f"{indent}{tree.tree.topology.heap[node.node]}"
            return
        yield f"{indent}{_class(tree, int(tree.tree.leaf_class[node.node]))}"
        return
    yield f"{indent}CASE WHEN {expressions.condition(node.split)} THEN"
    yield from _nodes(expressions, node.left, indent + "  ")
    yield f"{indent}ELSE"
    yield from _nodes(expressions, node.right, indent + "  ")
    yield f"{indent}END"


# ------------------------------------------------------------------------- randomized trees


def _randomized(expressions: SqlExpressions, source: str) -> str:
    """Sums, from them the probabilities of going left, of each class, and the greatest one."""
    tree, sums, lefts, leaves = expressions.tree.tree, [], [], {}
    for node, path in paths(expressions.tree.root):
        heap = tree.topology.heap[node.node]
        if isinstance(node, Leaf):
            leaves[node.node] = path
            continue
        assert isinstance(node.split, Sum)
        threshold = sql_number(node.split.threshold)
        total = f"{expressions.sum(node.split)} - {threshold}"
        if expressions.refused:
            total = f"CASE WHEN {' OR '.join(expressions.refused)} THEN NULL ELSE {total} END"
        sums.append(f'{total} AS "sum at {heap}"')
        chance = _logistic(f't."sum at {heap}"')
        lefts.append(f'{chance} AS "left at {heap}"')
    chances = [
        " + ".join(
            " * ".join([*_factors(tree, leaves[leaf]), sql_number(tree.distribution[leaf, k])])
            for leaf in sorted(leaves)
        )
        + f" AS {_chance_name(name)}"
        for k, name in enumerate(tree.classes)
    ]
    query = source.removeprefix("FROM ")
    for columns in (sums, lefts, chances):
        listed = ",\n  ".join(["t.*", *columns])
        query = f"(\nSELECT {listed}\nFROM {query}\n) AS t"
    cases = "\n".join(_greatest(expressions.tree))
    return f"SELECT t.*,\n  CASE\n{cases}\n  END AS prediction\nFROM {query};\n"


def _factors(tree: Tree, path: Path) -> Iterator[str]:
    for branch, left in path:
        chance = f't."left at {tree.topology.heap[branch.node]}"'
        yield chance if left else f"(1e0 - {chance})"


def _logistic(u: str) -> str:
    far = sql_number(FLAT)
    return (
        f"CASE WHEN {u} > {far} THEN 1e0 WHEN {u} < -{far} THEN 0e0 "
        f"WHEN {u} >= 0e0 THEN 1e0 / (1e0 + EXP(-{u})) "
        f"WHEN {u} < 0e0 THEN EXP({u}) / (1e0 + EXP({u})) END"
    )


def _chance_name(class_name: str) -> str:
    return sql_name(f"P({class_name})")


def _greatest(tree: RawTree) -> Iterator[str]:
    names = [f"t.{_chance_name(name)}" for name in tree.tree.classes]
    for k, name in enumerate(names):
        rest = " AND ".join(f"{name} >= {other}" for other in names if other != name)
        yield f"    WHEN {rest or f'{name} IS NOT NULL'} THEN {_class(tree, k)}"


# ------------------------------------------------------------------------- dialects

WRITTEN = "postgres"
"""The dialect that sqlglot reads standard SQL as; divisions and casts stay what they are."""


def translated(query: str, dialect: str) -> str:
    """A query in standard SQL in a dialect of sqlglot, the comments at its head as they stand.

    Raises E602 without sqlglot, E902 for an unknown dialect and for what it cannot express.
    """
    try:
        import sqlglot
    except ImportError as error:
        message = f"the package 'sqlglot' is not installed or does not load: {error}"
        raise TreemipError(Diagnostic.outside("E602", message, pip_install("sql"))) from None
    known = sorted(name for name in sqlglot.Dialect.classes if name)
    if dialect not in known:
        remedy = f"{did_you_mean(dialect, known)} there are {listed(known, most=len(known))}"
        raise refused(f"sqlglot has no dialect '{dialect}'", remedy.lstrip())
    lines = query.splitlines(keepends=True)
    head = "".join(line for line in lines if line.startswith("--"))
    try:
        (text,) = sqlglot.transpile(
            query.removeprefix(head),
            read=WRITTEN,
            write=dialect,
            pretty=True,
            unsupported_level=sqlglot.ErrorLevel.RAISE,
        )
    except sqlglot.errors.SqlglotError as error:
        reason = str(error).split("\n", 1)[0]
        message = f"sqlglot cannot write the query in the dialect '{dialect}': {reason}"
        raise refused(message, "leave out --dialect for standard SQL") from None
    return f"{head}{text};\n"
