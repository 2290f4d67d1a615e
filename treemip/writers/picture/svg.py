"""A scene as SVG: no script, no font and no file from elsewhere."""

from __future__ import annotations

import re
from html import escape

from treemip.writers.picture.shapes import Group, Line, Path, Rect, Scene, Shape

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

# What XML 1.0 has no way to write (section 2.2).
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def svg(scene: Scene, link: str = "") -> str:
    """The picture on a white ground; a reader's pointer on a node shows all that it says.

    link: what each node links to, before its number, such as "#node-"; no links without.
    """
    wide, high = map(_number, scene.shown if any(scene.shown) else (scene.width, scene.height))
    width, height = _number(scene.width), _number(scene.height)
    title = xml(scene.title)
    role = "group" if link else "img"  # what is in an image is not announced, links would be lost
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="0 0 {width} {height}" role="{role}" aria-label="{title}" font-family="{FONT}">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *map(_shape, scene.edges),
        *(_group(group, link) for group in scene.groups),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def xml(text: str) -> str:
    """Text in an element or an attribute."""
    return escape(printable(text))


def printable(text: str) -> str:
    """Text without what XML has no way to write."""
    return _NO_XML.sub("\ufffd", text)


def _group(group: Group, link: str) -> str:
    numbers = " ".join(map(str, group.heap))
    head = f'<g class="{group.kind}" data-node="{numbers}"><title>{xml(group.title)}</title>'
    lines = [head, *map(_shape, group.shapes), "</g>"]
    if link:
        label = xml(group.title)
        head = f'<a href="{xml(link)}{group.heap[0]}" aria-label="{label}">'
        lines = [head, *lines, "</a>"]
    return "\n".join(lines)


def _shape(shape: Shape) -> str:
    if isinstance(shape, Line):
        ends = zip(("x1", "y1", "x2", "y2"), (shape.x1, shape.y1, shape.x2, shape.y2), strict=True)
        places = " ".join(f'{name}="{_number(value)}"' for name, value in ends)
        width = "" if shape.width == 1 else f' stroke-width="{_number(shape.width)}"'
        return f'<line {places} stroke="{shape.stroke}"{width}/>'
    if isinstance(shape, Path):
        places = " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.places)
        if shape.fill:
            return f'<polygon points="{places}" fill="{shape.fill}" stroke="{shape.stroke}"/>'
        look = f'fill="none" stroke="{shape.stroke}" stroke-width="{_number(shape.width)}"'
        return f'<polyline points="{places}" {look}/>'
    if isinstance(shape, Rect):
        sides = ("x", shape.x), ("y", shape.y), ("width", shape.width), ("height", shape.height)
        places = " ".join(f'{name}="{_number(value)}"' for name, value in sides)
        radius = f' rx="{_number(shape.radius)}"' if shape.radius else ""
        stroke = f' stroke="{shape.stroke}"' if shape.stroke else ""
        return f'<rect {places}{radius} fill="{shape.fill}"{stroke}/>'
    weight = ' font-weight="bold"' if shape.bold else ""
    anchor = ' text-anchor="middle"' if shape.middle else ""
    return (
        f'<text x="{_number(shape.x)}" y="{_number(shape.y)}" font-size="{_number(shape.size)}"'
        f'{weight}{anchor} fill="{shape.colour}">{xml(shape.text)}</text>'
    )


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
