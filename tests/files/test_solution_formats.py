"""All formats: every file by every reader, cut anywhere, damaged anywhere, numbers too long."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from solution_files import FILES, NOT_FILES, SAID, SAMPLE, SAMPLE_OBJECTIVE, UNSTATED, code_of

from treemip.core.files.solution_files import SolutionFile, Text
from treemip.core.files.solution_formats import formats, read_solution
from treemip.core.solving.solution_values import values_by_name
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.reading import HEAD

CANNOT_SAY_NO = {"COPT", "CP-SAT", "Xpress table"}
"""Without a solution these solvers write no file."""

LEFT_OUT = {"SCIP", "CBC"}
"""Zeros are left out and not counted, so a cut between lines shows against the model alone."""


FORMATS = formats()


def read_bytes(data: bytes, path: Path = Path("some.sol")) -> SolutionFile:
    (form,) = [form for form in FORMATS if form.recognises(data[:HEAD])]
    return form.read(Text(str(path), data))


def test_formats_are_known_by_their_names_in_the_order_of_the_solvers() -> None:
    names = [form.name for form in FORMATS]
    assert names[:3] == ["HiGHS", "HiGHS table", "SCIP"]
    assert names[-2:] == [
        "lp_solve",
        "AMPL",
    ]  # the weakest signature of a solver's, and no solver's
    assert len(set(names)) == len(names)


def test_every_format_has_a_file_with_a_solution_and_one_without() -> None:
    for has_solution in (True, False):
        shown = {form for form, _, value in SAID.values() if (value is not None) == has_solution}
        able = {form.name for form in FORMATS} - (set() if has_solution else CANNOT_SAY_NO)
        assert shown == able


def test_every_file_is_spoken_for() -> None:
    there = {path.name for path in FILES.iterdir() if path.is_file()}
    assert there - NOT_FILES == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_each_file_is_recognised_by_its_format_alone(name: str) -> None:
    head = (FILES / name).read_bytes()[:HEAD]
    assert [form.name for form in FORMATS if form.recognises(head)] == [SAID[name][0]]


@pytest.mark.parametrize("name", SAID)
def test_status_and_objective(name: str) -> None:
    form, status, objective = SAID[name]
    solution = read_solution(FILES / name)
    stated = None if objective == UNSTATED else objective
    assert (solution.format, solution.status, solution.objective) == (form, status, stated)
    assert solution.has_solution == (objective is not None)
    assert solution.has_solution == (solution.names is not None or solution.ordinal)


@pytest.mark.parametrize("name", [name for name in SAID if "optimal" in name or "zeros" in name])
def test_values_of_the_sample(name: str) -> None:
    solution = read_solution(FILES / name)
    near = 10.0 ** (1 - solution.digits)
    if solution.objective is not None:
        digits = max(solution.digits, 10)  # of the objective, which solvers print with more
        assert solution.objective == pytest.approx(SAMPLE_OBJECTIVE, rel=10.0 ** (1 - digits))
    values = values_by_name(solution, np.array(list(SAMPLE), "S"))
    tiny = 1e-7 if solution.format == "Xpress table" else 1e-13
    for value, expected in zip(values.tolist(), SAMPLE.values(), strict=True):
        assert value == pytest.approx(expected, rel=5 * near, abs=tiny)
    if solution.names is not None:
        left_out = SAMPLE.keys() - set(solution.names.tolist())
        assert left_out <= {b"go_left(12,3)"}
        assert not (left_out and solution.complete)


def outcome(data: bytes) -> tuple[object, ...] | None:
    """What a reader takes from a text, None when it refuses it."""
    try:
        solution = read_bytes(data)
    except TreemipError:
        return None
    names = () if solution.names is None else tuple(solution.names.tolist())
    values = () if solution.values is None else tuple(solution.values.tolist())
    return solution.status, solution.objective, names, values


def taken(data: bytes, path: Path, names: np.ndarray) -> object:
    """Status, objective and values of a text for a model with these columns; None if refused."""
    try:
        solution = read_bytes(data, path)
        if not solution.has_solution:
            return solution.status
        return solution.status, solution.objective, values_by_name(solution, names).tolist()
    except TreemipError:
        return None


def recognised(data: bytes) -> bool:
    return any(form.recognises(data[:HEAD]) for form in FORMATS)


@pytest.mark.parametrize("name", [name for name in SAID if SAID[name][0] not in LEFT_OUT])
def test_files_cut_anywhere_are_refused_or_lose_nothing(name: str) -> None:
    data = (FILES / name).read_bytes()
    solution = read_solution(FILES / name)
    names = solution.names
    if names is None:
        count = 0 if solution.values is None else len(solution.values)
        names = np.arange(count).astype("S")
    whole = taken(data, FILES / name, names)
    assert whole is not None
    step = max(1, len(data) // 300)
    ends = {*range(0, len(data), step), *range(max(0, len(data) - 40), len(data))}
    cuts = [data[:end] for end in sorted(ends) if recognised(data[:end])]
    wrong = [cut for cut in cuts if taken(cut, FILES / name, names) not in (None, whole)]
    assert wrong == []


@pytest.mark.parametrize("name", [name for name in SAID if SAID[name][0] in LEFT_OUT])
def test_files_without_zeros_cut_inside_a_line_are_refused(name: str) -> None:
    data = (FILES / name).read_bytes()
    inside = [end for end in range(16, len(data)) if data[end - 1 : end] != b"\n"]
    cuts = [data[:end] for end in inside if recognised(data[:end])]
    assert cuts
    assert [cut for cut in cuts if outcome(cut) is not None] == []


@given(st.sampled_from(sorted(SAID)), st.data())
def test_damage_is_read_or_refused_and_nothing_else(name: str, data: st.DataObject) -> None:
    text = bytearray((FILES / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=6))
    for form in FORMATS:
        if not form.recognises(bytes(text[:HEAD])):
            continue
        try:
            solution = form.read(Text("some.sol", bytes(text)))
        except TreemipError as error:
            assert {d.code for d in error.diagnostics} == {"E606"}
        else:
            assert solution.values is None or np.isfinite(solution.values).all()


def test_line_ends_of_other_systems() -> None:
    for name in SAID:
        data = (FILES / name).read_bytes()
        assert outcome(data.replace(b"\n", b"\r\n")) == outcome(data)


def test_gzipped_files_are_told_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "x.sol"
    packed = gzip.compress((FILES / "scip_optimal.sol").read_bytes())
    path.write_bytes(packed)
    assert read_solution(path).objective == -39.8125714285714
    path.write_bytes(packed[:-20])
    with pytest.raises(TreemipError, match="cannot be unpacked") as raised:
        read_solution(path)
    assert code_of(raised) == "E606"


def test_unknown_empty_and_absent_files(tmp_path: Path) -> None:
    path = tmp_path / "x.sol"
    path.write_text("# Objective: 3\nx 1\n")
    with pytest.raises(TreemipError, match="in no known solution format") as raised:
        read_solution(path)
    assert code_of(raised) == "E606"
    path.write_bytes(b"")
    with pytest.raises(TreemipError, match="is empty") as raised:
        read_solution(path)
    assert code_of(raised) == "E606"
    with pytest.raises(TreemipError, match="No such file") as raised:
        read_solution(tmp_path / "absent.sol")
    assert code_of(raised) == "E901"


@pytest.mark.parametrize(
    "printed",
    ["-1000000000000000019884624838656.00000000", "-999999999999999738409648128000.00000000"],
)
def test_the_infinity_of_lp_solve_is_no_objective(tmp_path: Path, printed: str) -> None:
    """Both were printed by lp_solve 5.5.2.5 of columns that run away; the second after scaling."""
    path = tmp_path / "x.txt"
    text = (FILES / "lp_solve_s3_optimal.txt").read_text()
    path.write_text(text.replace("-39.81257143", printed, 1))
    found = read_solution(path)
    assert (found.status, found.values) == ("unbounded", None)


@pytest.mark.parametrize("digits", [19, 400, 5000])
@pytest.mark.parametrize("name", sorted(SAID))
def test_a_long_number_anywhere_is_refused_or_no_number(name: str, digits: int) -> None:
    data = (FILES / name).read_bytes()
    for at in range(0, len(data), max(1, len(data) // 60)):
        if not data[at : at + 1].isdigit():
            continue
        text = data[:at] + b"7" * digits + data[at + 1 :]
        for form in formats():
            if not form.recognises(text[:HEAD]):
                continue
            try:
                form.read(Text("some.sol", text))
            except TreemipError as error:
                assert {d.code for d in error.diagnostics} == {"E606"}
