"""How well texts can be told from what they stand on: the ratio of WCAG 2.2 (1.4.3), which is to be
LEAST or more, in SVG by what is drawn before them, and in pages as a browser shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

LEAST = 4.5
SVG = "{http://www.w3.org/2000/svg}"


def ratio(one: str, other: str) -> float:
    """Of two colours #rrggbb or #rgb, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    digits = colour.removeprefix("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(share * p for share, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def faint_in_svg(picture: str, shown: Callable[[str], str] = str) -> Iterator[str]:
    """Texts that are too faint, each with its colours. shown: the colour in place of one."""
    far = float("inf")
    below = [(-far, -far, far, far, "#ffffff")]  # the page, where nothing is drawn
    root = ElementTree.fromstring(picture)
    texts = 0
    for each in root.iter():
        if each.tag == f"{SVG}rect":
            x, y, w, h = (float(each.get(name, "0")) for name in ("x", "y", "width", "height"))
            below.append((x, y, x + w, y + h, each.attrib["fill"]))
        if each.tag == f"{SVG}text":
            texts += 1
            x, y = float(each.attrib["x"]) + 0.5, float(each.attrib["y"]) - 3
            ground = [fill for a, b, c, d, fill in below if a <= x <= c and b <= y <= d][-1]
            colours = shown(each.get("fill", "#000000")), shown(ground)
            if ratio(*colours) < LEAST:
                yield f"{each.text!r}: {' on '.join(colours)}, {ratio(*colours):.2f}"
    assert texts


IN_PAGE = """() => {
  const parts = colour => (colour.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const over = (top, share, below) =>
    top.slice(0, 3).map((c, k) => share * c + (1 - share) * below[k]);
  const ground = each => {
    if (!each) return [255, 255, 255];
    const [r, g, b, share = 1] = parts(getComputedStyle(each).backgroundColor);
    return share === 1 ? [r, g, b] : over([r, g, b], share, ground(each.parentElement));
  };
  const light = colour => colour.map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walker.nextNode()) {
    const each = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || each.closest("svg, script, style")) continue;
    let share = 1;
    for (let up = each; up; up = up.parentElement) share *= Number(getComputedStyle(up).opacity);
    const below = ground(each);
    const colour = over(parts(getComputedStyle(each).color), share, below);
    const [one, other] = [light(colour), light(below)];
    const found = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (found < 4.5) faint.push(`${found.toFixed(2)}: ${walker.currentNode.data.trim()}`);
    seen += 1;
  }
  return seen ? faint : ["no text"];
}"""


def faint_in_page(page: Any) -> list[str]:
    """Texts of a page in a browser that are too faint, but for those in SVG."""
    found: list[str] = page.evaluate(IN_PAGE)
    return found
