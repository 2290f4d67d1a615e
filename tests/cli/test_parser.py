"""Command lines: words become values. What is wrong with them is in
transcripts/wrong_lines.txt."""

from __future__ import annotations

from inspect import Parameter, getdoc, signature
from pathlib import Path

import pytest

from treemip.cli.options import COMMANDS
from treemip.cli.parser import function_of, help_of, values_of


def test_words_become_values_of_their_kinds():
    words = "--gap -1e-3 s.tree --threads=2 -p a=1 -pb=2 --log -o t.json --start cart --start x"
    assert values_of("solve", words.split()) == {
        "spec": Path("s.tree"),
        "gap": -0.001,
        "threads": 2,
        "parameter": ["a=1", "b=2"],
        "log": True,
        "output": Path("t.json"),
        "start": ["cart", "x"],
    }


def test_what_stands_behind_two_dashes_is_no_option():
    assert values_of("fmt", ["a", "--check", "--", "--check", "-b"]) == {
        "file": [Path("a"), Path("--check"), Path("-b")],
        "check": True,
    }


def test_compile_is_told_which_options_stand_on_the_line():
    values = values_of("compile", ["s.tree", "--names", "spec", "-o", "m.mps"])
    assert values is not None and values["given"] == ["--names", "--output"]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_is_that_of_the_functions(name):
    """What a line may leave out has a default, and nothing else; every parameter is an option."""
    command = COMMANDS[name]
    parameters = signature(function_of(name)).parameters
    required = {one.key for one in (*command.arguments, *command.all_options) if one.required}
    assert required == {k for k, p in parameters.items() if p.default is Parameter.empty}
    options = [one.key for one in (*command.arguments, *command.all_options)]
    assert sorted([*options, *["given"] * command.given]) == sorted(parameters)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_says_what_holds_without_an_option(name):
    """A flag and a required option have no default; that of a function is the one that is shown."""
    parameters = signature(function_of(name)).parameters
    shown = " ".join(help_of(name).split())
    for option in COMMANDS[name].all_options:
        needs = bool(option.value) and not option.required
        assert bool(option.default) is needs, option.name
        assert not needs or f"Default: {option.default}." in shown.replace("- ", "-"), option.name
        default = parameters[option.key].default
        if needs and isinstance(default, str | int | float):
            shown_value = default if isinstance(default, str) else f"{default:g}"
            assert option.default == shown_value, option.name


@pytest.mark.parametrize("name", COMMANDS)
def test_the_overview_says_what_the_help_begins_with(name):
    assert (getdoc(function_of(name)) or "").split("\n", 1)[0] == COMMANDS[name].about


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_are_lines_that_are_understood(name):
    program, command, *words = COMMANDS[name].example.split()
    assert (program, command) == ("treemip", name)
    assert values_of(name, words) is not None
    assert COMMANDS[name].example in help_of(name)
