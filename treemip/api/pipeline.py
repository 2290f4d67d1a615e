"""The path from a text to a verified tree, on one page.

    Stages     parse, resolve, read, bind, lower, reform: a text and its data become a model
    solve      choose, reform, start, solve: a solver answers, or a start that is proven already
    result     invert, read out, repair, verify: its values become a tree that is checked

`Program`, `Compiled` and `Result` are what users hold on the way: a `Program` is the `Stages` of a
text, and a solve begins from them. Each stage is imported when the path comes to it, so that
`treemip check` starts fast.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemip.registry import separator_names
from treemip.resolve.checks import is_over_separated
from treemip.resolve.module_files import KeptTexts, ModuleTexts, module_folders
from treemip.resolve.resolve import resolve
from treemip.resolve.spec import Constraint, Spec
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Source
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax.nodes import File
from treemip.syntax.parse import parse

if TYPE_CHECKING:
    import numpy as np

    from treemip.api.compiled import Compiled
    from treemip.api.result import Result
    from treemip.api.solving import Run
    from treemip.instance.instance import Instance
    from treemip.instance.table import Data
    from treemip.model.answer import Answer, OnProgress
    from treemip.model.blocks import Method
    from treemip.model.model import Model
    from treemip.reform.reform import Reformed
    from treemip.separation.separated_model import SeparatedModel
    from treemip.strategy.settings import Settings
    from treemip.tree.tree import Tree
    from treemip.tree.verify import VerifyReport

CutNames = str | Iterable[str] | None

NOT_KEPT = "not kept"
"""In place of a table in memory, once the spec has been unpickled."""


# ------------------------------------------------------------------ a text becomes a model


class Stages:
    """A text on its way to a model: each stage is made from those before, once, when asked for.

    base: the folder of data paths. What stands in for the spec's data file: table, columns in
    memory, or data_file, a path from the current folder. modules: where those come from that are
    not of the library; the folders for a spec in `base` if None.
    """

    def __init__(
        self,
        source: Source,
        overrides: tuple[tuple[str, str], ...] = (),
        base: Path = Path(),
        table: Any = None,
        data_file: str | Path | None = None,
        modules: ModuleTexts | None = None,
    ) -> None:
        self.source, self.overrides, self.base, self.table = source, overrides, base, table
        self.modules = module_folders(base) if modules is None else modules
        self.data_file = None if data_file is None else Path(data_file).absolute()

    @cached_property
    def file(self) -> File:
        """The statements of the text. Raises E1xx, and E902 for data that it does not take."""
        return with_data_file(parse(self.source), self.data_file)

    @cached_property
    def spec(self) -> Spec:
        """The text with its names resolved. Raises E2xx, E902 for a parameter."""
        return resolve(self.file, self.overrides, texts=self.modules)

    @cached_property
    def data(self) -> Data | None:
        """The spec's table, read and encoded; None for a spec without data. Raises E3xx."""
        demand_kept(self.table)
        return read(self.spec, self.base, self.table)

    @cached_property
    def instance(self) -> Instance:
        """The spec over its data: trees, sets and parameters. Raises E3xx, E4xx."""
        return bind(self.spec, self.data)

    def selected(self, on_progress: OnProgress | None = None) -> Instance:
        """The spec over the points that its strategy selects: `instance` where it selects none."""
        data = select(self.spec, self.data, on_progress)
        return self.instance if data is self.data else bind(self.spec, data)

    def stated(self, instance: Instance, cuts: CutNames = None, keep: bool = True) -> Stated:
        """The model over an instance, with these cuts. keep: as of `lower`. Raises E4xx, E5xx,
        E902."""
        return lower(self.file, instance, cuts, keep)


def demand_kept(table: Any) -> None:
    """Raise E301 for a table in memory whose spec has been unpickled."""
    if isinstance(table, str) and table == NOT_KEPT:
        message = "a pickle has no rows, and the data of this spec were in memory"
        remedy = "give them again: program.with_data(table)"
        raise TreemipError(Diagnostic.outside("E301", message, remedy))


def to_model(stages: Stages, cuts: CutNames, way: str | None) -> Iterator[tuple[str, Any]]:
    """The stages to the model of a portable file, each by name with what it gives.

    cuts, way: as `Program.compile` takes them. Raises TreemipError.
    """
    yield "parse", stages.file
    yield "resolve", stages.spec
    yield "read", stages.data
    instance = stages.selected()
    yield "bind", instance
    stated = stages.stated(instance, cuts)
    yield "lower", stated
    yield "reform", portable(stated, way)


def portable(stated: Stated, way: str | None) -> Reformed:
    """The model as portable files take it. Raises E5xx, E902."""
    from treemip.files.profiles import PORTABLE
    from treemip.reform.reform import method_named

    takes = PORTABLE.caps.indicators, PORTABLE.caps.sos
    return reform(stated.instance.spec, stated.model, takes, method_named(way))


