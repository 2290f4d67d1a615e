"""A parsed text and the library to a Spec: the stages of resolving, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from treemip.core.resolve import checks, statements, tree_rules
from treemip.core.resolve.checks import the_one
from treemip.core.resolve.circles import check_circles
from treemip.core.resolve.constants import check_constants
from treemip.core.resolve.declare import Declarations
from treemip.core.resolve.gather import gather, routes
from treemip.core.resolve.hiding import hide_private
from treemip.core.resolve.index_checks import check_places
from treemip.core.resolve.link import Linker
from treemip.core.resolve.missing_semicolons import apart
from treemip.core.resolve.module_files import KeptTexts, ModuleText, ModuleTexts
from treemip.core.resolve.modules import (
    Module,
    check_kind,
    declared_apart,
    formulation_of,
    override,
    route_forgotten,
    statements_of,
)
from treemip.core.resolve.other_names import say_what_is_meant, variable_behind
from treemip.core.resolve.resolver import Resolver
from treemip.core.resolve.row_meanings import read_off_rows
from treemip.core.resolve.selection_checks import check_selection
from treemip.core.resolve.setting_values import SettingValues, set_by_options
from treemip.core.resolve.settings.data_block import read_settings
from treemip.core.resolve.settings.data_spec import DataNames, DataSpec
from treemip.core.resolve.settings.strategy import StrategySpec, read_strategy
from treemip.core.resolve.settings.topology import check_topology
from treemip.core.resolve.spec import (
    Constraint,
    ObjectiveSpec,
    PredictSpec,
    Press,
    Requirement,
    RouteSpec,
    Spec,
)
from treemip.core.resolve.tree_answers import check_given, check_only_in_meanings
from treemip.core.resolve.typed import Role, Symbol, Typed
from treemip.core.resolve.unknown_names import report_left_to_spec
from treemip.core.source.diagnostic import Diagnostic, Report, TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.nodes import mentioned
from treemip.core.syntax.parse import parse

T = TypeVar("T")

Watch = Callable[[Linker, DataSpec | None], None]

ROLES = {
    "parameters": Role.PARAMETER,
    "sets": Role.SET,
    "trees": Role.TREE,
    "variables": Role.VARIABLE,
    "lets": Role.LET,
}
"""Declared things by the field of `Spec` that has them."""


def resolve(
    file: n.File,
    overrides: Iterable[tuple[str, str]] = (),
    also: Iterable[str] = (),
    pressed: frozenset[Press] = frozenset(),
    texts: ModuleTexts | None = None,
    watch: Watch | None = None,
) -> Spec:
    """Link a spec with the library. `overrides` are (name, value text) pairs of `-p name=value`.

    texts: where modules from outside of the library come from; nowhere if None. watch: called
    with the linker once there is one, so that an editor knows what was found before an error.

    also: concepts to bring in even if nothing in the text mentions them. `pressed`: which variables
    the spec's numbers press, and which way; see `statements.without_dropped`. Raises TreemipError
    with all that is wrong (E2xx; E902 for a value), in the order of the text.
    """
    report, options = Report(), tuple(overrides)
    try:
        texts = texts or KeptTexts()
        spec = _resolve(file, options, tuple(also), pressed, texts, report, watch)
    except RecursionError:
        report.add(
            Diagnostic("E111", "declarations are nested too deeply in each other", file.span)
        )
    _raise_in_order(report, file.span.source)
    return spec


def _resolve(
    file: n.File,
    options: tuple[tuple[str, str], ...],
    also: tuple[str, ...],
    pressed: frozenset[Press],
    texts: ModuleTexts,
    report: Report,
    watch: Watch | None,
) -> Spec:
    opening = _open(file, options, texts, report)
    columns = DataNames.of(opening.data)
    linker = Linker(opening.modules, report, columns, opening.formulation, opening.lacking)
    declarations = Declarations(linker)
    if watch is not None:
        watch(linker, opening.data)
    link_all(linker)
    find_asked(linker)
    said = _statements(opening, declarations)
    linker.attempt_each(also, lambda name: linker.find(name, file.span))
    declarations.fill_in()
    said.rows += statements.default_rows(declarations)
    report_left_to_spec(linker)
    say_what_is_meant(s for s in linker.symbols.values() if s is not None)
    check_circles(linker)
    _check(said, opening, linker, file)
    remaining = statements.without_dropped(linker, tuple(said.rows), said.objective, pressed)
    names = {c.name for c in remaining.constraints}
    readers = _readers(said.route, said.predict)
    read_off_rows(_own_variables(linker), remaining.constraints, said.objective, readers)
    spec = Spec(
        name=opening.name,
        file=file,
        formulation=opening.formulation,
        split=opening.split,
        data=_with_saved_trees(opening.data, linker),
        topology=opening.topology,
        strategy=said.strategy,
        constraints=remaining.constraints,
        left_out=tuple(c for c in said.rows if c.name not in names),
        watched=remaining.watched,
        pressed=pressed,
        called_back=remaining.called_back,
        cuts=said.cuts,
        objective=said.objective,
        requirements=tuple(said.requirements),
        route=said.route,
        predict=said.predict,
        warnings=tuple(report.warnings),
        overrides=options,
        paper=opening.paper,
        modules=opening.texts,
        uses_weights="weight" in linker.symbols,
        **_symbols(linker),
    )
    check_selection(spec, report)
    return spec


@dataclass
class _Statements:
    """What the statements of all texts say. blocks: of the strategy, those of the spec last."""

    objective: ObjectiveSpec | None
    rows: list[Constraint]
    cuts: tuple[Constraint, ...]
    requirements: list[Requirement]
    route: RouteSpec | None
    predict: PredictSpec | None
    blocks: list[n.Strategy]
    strategy: StrategySpec


def _statements(opening: _Opening, declarations: Declarations) -> _Statements:
    """Resolve the statements, which brings in the concepts that they mention."""
    resolver, modules = declarations.resolver, opening.modules
    linker, report = resolver.linker, resolver.linker.report
    objective = _rule(resolver, n.Objective, statements.objective)
    rows = statements.constraints(resolver)
    cuts = statements.cuts(resolver)
    requirements = linker.attempt_each(
        (node for _, node in statements_of(modules, n.Requires)),
        lambda node: statements.requirement(resolver, node),
    )
    route = _rule(resolver, n.Route, tree_rules.route)
    predict = _rule(resolver, n.Predict, tree_rules.predict) or _default_predict(resolver)
    checks.check_rules(modules, route, predict, opening.split, linker)
    blocks = [apart(block, report) for _, block in statements_of(reversed(modules), n.Strategy)]
    strategy = read_strategy([opening.values.block(block) for block in blocks], report)
    return _Statements(objective, rows, cuts, requirements, route, predict, blocks, strategy)


def _check(said: _Statements, opening: _Opening, linker: Linker, file: n.File) -> None:
    """Report what is wrong in statements that are each right by themselves."""
    report, every = linker.report, (*said.rows, *said.cuts)
    statements.check_names([*every], report)
    check_places(linker, every, said.objective)
    check_constants(linker, said.rows, said.objective, said.requirements, file)
    checks.check_strategy(said.blocks, said.rows, said.cuts, said.route, linker, report)
    check_given(linker, said.predict)
    rules = said.route, said.predict
    check_only_in_meanings(linker, every, said.objective, said.requirements, rules)
    checks.check_weight(opening.data, said.strategy.select, linker)
    checks.check_concepts(opening.modules, report)


@dataclass(frozen=True)
class _Opening:
    """What must be known before anything is linked; `modules` have the parameters' new values."""

    name: str
    split: str
    formulation: str
    data: DataSpec | None
    topology: n.Topology | None
    modules: list[Module]
    values: SettingValues
    stated: frozenset[str]
    paper: str
    texts: tuple[ModuleText, ...]

    @property
    def lacking(self) -> frozenset[str]:
        """Missing statements, except those already reported as missing for the split."""
        known = self.stated if "split" not in self.stated else {"data", "topology"}
        return frozenset({"data", "topology"} - known)


