"""Each request of the playground's server and what it is answered."""

import json
import sys

import pytest

from tests.playground.conftest import LIMITS, done
from treemip.core.resources import specs_path

WORDS = ["problems", "tokens", "outline", "hover", "completion", "signature", "format"]


def looked(client, request, *want, at=None, version=1):
    return client.post("/api/look", json={**request, "version": version, "at": at, "want": want})


def changed(request, old, new):
    text = request["files"][request["spec"]]
    assert old in text
    return {**request, "files": {**request["files"], request["spec"]: text.replace(old, new, 1)}}


def places(texts):
    """Parts of the machine's own paths, none of which an answer may have."""
    return [one for one in ("/dev/shm", "/tmp/", sys.prefix, str(specs_path())) if one in texts]


# --------------------------------------------------------------------------------------- page


def test_the_page_has_no_script_but_the_server_s_own(client):
    page = client.get("/")
    assert page.status_code == 200 and '<script type="module" src="/assets/' in page.text
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'self'") and "script-src" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["..%2fapp.py", "%2e%2e/app.py", ".hidden", "none.js", "a%00b"])
def test_assets_are_those_of_their_folder(client, name):
    assert client.get(f"/assets/{name}").status_code == 404


def test_examples_have_all_that_they_read(client):
    listed = client.get("/api/examples").json()
    assert len(listed) > 40 and all(one["purpose"] for one in listed)
    for one in listed:
        example = client.get(f"/api/examples/{one['name']}").json()
        assert example["spec"] == next(iter(example["files"]))
        assert all(len(text) <= 200_000 for text in example["files"].values())


# ------------------------------------------------------------------------------------- editor


def test_a_misspelt_word_and_its_fix(client, credit):
    bad = changed(credit, "topology", "topolgy")
    answer = looked(client, bad, "problems", version=7).json()
    text = bad["files"][bad["spec"]]
    (problem,) = answer["problems"]
    assert answer["version"] == 7 and problem["severity"] == "error"
    assert text[problem["start"] : problem["end"]] == "topolgy"
    assert [one["text"] for one in problem["fix"]["changes"]] == ["topology"]


def test_places_are_units_of_utf_16(client, credit):
    bad = changed(credit, "topology", "# \U0001f333\U0001f333\ntopolgy")
    (problem,) = looked(client, bad, "problems").json()["problems"]
    units = bad["files"][bad["spec"]].encode("utf-16-le")
    found = units[2 * problem["start"] : 2 * problem["end"]].decode("utf-16-le")
    assert found == "topolgy"


def test_everything_that_an_editor_shows(client, credit):
    text = credit["files"][credit["spec"]]
    at = text.index("misclassified;") + 3
    answer = looked(client, credit, *WORDS, at=at).json()
    assert answer["problems"] == [] and answer["formatted"] == []
    assert "misclassified" in answer["hover"]["text"]
    start, end = answer["hover"]["start"], answer["hover"]["end"]
    assert text[start:end] == "misclassified"
    assert any(one["label"] == "misclassified" for one in answer["completion"])
    words = {text[one["start"] : one["end"]] for one in answer["tokens"]}
    assert {"topology", '"good"', "bad_recall"} <= words
    assert any(one["name"].startswith("topology") for one in answer["outline"])


def test_data_are_asked_where_they_are_wanted(client, credit):
    bad = changed(credit, "label class", "label klass")
    assert looked(client, bad, "problems").json()["problems"] == []
    (problem,) = looked(client, bad, "data").json()["problems"]
    assert "klass" in problem["message"] and problem["severity"] == "error"


def test_a_module_among_the_files(client, credit):
    files = {**credit["files"], "limits.tree": "param lowest_recall = 0.7;\n"}
    text = 'use "limits.tree";\n' + files[credit["spec"]].replace(">= 0.7", ">= lowest_recall")
    request = {"spec": credit["spec"], "files": {**files, credit["spec"]: text}}
    assert looked(client, request, "problems").json()["problems"] == []
    del request["files"]["limits.tree"]
    assert looked(client, request, "problems").json()["problems"]


