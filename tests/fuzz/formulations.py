"""Campaign `formulations`: does "write a formulation, get an exact engine" hold?

A case is a formulation of somebody's own (see `formulation_models`) on a table so tiny that every
tree is listed. No claim may be false, as in `searches`. Counted is who proved what: an engine or
the objective's own bound, without a solver; a solver; nobody. Where no engine proved it, the line
that says why is counted too, and the words that the spec has.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

import treemip
from treemip.api.engines import engine_note
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError

from .cases import Campaign, Case
from .formulation_models import Formulation, random_formulation
from .judge import judged, shown
from .promises import require_sound
from .rewritten import NEW

SECONDS = 3.0
ENGINE, SOLVER, OPEN = "proven without a solver", "proven by a solver", "open"
REFUSED = "refused"
SILENT = "no line says why"
WHY = ("W609", "W601")  # why no engine takes the spec; why there is no search for it
GOAL = 0.95  # share proven without a solver that the project aims at
SHOWN = 60  # lines of each table
EXAMPLES = 3  # cases that are named for a line


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    made = random_formulation(case.rng())
    model = made.model
    files |= {"spec.tree": model.text, "table.csv": model.table.csv}
    if made.module is not None:
        files[f"{NEW}.tree"] = made.module
        (folder / f"{NEW}.tree").write_text(made.module, encoding="utf-8")
    try:
        compiled = treemip.loads(model.text, data=model.table.columns, base=folder).compile()
        # Limits of search and engine in CPU time, so that a busy machine proves no less.
        # All is said of engines, also where a solver settles the answer.
        said = patch("treemip.api.solving.SETTLED", ())
        with said, patch("time.perf_counter", time.process_time):
            result = compiled.solve(time_limit=SECONDS, threads=1)
    except TreemipError as error:
        require_sound(error)
        code, said = error.diagnostics[0].code, str(error)
        files["result.txt"] = said
        return _counted(case, made, REFUSED, f"{code}: {error.diagnostics[0].message}")
    files["result.txt"] = shown(result)
    judged(model, result, made.in_part)
    return _counted(case, made, who(result), obstacle(compiled, result))


def who(result: Result) -> str:
    """Who proved the answer; also that there is no tree."""
    if result.status == "infeasible":
        return ENGINE if result.answer.solver in ("engine", "search") else SOLVER
    if result.optimality is None or not result.optimality.proven:
        return OPEN
    by = result.optimality.by
    return ENGINE if by == "an exact engine" or by.startswith("the objective's own") else SOLVER


def obstacle(compiled: treemip.Compiled, result: Result) -> str:
    """The line that says why no engine proved the answer; "" where one did."""
    if who(result) == ENGINE:
        return ""
    notes = [w.message for code in WHY for w in result.warnings if w.code == code]
    if not notes and (note := engine_note(compiled.instance, compiled.stated)) is not None:
        notes = [note.message]
    return notes[0] if notes else SILENT


def kind_of(line: str) -> str:
    """A line without what is particular to the spec: names in quotes, and numbers."""
    return re.sub(r"\d[\d.]*", "N", re.sub(r"(?<!\w)'[^']*'", "'...'", line))


def _counted(case: Case, made: Formulation, outcome: str, line: str) -> Mapping[str, int]:
    counts = {outcome: 1}
    parts = [f"by {made.model.formulation}", f"in {'a module' if made.module else 'the spec'}"]
    parts += [f"with {word}" for word in dict.fromkeys(made.model.words)]
    for part in parts:
        counts[f"{part}: {outcome}"] = 1
    if outcome != ENGINE:
        counts[f"why {kind_of(line)}: {outcome}"] = 1
        counts[f"case {kind_of(line)}: {case}"] = 1
    return counts


# ------------------------------------------------------------------- summary


def summary(counts: Mapping[str, int]) -> str:
    """What was proven by whom; then, by frequency, the lines that say why not, and the parts of
    specs by what became of them."""
    every = Counter(counts)
    total = sum(every[o] for o in (ENGINE, SOLVER, OPEN, REFUSED))
    if not total:
        return ""
    share = every[ENGINE] / (total - every[REFUSED] or 1)
    lines = [
        f"formulations: {total}; "
        + ", ".join(f"{every[o]} {o}" for o in (ENGINE, SOLVER, OPEN, REFUSED)),
        f"  {100 * share:.1f} % of those taken proven without a solver (wanted: {100 * GOAL:g} %)",
        *_table("why no engine proved it", _by_outcome(every, "why "), _cases(every)),
        *_table("by formulation, and where it is", _by_outcome(every, "by ", "in ")),
        *_table("by word", _by_outcome(every, "with ")),
    ]
    return "\n".join(lines)


def _by_outcome(counts: Counter[str], *heads: str) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for key, number in counts.items():
        part, _, outcome = key.rpartition(": ")
        if part.startswith(heads):
            found.setdefault(part.partition(" ")[2], Counter())[outcome] += number
    return found


def _cases(counts: Counter[str]) -> dict[str, str]:
    """Some cases of each line, to replay."""
    found = _by_outcome(counts, "case ")
    return {line: ", ".join(sorted(cases)[:EXAMPLES]) for line, cases in found.items()}


def _table(
    title: str, found: Mapping[str, Counter[str]], cases: Mapping[str, str] | None = None
) -> list[str]:
    """Those first of which most were not proven without a solver."""

    def left(name: str) -> int:
        return sum(found[name].values()) - found[name][ENGINE]

    names = sorted(found, key=lambda name: (-left(name), name))
    head = f"  {'total':>6} {'engine':>6} {'solver':>6} {'open':>6} {'refused':>7}  {title}"
    rows = [
        f"  {sum(found[n].values()):6} {found[n][ENGINE]:6} {found[n][SOLVER]:6} "
        f"{found[n][OPEN]:6} {found[n][REFUSED]:7}  {n}" + (f" ({cases[n]})" if cases else "")
        for n in names[:SHOWN]
    ]
    return [head, *rows] if rows else []


CAMPAIGN = Campaign("formulations", "formulations", 200, run, cpu=60.0, wall=120.0, summary=summary)
