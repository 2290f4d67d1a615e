"""The report on a saved tree: what it shows, and what it says where the data are gone."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from answering_specs import DRUGS, TREATMENTS

import treemip
from treemip.core.resources import specs_path
from treemip.core.tree.score import ChoiceScore
from treemip.study.life.card import card
from treemip.study.report.report import report
from treemip.writers.pages.progress_chart import chart, read_progress

SPEC = """\
tree <shapes>;
data "rows.csv" { label class; group sex; scale minmax; train 0.75 seed 1; }
topology complete(depth = 2);
split univariate by binoct;
"""
EVIL = "</script><img src=x onerror=alert(1)>"


class Page(HTMLParser):
    """Tags with their attributes, and whether all are closed in order."""

    VOID = ("meta", "line", "rect", "img", "br", "polyline")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def ids(self) -> list[str]:
        return [a["id"] for _, a in self.tags if a.get("id")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    rows = ["width,town,sex,class"]
    for k in range(24):
        label = "yes" if k % 12 > 5 else EVIL
        rows.append(f"{k % 12},{'ab'[k % 2]},{'mf'[k // 12]},{label}")
    (folder / "rows.csv").write_text("\n".join(rows) + "\n")
    (folder / "shapes.tree").write_text(SPEC.replace("<shapes>", "shapes"))
    compiled = treemip.load(folder / "shapes.tree").compile()
    compiled.solve(log_json=folder / "log.jsonl").save(folder / "tree.json")
    return folder


@pytest.fixture(scope="module")
def page(folder) -> str:
    text, warnings = report(folder / "tree.json", progress=folder / "log.jsonl")
    assert warnings == []
    return text


def test_a_page_is_whole_and_needs_nothing_from_elsewhere(page):
    read = Page(page)
    assert read.open == []
    assert not {tag for tag, _ in read.tags} & {"script", "link", "img", "iframe", "object"}
    links = [a.get("href") or a.get("src") for _, a in read.tags if "href" in a or "src" in a]
    assert links and all(link.startswith("#") for link in links)
    assert not re.search(r"url\(|@import", page)


def test_every_node_of_the_picture_leads_to_its_rule_and_points(page):
    read = Page(page)
    wanted = {a["href"][1:] for tag, a in read.tags if tag == "a" and a["href"].startswith("#node")}
    ids = read.ids()
    assert wanted and wanted <= set(ids) and len(ids) == len(set(ids))


PEOPLE = """\
data "people.csv" { label class; id name; drop town; }
topology complete(depth = 1);
split univariate by binoct;
"""


def test_no_row_is_on_the_page_unless_asked_for(tmp_path):
    rows = [f"Mrs Secret {k},{1000 + k}.625,Telltown {k},{'ny'[k > 9]}" for k in range(20)]
    (tmp_path / "people.csv").write_text("\n".join(["name,income,town,class", *rows]) + "\n")
    (tmp_path / "people.tree").write_text(PEOPLE)
    treemip.load(tmp_path / "people.tree").compile().solve().save(tmp_path / "tree.json")
    plain, _ = report(tmp_path / "tree.json")
    assert not re.search(r"Mrs Secret|\.625|Telltown|listed", plain)
    assert "10 training points, 0 misclassified." in plain
    assert "<td>y</td><td>10</td><td>50 %</td>" in plain
    asked, _ = report(tmp_path / "tree.json", rows=True)
    assert "Mrs Secret 7" in asked and "1007.625" in asked
    assert "Telltown" not in asked
    assert Page(plain).open == Page(asked).open == []


def test_points_of_the_leaves_are_all_training_points(folder, page):
    saved = json.loads((folder / "tree.json").read_text())
    counts = [sum(n["points"].values()) for n in saved["tree"]["nodes"] if "points" in n]
    assert sum(counts) == saved["points"] == 18
    assert page.count("18 training points, 0 misclassified") == 1


def test_verdict_scores_groups_spec_and_provenance_are_there(folder, page):
    saved = json.loads((folder / "tree.json").read_text())
    for text in (
        "verified, checked again for this page",
        "proven optimal by",
        "Training part",
        "Test part",
        "Groups of the training part",
        "<td>sex m</td>",
        "balanced accuracy",
        "univariate",
        "The model as mathematics",
        saved["spec"]["data_sha256"],
        "seconds: compile",
        "objective and bound over time",
    ):
        assert text in page, text


def test_without_its_data_a_page_has_what_the_file_records(folder, tmp_path):
    moved = json.loads((folder / "tree.json").read_text())
    moved["spec"]["base"] = str(tmp_path)
    (tmp_path / "tree.json").write_text(json.dumps(moved))
    text, _ = report(tmp_path / "tree.json")
    assert "verified, as the file records" in text
    assert "and there is no such file: put it beside the tree" in text
    assert "Training part" in text and "Groups of" not in text
    assert Page(text).open == []
    with_data, _ = report(tmp_path / "tree.json", folder / "rows.csv")
    assert "verified, checked again for this page" in with_data and "Groups of" in with_data


def test_other_data_are_named_as_such(folder, tmp_path):
    rows = (folder / "rows.csv").read_text().splitlines()
    (tmp_path / "other.csv").write_text("\n".join([*rows, *rows[1:3]]) + "\n")
    text, warnings = report(folder / "tree.json", tmp_path / "other.csv")
    assert [w.code for w in warnings][:1] == ["W302"]
    assert "is not the file that the tree was learned from" in text


@pytest.mark.parametrize(
    "damage",
    [
        {"spec": None},
        {"spec": {"text": 3, "parameters": [1]}},
        {"gap": "x", "bound": [], "status": {}, "seconds": {"solve": "y"}, "time_limit": {}},
        {"optimality": {}, "verdict": 3, "scores": {"training": {"classes": 1}}, "warnings": [1]},
        {"format": "treemip tree 3"},
    ],
)
def test_a_damaged_file_gives_a_page_that_says_so(folder, tmp_path, damage):
    said = json.loads((folder / "tree.json").read_text()) | damage
    (tmp_path / "tree.json").write_text(json.dumps(said))
    text, _ = report(tmp_path / "tree.json")
    assert Page(text).open == []
    assert "verified, checked again for this page" not in text.replace("not verified", "")


def test_a_log_that_is_none_is_refused(tmp_path):
    (tmp_path / "log").write_text('{"seconds": 1}\n')
    with pytest.raises(treemip.TreemipError, match="is not a log of progress"):
        read_progress(tmp_path / "log")
    with pytest.raises(treemip.TreemipError, match="No such file"):
        read_progress(tmp_path / "none")


def test_a_chart_has_a_step_for_each_value(tmp_path):
    lines = [
        {"event": "stage", "stage": "scip", "seconds": 0.0, "objective": None, "bound": 0.0},
        {"event": "incumbent", "stage": "scip", "seconds": 2.0, "objective": 8.0, "bound": 0.0},
        {"event": "end", "seconds": 4.0, "objective": 4.0, "bound": 4.0},
    ]
    (tmp_path / "log").write_text("".join(json.dumps(line) + "\n" for line in lines))
    drawn = chart(read_progress(tmp_path / "log"))
    objective, bound = re.findall(r'points="([^"]*)"', drawn)
    assert len(objective.split()) == 5 and len(bound.split()) == 7
    xs = [float(place.split(",")[0]) for place in objective.split()]
    assert xs == sorted(xs) and xs[0] == 340.0 and xs[-1] == 610.0
    assert chart([]) == ""


def test_measures_of_the_spec_are_on_the_page(tmp_path: Path) -> None:
    """Its own `let`s, on both parts, and its objective on the test part."""
    rows = zip(*(values * 3 for values in DRUGS.values()), strict=True)
    lines = [",".join(DRUGS), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "drugs.csv").write_text("\n".join(lines) + "\n")
    text = TREATMENTS.replace('data "t"', 'data "drugs.csv"')
    text = text.replace("use a, b;", "use a, b; train 0.5 seed 1;")
    text += 'let doubtful = sum {i in points, l in leaves} 2 * routed[i,l] * given_drug[l,"one"];'
    (tmp_path / "drugs.tree").write_text(text)
    result = treemip.load(tmp_path / "drugs.tree").compile().solve("highs")
    result.save(tmp_path / "drugs.json")
    train, test = result.train_score, result.test_score
    assert isinstance(train, ChoiceScore) and isinstance(test, ChoiceScore)
    page, _ = report(tmp_path / "drugs.json")
    for name, value in (
        ("training doubtful", train.measures["doubtful"]),
        ("test doubtful", test.measures["doubtful"]),
        ("test objective", test.objective),
    ):
        assert re.search(rf"{name}</t[hd]>\s*<td>(<span[^>]*>)?{value:.10g}<", page), name


def test_a_report_names_no_group_of_a_person(tmp_path):
    people = [f"Person{k:02}" for k in range(12)]
    rows = [f"{k},{name},{'uv'[k > 5]}" for k, name in enumerate(people)]
    (tmp_path / "t.csv").write_text("\n".join(["a,name,c", *rows]))
    text = 'data "t.csv" { label c; group name; } topology complete(depth = 1);'
    (tmp_path / "s.tree").write_text(f"{text} split univariate by binoct;")
    treemip.load(tmp_path / "s.tree").compile().solve().save(tmp_path / "s.json")
    page = report(tmp_path / "s.json")
    assert "Person" not in page and "Groups of the training part" not in page


@pytest.mark.parametrize(
    ("of_file", "heading"),
    [(True, "shapes, learned from rows.csv"), (False, "Tree learned from rows.csv")],
)
def test_pages_are_called_by_what_has_a_name(folder, tmp_path, of_file, heading):
    text = SPEC.removeprefix("tree <shapes>;\n")
    program = treemip.load(folder / "shapes.tree") if of_file else treemip.loads(text, base=folder)
    result = program.compile().solve()
    result.save(tmp_path / "t.json")
    saved, _ = report(tmp_path / "t.json", data=folder / "rows.csv")
    for page in (result.tree.to_html(), treemip.load_tree(tmp_path / "t.json").to_html(), saved):
        assert f"<h1>{heading}</h1>" in page
        assert f"<title>{heading}</title>" in page
    assert "&lt;text" not in saved


def test_a_survival_tree_stands_beside_kaplan_and_meier(tmp_path):
    treemip.load(specs_path() / "pumps_survival.tree").compile().solve().save(tmp_path / "t.json")
    said = card(tmp_path / "t.json")
    assert "predicts the hazard of an event over time" in said and "a number" not in said
    text, _ = report(tmp_path / "t.json")
    cells = [html.unescape(cell) for cell in re.findall(r"<t[dh]>(.*?)</t[dh]>", text)]
    cells = [re.sub("<.*?>", "", cell) for cell in cells]
    own, alone, cart = (
        cells.index(name) for name in ("this tree", "Kaplan-Meier of all, no split", "CART")
    )
    assert "training Harrell's C" in cells
    assert 0.5 < float(cells[own + 1]) < 1 and float(cells[alone + 1]) == 0.5
    assert cells[cart + 1] == "no survival trees"
    assert cells[cells.index("Harrell's C, as in scikit-survival") + 1] == cells[own + 1]