def _open(
    file: n.File, options: tuple[tuple[str, str], ...], texts: ModuleTexts, report: Report
) -> _Opening:
    """Read the statements that a text has at most once, and gather the modules they name."""
    split, header = the_one(n.Split, file, report), the_one(n.Header, file, report)
    data_node, topology = the_one(n.Data, file, report), the_one(n.Topology, file, report)
    data_node = apart(data_node, report) if data_node else None
    named = the_one(n.TreeName, file, report)
    stated = {"data": data_node, "topology": topology, "split": split}
    has = frozenset(what for what, node in stated.items() if node)
    wanted = formulation_of(split, lambda: header is not None or routes(file, texts), report)
    gathered = gather(file, wanted, report, texts)
    modules, chosen = gathered.modules, gathered.formulation
    checks.check_complete(file, split, data_node, topology, report)
    check_kind(split, modules, report)
    forgotten = route_forgotten(modules, split, report)
    data_node, topology, options = set_by_options(options, data_node, topology, modules, report)
    values = SettingValues(modules, data_node, report)
    lost = forgotten or not gathered.whole or any(d.code == "E215" for d in report.errors)
    if not lost:
        override(modules, split, options, report)
    data = read_settings(values.block(data_node), report) if data_node else None
    topology = values.topology(topology) if topology else None
    check_topology(topology, report)
    lost |= checks.check_label(data, split, modules, report)
    lost |= checks.check_header(header, has, report)
    if lost:
        _raise_in_order(report, file.span.source)  # without the right modules all else is noise
    hide_private(modules, (ref.name for ref in (*data.group, *data.number)) if data else ())
    declared_apart(modules, report)
    checks.check_columns(data, modules, report)
    kind = split.kind if split else (header.kind if header else "")
    name = named.name if named else "tree"
    headers = [s for s in (chosen.file if chosen else file).statements if isinstance(s, n.Header)]
    return _Opening(
        name=name,
        split=kind,
        formulation=chosen.name if chosen else "",
        data=data,
        topology=topology,
        modules=modules,
        values=values,
        stated=has,
        paper=headers[0].paper if headers else "",
        texts=gathered.texts,
    )


