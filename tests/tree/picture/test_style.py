"""Options of pictures: the same in Python and on the command line, and what is refused."""

from __future__ import annotations

import re

import pytest
from kinds_of_trees import KINDS, univariate

import treemip
from treemip.writers.picture.shapes import GREYS
from treemip.writers.picture.style import Looks, style_of
from treemip.writers.picture.wording import LANGUAGES, WORDS


def said(picture: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture)


def test_title_and_note_stand_around_the_tree() -> None:
    picture = univariate().to_svg(title="Who pays back", note="Training part of 2024.")
    assert (
        said(picture)[0] == "Who pays back" and said(picture).count("Training part of 2024.") == 1
    )
    assert "<title>Who pays back</title>" in picture
    lines = [float(y) for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)"', picture)]
    assert lines[0] == min(lines)


@pytest.mark.parametrize("size", ["600", "600x90", "x90", (600.0, 90.0)])
def test_a_picture_fits_its_size(size) -> None:
    plain, sized = univariate().to_svg(), univariate().to_svg(size=size)
    wide, high = map(float, re.search(r'width="([\d.]+)" height="([\d.]+)"', sized).groups())
    assert wide == 600 if size == "600" else high == 90 and wide <= 600
    assert re.search(r'viewBox="[^"]*"', plain)[0] in sized


def test_digits_depth_palette_and_words() -> None:
    tree = univariate()
    assert said(tree.to_svg(digits=2))[:2] == ["length ≤ 2.5", "length &gt; 2.5"]
    folded = said(tree.to_svg(depth=1))
    assert folded.count("2 leaves below") == 2 and "colour is red" not in folded
    assert "43 points" in folded and "no: 40 (93 %)" in folded
    assert GREYS[0] in tree.to_svg(palette="grey") and "#0072B2" not in tree.to_svg(palette="grey")
    customers = said(tree.to_svg(words={"points": "customers"}))
    assert {"43 customers", "width of a line: how many customers take it"} <= set(customers)
    assert "43 Punkte" in said(tree.to_svg(language="de"))
    assert "colour est red" in said(tree.to_svg(language="fr"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_is_taken_by_every_format(tmp_path, kind) -> None:
    looks: Looks = {"title": "T<1>", "note": "N", "size": "500", "palette": "grey", "depth": 1}
    looks |= {"language": "de", "words": {"leaf": "Endknoten"}, "digits": 3, "unit": "EUR"}
    assert set(looks) == set(Looks.__annotations__)
    treemip.plot.save(KINDS[kind](), tmp_path / "tree.txt", **_without(looks, "size", "palette"))
    assert (tmp_path / "tree.txt").read_text().startswith("T<1>\n\n")
    for suffix in ("svg", "html", "dot"):
        treemip.plot.save(KINDS[kind](), tmp_path / f"tree.{suffix}", **looks)
        text = (tmp_path / f"tree.{suffix}").read_text()
        assert re.search(r"T&lt;1&gt;|T<1>", text) and "N" in text


def _without(looks: Looks, *names: str) -> Looks:
    return {k: v for k, v in looks.items() if k not in names}  # type: ignore[return-value]


def test_a_text_says_the_conditions_of_pictures_in_their_words() -> None:
    tree = univariate()
    assert tree.drawn(language="de", digits=2, words={"points": "Kunden"}) == (
        "68 Kunden\n"
        "├─ length ≤ 2.5\n"
        "│  ├─ colour ist blue oder green: no  (42 Kunden: 40 no, 2 perhaps)\n"
        "│  └─ colour ist red: yes  (1 Punkt: 1 yes)\n"
        "└─ length > 2.5\n"
        "   ├─ age ≥ 30: perhaps  (25 Kunden: 17 perhaps, 5 yes, 3 no)\n"
        "   └─ age < 30: no  (kein Punkt)"
    )
    assert "├─ length < 2.45: 2 leaves below  (43 points: 40 no" in tree.drawn(depth=1)
    assert "links mit Wahrscheinlichkeit logistic(" in KINDS["randomized"]().drawn(language="de")
    assert "├─ Summe ≤ 0.25: Summe = 0.12 length" in KINDS["oblique"]().drawn(
        language="de", digits=2
    )
    for kind, text in (("univariate", "colour is red"), ("categories", "any other value")):
        assert text in KINDS[kind]().drawn() and text in KINDS[kind]().to_svg()


def test_every_word_is_in_every_language() -> None:
    for key, texts in WORDS.items():
        assert len(texts) == len(LANGUAGES) and all(texts), key
        assert {text.count("{}") for text in texts} == {texts[0].count("{}")}


@pytest.mark.parametrize(
    ("looks", "message", "remedy"),
    [
        ({"size": "wide"}, "'wide' is no size of a picture", "give pixels: 1200, 1200x800 or x800"),
        ({"size": "0"}, "'0' is no size of a picture", "give pixels: 1200, 1200x800 or x800"),
        ({"palette": "pink"}, "'pink' is no palette", "use 'colour', 'grey'"),
        ({"language": "it"}, "'it' is no language", "use 'en', 'de', 'fr'"),
        ({"digits": 0}, "'0' is no number of digits", "give a whole number from 1 to 17"),
        ({"digits": True}, "'True' is no number of digits", "give a whole number from 1 to 17"),
        ({"depth": -1}, "'-1' is no number of levels to show", "give a whole number from 0 to"),
        ({"words": {"dots": "x"}}, "pictures have no word 'dots'", "use 'point', 'points'"),
        ({"title": 5}, "'title' is a text, not int 5", "give a string"),
        ({"words": {"points": 5}}, "'points' is a text, not int 5", "give a string"),
        ({"colour": "red"}, "'colour' is no option of pictures", "use 'title', 'note', 'size'"),
    ],
)
def test_what_is_no_look_is_refused(looks, message, remedy) -> None:
    with pytest.raises(treemip.TreemipError) as caught:
        style_of(looks)
    (told,) = caught.value.diagnostics
    assert (told.code, told.message) == ("E902", message)
    assert told.remedy.startswith(remedy)
