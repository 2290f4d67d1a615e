"""The tools: each runs commands of treemip and returns the outcome as fields and as text."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from treemip.core.source.diagnostic import TreemipError, refused
from treemip.core.source.render import render_all
from treemip.study.assistant.results import (
    Checked,
    Diagnosed,
    Explained,
    First,
    Predicted,
    Problem,
    Scored,
    Solved,
    Verified,
)
from treemip.study.assistant.workspace import (
    TREE,
    Clock,
    Files,
    Workspace,
    from_json,
    plain_problems,
    problems_of,
    said,
)
from treemip.study.sandbox.job import PROGRESS

Report = Callable[[float, float, str], Awaitable[None]]
"""Called with the seconds so far, the limit, and what is being done."""

EVERY = 1.0
"""Seconds between two reports."""

FIRST = "first spec.tree"
"""Where `init` writes: a name that no file of the user is likely to have."""

MOST_ANSWERS = 100_000
"""Characters of predictions that are returned."""


def problem_texts(problems: list[Problem]) -> str:
    """Messages with their places, and the titles of fixes."""
    parts = []
    for one in problems:
        fix = f"\n  = quick fix: {one.fix.title} (the fixed text is in `fix`)" if one.fix else ""
        parts.append(one.text + fix)
    return "\n\n".join(parts)


def refusal(error: TreemipError) -> tuple[list[Problem], str]:
    """A refusal by the tool itself, as problems and as text."""
    text = render_all(error.diagnostics)
    found = [
        Problem(code=d.code, severity="error", message=d.message, help=d.remedy, text=text)
        for d in error.diagnostics
    ]
    return found, text


async def check(work: Workspace, spec: str, files: Files) -> tuple[Checked, str]:
    name, put = work.spec_files(spec, files)
    ran = await work.run(put, [("check", name, "--data", "--json")])
    (outcome,) = ran.outcomes
    problems = problems_of(outcome)
    told = from_json(outcome.out) or [{"found": ""}]
    result = Checked(ok=outcome.code == 0, found=told[0]["found"], problems=problems)
    text = "\n\n".join(part for part in (problem_texts(problems), result.found) if part)
    return result, text or said(outcome)


async def explain(work: Workspace, spec: str, files: Files) -> tuple[Explained, str]:
    name, put = work.spec_files(spec, files)
    ran = await work.run(put, [("check", name, "--json"), ("explain", name)])
    checked, outcome = ran.outcomes
    text = said(outcome)
    problems = problems_of(checked) if outcome.code else []
    return Explained(ok=outcome.code == 0, text=text, problems=problems), text


async def solve(
    work: Workspace,
    spec: str,
    files: Files,
    seconds: float = 0,
    save: str = "",
    report: Report | None = None,
) -> tuple[Solved, str]:
    """Raises TreemipError for a name that cannot be saved to, and for an invalid time limit."""
    name, put = work.spec_files(spec, files)
    if not 0 <= seconds < float("inf"):
        raise refused(f"{seconds:g} is not a time limit", "give seconds above 0, or leave them out")
    if save:
        work.demand_free(save)
    limit = min(seconds, work.seconds) if seconds else work.seconds
    clock = Clock()
    solving = ("solve", name, "-o", TREE, "--time-limit", f"{limit:g}", "--log-json", PROGRESS)
    running = work.run(put, [("check", name, "--json"), solving], limit, (TREE,), clock.tell)
    ran = await _reported(running, clock, limit, report)
    checked, outcome = ran.outcomes
    problems = problems_of(checked)
    if outcome.code == 2 and not any(one.severity == "error" for one in problems):
        again = await work.run(put, [("check", name, "--data", "--json")])
        problems = problems_of(again.outcomes[0]) or problems
        if not any(one.severity == "error" for one in problems):
            problems = plain_problems(outcome)
    told = from_json(ran.left[TREE].decode("utf-8")) if TREE in ran.left else None
    result = solved(told or {}, outcome.out, clock.seconds)
    result.problems = problems
    result.ok = outcome.code == 0 and result.verdict == "verified"
    text = said(outcome) if outcome.code != 2 else problem_texts(problems) or said(outcome)
    if told is not None and told.get("tree") is not None:
        result.tree = work.keep(ran.left[TREE], put)
        text += f"\n\nkept as {result.tree}"
        if save:
            result.saved = work.save(ran.left[TREE], save)
            text += f", saved as {result.saved}"
    return result, text


def solved(told: dict[str, Any], out: str, seconds: float) -> Solved:
    """told: the tree's file; without a tree the status is what the command printed."""
    status = told.get("status") or _printed_status(out)
    return Solved(
        ok=False,
        status=status,
        objective=told.get("objective"),
        bound=told.get("bound"),
        gap=told.get("gap"),
        sense=told.get("sense", ""),
        proven=bool((told.get("optimality") or {}).get("proven")),
        verdict=told.get("verdict") or "",
        seconds=round(seconds, 1),
        scores={k: v for k, v in (told.get("scores") or {}).items() if v is not None},
    )


