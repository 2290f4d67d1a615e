"""The tools of the assistant's server: what each says and gives, over the pipes of a process."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from pathlib import Path

import pytest

pytest.importorskip("mcp")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the sandbox is POSIX's")

TABLE = "a,b,class\n1,5,x\n2,6,x\n3,7,y\n4,8,y\n5,5,x\n"
SPEC = """\
data "t.csv" { label class; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
minimize misclassified;
"""
LONG = """\
data "noise.csv" { label y; scale minmax; }
topology complete(depth = 3);
split oblique by soct;
"""


def noise() -> str:
    draw = random.Random(0)
    rows = [
        f"{(7 * i) % 101},{(13 * i) % 89},{(29 * i) % 97},{draw.randrange(2)}" for i in range(200)
    ]
    return "\n".join(["a,b,c,y", *rows]) + "\n"


def test_from_a_table_to_a_scored_tree(server, credit):
    calls = [
        ("table", {"data": "data/credit-24.csv"}),
        ("check", {"spec": "credit.tree"}),
        ("solve", {"spec": "credit.tree", "save": "tree.json"}),
        ("verify", {"tree": "tree-1"}),
        ("verify", {"tree": "tree.json"}),
        ("score", {"tree": "tree-1"}),
        ("predict", {"tree": "tree-1", "data": "data/credit-24.csv"}),
    ]
    table, check, solve, verify, saved, score, predict = server.call(*calls)
    assert table[1]["rows"] == 24 and "class: categories; bad (8), good (16)" in table[0]
    assert check[1]["ok"] and "24 points" in check[1]["found"]
    text, fields = solve
    assert fields["ok"] and fields["proven"] and fields["verdict"] == "verified"
    assert (fields["status"], fields["objective"], fields["bound"]) == ("optimal", 3, 3)
    assert fields["scores"]["training"]["errors"] == 3
    assert "amount < 3869" in text and "saved as tree.json" in text
    assert json.loads((credit / "tree.json").read_text())["objective"] == 3
    assert verify[1]["ok"] and saved[1]["ok"] and "verified" in verify[0]
    assert score[1]["scores"]["training"]["recall"]["bad"] == 0.75
    assert predict[1]["rows"] == 24 and predict[1]["answers"].startswith("class\nbad\n")


def test_texts_that_are_handed_over(server):
    files = {"t.csv": TABLE}
    table, solve, score, init, explain = server.call(
        ("table", {"data": "t.csv", "files": files}),
        ("solve", {"spec": SPEC, "files": files}),
        ("score", {"tree": "tree-1"}),
        ("init", {"data": "t.csv", "files": files}),
        ("explain", {"spec": SPEC, "files": files}),
    )
    assert [c["kind"] for c in table[1]["columns"]] == ["numbers", "numbers", "categories"]
    assert solve[1]["objective"] == 0 and solve[1]["tree"] == "tree-1"
    assert score[1]["scores"]["training"]["points"] == 5
    assert init[1]["spec"].count("label") and 'data "t.csv"' in init[1]["spec"]
    assert explain[1]["ok"] and "## Objective" in explain[1]["text"]


def test_an_error_has_its_place_and_the_fixed_text(server):
    wrong = SPEC.replace("misclassified", "misclasified")
    check, solve = server.call(
        ("check", {"spec": wrong, "files": {"t.csv": TABLE}}),
        ("solve", {"spec": wrong, "files": {"t.csv": TABLE}}),
    )
    for text, fields in (check, solve):
        (problem,) = fields["problems"]
        assert not fields["ok"] and "did you mean 'misclassified'?" in text
        assert (problem["code"], problem["line"], problem["column"]) == ("E201", 4, 10)
        assert problem["fix"]["text"] == SPEC


HOSTILE = [
    ("check", {"spec": SPEC.replace("t.csv", "/etc/passwd")}, "outside of the folder"),
    ("solve", {"spec": SPEC.replace("t.csv", "../../etc/passwd")}, "outside of the folder"),
    ("solve", {"spec": SPEC.replace("t.csv", ".env")}, "no such file"),
    ("table", {"data": "/etc/passwd"}, "outside of the folder"),
    ("table", {"data": "none.csv"}, "no such file"),
    ("check", {"spec": SPEC, "files": {"../t.csv": TABLE}}, "cannot be the name of a file"),
    ("check", {"spec": ""}, "E208"),
    ("verify", {"tree": "tree-9"}, "there is no tree 'tree-9'"),
    ("verify", {"tree": "/etc/x.json"}, "E901"),
    ("predict", {"tree": "tree-9", "data": "t.csv"}, "there is no tree"),
    ("example", {"wanted": "zzzz"}, "no example fits"),
    ("init", {"data": "none.csv"}, "none.csv"),
    ("diagnose", {"spec": "topology"}, "error["),
]


def test_hostile_and_broken_input(server, credit):
    (credit / ".env").write_text("a,class\n1,x\n2,y\n")
    found = server.call(*((tool, arguments) for tool, arguments, _ in HOSTILE))
    for (text, fields), (tool, arguments, message) in zip(found, HOSTILE, strict=True):
        assert message in text and not fields["ok"], (tool, arguments)
        assert "Traceback" not in text and "root:" not in text


def test_only_trees_are_written_and_only_in_the_folder(server, credit):
    (credit / "mine.json").write_text('{"my": 1}')
    before = sorted(p.name for p in credit.iterdir())
    names = ("../x.json", "credit.tree", "mine.json", ".x.json")
    spec = {"spec": SPEC, "files": {"t.csv": TABLE}}
    for text, fields in server.call(*(("solve", {**spec, "save": name}) for name in names)):
        assert not fields["ok"] and "cannot be" in text
    assert (credit / "mine.json").read_text() == '{"my": 1}'
    assert sorted(p.name for p in credit.iterdir()) == before


def test_a_tree_is_saved_over_those_of_the_session_only(server, credit):
    again = {"spec": SPEC, "files": {"t.csv": TABLE}, "save": "a.json"}
    first, second = server.call(("solve", again), ("solve", again))
    assert first[1]["saved"] == second[1]["saved"] == "a.json"
    ((text, fields),) = server.call(("solve", again))
    assert not fields["ok"] and "this session did not save it" in text


def test_a_first_spec_names_the_table_beside_it(server, credit):
    (credit / "spec.tree").write_text("")
    (credit / "t.csv").write_text(TABLE)
    ((_, fields),) = server.call(("init", {"data": "t.csv"}))
    assert fields["ok"] and 'data "t.csv"' in fields["spec"]


def test_a_wide_table_is_counted(server):
    wide = ",".join(f"c{j}" for j in range(400)) + "\n" + ",".join("1" * 400) + "\n"
    ((text, fields),) = server.call(("table", {"data": "w.csv", "files": {"w.csv": wide}}))
    assert fields["width"] == 400 and "400 columns, of which the first 300" in text


def test_no_time_limit(server):
    arguments = {"spec": SPEC, "files": {"t.csv": TABLE}, "seconds": -5}
    ((text, fields),) = server.call(("solve", arguments))
    assert not fields["ok"] and "is not a time limit" in text


def test_what_a_resource_lacks_is_said(server):
    async def talk(client):
        return await client.read_resource("treemip://formulations/nope")

    assert "E902" in server.talk(talk).contents[0].text


def test_infeasible_and_why(server):
    spec = SPEC + "subject to\n  big {l in leaves}: points_in[l] >= 3;\n"
    solve, diagnose = server.call(
        ("solve", {"spec": spec, "files": {"t.csv": TABLE}}),
        ("diagnose", {"spec": spec, "files": {"t.csv": TABLE}}),
    )
    assert solve[1]["status"] == "infeasible" and not solve[1]["ok"] and not solve[1]["tree"]
    assert diagnose[1]["feasible"] is False and "big" in diagnose[0]


def test_progress_and_the_time_limit(server):
    told = []

    async def talk(client):
        async def progress(seconds, limit, message):
            told.append((seconds, limit, message))

        arguments = {"spec": LONG, "files": {"noise.csv": noise()}, "seconds": 3}
        return await client.call_tool("solve", arguments, progress_callback=progress)

    result = server.talk(talk).structured_content
    assert result["status"] == "time_limit" and not result["proven"] and result["tree"]
    assert len(told) >= 3 and told[-1][1] == 3
    assert any("objective" in message for _, _, message in told)


def test_a_cancelled_solve_ends_its_process(server):
    async def talk(client):
        arguments = {"spec": LONG, "files": {"noise.csv": noise()}}
        running = asyncio.create_task(client.call_tool("solve", arguments))
        end = time.monotonic() + 20
        while not jobs() and time.monotonic() < end:
            await asyncio.sleep(0.1)
        assert jobs()
        running.cancel()
        end = time.monotonic() + 10
        while jobs() and time.monotonic() < end:
            await asyncio.sleep(0.2)
        return jobs(), (await client.call_tool("words", {"search": "recall"})).content[0].text

    left, still = server.talk(talk)
    assert not left and "recall[k]" in still


def jobs() -> list[int]:
    """Processes that work for this one's server: confined commands below it."""
    parents, confined = {}, []
    for entry in Path("/proc").iterdir():
        try:
            pid = int(entry.name)
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parents[pid] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (ValueError, OSError):
            continue
        if b"treemip.cli.confined" in words:
            confined.append(pid)
    return [pid for pid in confined if _below(pid, os.getpid(), parents)]


def _below(pid: int, top: int, parents: dict[int, int]) -> bool:
    while pid in parents and pid != top:
        pid = parents[pid]
    return pid == top
