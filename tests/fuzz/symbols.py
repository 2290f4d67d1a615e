"""Campaign `symbols`: names of the paper, which are any strings, in every format of `explain`.

The page is well-formed, and neither it nor the article does what a name says: no script, no link,
no command of TeX that opens a file or makes a link beyond those of the same spec with plain names.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import treemip
from treemip.api.explain import FORMATS, explain
from treemip.core.source.diagnostic import TreemipError

from .cases import OTHER, Campaign, Case, Fault
from .promises import require_sound

PIECES = ["a", "b", "x", "y", "12", "_", "^", "{", "}", "\\\\", "$", "&", "%", "#", "~", "'", "`",
          "<", ">", " ", "(", ")", "[", "]", "|", ",", ".", "-", "+", "=", "*", "/", "é", "東", "∑",
          "\u0301", "\u202e", "ß", "a_b_c", "x^a^b", "w_{t,j}", "\\\\hat{y}", "\\\\epsilon_j",
          "\\\\mathcal H", "\\\\frac{a}{b}", "\\\\frac", "\\\\sqrt", "\\\\left(", "\\\\right",
          "\\\\begin{matrix}", "\\\\end{matrix}", "\\\\text{", "\\\\operatorname", "\\\\\\\\",
          "\\\\input{/etc/passwd}", "\\\\include{x}", "\\\\write18{id}", "\\\\immediate",
          "\\\\openout", "\\\\href{javascript:alert(1)}{x}", "\\\\url{http://x}",
          "\\\\catcode`\\\\@",
          "\\\\def\\\\x{", "\\\\csname", "\\\\special{", "^^5cinput", "\\\\begin{document}",
          "\\\\end{document}", "<script>alert(1)</script>", "<img src=x onerror=y>",
          '\\"><a href=\\"javascript:x\\">', "]]>", "<!--", "-->", "</math>", "&lt;", "&#60;script",
          "</title>", "</style>", "$$", "```", "![x](http://y)", "[x](javascript:y)"]  # fmt: skip

TEXT = """data "t.csv" {{ label c; scale minmax; }}
topology complete(depth = 1);
split oblique by soct;
param limit "{a}" = 2 "{b}";
param price "{c}" {{j in features}} = 1;
var extra "{d}" {{t in branches}} binary "{e}";
var sum_of "{f}" {{t in branches, j in features}} >= 0, <= 1 means abs(coef[t,j]);
let most "{g}" {{t in branches}} = max {{j in features}} sum_of[t,j];
minimize priced "{h}": misclassified + 0.1 * sum {{t in branches}} most[t];
subject to
  few "{a}" {{t in branches}}: sum {{j in features}} price[j] * sum_of[t,j] <= limit;
  some "{h}" {{t in branches, j in features}}: sum_of[t,j] >= abs(coef[t,j]);
  on "{c}" {{t in branches}}: extra[t] = 0 ==> sum_of[t,"u"] / limit <= 1;
"""
PLACES = "abcdefgh"
TABLE = {"u": [0.0, 1.0, 2.0, 3.0], "v": [1.0, 0.0, 1.0, 0.0], "c": ["n", "n", "y", "y"]}

COMMANDS = re.compile(
    r"\\(?:input|include|write|immediate|openin|openout|read|href|url|catcode|def|edef|gdef|let|"
    r"csname|special|usepackage|documentclass|newcommand|begin\s*\{document\}|end\s*\{document\})"
    r"(?![a-zA-Z])|\^\^[0-9a-f]{2}"
)
"""A name may keep its letters after a \\textbackslash; these are those that TeX would obey."""

TAGS = {"script", "a", "iframe", "img", "object", "embed", "form", "link", "style", "base", "meta",
        "svg", "input", "button", "title", "body", "head", "html"}  # fmt: skip
VOID = {"meta", "link", "br", "hr", "img", "input", "base"}


def text_with(names: dict[str, str]) -> str:
    return TEXT.format(**names)


def random_name(dice: random.Random) -> str:
    """An escaped string of one to six pieces; now and then nothing, or a very long one."""
    if dice.random() < 0.03:
        return dice.choice(["", " ", "x" * 2000, "{" * 300, "a_" * 200, "\\\\frac{" * 60])
    return "".join(dice.choice(PIECES) for _ in range(dice.choice([1, 1, 2, 3, 4, 6])))


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    dice = case.dice()
    names = {p: random_name(dice) if dice.random() < 0.5 else "z" for p in PLACES}
    text = text_with(names)
    files["spec.tree"] = text
    counts: Counter[str] = Counter()
    try:
        made = treemip.loads(text, data=TABLE).compile()
    except TreemipError as error:
        require_sound(error)
        return {"refused": 1}
    for form in FORMATS:
        try:
            said = explain(made, form, f"title {names['b']}".replace("\\\\", "\\"))
        except TreemipError as error:
            require_sound(error)
            counts[f"{form} refused"] += 1
            continue
        files[f"explained.{form}"] = said
        counts[f"{form} written"] += 1
        require_harmless(form, said)
    return counts


def require_harmless(form: str, said: str) -> None:
    if form == "latex":
        more = Counter(COMMANDS.findall(said)) - _commands_of_plain()
        if more:
            raise Fault(OTHER, f"TeX commands from names: {dict(more)}", "TeX commands from names")
    if form == "html":
        page = Page()
        page.feed(said)
        page.close()
        page.require_whole()
        more = page.tags - _tags_of_plain()
        if more:
            raise Fault(OTHER, f"tags from names: {dict(more)}", "tags from names")


@cache
def _plain(form: str, name: str = "z") -> str:
    text = text_with(dict.fromkeys(PLACES, name))
    return explain(treemip.loads(text, data=TABLE).compile(), form, "title z")


def _commands_of_plain() -> Counter[str]:
    """Letters of other scripts bring more commands into the preamble."""
    plain, other = (Counter(COMMANDS.findall(_plain("latex", n))) for n in ("z", "東∑"))
    return plain | other


def _tags_of_plain() -> Counter[str]:
    page = Page()
    page.feed(_plain("html"))
    return page.tags


class Page(HTMLParser):
    """Counts tags that act, and attributes that do; all others must be closed in their order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.open: list[str] = []
        self.fault = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in TAGS:
            self.tags[tag] += 1
        for name, value in attrs:
            acts = name.startswith("on") or name in ("href", "src", "xlink:href", "action")
            if acts or "javascript:" in (value or "").lower():
                self.tags[f"{name}={value}"] += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.fault = self.fault or f"</{tag}> inside {self.open[-3:]}"
        else:
            self.open.pop()

    def require_whole(self) -> None:
        if self.fault or self.open:
            text = self.fault or f"not closed: {self.open}"
            raise Fault(OTHER, text, "the page is not well-formed")


CAMPAIGN = Campaign("symbols", "symbols", 300, run, cpu=10.0, memory=1 << 30)
