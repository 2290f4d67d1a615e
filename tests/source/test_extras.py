"""Hints name packages by the ranges of pyproject.toml, and no distribution of treemip."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest

from treemip.core.registry import solvers
from treemip.core.source import extras
from treemip.core.source.extras import pip_install

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
HINTED = re.compile(r"(?:pip_install\(|needed\([^()]*, )[\"'](\w+)[\"']")
NOT_FOR_USERS = ("test", "dev", "solvers")


def stated(extra: str) -> list[str]:
    """What pyproject.toml says, extras within extras as what they are."""
    found = []
    for one in EXTRAS[extra]:
        inner = re.fullmatch(r"treemip\[(.*)\]", one)
        found += [r for name in inner[1].split(",") for r in stated(name)] if inner else [one]
    return found


@pytest.mark.parametrize("extra", [e for e in EXTRAS if e not in NOT_FOR_USERS and stated(e)])
def test_a_hint_has_the_requirements_of_its_extra(extra: str) -> None:
    command = pip_install(extra)
    assert command.startswith("pip install ") and "treemip" not in command
    assert sorted(re.findall(r'"([^"]*)"', command)) == sorted(set(stated(extra)))


def test_one_package_of_an_extra() -> None:
    (pandas,) = [one for one in EXTRAS["all"] if one.startswith("pandas")]
    assert pip_install("all", "pandas") == f'pip install "{pandas}"'


def test_every_extra_that_is_hinted_at_exists() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "treemip").rglob("*.py")]
    named = {name for text in texts for name in HINTED.findall(text)}
    assert {"sat", "scip", "plot", "onnx", "highs"} <= named <= set(EXTRAS) | {"extra"}
    assert not [text for text in texts if re.search(r"pip install [\"\\']*treemip\[", text)]


def test_solvers_are_installed_by_the_same_command() -> None:
    hints = {name: one.how_to_install for name, one in solvers().items() if "{pip}" in one.install}
    assert {"gurobi", "cplex", "xpress", "copt", "mosek"} <= set(hints)
    for name, hint in hints.items():
        assert hint.startswith(pip_install(solvers()[name].extra))


def test_without_an_installed_treemip_the_command_is_for_its_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(name: str) -> list[str]:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(extras, "requires", none)
    assert pip_install("scip") == "pip install '.[scip]' in the folder of treemip"