def test_a_name_may_become_a_folder(client, credit):
    for extra in ({"a": "1"}, {"a/b.csv": "x\n1\n"}, {"a": "1"}):
        request = {**credit, "files": {**credit["files"], **extra}}
        assert looked(client, request, "problems").json()["problems"] == []


# ------------------------------------------------------------------------------------- tables


def uploaded(client, name, content):
    return client.post("/api/tables", params={"name": name}, content=content)


def test_a_table_is_described_and_has_a_first_spec(client):
    rows = "".join(f"{i},{i % 5},{'yes' if i > 20 else 'no'}\n" for i in range(40))
    table = uploaded(client, "shop.csv", f"a,b,bought\n{rows}").json()
    assert table["rows"] == 40 and table["columns"][0] == {
        "name": "a",
        "about": "numbers from 0 to 39",
    }
    made = client.post("/api/init", json={"table": table["id"], "label": "bought"}).json()
    assert 'data "shop.csv"' in made["spec"]
    request = {"files": {"first.txt": "x", "s.tree": made["spec"]}, "spec": "s.tree"}
    request["tables"] = {"shop.csv": table["id"]}
    answer = looked(client, request, "data").json()
    assert answer["problems"] == [] and answer["table"] == "40 rows, 3 columns"


def test_tables_end(client):
    first = uploaded(client, "t.csv", "a,b\n1,x\n2,y\n").json()["id"]
    for _ in range(LIMITS.tables_each):
        assert uploaded(client, "t.csv", "a,b\n1,x\n2,y\n").status_code == 200
    request = {"files": {"s.tree": ""}, "tables": {"t.csv": first}, "spec": "s.tree"}
    gone = looked(client, request, "problems")
    assert gone.status_code == 404 and "upload it again" in gone.json()["help"]


# -------------------------------------------------------------------------------------- solves


def test_a_solve_tells_each_part_and_the_tree_first(client, credit):
    job = client.post("/api/solve", json=credit).json()["job"]
    answer, events = done(client, job)
    assert events[-1] == "done" and "progress" in events and "part" in events
    assert answer["code"] == 0 and answer["verdict"]["objective"] == 3
    assert answer["tree"]["objective"] == 3 and answer["svg"].startswith("<svg")
    assert "amount <" in answer["summary"] and "accuracy" in answer["score"]
    assert set(answer["convert"]) == {"py", "sql", "txt"} and "Minimize" in answer["model"]
    assert answer["check"].startswith("credit.tree: fine")
    assert "without" not in answer
    for part in ("page", "report", "mathematics"):
        page = client.get(f"/api/jobs/{job}/{part}")
        assert page.text.lower().startswith("<!doctype html>")
        assert page.headers["content-security-policy"].startswith("sandbox allow-scripts; default")
    assert places(json.dumps(answer)) == []


def test_parameters_and_explain(client, credit):
    request = {**credit, "parameters": {"lambda": 0}}
    answer, _ = done(client, client.post("/api/explain", json=request).json()["job"])
    assert "lambda" in json.dumps(answer["without"])
    answer, _ = done(client, client.post("/api/explain", json=credit).json()["job"])
    assert "tree" not in answer and "<math" in answer["mathematics"] and answer["model"]


LONG = (
    'data "n.csv" { label y; scale minmax; }\ntopology complete(depth = 3);\nsplit oblique by soct;'
)


def noise():
    from random import Random

    draw = Random(1)
    rows = (f"{draw.random()},{draw.random()},{draw.choice('ab')}" for _ in range(300))
    return "\n".join(["u,v,y", *rows])


def test_a_stopped_solve_shows_its_tree(client):
    request = {"files": {"s.tree": LONG, "n.csv": noise()}, "spec": "s.tree"}
    job = client.post("/api/solve", json=request).json()["job"]
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("data: ") and json.loads(line[6:]).get("objective") is not None:
                break
    client.post(f"/api/jobs/{job}/stop")
    answer, _ = done(client, job)
    assert answer["verdict"]["status"] in ("interrupted", "feasible") and answer["svg"]
    assert "overdue" not in answer