def with_data_file(file: File, path: str | Path | None) -> File:
    """The text with another table in its data block. Raises E902 where it has none.

    path: from the current folder, not from that of the spec; None leaves the text as it is.
    """
    from treemip.syntax import nodes as n

    if path is None:
        return file
    if not any(isinstance(s, n.Data) for s in file.statements):
        message = f"'{path}' cannot be used: the spec has no data block"
        remedy = 'name the label in one: data "file.csv" { label class; }'
        raise TreemipError(Diagnostic.outside("E902", message, remedy))
    there = str(Path(path).absolute())
    statements = (replace(s, path=there) if isinstance(s, n.Data) else s for s in file.statements)
    return replace(file, statements=tuple(statements))


def read(spec: Spec, base: Path, table: Any = None) -> Data | None:
    """The spec's table, read and encoded, with the tables of its parameters; None for a spec
    without data. Raises E3xx.

    table: columns in memory that stand in for the spec's file. Files are those in `base`.
    """
    from treemip.instance.data_frames import columns_of
    from treemip.instance.side_tables import with_tables
    from treemip.instance.table import from_frame, load_table

    if spec.data is None:
        return None
    bits = spec.split == "univariate"  # other splits multiply all features
    if table is not None:
        data = from_frame(spec.data, columns_of(table, label=spec.data.label.text), bits)
    else:
        data = load_table(spec.data, base, bits)
    return with_tables(spec, data, base)


def select(
    spec: Spec,
    data: Data | None,
    on_progress: OnProgress | None = None,
    tree: Tree | None = None,
) -> Data | None:
    """The points that the strategy selects, as the training part; all where it selects none.

    tree: whose leaves make the clusters, in place of CART's. Raises E213, E312, E602.
    """
    if data is None or spec.strategy.select is None:
        return data
    from treemip.lower.bind import read_topology
    from treemip.model.answer import Progress
    from treemip.selection.select import select as selected

    began = time.perf_counter()
    assert spec.topology is not None

    def tell(decided: int, points: int) -> None:
        if on_progress is not None:
            seconds = time.perf_counter() - began
            on_progress(Progress(seconds, None, None, None, decided, "select"))

    return selected(spec, data, read_topology(spec.topology), tell, tree)


def bind(spec: Spec, data: Data | None) -> Instance:
    """The spec over its data: trees, sets and parameters. Raises E3xx, E4xx."""
    from treemip.lower.bind import bind as bound

    return bound(spec, data)


@dataclass(frozen=True)
class Stated:
    """A model as its spec states it. `instance` has the spec with the rows that came in."""

    instance: Instance
    model: Model


def lower(file: File, instance: Instance, cuts: CutNames = None, keep: bool = True) -> Stated:
    """The model as the spec states it. Raises E4xx, E5xx, E902 for the names of cuts, and E218
    for several objectives.

    keep: whether rows that take much memory are there, rather than made when they are asked for.

    Some rows come in only where numbers press their variables (`drop … unless uses rises`), which
    the lowered model shows: then the path goes back to `resolve` with them.
    """
    from treemip.lower.error_context import traced
    from treemip.lower.lower import lower as lowered
    from treemip.reform.needed_rows import counted, pressed
    from treemip.strategy.settings import with_priorities

    while True:
        spec = instance.spec
        model = None if keep else _on_demand(instance, cuts)
        if model is None:
            pressing = model = lowered(instance, chosen_cuts(spec, cuts))
        else:
            pressing = lowered(instance, only=counted(spec)) if spec.watched else model
        with traced(spec):
            more = pressed(pressing, spec)
        if not more:
            _require_separable(instance, model)
            return Stated(instance, with_priorities(model, spec.strategy))
        kept = KeptTexts(spec.modules)
        spec = resolve(file, spec.overrides, pressed=spec.pressed | more, texts=kept)
        instance = bind(spec, instance.data)


def _on_demand(instance: Instance, cuts: CutNames) -> Model | None:
    """The model with rows that are made when they are asked for, where that is of use."""
    from treemip.lower.on_demand import on_demand

    spec, strategy = instance.spec, instance.spec.strategy
    asked = (*strategy.separate, *strategy.initial, strategy.select, strategy.decompose)
    if any(asked) or chosen_cuts(spec, cuts):
        return None
    return on_demand(instance)


def _require_separable(instance: Instance, model: Model) -> None:
    """Raises E502, E504 for what the strategy separates and cannot, before anything is solved."""
    if not separates(instance.spec):
        return
    from treemip.lower.error_context import traced
    from treemip.separation.separated_model import require_fits

    with traced(instance.spec):
        require_fits(instance, model)


