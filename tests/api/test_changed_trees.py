"""A tree.json that was changed is refused, not verified, or verified in part with the reason; or
the change is of something that provably tells nothing of the tree."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from changed_trees import SPECS, Said, at, changed, solved_files
from json_schema import faults

from treemip.api.compare_saved import differences, is_number
from treemip.api.reverify import Reverified, reverify
from treemip.api.store import checksum
from treemip.cli.main import main
from treemip.core.model.tolerances import VERIFIED
from treemip.core.source.diagnostic import TreemipError

pytest.importorskip("highspy", reason="a solver is needed")
pytest.importorskip("pyscipopt", reason="a solver is needed")
pytest.importorskip("casadi", reason="a solver is needed")

INFORMATIONAL = {
    ("seconds",): "how long the stages took",
    ("time_limit",): "how long they were allowed to take",
    ("message",): "what else the solver had to say, in its own words",
    ("warnings",): "what was said when it was solved; W704 alone is held against `optimality`",
    ("spec", "name"): "what messages about the spec call it; its text is in the file",
    ("spec", "base"): "where the data are looked for first; their SHA-256 is in the file",
    ("spec", "library"): "which version wrote the file; the texts of other modules are in it",
    ("checksum",): "made of the rest",
}
"""Fields of which nothing is computed. `test_what_is_informational` shows that of each."""

WHY_STOPPED = {"feasible", "time_limit", "interrupted", "solver_limit"}
"""Statuses that claim nothing: which of them it is only says why the solver stopped."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("changed")


@pytest.fixture(scope="module")
def files(folder) -> dict[str, Said]:
    return solved_files(folder)


def verified(said: Said, folder: Path) -> Reverified:
    path = folder / "tree.json"
    path.write_text(json.dumps(said))
    return reverify(path)


def test_ordinary_specs_of_all_formulations_are_verified(files, folder):
    for name, said in files.items():
        again = verified(said, folder)
        expected = "verified in part" if name == "parts" else "verified"
        assert (name, said["verdict"], again.verdict) == (name, expected, expected)
        assert again.problems == () and again.warnings == ()


def test_files_of_all_formulations_keep_to_the_schema(files):
    found = {name: list(faults(json.loads(json.dumps(said)))) for name, said in files.items()}
    assert found == {name: [] for name in files}


def test_leaves_have_all_points(files):
    for said in files.values():
        leaves = [node["points"] for node in said["tree"]["nodes"] if "points" in node]
        assert sum(sum(leaf.values()) for leaf in leaves) == said["points"]


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.truth)])
def test_any_change_is_noticed_or_tells_nothing(files, folder, count):
    """Some values count for nothing, such as a bit of a threshold that BinOCT's code of a feature
    with few values does not have. Verification has then read the same tree out of the changed
    values, and the terms of the objective are what they were.
    """
    chance, names, seen = random.Random(20), list(SPECS), {"refused": 0, "not verified": 0}
    sound = {name: verified(said, folder) for name, said in files.items()}
    escaped, done = [], 0
    while done < count:
        name = names[done % len(names)]
        made = changed(files[name], chance)
        if made is None:
            continue
        said, path, how = made
        done += 1
        try:
            found = verified(said, folder)
        except TreemipError:
            seen["refused"] += 1
            continue
        if found.verdict == "not verified":
            seen["not verified"] += 1
        elif found.reservations == sound[name].reservations:
            unused = path[0] == "values" and found.terms == sound[name].terms
            if not unused and not harmless(files[name], said, path):
                escaped.append((name, path, how))
        else:
            assert any(word in " ".join(found.reservations) for word in (*map(str, path), "data"))
    assert escaped == []
    assert min(seen.values()) > count / 5


def harmless(before: Said, after: Said, path: tuple[str | int, ...]) -> bool:
    """Whether a change is one of those that tell nothing of the tree."""
    if any(path[: len(field)] == field for field in INFORMATIONAL):
        return True
    if path == ("spec", "modules") and not at(before, path):
        return True  # there is no text to take away
    if path == ("status",):
        return {before["status"], after["status"]} <= WHY_STOPPED
    old, new = at(before, path), at(after, path) if reaches(after, path) else None
    within = is_number(old) and is_number(new) and abs(new - old) <= VERIFIED * max(1, abs(old))
    return not differences(old, new, "") or within


def reaches(said: Any, path: tuple[str | int, ...]) -> bool:
    try:
        at(said, path)
    except (LookupError, TypeError):
        return False
    return True


def outputs(path: Path, capsys) -> list[tuple[int, str]]:
    """What every command says of a tree, and its exit code."""
    commands: list[list[str]] = [["verify"], ["verify", "--json"], ["show"], ["score"]]
    found = []
    for name, *options in commands:
        code = main([name, str(path), *options])
        found.append((code, capsys.readouterr().out))
    code = main(["predict", str(path), str(path.with_name("mixed.csv")), "--leaf", "--proba"])
    return [*found, (code, capsys.readouterr().out)]


def test_what_is_informational(files, folder, capsys):
    path = folder / "tree.json"
    path.write_text(json.dumps(files["soct"]))
    before = outputs(path, capsys)
    assert [code for code, _ in before] == [0] * 5
    for field in INFORMATIONAL:
        said = copy.deepcopy(files["soct"])
        home = at(said, field[:-1])
        home[field[-1]] = [] if isinstance(home[field[-1]], list) else "something else"
        if field != ("checksum",):
            said["checksum"] = checksum(said)
        path.write_text(json.dumps(said))
        assert outputs(path, capsys) == before


def test_a_change_is_reported_by_its_checksum_too(files, folder):
    said = {**files["oct"], "message": "changed"}
    (warning,) = verified(said, folder).warnings
    assert warning.code == "W706"
    assert warning.message.endswith("was changed after it was written: its checksum does not match")


def test_a_moved_file_is_no_changed_file(files):
    said = copy.deepcopy(files["oct"])
    said["spec"]["base"] = said["spec"]["name"] = "/elsewhere"
    assert checksum(said) == said["checksum"]


def test_a_value_without_meaning_is_named(files, folder):
    said = copy.deepcopy(files["parts"])
    said["values"]["spare"] = [7]
    found = verified(said, folder)
    texts = [t.text() for t in found.taken]
    assert texts == [
        "'spare' has no meaning on the tree, so the term 'spare' was not recomputed",
        "'spare' has no meaning on the tree, so the constraint 'own' was not recomputed",
    ]
    assert found.verdict == "not verified"  # the term's value in the file is another


@pytest.mark.parametrize("version", [2, 4])
@pytest.mark.parametrize("command", ["verify", "predict"])
def test_versions(files, folder, capsys, version, command):
    path = folder / "tree.json"
    path.write_text(json.dumps({**files["oct"], "format": f"treemip tree {version}"}))
    more = [str(folder / "mixed.csv")] if command == "predict" else []
    assert main([command, str(path), *more]) == 2
    message = f"has version {version} of tree.json, and this treemip reads 3"
    assert message in capsys.readouterr().err
