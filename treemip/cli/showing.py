"""show and report: a saved tree as a picture and as a page."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.cli.console import DONE, complain, write_text
from treemip.cli.console import note as tell
from treemip.cli.outputs import demand_writable
from treemip.core.source.diagnostic import refused

if TYPE_CHECKING:
    from treemip.writers.picture.style import Looks


def show(
    tree: Path,
    output: Path | None = None,
    title: str | None = None,
    note: str | None = None,
    size: str | None = None,
    palette: str | None = None,
    language: str | None = None,
    word: Sequence[str] = (),
    digits: int | None = None,
    depth: int | None = None,
    unit: str | None = None,
) -> int:
    """Draw a saved tree.

    As text, or as a picture whose format is that of the output's suffix. PNG and PDF need
    Matplotlib.
    """
    from treemip.api.store import load_tree
    from treemip.writers.plot import format_of, save

    given = {
        **{"title": title, "note": note, "size": size, "palette": palette, "unit": unit},
        **{"language": language, "digits": digits, "depth": depth, "words": _words(word) or None},
    }
    looks: Looks = {k: v for k, v in given.items() if v is not None}  # type: ignore[assignment]
    if output is None:
        print(load_tree(tree).drawn(**looks))
        return DONE
    format_of(output)
    demand_writable([output], [tree])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        save(load_tree(tree), output, **looks)
    for each in caught:
        tell(f"warning: {each.message}")
    return DONE


def _words(pairs: Sequence[str]) -> dict[str, str]:
    """The texts of `--word NAME=TEXT`. Raises E902 for one without an equals sign."""
    found = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or not text.strip():
            raise refused(f"'{pair}' is not a word with its text", "write  --word points=customers")
        found[name.strip()] = text.strip()
    return found


def report(
    tree: Path,
    output: Path,
    data: Path | None = None,
    progress: Path | None = None,
    rows: bool = False,
    title: str | None = None,
) -> int:
    """Write a page about a saved tree that needs no network.

    The tree, whose nodes can be selected to see their rule and how many points of each class they
    have; the verdict, verified again; what the requirements leave to spare; scores, beside those of
    trees to compare with; the spec and its mathematics; where the tree comes from. Rows of the data
    are on the page only with --rows.
    """
    from treemip.study.report.report import report as written

    demand_writable([output], [each for each in (tree, data, progress) if each is not None])
    if output.suffix.lower() not in (".html", ".htm"):
        raise refused(f"'{output}' does not have the suffix of an HTML page", "name it .html")
    text, found = written(tree, data, progress, rows, title)
    complain(found)
    write_text(output, text)
    return DONE
