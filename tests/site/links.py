"""Links of a built site: each leads to a file and an anchor that are there, and no page loads
anything from another host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src"}
"""Elements that a browser fetches, beside `link`s, with where they name it."""

FETCHED = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch"}
FOREIGN = re.compile(r"""@import\s+["']?(?:https?:)?//|url\(\s*["']?(?:https?:)?//""")


@dataclass
class Page(HTMLParser):
    """loads: what a browser fetches to show the page. links: where a reader can go."""

    anchors: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attrs}
        if "id" in own:
            self.anchors.append(own["id"])
        if tag == "a" and "href" in own:
            self.links.append(own["href"])
        if tag in LOADED and LOADED[tag] in own:
            self.loads.append(own[LOADED[tag]])
        if tag == "link" and FETCHED & set(own.get("rel", "").split()):
            self.loads.append(own.get("href", ""))


@cache
def read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def faults(site: Path) -> Iterator[str]:
    """What is wrong in a site, each with the page where it is."""
    for path in pages(site):
        name, page = path.relative_to(site).as_posix(), read(path)
        for anchor in {one for one in page.anchors if page.anchors.count(one) > 1}:
            yield f"{name}: two elements have the anchor '{anchor}'"
        for link in [*page.links, *page.loads]:
            if why := _dead(path, link, site):
                yield f"{name}: {why}: {link}"
        for link in page.loads:
            if _is_foreign(link):
                yield f"{name}: loads from another host: {link}"
    for path in sorted(site.rglob("*.css")):
        if FOREIGN.search(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: loads from another host"


def _dead(path: Path, link: str, site: Path) -> str:
    """Why a link within the site leads nowhere, or ""."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not goal.is_file() or not goal.is_relative_to(site.resolve()):
        return "there is no such file"
    has_anchors = goal.suffix == ".html" and goal.name != "search.html"
    if has_anchors and unquote(parts.fragment) not in ("", *read(goal).anchors):
        return "there is no such anchor"
    return ""


def _is_foreign(link: str) -> bool:
    parts = urlsplit(link)
    return bool(parts.netloc) or parts.scheme in ("http", "https")


def elsewhere(site: Path) -> list[str]:
    """Addresses of other hosts that readers are sent to, which nothing here tries."""
    links = {link for path in pages(site) for link in read(path).links}
    return sorted(link for link in links if _is_foreign(link))
