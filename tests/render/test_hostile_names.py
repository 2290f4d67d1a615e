"""Texts that would end a comment or docstring and go on as code: scripts hold none of it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import treemip
from treemip.api.exporting import script_files
from treemip.writers.render.python.program import PACKAGES
from treemip.writers.render.text import comment, in_docstring, one_line

CODE = "__import__('os').system('touch stolen')"
ENDS = ['"""', "'''", "\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "*/", ";", "\\"]
HOSTILE = [f"{end}{CODE}\n#" for end in ENDS]


def spec(text: str) -> str:
    """The text wherever a spec takes one: paper, symbols, equations, columns, classes."""
    said = text.replace("\n", " ").replace("\r", " ").replace("\\", "\\\\").replace('"', '\\"')
    return f"""data "d.csv" {{ label c; scale minmax; }}
topology complete(depth = 1);
split oblique by soct;
param most "{said}" "({said})" = 2 "{said}";
let all "{said}" "({said})" {{t in branches}} = sum {{j in features}} abs(coef[t,j]);
maximize total "({said})": sum {{i in points}} correct[i] - 0.1 * sum {{t in branches}} all[t];
subject to
  few "({said})" {{t in branches}}: sum {{j in features}} abs(coef[t,j]) <= most;
  other {{t in branches}}: coef[t,"{said.strip(" ")}"] <= 0.5;
  steep {{t in branches}}: all[t] >= 0.25 * active[t];
"""


@cache
def compiled(text: str) -> treemip.Compiled:
    column = text.replace("\n", " ").replace("\r", " ")
    rows = {column: [1, 2, 3], "b": [2, 2, 1], "c": [column, "x", "x"]}
    return treemip.loads(spec(text), data=rows).compile()


def calls(node: ast.AST) -> set[str]:
    """What a script mentions, but for what stands in its texts."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return names | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("target", ["pyomo", "gurobipy"])
def test_a_script_is_the_same_program_whatever_the_texts_say(text: str, target: str) -> None:
    stem = f"model{text}"
    harmless = script_files(compiled("harmless"), target, "model")["model.py"]
    script = script_files(compiled(text), target, stem)[f"{stem}.py"]
    tree = ast.parse(script)
    assert calls(tree) == calls(ast.parse(harmless))
    assert not {"__import__", "system"} & calls(tree)
    assert len(tree.body) == len(ast.parse(harmless).body)


@pytest.mark.parametrize("target", PACKAGES)
def test_every_template_writes_the_file_name_as_text(target: str) -> None:
    stem = f'x"""\n{CODE}\n"""'
    script = script_files(compiled("harmless"), target, stem)[f"{stem}.py"]
    first = ast.parse(script).body[0]
    assert isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    assert "system" in first.value.value
    assert not {"__import__", "system"} & calls(ast.parse(script))


@pytest.mark.parametrize("text", [t for t in HOSTILE if not t.splitlines()[1:] or t[0] in "\n\r"])
def test_ampl_has_it_in_comments_and_names_alone(text: str) -> None:
    stem = f"model{text}".replace("\n", " ").replace("\r", " ").replace("\\", " ")
    files = script_files(compiled(text), "ampl", stem)
    for content in files.values():
        for line in content.split("\n"):
            code = line.partition("#")[0]
            while "'" in code:  # a name, in which a quote stands twice
                before, _, rest = code.replace("''", "").partition("'")
                code = before + rest.partition("'")[2]
            assert "system" not in code, line


@pytest.mark.parametrize("text", HOSTILE)
def test_comments_are_comments_to_their_end(text: str) -> None:
    for line in comment(f"before {text} after").split("\n"):
        assert line.startswith("# ")
        assert line.splitlines() == [line]
    assert one_line(text).isprintable()
    docstring = ast.parse(f'"""{in_docstring(text)}."""').body
    assert len(docstring) == 1


def test_the_script_runs_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stem = f'x"""\n{CODE}\n"""'
    script = script_files(compiled(HOSTILE[0]), "pyomo", stem)[f"{stem}.py"]
    head = script.partition("import argparse")[0]
    exec(compile(head, "head", "exec"), {})
    assert list(tmp_path.iterdir()) == []