def _printed_status(out: str) -> str:
    first = out.partition("\n")[0]
    return first.removeprefix("status").strip().replace(" ", "_") if "status" in first else ""


async def _reported(running: Any, clock: Clock, limit: float, report: Report | None) -> Any:
    """The result of a job, with reports while it runs. A cancellation ends the job."""
    job = asyncio.ensure_future(running)
    try:
        while report is not None and not job.done():
            await asyncio.wait({job}, timeout=EVERY)
            await report(clock.seconds, limit, clock.message)
        return await job
    finally:
        if not job.done():
            job.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await job


async def diagnose(work: Workspace, spec: str, files: Files) -> tuple[Diagnosed, str]:
    name, put = work.spec_files(spec, files)
    limit = f"{work.seconds:g}"
    words = ("diagnose", name, "--time-limit", limit)
    ran = await work.run(put, [("check", name, "--json"), words, (*words, "--json")])
    checked, plain, outcome = ran.outcomes
    told = from_json(outcome.out)
    if told is None:
        problems = problems_of(checked) or plain_problems(plain)
        return Diagnosed(ok=False, problems=problems), problem_texts(problems) or said(plain)
    result = Diagnosed(
        ok=True, feasible=told.get("feasible"), requirements=told.get("requirements", [])
    )
    return result, said(plain)


async def verify(work: Workspace, tree: str, files: Files) -> tuple[Verified, str]:
    name, put = work.tree_files(tree, files)
    ran = await work.run(put, [("verify", name, "--json"), ("verify", name)])
    outcome, plain = ran.outcomes
    told = from_json(outcome.out) or {}
    problems = [str(one) for one in told.get("problems") or []]
    if not told:
        problems = [outcome.err.strip()]
    return Verified(
        ok=outcome.code == 0,
        verdict=told.get("verdict") or "",
        objective=told.get("objective"),
        problems=problems,
    ), said(plain)


async def score(work: Workspace, tree: str, data: str, files: Files) -> tuple[Scored, str]:
    name, put = work.tree_files(tree, files)
    words = ("score", name, *([data] if data else []))
    ran = await work.run(put, [(*words, "--json"), words])
    outcome, plain = ran.outcomes
    scores = from_json(outcome.out) or {}
    return Scored(ok=outcome.code == 0, scores=scores), said(plain)


async def predict(work: Workspace, tree: str, data: str, files: Files) -> tuple[Predicted, str]:
    name, put = work.tree_files(tree, files)
    ran = await work.run(put, [("predict", name, data)])
    (outcome,) = ran.outcomes
    lines = outcome.out.splitlines()
    if outcome.code != 0:
        return Predicted(ok=False), said(outcome)
    answers = outcome.out[:MOST_ANSWERS]
    return Predicted(ok=True, rows=max(0, len(lines) - 1), answers=answers), answers


async def init(
    work: Workspace, data: str, label: str, formulation: str, depth: int, files: Files
) -> tuple[First, str]:
    words = ["init", data, "-o", FIRST, "--depth", str(depth)]
    words += ["--label", label] if label else []
    words += ["--formulation", formulation] if formulation else []
    ran = await work.run(files, [words], leave=(FIRST,))
    (outcome,) = ran.outcomes
    spec = ran.left.get(FIRST, b"").decode("utf-8") if outcome.code == 0 else ""
    notes = outcome.err.strip()
    if not spec:
        return First(ok=False, notes=notes), notes
    return First(ok=True, spec=spec, notes=notes), spec
