"""What the server offers: tools with their schemas, resources, words, examples, the prompt."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from treemip.study.assistant import offers

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the sandbox is POSIX's")

GOLDEN = Path(__file__).with_name("tools.json")


def test_tools_and_their_schemas(server, golden):
    async def talk(client):
        return (await client.list_tools()).tools

    tools = [
        {
            "name": one.name,
            "description": one.description,
            "input": one.input_schema,
            "fields": sorted(one.output_schema["properties"]),
        }
        for one in server.talk(talk)
    ]
    assert all(len(one["description"]) <= 100 for one in tools)
    golden(GOLDEN, json.dumps(tools, indent=1, ensure_ascii=False) + "\n")


def test_resources_and_the_prompt(server):
    names = (
        "language",
        "formulations/oct",
        "errors/E201",
        "examples/credit",
        "examples/constraints/recall",
    )

    async def talk(client):
        read = [await client.read_resource(f"treemip://{name}") for name in names]
        templates = (await client.list_resource_templates()).resource_templates
        asked = {"data": "a.csv", "requirements": "few leaves"}
        prompt = await client.get_prompt("tree_from_requirements", asked)
        return [one.contents[0].text for one in read], templates, prompt

    (language, formulation, error, credit, recall), templates, prompt = server.talk(talk)
    assert "recall[k]" in language and "split univariate by oct;" in language
    assert len(language) < 30_000
    assert "price of a split" in formulation and "unknown name" in error
    assert "bad_recall" in credit and 'recall["bad"] >= 0.7' in recall
    assert len(templates) == 3 and "few leaves" in prompt.messages[0].content.text


def test_formulations_words_and_examples(server):
    found, words, nothing, named, fitting = server.call(
        ("formulations", {}),
        ("words", {"search": "number of points"}),
        ("words", {"search": "qqqq"}),
        ("example", {"wanted": "constraints/leaf_size"}),
        ("example", {"wanted": "no leaf with fewer than five points"}),
    )
    names = [one["name"] for one in found[1]["formulations"]]
    assert "oct" in names and "ost_grid" in names and "oct" in found[0]
    assert "points_in[t] - number of points" in words[0]
    assert "set name = {i in points};" in {one.form for one in offers.words("set")}
    assert nothing[1]["words"] == [] and "no word fits" in nothing[0]
    assert "points_in[l] >= 4" in named[1]["spec"]
    assert "constraints/leaf_size" in {fitting[1]["name"], *fitting[1]["near"]}


def test_the_language_is_complete_for_each_formulation(server):
    from treemip.core.resolve.modules import formulation_names
    from treemip.study.assistant.language import language_page

    page = language_page()
    assert all(f"by {name};" in page for name in formulation_names())


def test_without_the_package(monkeypatch, capsys):
    import builtins

    from treemip.cli.main import main
    from treemip.core.source.extras import pip_install

    real = builtins.__import__

    def without(name, *rest, **more):
        if name.split(".")[0] == "mcp":
            raise ModuleNotFoundError("No module named 'mcp'", name="mcp")
        return real(name, *rest, **more)

    monkeypatch.delitem(__import__("sys").modules, "treemip.study.assistant.server", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["mcp"]) == 2
    said = capsys.readouterr().err
    assert "E602" in said and pip_install("mcp") in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--folder", "/no/such"], "is not a folder"),
        (["--seconds", "0"], "is not a time limit"),
        (["--seconds", "nan"], "is not a time limit"),
    ],
)
def test_options_that_are_refused(capsys, options, message):
    from treemip.cli.main import main

    assert main(["mcp", *options]) == 2
    assert message in capsys.readouterr().err
