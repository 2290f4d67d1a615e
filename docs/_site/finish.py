"""What becomes of a page before it is written as HTML."""

from __future__ import annotations

import re
from typing import Any

NAMELESS = re.compile(
    r'<thead>\s*<tr[^>]*>(?:<th class="head[^"]*">(?:<p></p>)?</th>\s*)*</tr>\s*</thead>\s*'
)
CAPTION = 'role="heading"'
EMPTY = re.compile(r'<th class="head([^"]*)">(<p></p>)?</th>')
SCROLLED = re.compile(
    r'<pre(?=>)|<div class="[^"]*\b(?:table-wrapper|tree-picture)\b[^"]*"(?! tabindex)'
)


def page(app: Any, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Captions of the menu say which level of headings they are; no empty cells are headings of
    tables; and the keyboard reaches code and tables, which may be wider than a screen, to scroll
    them."""
    if "furo_navigation_tree" in context:
        tree = context["furo_navigation_tree"]
        context["furo_navigation_tree"] = tree.replace(CAPTION, f'{CAPTION} aria-level="2"')
    if "body" in context:
        body = EMPTY.sub(r'<td class="head\1"></td>', NAMELESS.sub("", context["body"]))
        context["body"] = SCROLLED.sub(r'\g<0> tabindex="0"', body)
