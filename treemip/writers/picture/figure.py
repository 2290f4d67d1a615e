"""A scene drawn by Matplotlib, for PNG, PDF and figures of the user's own."""

from __future__ import annotations

from typing import Any

from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.extras import pip_install
from treemip.writers.picture.shapes import Line, Path, Rect, Scene, Shape

PER_INCH = 96.0
"""Pixels of a scene to an inch, as browsers show SVG."""

DOTS_PER_INCH = 128
"""Of figures of so many pixels: a power of 2, by which pixels become inches and back unrounded."""

MOST_PIXELS = 2**16 - 1
"""Along a side, which is as much as Matplotlib draws."""


def plot(scene: Scene, ax: Any = None) -> Any:
    """Draw into axes, scaled to fit, or into a figure of the scene's own size; returns the axes.

    Raises E602 without Matplotlib.
    """
    figures()
    if ax is None:
        from matplotlib.figure import Figure

        wide, high = scene.shown if any(scene.shown) else (scene.width, scene.height)
        figure = Figure(figsize=(wide / PER_INCH, high / PER_INCH))
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_xlim(0, scene.width)
    ax.set_ylim(scene.height, 0)
    ax.set_aspect("equal", anchor="C")
    ax.axis("off")
    place = ax.get_window_extent()
    dots = min(place.width / scene.width, place.height / scene.height)
    points = dots * 72.0 / ax.figure.dpi
    shapes = [*scene.edges, *(shape for group in scene.groups for shape in group.shapes)]
    for order, shape in enumerate(shapes):
        _draw(ax, shape, points, order)
    return ax


def figure_of_pixels(scene: Scene, size: tuple[float, float]) -> Any:
    """A figure of the scene as wide and as high as size says, in pixels; 0 of it is any, and then
    follows from the other. Where both are given, the tree is in the middle.

    Raises E602 without Matplotlib, E902 for more pixels than it draws.
    """
    figures()
    from matplotlib.figure import Figure

    wide, high = (max(1, round(a or b)) for a, b in zip(size, scene.shown, strict=True))
    if max(wide, high) > MOST_PIXELS:
        message = f"the picture would have {wide} x {high} pixels"
        raise refused(message, f"give a size up to {MOST_PIXELS}, or write .svg")
    inches = wide / DOTS_PER_INCH, high / DOTS_PER_INCH
    figure = Figure(figsize=inches, dpi=DOTS_PER_INCH)
    plot(scene, figure.add_axes((0.0, 0.0, 1.0, 1.0)))
    return figure


def figures() -> None:
    """Import Matplotlib. Raises E602 where it is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        message, remedy = "this picture needs Matplotlib", pip_install("plot")
        raise TreemipError(Diagnostic.outside("E602", message, remedy)) from None


def _draw(ax: Any, shape: Shape, points: float, order: int) -> None:
    """points: of a pixel of the scene, by which text and lines are scaled."""
    from matplotlib.patches import FancyBboxPatch, Rectangle

    if isinstance(shape, Line | Path):
        _line(ax, shape, points, order)
        return
    if isinstance(shape, Rect):
        look: dict[str, Any] = {"facecolor": shape.fill, "edgecolor": shape.stroke or "none"}
        look |= {"linewidth": points, "zorder": order}
        if shape.radius:
            corner = f"round,pad=0,rounding_size={shape.radius}"
            box: Any = FancyBboxPatch(
                (shape.x, shape.y), shape.width, shape.height, boxstyle=corner, **look
            )
        else:
            box = Rectangle((shape.x, shape.y), shape.width, shape.height, **look)
        ax.add_patch(box)
        return
    ax.text(
        shape.x,
        shape.y,
        shape.text,
        fontsize=shape.size * points,
        fontweight="bold" if shape.bold else "normal",
        ha="center" if shape.middle else "left",
        va="baseline",
        color=shape.colour,
        zorder=order,
        parse_math=False,
    )


def _line(ax: Any, shape: Line | Path, points: float, order: int) -> None:
    if isinstance(shape, Line):
        ends: tuple[tuple[float, float], ...] = (shape.x1, shape.y1), (shape.x2, shape.y2)
    else:
        ends = shape.places
        if shape.fill:
            from matplotlib.patches import Polygon

            look: dict[str, Any] = {"facecolor": shape.fill, "edgecolor": shape.stroke}
            ax.add_patch(Polygon(ends, closed=True, linewidth=points, zorder=order, **look))
            return
    xs, ys = zip(*ends, strict=True)
    width = shape.width * points
    ax.plot(xs, ys, color=shape.stroke, linewidth=width, zorder=order, solid_capstyle="butt")
