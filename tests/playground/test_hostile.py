"""Hostile specs and tables: the server lives on, says what is wrong, and reads nothing else."""

import json
import os
import time

import httpx
import pytest

from tests.playground.conftest import done
from tests.playground.hostile import SCRIPT, SPEC, SPECS, TABLE, UPLOADS

LEAKS = ("root:x:", "PATH=", "Traceback", "/dev/shm", 'File "')
"""What no answer has: of files of the machine, of errors of ours."""

SOLVED = ("absolute path", "product of sets", "deep parentheses, closed", "a solver's command line")


def assert_lives(served):
    """Another visitor is answered."""
    with httpx.Client(base_url=served.url, headers={"X-Session": os.urandom(4).hex()}) as other:
        answer = other.post(
            "/api/look", json={**request_of(SPEC), "want": ["problems"]}, timeout=60
        )
    assert answer.json()["problems"] == []


def request_of(text, table=TABLE):
    return {"files": {"s.tree": text, "t.csv": table}, "spec": "s.tree", "version": 1, "at": 3}


def assert_sensible(text, says):
    assert says in text
    assert not [one for one in LEAKS if one in text]


@pytest.mark.parametrize("name", SPECS)
def test_a_hostile_spec_in_the_editor(served, client, name):
    spec = SPECS[name]
    want = ["problems", "tokens", "outline", "hover", "completion", "signature", "format"]
    want += [] if spec.slow else ["data"]
    began = time.monotonic()
    answer = client.post("/api/look", json={**request_of(spec.whole), "want": want})
    assert answer.status_code == 200 and time.monotonic() - began < 100
    problems = answer.json()["problems"]
    assert_sensible(" ".join(f"{one['code']} {one['message']}" for one in problems), spec.says)
    assert bool(problems) >= bool(spec.says)
    end = len(spec.whole) + 1
    assert all(0 <= one["start"] <= one["end"] <= end for one in problems)
    assert not [one for one in LEAKS if one in answer.text]
    assert_lives(served)


@pytest.mark.parametrize("name", UPLOADS)
def test_a_hostile_table(served, client, name):
    table = UPLOADS[name]
    answer = client.post("/api/tables", params={"name": table.name}, content=table.content)
    assert answer.status_code in ((400,) if table.says else (200, 400))
    assert_sensible(json.dumps(answer.json(), ensure_ascii=False), table.says)
    assert_lives(served)


@pytest.mark.parametrize(
    "name",
    [one if one in SOLVED else pytest.param(one, marks=pytest.mark.truth) for one in SPECS],
)
def test_a_hostile_spec_is_solved(served, client, name):
    spec = SPECS[name]
    request = {**request_of(spec.whole), "seconds": 8}
    answer, events = done(client, client.post("/api/solve", json=request).json()["job"])
    assert events[-1] == "done" and "code" in answer
    assert answer["code"] == 0 or answer["err"]
    assert_sensible(answer["err"], spec.says if answer["code"] == 2 else "")
    assert not [one for one in LEAKS if one in json.dumps(answer)]
    assert_lives(served)


def test_names_with_markup_are_text_on_every_page(client):
    quoted = '"' + SCRIPT.replace('"', '""') + '"'
    rows = "".join(f"{i},{quoted if i < 4 else 'b'}\n" for i in range(8))
    request = request_of(SPEC, f"{quoted},y\n{rows}")
    job = client.post("/api/solve", json=request).json()["job"]
    answer, _ = done(client, job)
    assert answer["code"] == 0, answer["err"]
    for part in ("svg", "page", "report", "mathematics"):
        assert "<script>alert" not in answer[part] and "<img" not in answer[part]
    assert "&lt;script" in answer["svg"]
