"""The path from a text to a verified tree, on one page.

    compiled   read, select, bind, lower: a text, parsed and resolved, and its data become a model
    solve      reform, start, solve: the model is made ready for a solver, and there is an answer
    result     invert, read out, repair, verify: its values become a tree that is checked

Each stage is a function from one immutable object to the next, and what is found on the way, such
as warnings, is in what it returns. Users hold a `Program` before these functions, a `Compiled`
between them and a `Result` after them. Solvers, search and verification are imported when the path
comes to them, since most commands do not.
"""

from __future__ import annotations

import time
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.api.compiled import Compiled
from treemip.api.lowering import CutNames, lower_program
from treemip.core.files.profiles import profile_named
from treemip.core.lower.bind import bind
from treemip.core.model.answer import Answer, OnProgress, relative_gap
from treemip.core.model.blocks import Method
from treemip.core.source.diagnostic import Diagnostic

if TYPE_CHECKING:
    from treemip.api.program import Program
    from treemip.api.result import Result
    from treemip.api.several_solves import Run
    from treemip.core.instance.instance import Instance
    from treemip.core.strategy.settings import Settings

LEAST = 0.5
"""Seconds for pruning weights and for the best values of a tree, however late it is."""


def compiled(
    program: Program,
    cuts: CutNames,
    target: str | None,
    method: Method,
    on_progress: OnProgress | None,
) -> Compiled:
    """`Program.compile` for a program with one objective. method: of all implications."""
    if target is not None:
        profile_named(target)
    began = time.perf_counter()
    _ = program.data  # parse, resolve, read
    read = time.perf_counter()
    instance = bound(program, on_progress)  # select, bind
    selected = time.perf_counter()
    keep = target is not None or method is not Method.AUTO
    lowered = lower_program(program.file, instance, cuts, keep)  # resolves again for new rows
    seconds = {"read": read - began, "compile": time.perf_counter() - selected}
    if program.spec.strategy.select is not None:
        seconds["select"] = selected - read
    made = Compiled(program.with_spec_of(lowered.instance), lowered, seconds, target, method, cuts)
    if lowered.model.is_kept and (target is not None or not made.depends_on_target):
        _ = made.reformed  # reform
    return made


def bound(program: Program, on_progress: OnProgress | None = None) -> Instance:
    """The spec over the points that its strategy selects, or over all of them."""
    if program.spec.strategy.select is None:
        return program.instance
    from treemip.methods.selection.select import select

    return bind(program.spec, select(program.spec, program.data, on_progress))


def solve(
    compiled: Compiled,
    given: Settings,
    log: bool,
    keep: Path | None,
    on_progress: OnProgress | None,
    spent: float = 0.0,
) -> Result:
    """`Compiled.solve`: one solve, or one for each of several objectives or each round of an
    iterative selection. spent: seconds of the time limit that were gone before."""
    from treemip.api.in_turn import solve_in_turn
    from treemip.api.rounds import solve_in_rounds
    from treemip.api.selection_start import beside_cart

    def numbered(name: str) -> Run:
        def run(one: Compiled, asked: Settings, number: int, tell: OnProgress | None) -> Result:
            folder = None if keep is None else keep / f"{name}-{number}"
            return solve_once(one, asked, log, folder, tell)

        return run

    if compiled.all_objectives is not None:
        return solve_in_turn(compiled, given, numbered("objective"), on_progress, spent)
    select = compiled.program.spec.strategy.select
    if select is not None and select.kind == "iterative":
        return solve_in_rounds(compiled, given, numbered("round"), on_progress, spent)
    return beside_cart(solve_once(compiled, given, log, keep, on_progress, spent))


def solve_once(
    compiled: Compiled,
    given: Settings,
    log: bool,
    keep: Path | None,
    on_progress: OnProgress | None,
    spent: float = 0.0,
) -> Result:
    """The solver is chosen and the model reformulated for it; the start comes first, then the
    solver with what is left of the limits.

    A start may itself be the proof: where an exact engine proves its tree, or nothing can be better
    than it, the solver is not called, and may be missing. With the start "none" the solver is on
    its own.
    """
    from treemip.api.starting import begun

    began = time.perf_counter() - spent
    run = begun(compiled, given, log, keep, on_progress, began)  # reform, start
    answer = run.solve(keep)
    notes = run.notes_on(answer)
    compiled, answer = run.with_its_model(answer)
    limit = run.settings.time_limit
    end = None if limit is None else began + limit
    return result(compiled, answer, run.stages, notes, run.settings, end)


def result(
    compiled: Compiled,
    answer: Answer,
    stages: dict[str, float],
    notes: list[Diagnostic],
    asked: Settings | None = None,
    end: float | None = None,
) -> Result:
    """`Compiled.result`: the values of the stated model, the tree that they stand for, and what
    verification says of it.

    asked: the settings of the solve; None where the solver was not called here. end: of its time
    limit, by `time.perf_counter`; weights are pruned until then. If a step fails,
    the solver's values are kept: the result has them and `failure`, but no tree.
    """
    from treemip.api.optimality import claimed, contradicted, own_cuts_in
    from treemip.api.result import Result
    from treemip.api.verified_tree import with_tree
    from treemip.core.solving.interrupt import is_kept
    from treemip.core.tree.readout import by_name

    seconds = {**compiled.seconds, **stages}
    warnings = [*compiled.warnings, *notes, *contradicted(answer)]
    limit = None if asked is None else asked.time_limit
    bare = Result(compiled, answer, None, None, {}, seconds, warnings, time_limit=limit)
    x, spec, reformed = answer.values, compiled.program.spec, compiled.solved
    if x is None:
        return bare
    if answer.gap is None:
        answer = replace(answer, gap=relative_gap(answer.objective, answer.bound))
    optimality = claimed(answer, own_cuts_in(spec, compiled.checked, answer))
    bare = replace(bare, answer=answer, values=reformed.model.by_name(x), optimality=optimality)
    began = time.perf_counter()
    try:
        bare = replace(bare, values=by_name(reformed.original, reformed.invert(x)))
        if spec.route is None:
            return bare
        until = inf if end is None else max(end, began + LEAST)
        read = with_tree(bare, asked, until)  # read out, repair, verify
    except (Exception, KeyboardInterrupt) as error:
        if not is_kept(error):
            raise
        read = bare.without_tree(error)
    return replace(read, seconds={**seconds, "verify": time.perf_counter() - began})
