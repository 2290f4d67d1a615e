"""The checks of `make site` find what they are for, each in a page that has it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

import links
import looks

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>t</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main><h1>t</h1>{}</main></body></html>"""


def site(folder: Path, body: str) -> Path:
    (folder / "a.html").write_text(PAGE.format(body), encoding="utf-8")
    (folder / "b.html").write_text(PAGE.format('<p id="here">b</p>'), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="b.html#here">b</a> <a href="https://example.invalid/">e</a>', ""),
        ('<a href="c.html">c</a>', "a.html: there is no such file: c.html"),
        ('<a href="b.html#gone">b</a>', "a.html: there is no such anchor: b.html#gone"),
        ('<a href="#gone">a</a>', "a.html: there is no such anchor: #gone"),
        ('<img src="x.svg" alt="x">', "a.html: there is no such file: x.svg"),
        ('<p id="x"></p><p id="x"></p>', "a.html: two elements have the anchor 'x'"),
        (
            '<script src="https://example.invalid/x.js"></script>',
            "a.html: loads from another host: https://example.invalid/x.js",
        ),
        (
            '<link rel="stylesheet" href="//example.invalid/x.css">',
            "a.html: loads from another host: //example.invalid/x.css",
        ),
    ],
)
def test_faults_of_links(body: str, fault: str, tmp_path: Path) -> None:
    assert list(links.faults(site(tmp_path, body))) == [fault] * bool(fault)


def test_fonts_of_another_host_are_found(tmp_path: Path) -> None:
    (tmp_path / "x.css").write_text("p { background: url(https://example.invalid/x.png) }")
    assert list(links.faults(tmp_path)) == ["x.css: loads from another host"]


def test_addresses_elsewhere_are_listed(tmp_path: Path) -> None:
    folder = site(tmp_path, '<a href="https://example.invalid/">e</a><a href="b.html">b</a>')
    assert links.elsewhere(folder) == ["https://example.invalid/"]


@pytest.mark.skipif(bool(looks.missing()), reason=looks.missing())
def test_faults_of_looks(tmp_path: Path) -> None:
    bodies = {
        "good": "<h2>x</h2><p>x</p>",
        "color-contrast": '<p style="color: #ccc; background: #fff">pale words</p>',
        "heading-order": "<h3>x</h3>",
        "image-alt": '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
        "px wide": '<p style="width: 3000px">x</p>',
    }
    for name, body in bodies.items():
        (tmp_path / f"{name}.html").write_text(PAGE.format(body), encoding="utf-8")
    with looks.chromium() as browser:
        found = list(looks.faults(tmp_path, bodies, browser))
        wide = list(looks.too_wide(tmp_path, bodies, browser))
    for name in bodies:
        own = [fault for fault in found if fault.startswith(f"{name} (")]
        assert len(own) == (0 if name == "good" else 1), found
        assert all(name in fault.partition("): ")[2] for fault in own)
    assert [fault.partition(":")[0] for fault in wide] == ["px wide"]
