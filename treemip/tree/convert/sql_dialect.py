"""A query in the SQL of one database, translated by sqlglot."""

from __future__ import annotations

from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.extras import pip_install
from treemip.source.suggest import did_you_mean, listed

WRITTEN = "postgres"
"""The dialect that sqlglot reads standard SQL as; divisions and casts stay what they are."""


def translated(query: str, dialect: str) -> str:
    """A query of `sql_query` in a dialect of sqlglot, the comments at its head as they stand.

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
        raise _refusal(f"sqlglot has no dialect '{dialect}'", remedy.lstrip())
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
        raise _refusal(message, "leave out --dialect for standard SQL") from None
    return f"{head}{text};\n"


def _refusal(message: str, remedy: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E902", message, remedy))