def test_a_runaway_solve_ends_and_the_queue_is_bounded(client, credit):
    request = {"files": {"s.tree": LONG, "n.csv": noise()}, "spec": "s.tree", "seconds": 4}
    jobs = [client.post("/api/solve", json=request) for _ in range(2 + LIMITS.waiting_each)]
    assert [one.status_code for one in jobs[:-1]] == [200] * (1 + LIMITS.waiting_each)
    assert jobs[-1].status_code == 503 and "waiting already" in jobs[-1].json()["error"]
    first, *others = (one.json()["job"] for one in jobs[:-1])
    assert looked(client, credit, "problems").json()["problems"] == []  # meanwhile
    for job in others:
        client.post(f"/api/jobs/{job}/stop")
    answer, _ = done(client, first)
    assert answer["overdue"] == 4 and ("tree" not in answer or answer["svg"])
    answer, events = done(client, others[0])
    assert answer["code"] == 130 and events[-1] == "done"


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/look", b"{", 400),
        ("/api/look", b"[]", 400),
        ("/api/look", b"[" * 100_000, 400),
        ("/api/look", b'{"files": {}, "spec": "a.tree"}', 400),
        ("/api/look", b'{"files": {"a.tree": 1}, "spec": "a.tree"}', 400),
        ("/api/look", b'{"files": {"a.tree": ""}, "spec": "a.tree", "want": ["all"]}', 400),
        ("/api/look", b'{"files": {"a.tree": ""}, "spec": "a.tree", "at": -1}', 400),
        ("/api/look", b'{"files": {"a.tree": ""}, "spec": "a.tree", "version": NaN}', 400),
        ("/api/look", b'{"files": {"a.tree": "\\ud800"}, "spec": "a.tree"}', 400),
        ("/api/look", b'{"files": {"../a.tree": ""}, "spec": "../a.tree"}', 400),
        ("/api/look", b'{"files": {"-I.tree": ""}, "spec": "-I.tree"}', 400),
        ("/api/look", b'{"files": {"made.here/x": ""}, "spec": "made.here/x"}', 400),
        ("/api/look", b'{"files": {"a.tree": "' + b"x" * 200_001 + b'"}, "spec": "a.tree"}', 413),
        ("/api/look", b" " * 2_000_001, 413),
        ("/api/tables?name=t.csv", b"a" * 3_000_001, 413),
        ("/api/tables?name=t.csv", b"", 400),
        ("/api/tables?name=../t.csv", b"a,b\n1,2\n", 400),
        ("/api/tables", b"a,b\n1,2\n", 400),
        ("/api/init", b"{}", 400),
        ("/api/init", b'{"table": "none"}', 404),
        ("/api/init", b'{"table": "none", "label": "--force"}', 400),
        ("/api/solve", b'{"files": {"a.tree": ""}, "spec": "a.tree", "seconds": NaN}', 400),
        ("/api/solve", b'{"files": {"a.tree": ""}, "spec": "a.tree", "seconds": -1}', 400),
        (
            "/api/solve",
            b'{"files": {"a.tree": ""}, "spec": "a.tree", "parameters": {"-o": 1}}',
            400,
        ),
        ("/api/solve", b'{"files": {}, "tables": {"a": "b"}, "spec": "a"}', 400),
        ("/api/jobs/none/stop", b"", 404),
        ("/api/none", b"", 404),
    ],
)
def test_refusals_say_why(client, path, body, status):
    answer = client.post(path, content=body)
    assert answer.status_code == status and answer.json()["error"]
    assert places(answer.text) == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:80"}, 403),
        ({"Host": ""}, 403),
        ({"Host": "localhost:1234"}, 200),
        ({"Host": "[::1]:80"}, 200),
    ],
)
def test_only_this_machine_s_names_are_answered(client, headers, status):
    assert client.get("/api/examples", headers=headers).status_code == status


def test_another_page_sends_nothing(client, credit):
    own = str(client.base_url).rstrip("/")
    body = {**credit, "version": 1, "want": []}
    for origin, status in (("https://evil.example", 403), ("null", 403), (own, 200)):
        assert client.post("/api/look", json=body, headers={"Origin": origin}).status_code == status


def test_a_length_that_is_not_told_is_measured(client):
    pieces = (b"x" * 100_000 for _ in range(40))
    answer = client.post("/api/tables?name=t.csv", content=pieces)
    assert answer.status_code == 413 and "3 MB" in answer.json()["error"]