def chosen_cuts(spec: Spec, names: CutNames) -> list[Constraint]:
    """The cut families asked for. Raises E902 for a name that is not one or stands twice."""
    known = {c.name: c for c in spec.cuts if not is_over_separated(c)}
    if names is None:
        wanted = [w.name for w in spec.strategy.cuts]
    else:
        wanted = [names] if isinstance(names, str) else list(names)
    for place, name in enumerate(wanted):
        if name in wanted[:place]:
            message = f"the cut '{name}' is listed twice"
            raise TreemipError(Diagnostic.outside("E902", message, "name it once"))
        if name not in known:
            there_are = f"the cuts are {listed(known)}" if known else "the spec has no cuts"
            if name in separator_names():
                there_are = f"its cuts come from the strategy:  cuts {name}(rounds = 3);"
            remedy = did_you_mean(str(name), known) or there_are
            raise TreemipError(Diagnostic.outside("E902", f"there is no cut '{name}'", remedy))
    return [known[str(name)] for name in wanted]


def reform(spec: Spec, model: Model, takes: tuple[bool, bool], way: Method) -> Reformed:
    """The model as a target takes it, and the way back. Raises E5xx.

    takes: whether the target has indicators, and special ordered sets. way: how all implications
    are stated, if not AUTO.
    """
    from treemip.lower.error_context import traced
    from treemip.reform.reform import reform as reformed

    with traced(spec):
        return reformed(model, *takes, way)


# ------------------------------------------------------------------------ a solver answers


def solve(
    compiled: Compiled,
    given: Settings,
    log: bool,
    keep: Path | None,
    on_progress: OnProgress | None,
    spent: float = 0.0,
) -> Result:
    """`Compiled.solve`: the solver is chosen and the model reformulated for it; the start comes
    first, then the solver with what is left of the limits. spent: seconds of the time limit that
    were gone before.

    A start may itself be the proof: where an exact engine proves its tree, or nothing can be better
    than it, the solver is not called, and may be missing. With the start "none" the solver is on
    its own.
    """
    from treemip.api.solving import Run
    from treemip.strategy.incumbent import of_all_stages
    from treemip.strategy.solvers import packages_absent, require_taken
    from treemip.strategy.starts.warm_start import default_start, in_memory, require_start

    began = time.perf_counter() - spent
    early = None
    if not compiled.checked.is_kept:
        from treemip.api.search_alone import search_alone

        early = search_alone(compiled, given, log, on_progress, began)
        if early is not None and not early.wants_solver:
            return _finished(early, keep, (), began)
    stated = compiled.choosing_model()
    name, settings, notes = chosen(stated, compiled.program.spec, given, keep)
    limits, compiled = settings.limits(log), compiled.for_solver(name)
    kind = settings.start
    if kind is None:
        kind = default_start(compiled.instance, limits)
    wanted = require_start(kind)
    absent = packages_absent((name, in_memory(name)) if wanted else (name,), compiled.model)
    if absent is not None and not (wanted and settings.solver == "auto"):
        raise absent
    separation, tell = separation_of(compiled), of_all_stages(on_progress, stated)
    given_model = compiled.model if separation is None else separation.model
    require_taken(given_model, settings.solver or "auto", separation is not None)
    gone = time.perf_counter() - began
    run = Run(compiled, settings, limits, name, tell, separation, gone)
    if absent is not None:
        run.begin_with_proof(absent)
    elif early is not None:
        run.begun = early.begun.of_stated
    elif wanted:
        notes += run.begin(kind, given.start is not None)
    run.note_start()
    return _finished(run, keep, notes, began)


def _finished(run: Run, keep: Path | None, notes: tuple[Diagnostic, ...], began: float) -> Result:
    """The result of a run that has its start. began: when the time limit began."""
    from treemip.strategy.solvers import known_fault

    answer = run.solve(keep)
    notes += (*known_fault(answer), *run.on_engines(answer), *run.notes)
    compiled, answer = run.with_its_model(answer)
    limit = run.settings.time_limit
    end = None if limit is None else began + limit
    return result(compiled, answer, run.stages, [*notes], run.settings, end)


def chosen(
    stated: Model, spec: Spec, given: Settings, keep: Path | None
) -> tuple[str, Settings, tuple[Diagnostic, ...]]:
    """The solver for a model, the settings of the solve, and warnings. Raises E601, E602, E902.

    The settings have the solver as it was asked for: "auto" and "mip" leave it to the model.
    """
    from treemip.solving.solve import choose
    from treemip.strategy.settings import AUTOMATIC, settled
    from treemip.strategy.solvers import require_kept, require_known

    settings, notes = settled(stated, given, spec.strategy)
    solver = settings.solver or "auto"
    if solver == "auto" and separates(spec):
        solver = "mip"  # an engine in the solver's place separates nothing
    require_known(solver)
    require_kept(solver, keep)
    name = choose(stated) if solver in AUTOMATIC else solver
    return name, replace(settings, solver=solver), notes


