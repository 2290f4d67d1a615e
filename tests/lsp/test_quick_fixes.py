"""Quick fixes over the corpus of bad specs: making the change removes the error."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "bad"))

from test_bad_specs import BAD, stopped

from treemip.core.resolve.resolve import resolve
from treemip.core.source.diagnostic import Diagnostic, Fix, TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse

SYNTAX = sorted((Path(__file__).parents[1] / "syntax" / "bad").glob("*.tree"))

LEAST = {"names and data": 95, "syntax": 107}
"""Messages of the corpus that have a quick fix, at least; more are welcome."""


def with_fix(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda e: (e.span.start, e.span.end), reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def of_spec(path: Path) -> tuple[Diagnostic, ...]:
    """All that is said of a spec, whatever the stage; nothing of a good one."""
    try:
        return stopped(path)[1].diagnostics
    except TreemipError as error:
        return error.diagnostics
    except AssertionError:
        return ()


def of_syntax(path: Path) -> tuple[Diagnostic, ...]:
    try:
        parse(Source(path.name, path.read_text(encoding="utf-8")))
    except TreemipError as error:
        return error.diagnostics
    return ()


def place(one: Diagnostic) -> int:
    return one.span.start if one.span is not None else -1


def check_fixes(path: Path, folder: Path, diagnose) -> int:
    """How many messages of a text have a quick fix; each removes its own message."""
    text, found = path.read_text(encoding="utf-8"), diagnose(path)
    count = 0
    for one in found:
        fix = one.quick_fix
        if fix is None or any(edit.span.source.text != text for edit in fix.edits):
            continue
        count += 1
        mended = folder / path.name
        mended.write_text(with_fix(text, fix), encoding="utf-8")
        left = diagnose(mended)
        same = [d.message for d in left].count(one.message)
        fewer = same < [d.message for d in found].count(one.message)
        # Where the next one of a kind comes up, it is at another place.
        moved = all(place(d) != place(one) for d in left if d.message == one.message)
        assert fewer or moved, (one.message, fix.title)
    return count


@pytest.mark.parametrize("path", BAD, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_fix_removes_its_error(path: Path, tmp_path: Path) -> None:
    check_fixes(path, tmp_path, of_spec)


@pytest.mark.parametrize("path", SYNTAX, ids=lambda p: p.stem)
def test_a_fix_removes_its_fault(path: Path, tmp_path: Path) -> None:
    check_fixes(path, tmp_path, of_syntax)


def test_how_many_messages_have_a_fix() -> None:
    fixed = {
        "names and data": sum(d.quick_fix is not None for path in BAD for d in of_spec(path)),
        "syntax": sum(d.quick_fix is not None for path in SYNTAX for d in of_syntax(path)),
    }
    assert all(fixed[what] >= least for what, least in LEAST.items()), fixed


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ('let a = predicts[point(1) "x"];', 'let a = predicts[point(1), "x"];'),
        ('let a = recall["x];', 'let a = recall["x"];'),
        ("let a = 2 splits;", "let a = 2 * splits;"),
        ("subject\n  r: a <= 3;", "subject to\n  r: a <= 3;"),
        ('tree "My tree";', "tree My_tree;"),
        ("subject to r: not a = 1 ==> b <= 1;", "subject to r: a = 0 ==> b <= 1;"),
    ],
)
def test_what_a_fix_writes(written: str, mended: str) -> None:
    source = Source("small.tree", written)
    with pytest.raises(TreemipError) as raised:
        parse(source)
    (fault,) = raised.value.diagnostics
    assert fault.quick_fix is not None
    assert with_fix(written, fault.quick_fix) == mended
    parse(Source("small.tree", mended))


HEAD = 'data "credit-24.csv" { label class; group sex; }\n'
TREE = "topology complete(depth = 2);\nsplit univariate by oct;\n"


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        (HEAD.replace("class;", "class") + TREE, HEAD + TREE),
        (HEAD + "split univariate by oct;\n", HEAD + TREE),
        (HEAD + TREE.replace("(depth = 2)", "()"), HEAD + TREE),
        (HEAD + TREE + "topology complete(depth = 3);", HEAD + TREE),
        (
            HEAD + TREE + "let a = sum {t in branches} active(t);",
            HEAD + TREE + "let a = sum {t in branches} active[t];",
        ),
        (
            HEAD + TREE + "strategy { presolve none, merge_points; }",
            HEAD + TREE + "strategy { presolve none; }",
        ),
        (
            HEAD + TREE + "strategy { priority active, active; }",
            HEAD + TREE + "strategy { priority active; }",
        ),
        (
            HEAD + TREE + "subject to r {t in branches}: active[t] != 1 ==> bias[t] <= 1;",
            HEAD + TREE + "subject to r {t in branches}: active[t] = 0 ==> bias[t] <= 1;",
        ),
        (
            HEAD + TREE.replace("oct", "ost"),
            HEAD.replace("sex; ", "sex;\n  number time, event; ") + TREE.replace("oct", "ost"),
        ),
    ],
)
def test_what_a_fix_of_names_writes(written: str, mended: str) -> None:
    with pytest.raises(TreemipError) as raised:
        resolve(parse(Source("small.tree", written)))
    fix = next(d.quick_fix for d in raised.value.diagnostics if d.quick_fix is not None)
    assert with_fix(written, fix).split() == mended.split()
