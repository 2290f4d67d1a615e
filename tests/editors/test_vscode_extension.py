"""The extension for VS Code: what it contributes is there, what it runs is right, and it can be
packaged."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from colour_readers import EDITORS, ROOT, without_node

from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse

EXTENSION = EDITORS / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
SNIPPETS = json.loads((EXTENSION / "snippets" / "treemip.json").read_text(encoding="utf-8"))
SPEC = ROOT / "specs" / "iris.tree"


def paths_in(node: object) -> set[str]:
    if isinstance(node, list):
        return set().union(*map(paths_in, node))
    if isinstance(node, dict):
        return set().union(*map(paths_in, node.values()))
    return {node} if isinstance(node, str) and node.startswith("./") else set()


def test_every_file_that_it_names_is_there() -> None:
    named = paths_in(MANIFEST["contributes"])
    assert len(named) == 4
    assert [path for path in named if not (EXTENSION / path).is_file()] == []


def test_its_version_is_that_of_the_package() -> None:
    from treemip import __version__

    folders = [EXTENSION, EDITORS / "codemirror", EDITORS / "tree-sitter-treemip"]
    versions = {json.loads((f / "package.json").read_text("utf-8"))["version"] for f in folders}
    assert versions == {__version__}


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_is_in_the_language(name: str) -> None:
    body = SNIPPETS[name]["body"]
    text = body if isinstance(body, str) else "\n".join(body)
    text = re.sub(r"\$\{\d+\|([^,|]*)[^}]*\|\}", r"\1", text)
    text = re.sub(r"\$\{\d+:([^{}]*)\}", r"\1", text)
    text = re.sub(r"(?m)^\s*\$0$", "", text).replace("$0", "1")
    assert "$" not in text
    if re.match(r"\w+( \{.*?\})?:", text):
        text = f"subject to {text}"
    elif text.startswith("sum"):
        text = f"minimize {text};"
    assert parse(Source("snippet.tree", text)).statements


@pytest.fixture(scope="module")
def said() -> dict:
    """What the extension asks of an editor."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine")
    command = shutil.which("treemip", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("treemip is not installed as a command")
    script = Path(__file__).with_name("extension_run.cjs")
    run = subprocess.run(
        [node, script, SPEC, command], capture_output=True, text=True, timeout=120, check=True
    )
    return json.loads(run.stdout) | {"command": command}


def test_its_commands_are_those_that_it_contributes(said) -> None:
    assert said["registered"] == [each["command"] for each in MANIFEST["contributes"]["commands"]]
    # The language server brings these itself.
    assert not {"treemip.solve", "treemip.explain"} & set(said["registered"])


def test_it_starts_the_language_server(said) -> None:
    assert said["server"]["server"] == {"command": said["command"], "args": ["lsp"]}
    assert said["server"]["options"]["documentSelector"] == [{"language": "treemip"}]
    assert said["stopped"]


def test_a_spec_is_saved_and_solved_in_a_terminal(said) -> None:
    assert said["saved"]
    (task,) = said["tasks"]
    assert task["name"] == "solve iris.tree"
    assert task["run"]["program"] == said["command"]
    assert task["run"]["args"] == ["solve", str(SPEC), "--time-limit", "5"]
    assert task["run"]["options"] == {"cwd": str(SPEC.parent)}


def test_a_spec_is_explained_beside_the_text(said) -> None:
    (page,) = said["opened"]
    assert page["language"] == "markdown"
    assert page["content"].startswith("# iris\n") and "## Objective" in page["content"]
    assert said["ran"] == [["markdown.showPreview", "untitled:1"]]


def test_where_treemip_is_missing_it_says_what_to_install(said) -> None:
    assert said["shown"] == [
        'no-such-treemip was not found. Install it by pip install "treemip[lsp]", '
        "or name it in the setting treemip.command."
    ]


def test_it_can_be_packaged(tmp_path) -> None:
    if reason := without_node():
        pytest.skip(reason)
    if not (EDITORS / "node_modules" / "@vscode" / "vsce").is_dir():
        pytest.skip("no vsce: make editors")
    copy = tmp_path / "editors"
    shutil.copytree(EDITORS, copy, ignore=shutil.ignore_patterns("node_modules", "dist", "*.vsix"))
    (copy / "node_modules").symlink_to(EDITORS / "node_modules")
    package = tmp_path / "treemip.vsix"
    subprocess.run(
        ["npm", "run", "package", "--", "--out", package],
        cwd=copy,
        capture_output=True,
        check=True,
        timeout=300,
    )
    with zipfile.ZipFile(package) as archive:
        names = {name for name in archive.namelist() if name.startswith("extension/")}
        bundle = archive.read("extension/dist/extension.js").decode()
    wanted = paths_in(MANIFEST["contributes"]) | {MANIFEST["main"], "./package.json", "./readme.md"}
    assert names == {f"extension/{path.removeprefix('./')}" for path in wanted}
    assert re.findall(r'require\("(vscode[^"]*)"\)', bundle).count("vscode") >= 1
    assert 'require("vscode-languageclient' not in bundle
