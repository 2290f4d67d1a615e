"""All formats: every file by every reader, cut anywhere, damaged anywhere."""

from __future__ import annotations

import gzip
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from solution_files import FILES, SAID, SAMPLE, SAMPLE_OBJECTIVE, code_of

import treemip.read
from treemip.read.formats import FORMATS, HEAD, read_solution
from treemip.read.solution import Format, SolutionFile, Text
from treemip.source.diagnostic import TreemipError


def read_bytes(data: bytes) -> SolutionFile:
    (form,) = [form for form in FORMATS if form.recognises(data[:HEAD])]
    return form.read(Text("some.sol", data))


def test_every_module_with_a_format_is_registered() -> None:
    modules = [import_module(f"treemip.read.{m.name}") for m in iter_modules(treemip.read.__path__)]
    there = {m.FORMAT for m in modules if isinstance(getattr(m, "FORMAT", None), Format)}
    assert there == set(FORMATS)
    assert len({form.name for form in FORMATS}) == len(FORMATS)


def test_every_format_has_a_file_with_a_solution_and_one_without() -> None:
    for has_solution in (True, False):
        shown = {form for form, _, value in SAID.values() if (value is not None) == has_solution}
        assert shown == {form.name for form in FORMATS}


def test_every_file_is_spoken_for() -> None:
    assert {path.name for path in FILES.glob("*.sol")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_each_file_is_recognised_by_its_format_alone(name: str) -> None:
    head = (FILES / name).read_bytes()[:HEAD]
    assert [form.name for form in FORMATS if form.recognises(head)] == [SAID[name][0]]


@pytest.mark.parametrize("name", SAID)
def test_status_and_objective(name: str) -> None:
    form, status, objective = SAID[name]
    solution = read_solution(FILES / name)
    assert (solution.format, solution.status, solution.objective) == (form, status, objective)
    assert solution.has_solution == (objective is not None)
    assert (solution.names is None) == (solution.values is None) == (objective is None)


@pytest.mark.parametrize("name", [name for name in SAID if "_optimal" in name or "zeros" in name])
def test_values_of_the_sample(name: str) -> None:
    solution = read_solution(FILES / name)
    assert solution.names is not None and solution.values is not None
    assert solution.objective == pytest.approx(SAMPLE_OBJECTIVE, abs=1e-12)
    found = dict(zip(solution.names.tolist(), solution.values.tolist(), strict=True))
    left_out = SAMPLE.keys() - found.keys()
    assert left_out == ({b"go_left(12,3)"} if len(found) < len(SAMPLE) else set())
    assert not (left_out and solution.complete)
    shift = 0.5 * 10.0 ** (1 - solution.digits)
    for column, value in found.items():
        assert value == pytest.approx(SAMPLE[column], rel=10 * shift, abs=1e-13)


def outcome(data: bytes) -> tuple[object, ...] | None:
    """What a reader takes from a text, None when it refuses it."""
    try:
        solution = read_bytes(data)
    except TreemipError:
        return None
    names = () if solution.names is None else tuple(solution.names.tolist())
    values = () if solution.values is None else tuple(solution.values.tolist())
    return solution.status, solution.objective, names, values


@pytest.mark.parametrize("name", [name for name in SAID if not name.startswith("scip")])
def test_highs_files_cut_anywhere_are_refused_or_lose_nothing(name: str) -> None:
    data = (FILES / name).read_bytes()
    whole = outcome(data)
    assert whole is not None
    refused = 0
    for end in range(len(data)):
        if not any(form.recognises(data[:end]) for form in FORMATS):
            continue
        cut = outcome(data[:end])
        assert cut is None or cut == whole, data[:end][-40:]
        refused += cut is None
    assert refused > 20


@pytest.mark.parametrize("name", [name for name in SAID if name.startswith("scip")])
def test_scip_files_cut_inside_a_line_are_refused(name: str) -> None:
    data = (FILES / name).read_bytes()
    inside = [end for end in range(16, len(data)) if data[end - 1 : end] != b"\n"]
    recognised = [end for end in inside if any(form.recognises(data[:end]) for form in FORMATS)]
    assert recognised
    assert all(outcome(data[:end]) is None for end in recognised)


@given(st.sampled_from(sorted(SAID)), st.data())
def test_damage_is_read_or_refused_and_nothing_else(name: str, data: st.DataObject) -> None:
    text = bytearray((FILES / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=6))
    for form in FORMATS:
        try:
            solution = form.read(Text("some.sol", bytes(text)))
        except TreemipError as error:
            assert {d.code for d in error.diagnostics} == {"E606"}
        else:
            assert solution.values is None or np.isfinite(solution.values).all()


def test_line_ends_of_other_systems() -> None:
    for name in ("highs_optimal.sol", "highs_table_optimal.sol", "scip_optimal.sol"):
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
    path.write_text("# Objective value = 3\nx 1\n")
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
