"""docs/library.md: its tables are those of the library, its example is solved and verified."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from suite import OTHERS, class_formulations

from treemip.core.resolve.library_page import TABLES, filled_in, who_has_what
from treemip.core.resolve.modules import library_module
from treemip.core.syntax import nodes as n

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "library.md"


def test_the_tables_are_those_of_the_library() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert filled_in(text) == text, "run: make docs"


def test_marks_must_stand_once() -> None:
    text = PAGE.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="the marks of 'terms' once"):
        filled_in(text.replace("<!-- made: terms -->", ""))
    assert set(re.findall(r"<!-- made: (.*) -->", text)) == set(TABLES)


def test_what_the_table_says_is_what_the_resolver_does() -> None:
    from spec_texts import HEAD, faults, resolved

    head, _, *rows = [[c.strip(" `") for c in line.split("|")[1:-1]] for line in lines()]
    kinds = {name: kind_of(name) for name in head[1:]}
    for name, *cells in zip(head[1:], *(row[1:] for row in rows), strict=True):
        if name not in class_formulations() and name not in OTHERS:
            continue  # it needs tables that the spec here does not have
        columns = OTHERS.get(name, "label class;")
        spec = HEAD.replace("label class;", columns) + f"split {kinds[name]} by {name};\n"
        cell_of = dict(zip((row[0] for row in rows), cells, strict=True))
        has = [concept for concept, cell in cell_of.items() if cell != "no"]
        concepts = resolved(f"{spec}minimize {' + '.join(MENTION[c] for c in has)};").concepts
        for concept, cell in cell_of.items():
            if cell == "no":
                codes = {d.code for d in faults(f"{spec}minimize {MENTION[concept]};")}
                assert codes & ({"E205", *NO_CLASSES} if name in OTHERS else {"E205"}), (
                    name,
                    concept,
                )
            else:
                own = concepts[concept].module == name
                assert own == (cell in ("variable", "let")), (name, concept)


def kind_of(name: str) -> str:
    text = library_module(name)
    assert text is not None
    return next(s.kind for s in text.statements if isinstance(s, n.Header))


NO_CLASSES = ("E206", "E208")
"""What is said of words about classes where the label has none."""

MENTION = {
    "tested": "sum {t in branches, c in categorical_features} tested[t,c]",
    "tested_anywhere": "sum {c in categorical_features} tested_anywhere[c]",
    "reach": "sum {i in points, l in leaves} reach[i,l]",
    "label": "sum {l in leaves, k in classes} label[l,k]",
    "coef": "sum {t in branches, j in features} coef[t,j]",
    "bias": "sum {t in branches} bias[t]",
    "slack": "total_slack",
    "predicts": "sum {i in points, k in classes} predicts[i,k]",
    "correct": "misclassified",
    "active": "splits",
    "uses": "features_used",
    "uses_anywhere": "distinct_features",
    "points_in": "sum {l in leaves} points_in[l]",
    "confusion": "sum {k in classes, m in classes} confusion[k,m]",
    "recall": "sum {k in classes} recall[k]",
    "leaf_value": "sum {l in leaves} leaf_value[l]",
    "leaf_slope": "sum {l in leaves, j in features} leaf_slope[l,j]",
    "predicted": "sum {i in points} predicted[i]",
    "occupied": "sum {l in leaves} occupied[l]",
    "leaf_score": "sum {l in leaves} leaf_score[l]",
    "nested": "sum {a in branches, b in branches} nested[a,b]",
    "unreachable": "sum {l in leaves} unreachable[l]",
}


def lines() -> list[str]:
    return who_has_what().splitlines()


def test_the_example_leads_to_a_verified_tree() -> None:
    pytest.importorskip("highspy")
    from treemip import loads

    blocks = re.findall(r"```tree\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    text = next(b for b in blocks if "route left" in b)
    short = text.replace("depth = 2", "depth = 1").replace("train 0.2", "train 0.1")
    result = loads(short, base=ROOT / "specs" / "data").compile().solve("highs", time_limit=30)
    assert result.status == "optimal"
    assert result.verified