def separates(spec: Spec) -> bool:
    """Whether the spec's strategy separates rows, or seeks some on the relaxation."""
    return bool(spec.strategy.separate or spec.strategy.initial)


def separation_of(compiled: Compiled) -> SeparatedModel | None:
    """What the spec's strategy separates of its model. Raises E502, E504."""
    if not separates(compiled.program.spec):
        return None
    from treemip.separation.separated_model import SeparatedModel

    return SeparatedModel(compiled.instance, compiled.stated, compiled.model)


# ------------------------------------------------------------- its values become a tree


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
    from treemip.model.answer import relative_gap
    from treemip.solving.interrupt import is_kept
    from treemip.tree.readout import by_name

    stages = {**compiled.seconds, **stages}
    back = compiled.solved
    warnings = [*compiled.warnings, *notes, *contradicted(answer)]
    limit = None if asked is None else asked.time_limit
    bare = Result(compiled, answer, None, None, {}, stages, warnings, time_limit=limit)
    x = answer.values
    if x is None:
        return bare
    if answer.gap is None:
        answer = replace(answer, gap=relative_gap(answer.objective, answer.bound))
    values = {block.name: x[block.start : block.stop] for block in back.model.variables}
    given = own_cuts_in(compiled.program.spec, compiled.checked, answer)
    bare = replace(bare, answer=answer, values=values, optimality=claimed(answer, given))
    began = time.perf_counter()
    try:
        values = by_name(back.original, back.invert(x))
        bare = replace(bare, values=values)
        if compiled.program.spec.route is None:
            return bare
        read = _verified(bare, asked, inf if end is None else max(end, began + LEAST))
    except (Exception, KeyboardInterrupt) as error:
        if not is_kept(error):
            raise
        read = bare.without_tree(error)
    stages["verify"] = time.perf_counter() - began
    return read


LEAST = 0.5
"""Seconds for pruning weights and for the best values of a tree, however late it is."""


def _later_than(end: float) -> Callable[[], bool]:
    return lambda: time.perf_counter() > end


def _verified(bare: Result, asked: Settings | None, until: float) -> Result:
    """The result with its tree, its verification, and the gap and proof that remain after it. A
    tree that is better than its solution gets its best one, by `until` of the clock."""
    from treemip.api.best_values import at_best, is_better
    from treemip.api.optimality import gap_of_tree, held_against, objective_of_tree
    from treemip.api.spec_of_tree import SolvedSpec
    from treemip.api.unverified import why_unverified
    from treemip.tree.placement import unclear
    from treemip.tree.prune_weights import prune_weights
    from treemip.tree.readout import routed_by_solution

    compiled, answer = bare.compiled, bare.answer
    instance, stated = compiled.instance, compiled.solved.original
    end = routed_by_solution(instance, bare.values)

    def judge(values: dict[str, np.ndarray]) -> tuple[Tree, VerifyReport]:
        return tree_of(instance, stated, values, end)

    def anew(values: dict[str, np.ndarray]) -> tuple[Tree, VerifyReport]:
        return tree_of(instance, stated, values, routed_by_solution(instance, values))

    late = _later_than(until)
    values, tree, report = prune_weights(instance, stated, bare.values, judge, late)
    notes = why_unverified(replace(bare, values=values, tree=tree, report=report), end, asked)
    sense = compiled.sense
    assert bare.optimality is not None
    answer, optimality, false = held_against(answer, bare.optimality, report, sense)
    if is_better(report, answer.objective, sense) and not optimality.local:
        best = at_best(replace(bare, answer=answer), (values, tree, report), anew, until)
        if best is not None:
            (values, tree, report), answer = best
    answer, optimality = gap_of_tree(answer, optimality, report, sense)
    answer = objective_of_tree(answer, report)
    table = instance.table
    return replace(
        bare,
        answer=answer,
        tree=replace(
            tree,
            counts=tree.counts_of(table.inputs, table.y),
            spec=SolvedSpec(instance, values),
        ),
        report=report,
        values=values,
        warnings=[*bare.warnings, *notes, *false, *unclear(instance, tree)],
        optimality=optimality,
    )


def tree_of(
    instance: Instance, stated: Model, values: dict[str, np.ndarray], end: np.ndarray | None
) -> tuple[Tree, VerifyReport]:
    """The tree that values of the stated model stand for, read out and repaired, and what
    verification says of it.

    end: the leaf of each point by the solution itself; None where that says none.
    """
    from treemip.tree.from_values import tree_from_values
    from treemip.tree.verify import verify

    tree, repaired, moved = tree_from_values(instance, values, end)
    return tree, verify(instance, stated, values, tree, end, tuple(repaired), moved)
