"""Pictures for programs: of a tree to a file, and of its decision regions over two features.

treemip.plot.save(tree, "tree.svg")
treemip.plot.regions(tree, frame, features=("petal_length", "petal_width"))
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from treemip.core.files.atomic import replacing
from treemip.core.source.diagnostic import refused
from treemip.writers.picture.regions import regions

if TYPE_CHECKING:
    import numpy as np

    from treemip.core.tree.tree import Tree
    from treemip.writers.picture.style import Looks

__all__ = ["FORMATS", "format_of", "picture", "regions", "save"]

FORMATS = {
    ".svg": "svg",
    ".png": "png",
    ".pdf": "pdf",
    ".html": "html",
    ".htm": "html",
    ".dot": "dot",
    ".gv": "dot",
    ".txt": "txt",
}
"""The format of a picture by the suffix of its file."""


def save(
    tree: Tree, path: str | Path, counts: np.ndarray | None = None, **looks: Unpack[Looks]
) -> None:
    """Write a tree's picture: .svg, .png, .pdf, .html, .dot or .txt.

    counts int64 (nodes, classes): points by leaf; the training points without. looks: as of
    `Tree.to_svg`; text has no size or palette. Raises E902 for another suffix or look and
    for what is no tree, E602 without Matplotlib for .png and .pdf, E603.
    """
    if not hasattr(tree, "to_svg"):
        message = f"a {type(tree).__name__} is not a tree"
        remedy = "give its tree: `tree` of a result, `tree_` of an estimator"
        raise refused(message, remedy)
    data = picture(tree, format_of(path), counts, **looks)
    with replacing(path) as file:
        file.write(data)


def format_of(path: str | Path) -> str:
    """The format of a file by its suffix. Raises E902 for one of no format."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        message = f"no picture format has the suffix of '{path}'"
        remedy = f"use one of {', '.join(FORMATS)}"
        raise refused(message, remedy)
    return FORMATS[suffix]


def picture(
    tree: Tree, format_: str, counts: np.ndarray | None = None, **looks: Unpack[Looks]
) -> bytes:
    """A tree's picture as the bytes of a file; format_: a value of `FORMATS`. Raises E602, E902."""
    if format_ in ("png", "pdf"):
        return _figure(tree, format_, counts, looks)
    if format_ == "txt":
        return (tree.drawn(counts, **looks) + "\n").encode()
    texts = {"svg": tree.to_svg, "html": tree.to_html, "dot": tree.to_dot}
    return texts[format_](counts, **looks).encode()


def _figure(tree: Tree, format_: str, counts: np.ndarray | None, looks: Looks) -> bytes:
    import warnings

    figure, dots = _drawn(tree, format_, counts, looks)
    # The same tree gives the same bytes: no date. Fonts in a PDF stay text, which can be searched.
    import matplotlib

    file = io.BytesIO()
    with matplotlib.rc_context({"pdf.fonttype": 42}):
        dates = {"CreationDate": None} if format_ == "pdf" else {}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            figure.savefig(file, format=format_, dpi=dots, metadata=dates)
    if any("missing from font" in str(each.message) for each in caught):
        message = "Matplotlib has no font with all letters of the names; SVG and HTML show them"
        warnings.warn(message, stacklevel=4)
    return file.getvalue()


def _drawn(tree: Tree, format_: str, counts: np.ndarray | None, looks: Looks) -> tuple[Any, float]:
    """The figure, and its dots per inch. A PNG has the pixels that are asked for, or twice those of
    the picture's own size, which is sharp on fine screens too."""
    from treemip.writers.picture.figure import PER_INCH, figure_of_pixels
    from treemip.writers.picture.scene import scene_of
    from treemip.writers.picture.style import style_of

    style = style_of(looks)
    if format_ == "png" and style.size is not None:
        figure = figure_of_pixels(scene_of(tree, counts, style), style.size)
        return figure, figure.dpi
    return tree.plot(counts=counts, **looks).figure, 2 * PER_INCH
