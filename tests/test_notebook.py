"""Cells in a notebook: `%%treemip`, its messages, its progress, and an interrupt."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.core.model.answer import Progress
from treemip.study.notebook import (
    CellError,
    Lines,
    load_ipython_extension,
    progress_shown,
    progress_text,
    solve_cell,
)

NOTEBOOK = Path(__file__).parents[1] / "docs" / "pictures.ipynb"
CELL = """
data "memory" { label class; scale minmax; }
topology complete(depth = 1);
split oblique by soct;
"""
FRAME = {"x": [0.0, 1.0, 2.0, 3.0], "class": ["no", "no", "yes", "yes"]}


def test_a_cell_solves_and_keeps_its_result(capsys):
    names = {"frame": FRAME}
    value = solve_cell(names, "found --data frame -p eps=0.1 --time-limit 20", CELL)
    assert names["found"] is value and value.train_errors == 0 and value.verified
    assert value.compiled.program.spec.overrides == (("eps", "0.1"),)


def test_a_cell_is_checked_without_solving():
    names = {"frame": FRAME}
    assert isinstance(solve_cell(names, "--check --data frame", CELL), treemip.Program)
    assert isinstance(names["result"], treemip.Program)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--tim 3", "error[E902]: no such option: --tim\n  = help: see %treemip --help\n"),
        ("--data nothing", "error[E902]: the notebook has no variable 'nothing'\n"),
        ("-p eps", "error[E902]: '-p eps' is not a parameter with a value\n"),
        ("2x", "error[E902]: '2x' cannot be the name of a variable\n"),
        ("'", "error[E902]: ''' cannot be read: No closing quotation\n"),
        ("--time-limit soon", "error[E902]: argument --time-limit: invalid float value: 'soon'\n"),
    ],
)
def test_a_cell_that_fails_raises_what_is_wrong(line, told):
    names: dict[str, object] = {}
    with pytest.raises(CellError) as raised:
        solve_cell(names, line, CELL)
    assert names == {}
    assert told in "\n".join([*raised.value._render_traceback_(), ""])


def test_a_cell_that_fails_keeps_no_earlier_result():
    names: dict[str, object] = {"frame": FRAME}
    check = "--check --data frame"
    for line in (f"found {check}", check):
        solve_cell(names, line, CELL)
    table = names["frame"]
    with pytest.raises(CellError, match="did you mean 'soct'"):
        solve_cell(names, f"{check} found", CELL.replace("soct", "sockt"))
    assert set(names) == {"frame", "result"}
    with pytest.raises(CellError):
        solve_cell(names, "--tim 3", CELL)
    with pytest.raises(CellError):
        solve_cell(names, "frame --data frame", "topology;")
    assert names == {"frame": table}


@pytest.mark.parametrize(
    ("line", "rest", "told"),
    [
        ("", "subject to none: misclassified <= 0; few: splits <= 0;", "solution: infeasible"),
        ("--solver scip --time-limit 0", "", "solution: time limit"),
    ],
)
def test_a_solve_without_a_solution_fails_and_keeps_its_result(line, rest, told):
    names: dict[str, object] = {"frame": FRAME, "result": solve_cell({}, "--check", CELL)}
    with pytest.raises(CellError, match="E605") as raised:
        solve_cell(names, f"--data frame {line}", CELL + rest)
    assert told in "\n".join(raised.value._render_traceback_())
    kept = names["result"]
    assert isinstance(kept, treemip.Result) and kept.tree is None


def test_a_cell_of_a_shell_that_fails_says_what_is_wrong_and_keeps_nothing(capsys):
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    check = "%%treemip --check --data frame\n"
    assert shell.run_cell(f"%load_ext treemip\nframe = {FRAME}").success
    assert shell.run_cell(check + CELL).success
    capsys.readouterr()
    failed = shell.run_cell(check + CELL.replace("soct", "sockt"))
    assert isinstance(failed.error_in_exec, CellError)
    assert capsys.readouterr().out.startswith(
        "error[E210]: unknown formulation 'sockt'\n"
        " --> <text>:4:18\n"
        "  |\n"
        "4 | split oblique by sockt;\n"
        "  |                  ^^^^^ did you mean 'soct'?\n"
    )
    assert isinstance(shell.run_cell("result").error_in_exec, NameError)


def test_a_line_lists_the_options_and_solves_nothing(capsys):
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    load_ipython_extension(shell)
    shell.run_line_magic("treemip", "--help")
    assert "--time-limit SECONDS" in capsys.readouterr().out
    with pytest.raises(CellError, match="there is no spec to solve"):
        shell.run_line_magic("treemip", "found")


def test_help_lists_the_options(capsys):
    assert solve_cell({}, "--help", "") is None
    assert "--time-limit SECONDS" in capsys.readouterr().out


def test_progress_is_a_line_for_each_better_solution(capsys):
    lines = Lines()
    for objective in (None, 8.0, 8.0, 4.0):
        lines(Progress(1.5, objective, 2.0, None, 0, "scip"))
    assert capsys.readouterr().err == (
        "   1.5 s  scip: bound 2\n"
        "   1.5 s  scip: objective 8, bound 2\n"
        "   1.5 s  scip: objective 4, bound 2\n"
    )
    assert progress_text(Progress(0.0, None, None, None, 0)) == "solving"


def test_the_bar_needs_no_widgets(monkeypatch, capsys):
    """The notebook extra is enough: no ipywidgets, and no warning that they are missing."""
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with progress_shown() as shown:
            shown(Progress(1.5, 8.0, 2.0, None, 0, "scip"))
    assert "scip: objective 8, bound 2" in capsys.readouterr().err
    assert "tqdm.notebook" not in sys.modules


def test_an_interrupt_keeps_the_incumbent():
    random = np.random.default_rng(1)
    noise = random.normal(size=(90, 5)), random.choice(["no", "yes"], 90)
    text = CELL.replace("depth = 1", "depth = 2")
    compiled = treemip.loads(text, noise).compile()
    sent: list[threading.Timer] = []

    def interrupt(progress: Progress) -> None:
        if progress.objective is not None and not sent:
            sent.append(threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)))
            sent[0].start()

    result = compiled.solve("highs", time_limit=300, on_progress=interrupt, on_interrupt="keep")
    assert sent and result.status == "interrupted" and result.tree is not None
    assert result.verified and sum(result.seconds.values()) < 150


def test_the_extension_registers_the_magic():
    class Shell:
        def __init__(self):
            self.user_ns = {"frame": FRAME}
            self.magics = {}

        def register_magic_function(self, function, kind, name):
            self.magics[name] = function, kind

    shell = Shell()
    treemip.load_ipython_extension(shell)
    assert treemip.load_ipython_extension is load_ipython_extension
    function, kind = shell.magics["treemip"]
    assert kind == "line_cell"
    function("kept --data frame", CELL)
    assert shell.user_ns["kept"].verified


def test_the_example_notebook_runs():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    book = nbformat.read(NOTEBOOK, as_version=4)
    folder = str(NOTEBOOK.parent)
    nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": folder}}).execute()
    shown = [
        output.get("data", {}).get("text/html", "")
        for cell in book.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    assert sum("<svg" in html for html in shown) >= 2
