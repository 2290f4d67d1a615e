"""Commands of the user's own: what they are given, what they answer, and that they end."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from driven_models import code_of, maximum

from treemip.core.model.answer import Limits, Progress
from treemip.core.solving import child
from treemip.core.solving.process import run_installed
from treemip.core.source.diagnostic import TreemipError


def command(code: str, tmp_path: Path, *words: str) -> str:
    script = tmp_path / "solver.py"
    script.write_text(f"import signal, sys, time\n{code}\n")
    return f"command:{sys.executable} {script} {' '.join(words)}"


SOLVE = """
answer = "objective value: -15.5\\nx_1(7) 2 (obj:-2)\\nx_2(7) 0.5 (obj:-3)\\n"
answer += "objective_constant 1 (obj:-10)\\n"
"""


def test_a_command_that_writes_a_file(tmp_path: Path) -> None:
    line = command(
        f"{SOLVE}open(sys.argv[2], 'w').write(answer)", tmp_path, "{model}", "{solution}"
    )
    answer = run_installed(maximum(), line)
    assert (answer.status, answer.objective) == ("feasible", 15.5)


def test_a_command_that_prints(tmp_path: Path) -> None:
    answer = run_installed(maximum(), command(f"{SOLVE}print(answer, end='')", tmp_path, "{model}"))
    assert answer.values == pytest.approx([0, 2, 0.5])


def test_limits_of_a_command(tmp_path: Path) -> None:
    line = command(f"assert sys.argv[2] == '7'\n{SOLVE}print(answer, end='')", tmp_path)
    answer = run_installed(maximum(), f"{line} {{model}} {{threads}}", Limits(threads=7))
    assert answer.has_solution
    with pytest.raises(TreemipError, match="takes no threads"):
        run_installed(maximum(), f"{line} {{model}}", Limits(threads=7))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("command:", "E902"),
        ("command:cbc model.mps", "E902"),
        ("command:'cbc {model}", "E902"),
        ("command:no_such_program_anywhere {model} {solution}", "E602"),
    ],
)
def test_commands_that_cannot_be_run(line: str, code: str) -> None:
    with pytest.raises(TreemipError) as raised:
        run_installed(maximum(), line)
    assert code_of(raised) == code


def test_a_command_that_fails(tmp_path: Path) -> None:
    line = command("print('no licence'); sys.exit(3)", tmp_path, "{model}", "{solution}")
    with pytest.raises(TreemipError, match=r"ended with code 3 .* no licence") as raised:
        run_installed(maximum(), line)
    assert code_of(raised) == "E604"


def test_half_a_file_is_refused(tmp_path: Path) -> None:
    line = command(f"{SOLVE}open(sys.argv[2], 'w').write(answer[:-20])", tmp_path)
    with pytest.raises(TreemipError, match="cut off") as raised:
        run_installed(maximum(), f"{line} {{model}} {{solution}}")
    assert code_of(raised) == "E606"


def test_files_are_kept(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()  # an empty folder is as good as a new one
    good = command(f"{SOLVE}open(sys.argv[2], 'w').write(answer)", tmp_path)
    for keep in (tmp_path / "kept", tmp_path / "new" / "deep"):
        run_installed(maximum(), f"{good} {{model}} {{solution}}", keep=keep)
        assert {path.name for path in keep.iterdir()} == {"model.mps", "solution.sol", "log.txt"}


@pytest.mark.parametrize("name", ["solution.csv", "model.mps", "log.txt", "start.mst", "other"])
def test_a_folder_with_files_is_left_alone(name: str, tmp_path: Path) -> None:
    keep = tmp_path / "kept"
    keep.mkdir()
    (keep / name).write_text("somebody's")
    line = command(f"open({str(tmp_path / 'ran')!r}, 'w')", tmp_path, "{model}", "{solution}")
    with pytest.raises(TreemipError) as raised:
        run_installed(maximum(), line, keep=keep)
    assert str(raised.value) == (
        f"error[E603]: cannot keep the solver's files in '{keep}': it is not empty\n"
        "  = help: name a new folder"
    )
    assert [path.read_text() for path in keep.iterdir()] == ["somebody's"]
    assert not (tmp_path / "ran").exists()


def test_a_file_is_no_folder_to_keep_files_in(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("somebody's")
    for keep in (plain, plain / "deeper"):
        with pytest.raises(TreemipError, match="cannot keep the solver's files in") as raised:
            run_installed(maximum(), command("", tmp_path, "{model}", "{solution}"), keep=keep)
        assert code_of(raised) == "E603"
    assert plain.read_text() == "somebody's"


def test_what_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "LATE", 0.2)
    monkeypatch.setattr(child, "GRACE", 0.3)
    stubborn = (
        "for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)\n"
        f"{SOLVE}open(sys.argv[2], 'w').write(answer[:60])\ntime.sleep(60)"
    )
    begun = time.perf_counter()
    line = command(stubborn, tmp_path, "{model}", "{solution}")
    answer = run_installed(maximum(), line, Limits(time=0.5))
    assert time.perf_counter() - begun < 10
    assert (answer.status, answer.values) == ("time_limit", None)


def test_what_prints_for_ever_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MOST_OUTPUT", 2**20)
    line = command("while True: print('objective value: 3')", tmp_path, "{model}")
    with pytest.raises(TreemipError, match="was stopped: it printed more than 1 MB") as raised:
        run_installed(maximum(), line)
    assert code_of(raised) == "E604"


def test_the_incumbent_of_one_that_ends_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "LATE", 0.1)
    polite = (
        f"{SOLVE}def end(*_):\n    open(sys.argv[2], 'w').write(answer); sys.exit(0)\n"
        "signal.signal(signal.SIGINT, end)\ntime.sleep(60)"
    )
    heard: list[Progress] = []
    answer = run_installed(
        maximum(),
        command(polite, tmp_path, "{model}", "{solution}"),
        Limits(time=1),
        on_progress=heard.append,
    )
    assert (answer.status, answer.objective) == ("time_limit", 15.5)
    assert heard and heard[-1].seconds > 0.3
