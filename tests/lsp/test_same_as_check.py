"""The editor shows what `treemip check --data` says of the saved text."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from cursors import HEAD

from treemip.cli.main import main
from treemip.core.resources import specs_path
from treemip.study.lsp.documents import Documents
from treemip.study.lsp.positions import uri_of
from treemip.study.lsp.problems import problems

OCT = HEAD + "split univariate by oct;\nminimize misclassified;\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (OCT, []),
        (OCT + "param alpha = 0.1;", [("warning", "W202")]),
        (OCT + 'concept mine {i in points} "d";', [("warning", "W203")]),
        (OCT + 'advise card(points) >= 999 else "few";', [("warning", "W301")]),
        (OCT.replace("credit-24", "nowhere"), [("error", "E301")]),
        (OCT.replace("sex", "sexx"), [("error", "E302")]),
        (OCT + "let a = recall[positive];\nlet b = nope;", [("error", "E201")]),
        (OCT + "let few =", [("error", "E101")]),
        (OCT.replace("sex;", "sex"), [("error", "E106")]),
        (HEAD + "split randomized;\nminimize misclassified;", [("note", "W609")]),
        (
            OCT + "subject to\n  a {i in points}: active[root] / (ord(i) - 1) <= 1;",
            [("error", "E404")],
        ),
    ],
)
def test_the_same_is_said(text: str, said: list, tmp_path: Path, capsys) -> None:
    shutil.copytree(specs_path() / "data", tmp_path / "data")
    path = tmp_path / "small.tree"
    path.write_text(text, encoding="utf-8")
    main(["check", "--data", str(path)])
    printed = re.findall(r"^(error|warning|note)\[(\w+)\]", capsys.readouterr().err, re.MULTILINE)
    assert printed == said
    documents = Documents()
    document = documents.put(uri_of(path), text)
    assert documents.bind(document)
    documents.ask_engines(document)
    found = problems(documents.view(document), documents.of_data(document).problems)
    assert [(one.severity, one.code) for one in found] == said
