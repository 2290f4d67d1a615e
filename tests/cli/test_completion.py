"""Completion scripts: bash completes as it would at a prompt; zsh and fish read theirs."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest

from treemip.cli.completion import SCRIPTS, files_and_words
from treemip.cli.options import COMMANDS
from treemip.core.registry import solvers
from treemip.core.resolve.modules import formulation_names

BASH = shutil.which("bash")
FILES = ("a.tree", "b.tree", "t.json", "rows.csv", "with blank.tree", "other")


@pytest.fixture
def completed(tmp_path):
    """completed(words): what bash proposes for the last of the words, in a folder with FILES."""
    if BASH is None:
        pytest.skip("bash is not installed")
    for name in FILES:
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "script").write_text(SCRIPTS["bash"]())

    def complete(*words: str) -> list[str]:
        line = " ".join(map(shlex.quote, words))
        code = f"source ./script; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
        code += 'COMPREPLY=(); _treemip; printf "%s\\n" "${COMPREPLY[@]}"'
        run = subprocess.run(
            [BASH, "--norc", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert run.stderr == ""
        return sorted(line for line in run.stdout.split("\n") if line)

    return complete


TREES = ["a.tree", "b.tree", "folder", "with blank.tree"]


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("treemip so", ["solve"]),
        (
            "treemip c",
            ["card", "check", "compare", "compile", "completion", "convert", "count", "cv"],
        ),
        ("treemip solve ''", TREES),
        ("treemip solve --gap 0.1 ''", TREES),
        ("treemip solve --gap = 0.1 ''", TREES),
        ("treemip solve --json ''", TREES),
        ("treemip solve a.tree ''", []),
        ("treemip check a.tree ''", TREES),
        ("treemip decode a.tree r", ["rows.csv"]),
        ("treemip show ''", ["folder", "t.json"]),
        ("treemip predict t.json ''", ["folder", "rows.csv"]),
        ("treemip solve --sol", ["--solver"]),
        ("treemip solve --solver hi", ["highs"]),
        ("treemip solve --solver = hi", ["highs"]),
        ("treemip solve --start s", ["search", "svm_tree"]),
        ("treemip solve --start t", ["t.json"]),
        ("treemip compile --implications ''", ["big_m", "indicator", "sos1"]),
        ("treemip solve --gap ''", []),
        ("treemip completion z", ["zsh"]),
        ("treemip list f", ["formulations"]),
    ],
)
def test_bash_proposes(completed, line, proposed):
    assert completed(*shlex.split(line)) == proposed


def test_bash_proposes_all_commands_formulations_and_solvers(completed):
    assert completed("treemip", "") == sorted([*COMMANDS, "--help", "--version"])
    proposed = completed("treemip", "init", "--formulation", "")
    assert [word for word in proposed if word in formulation_names()] == formulation_names()
    assert "a.tree" in proposed
    assert completed("treemip", "solve", "--solver", "") == sorted(["auto", "mip", *solvers()])


@pytest.mark.parametrize("name", COMMANDS)
def test_bash_proposes_every_option(completed, name):
    options = [option.name for option in COMMANDS[name].all_options]
    assert completed("treemip", name, "-") == sorted([*options, "--help"])


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_scripts_are_valid(run, shell, tmp_path):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    said = run("completion", shell)
    assert (said.code, said.err) == (0, "")
    (tmp_path / "script").write_text(said.out)
    check = "--no-execute" if shell == "fish" else "-n"
    subprocess.run([program, check, str(tmp_path / "script")], check=True)


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_scripts_have_every_command_and_long_option(shell):
    script = SCRIPTS[shell]()
    for name, command in COMMANDS.items():
        assert name in script
        for option in command.all_options:
            long = f"-l {option.name[2:]} " if shell == "fish" else option.name
            assert long in script or not option.name.startswith("--")


def test_paths_are_completed_by_files():
    """An option or argument that is a path proposes files."""
    for command in COMMANDS.values():
        for one in (*command.arguments, *command.all_options):
            paths = getattr(one.kind, "__name__", "") == "Path"
            assert not paths or one.key == "keep" or files_and_words(one)[0], one.key
