"""What a release is made of says the same thing everywhere: version, requirements, commands."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from treemip import __version__
from treemip.cli.options import COMMANDS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text()
FILES = [
    *(ROOT / ".github" / "workflows").glob("*.yml"),
    ROOT / "action.yml",
    ROOT / ".pre-commit-hooks.yaml",
    ROOT / "CITATION.cff",
    ROOT / "packaging" / "conda" / "recipe.yaml",
    ROOT / "packaging" / "Dockerfile",
]


def test_the_version_is_in_one_place_and_copies_agree():
    assert PROJECT["dynamic"] == ["version"] and "version" not in PROJECT
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f'  version: "{__version__}"\n' in RECIPE


def test_the_conda_recipe_requires_what_the_package_does():
    run = RECIPE.split("  run:\n")[1].split("\n\n")[0]
    required = {line.removeprefix("    - ").replace(" ", "") for line in run.splitlines()}
    python = {f"python{PROJECT['requires-python']}"}
    assert required == {*(one.replace(" ", "") for one in PROJECT["dependencies"]), *python}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_commands_that_are_called_exist(path):
    called = re.findall(
        r"(?:run:|entry:|- |&& |then\n *|else\n *)\s*treemip (\w+)", path.read_text()
    )
    assert set(called) <= set(COMMANDS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_yaml_is_read_and_names_no_index(path):
    text = path.read_text()
    assert not re.search(r"https?://", text)
    if path.suffix in (".yml", ".yaml", ".cff"):
        assert pytest.importorskip("yaml").safe_load(text)