def _symbols(linker: Linker) -> dict[str, Any]:
    """The declared names as `Spec` has them: those of each role, and the concepts."""
    symbols = {name: s for name, s in linker.symbols.items() if s is not None}
    by_role: dict[str, Any] = {
        of: tuple(s for s in symbols.values() if s.role is role) for of, role in ROLES.items()
    }
    by_role["asks_missing"] = "missing" in symbols
    return {**by_role, "concepts": {name: s for name, s in symbols.items() if linker.concept(name)}}


def _with_saved_trees(data: DataSpec | None, linker: Linker) -> DataSpec | None:
    trees = tuple(linker.saved_trees.values())
    return replace(data, saved_trees=trees) if data is not None and trees else data


def _raise_in_order(report: Report, source: Source) -> None:
    """Raise the errors, those of the spec in the order of its text, then those of the library."""

    def place(d: Diagnostic) -> tuple[int, int]:
        spans = [s for s in (d.span, *(r.span for r in d.related)) if s and s.source == source]
        return (0, spans[0].start) if spans else (1, 0)

    if report.errors:
        raise TreemipError(sorted(report.errors, key=place))


def link_all(linker: Linker) -> None:
    """Resolve every declaration of the formulation and the spec, used or not."""
    for m in reversed(linker.modules):
        if m.role != "vocabulary":
            linker.attempt_each(
                list(m.declarations.values()), lambda d: linker.find(d.name, d.name_span)
            )


def _own_variables(linker: Linker) -> list[Symbol]:
    """Variables that are not concepts, whose meaning on a tree the vocabulary gives."""
    concepts = {variable_behind(s) for s in linker.symbols.values() if s and linker.concept(s.name)}
    own = [s for s in linker.symbols.values() if s is not None and s.role is Role.VARIABLE]
    return [s for s in own if s not in concepts]


def _readers(route: RouteSpec | None, predict: PredictSpec | None) -> list[Typed]:
    """The expressions that splits and answers of leaves are read from."""
    read = [] if route is None else [route.left, route.right, route.probability]
    read += [] if predict is None else [predict.value]
    return [e for e in read if e is not None]


def find_asked(linker: Linker) -> None:
    """Resolve the concepts in rows that the strategy asks for; missing ones are reported there
    (E205)."""
    for m in linker.modules:
        if m.asked_by is not None:
            names = {name for s in m.file.statements for name in mentioned(s)}
            for name in sorted(name for name in names if linker.concept(name)):
                linker.attempt(partial(linker.find, name, m.asked_by))


def _rule(resolver: Resolver, kind: type[n.Statement], work: Callable[..., T]) -> T | None:
    """The one statement of a kind, from the first module that has one."""
    linker = resolver.linker
    for m in linker.modules:
        statement = the_one(kind, m.file, linker.report)
        if statement is not None:
            return linker.attempt(lambda: work(resolver, statement))
    return None


def _default_predict(resolver: Resolver) -> PredictSpec | None:
    """The default `predict` of a formulation with labels: the class of the greatest one."""
    linker = resolver.linker
    if linker.declaration("label") is None:
        return None
    text = "predict class argmax {k in classes} label[l,k];"
    node = parse(Source(tree_rules.DEFAULT_RULE, text)).statements[0]
    assert isinstance(node, n.Predict)
    return linker.attempt(lambda: tree_rules.predict(resolver, node))
