"""File + library -> Spec."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from treemip.resolve import statements
from treemip.resolve.builtins import DEFAULT_FORMULATIONS
from treemip.resolve.data_settings import read_settings
from treemip.resolve.library import formulation_names, module
from treemip.resolve.link import Linker, Module
from treemip.resolve.scope import Broken, Fault
from treemip.resolve.spec import Constraint, PredictSpec, Spec
from treemip.resolve.strategy_settings import StrategySpec, read_strategy
from treemip.resolve.symbols import Role, Symbol
from treemip.source.diagnostic import Related, Report
from treemip.source.span import Source, Span
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes as n
from treemip.syntax.parse import parse

T = TypeVar("T")


def resolve(file: n.File, overrides: Iterable[tuple[str, str]] = ()) -> Spec:
    """Link a spec with the library. `overrides` are (name, value text) pairs of `-p name=value`.

    Raises TreemipError with all E2xx diagnostics found.
    """
    return _Resolver(file, tuple(overrides)).run()


class _Resolver:
    def __init__(self, file: n.File, overrides: tuple[tuple[str, str], ...]) -> None:
        self.file = file
        self.overrides = overrides
        self.report = Report()

    def run(self) -> Spec:
        file, report = self.file, self.report
        split = self.one(n.Split, file)
        header = self.one(n.Header, file)
        name = self.formulation_name(split, header)
        modules = self.modules(name, split)
        report.raise_errors()
        self.check_kind(split, header, modules)
        data_node = self.one(n.Data, file)
        data = read_settings(data_node, report) if data_node else None
        topology = self.one(n.Topology, file)
        self.check_complete(split, data_node, topology)
        groups = tuple(g.text for g in data.group) if data else ()
        self.linker = Linker(modules, report, groups, name)
        self.link_all()
        objective = self.objective(modules)
        constraints = self.constraints(modules)
        cuts = self.cuts(modules)
        requirements = self.typed(
            (s for m in modules for s in m.file.statements if isinstance(s, n.Requires)),
            statements.requirement,
        )
        route = self.rule(n.Route, modules, statements.route)
        predict = self.rule(n.Predict, modules, statements.predict) or self.default_predict()
        strategy = read_strategy(
            [s for m in reversed(modules) for s in m.file.statements if isinstance(s, n.Strategy)],
            report,
        )
        self.linker.declarer.fill_in()
        # meanings may have brought in further defaults, never rows of the model
        constraints = constraints + self.default_rows(constraints)
        self.check_strategy(strategy, cuts)
        self.check_drops(modules, constraints)
        report.raise_errors()
        return Spec(
            name=self.tree_name(),
            file=file,
            formulation=name,
            split=split.kind if split else (header.kind if header else ""),
            data=data,
            topology=topology,
            strategy=strategy,
            parameters=self.of(Role.PARAMETER),
            sets=self.of(Role.SET),
            trees=self.of(Role.TREE),
            variables=self.of(Role.VARIABLE),
            lets=self.of(Role.LET),
            constraints=self.kept(modules, constraints),
            cuts=cuts,
            objective=objective,
            requirements=tuple(requirements),
            route=route,
            predict=predict,
            concepts={c: s for c, s in self.known_symbols() if self.linker.concept(c)},
            warnings=tuple(report.warnings),
            overrides=self.overrides,
        )

    # ------------------------------------------------------------------ modules

    def formulation_name(self, split: n.Split | None, header: n.Header | None) -> str:
        """The formulation asked for, the split kind's default, or none when the spec is one."""
        if split is None:
            return ""
        if split.formulation:
            return split.formulation
        own = any(isinstance(s, n.Route) for s in self.file.statements)
        if own or header is not None:
            return ""
        if split.kind not in DEFAULT_FORMULATIONS:
            self.report.error(
                "E215",
                f"unknown split kind '{split.kind}'",
                split.span,
                f"the kinds are {listed(DEFAULT_FORMULATIONS)}",
                did_you_mean(split.kind, DEFAULT_FORMULATIONS),
            )
            return ""
        return DEFAULT_FORMULATIONS[split.kind]

    def modules(self, name: str, split: n.Split | None) -> list[Module]:
        """Spec, formulation, used modules, vocabulary: the order of look-up."""
        found = [Module("spec", "spec", self.file)]
        wanted = [(name, split.span)] if name and split else []
        wanted += [(s.name, s.span) for s in self.file.statements if isinstance(s, n.Use)]
        for module_name, span in wanted:
            text = module(module_name)
            if text is None:
                self.unknown_formulation(module_name, span)
            else:
                found.append(Module("formulation", module_name, text))
        vocabulary = module("vocabulary")
        assert vocabulary is not None
        found.append(Module("vocabulary", "vocabulary", vocabulary))
        for m in found:
            self.collect(m)
        self.override(found, split)
        self.check_redeclared(found)
        return found

    def unknown_formulation(self, name: str, span: Span) -> None:
        known = formulation_names()
        self.report.error(
            "E210",
            f"unknown formulation '{name}'",
            span,
            f"the library has {listed(known)}",
            did_you_mean(name, known),
        )

    def collect(self, m: Module) -> None:
        """Fill a module's tables of declarations; a name declared twice is an error."""
        for statement in m.file.statements:
            if isinstance(statement, n.Concept):
                m.concepts[statement.name] = statement
            elif isinstance(statement, n.Declaration):
                self.enter(m, statement)
            elif isinstance(statement, n.Objective) and statement.name:
                self.enter(m, objective_as_let(statement))

    def enter(self, m: Module, declaration: n.Declaration) -> None:
        before = m.declarations.get(declaration.name)
        if before is not None:
            self.report.error(
                "E202",
                f"'{declaration.name}' is declared twice",
                declaration.name_span,
                related=(Related(before.name_span, "first declared here"),),
            )
        m.declarations.setdefault(declaration.name, declaration)

    def override(self, found: list[Module], split: n.Split | None) -> None:
        """Parameters: by the `by` arguments, by the spec, by -p; the last one counts."""
        spec, formulations = found[0], [m for m in found if m.role == "formulation"]
        params = {
            k: (m, d)
            for m in formulations
            for k, d in m.declarations.items()
            if isinstance(d, n.Param)
        }
        for argument in split.arguments if split else ():
            if argument.name not in params:
                hint = did_you_mean(argument.name or "", params)
                message = (
                    f"'{split.formulation if split else ''}' has no parameter '{argument.name}'"
                )
                remedy = (
                    f"its parameters are {listed(params)}" if params else "it has no parameters"
                )
                self.report.error("E211", message, argument.span, remedy, hint)
                continue
            m, old = params[argument.name]
            m.declarations[argument.name] = replace(old, value=argument.value)
        for name, declared in list(spec.declarations.items()):
            if name in params and isinstance(declared, n.Param) and declared.domain is None:
                m, _ = params[name]
                m.declarations[name] = replace(
                    m.declarations[name], value=declared.value, name_span=declared.name_span
                )
                del spec.declarations[name]
        for name, value in self.overrides:
            self.override_option(name, value, found)

    def override_option(self, name: str, value: str, found: list[Module]) -> None:
        text = f"param {name} = {value};"
        source = Source(f"-p {name}={value}", text)
        node = parse(source).statements[0]
        assert isinstance(node, n.Param)
        for m in found:
            old = m.declarations.get(name)
            if isinstance(old, n.Param):
                m.declarations[name] = replace(old, value=node.value)
                return
        known = [k for m in found for k, d in m.declarations.items() if isinstance(d, n.Param)]
        self.report.error(
            "E211",
            f"there is no parameter '{name}'",
            source.span(6, 6 + len(name)),
            f"the parameters are {listed(known)}" if known else "this spec has no parameters",
            did_you_mean(name, known),
        )

    def check_redeclared(self, found: list[Module]) -> None:
        """A spec may redeclare a formulation's parameters and sets, nothing else."""
        spec = found[0]
        for m in found[1:]:
            for name, declared in spec.declarations.items():
                before = m.declarations.get(name)
                if before is None or (
                    isinstance(declared, n.Param | n.SetDeclaration)
                    and type(before) is type(declared)
                ):
                    continue
                self.report.error(
                    "E202",
                    f"'{name}' is declared by {m.name} already",
                    declared.name_span,
                    "choose another name",
                    related=(Related(before.name_span, "declared here"),),
                )

    # ------------------------------------------------------------------- checks

    def one(self, kind: type[T], file: n.File) -> T | None:
        """The one statement of a kind; a second one is an error."""
        found = [s for s in file.statements if isinstance(s, kind)]
        for extra in found[1:]:
            word = type(extra).__name__.lower()
            self.report.error(
                "E209",
                f"there is a second '{word}' statement",
                extra.span,  # type: ignore[attr-defined]
                related=(Related(found[0].span, "the first one is here"),),  # type: ignore[attr-defined]
            )
        return found[0] if found else None

    def check_kind(
        self, split: n.Split | None, header: n.Header | None, modules: list[Module]
    ) -> None:
        if split is None or not self.formulation_name(split, header):
            return
        for s in modules[1].file.statements:
            if isinstance(s, n.Header) and s.kind != split.kind:
                self.report.error(
                    "E215",
                    f"{s.name} makes {s.kind} splits, not {split.kind} ones",
                    split.span,
                    f"write: split {s.kind} by {s.name};",
                )

    def check_complete(
        self, split: n.Split | None, data: n.Data | None, topology: n.Topology | None
    ) -> None:
        if split is None:
            return
        if data is None:
            self.report.error(
                "E208", "a split needs data", split.span, 'add: data "file.csv" { label class; }'
            )
        if topology is None:
            self.report.error(
                "E208", "a split needs a topology", split.span, "add: topology complete(depth = 2);"
            )

    def check_strategy(self, strategy: StrategySpec, cuts: tuple[Constraint, ...]) -> None:
        names = [c.name for c in cuts]
        for word in strategy.cuts:
            if word.name not in names or word.arguments is not None:
                self.report.error(
                    "E212",
                    f"there is no cut '{word.name or word.string}'",
                    word.span,
                    f"the cuts are {listed(names)}" if names else "this formulation has no cuts",
                    did_you_mean(word.name or "", names),
                )

    def check_drops(self, modules: list[Module], constraints: tuple[Constraint, ...]) -> None:
        names = [c.name for c in constraints]
        for drop in self.drops(modules):
            for name, span in zip(drop.names, drop.name_spans, strict=True):
                if name not in names:
                    hint = did_you_mean(name, names)
                    remedy = f"the constraints are {listed(names)}" if not hint else ""
                    self.report.error(
                        "E214", f"there is no constraint '{name}'", span, remedy, hint
                    )

    def drops(self, modules: list[Module]) -> list[n.Drop]:
        return [s for m in modules for s in m.file.statements if isinstance(s, n.Drop)]

    def kept(
        self, modules: list[Module], constraints: tuple[Constraint, ...]
    ) -> tuple[Constraint, ...]:
        gone = {name for d in self.drops(modules) for name in d.names}
        return tuple(c for c in constraints if c.name not in gone)

    # ------------------------------------------------------------------ linking

    def link_all(self) -> None:
        """Resolve every declaration of the formulation and the spec, used or not."""
        for m in reversed(self.linker.modules):
            if m.role != "vocabulary":
                for name, declared in list(m.declarations.items()):
                    self.attempt(lambda name=name, d=declared: self.linker.find(name, d.name_span))

    def attempt(self, work: Callable[[], T]) -> T | None:
        """Run one piece of resolving; a fault is gathered and the rest goes on."""
        try:
            return work()
        except Fault as fault:
            self.linker.add(fault)
        except Broken:
            return None
        return None

    def typed(self, nodes: Iterable[T], work: Callable[..., object]) -> list:  # type: ignore[type-arg]
        made = [
            self.attempt(lambda node=node: work(self.linker.expressions, node)) for node in nodes
        ]
        return [m for m in made if m is not None]

    def objective(self, modules: list[Module]) -> statements.ObjectiveSpec | None:
        """The spec's objective, else the formulation's."""
        for m in modules:
            found = self.one(n.Objective, m.file)
            if found is not None:
                expressions = self.linker.expressions
                return self.attempt(lambda: statements.objective(expressions, found))
        return None

    def constraints(self, modules: list[Module]) -> tuple[Constraint, ...]:
        made: list[Constraint] = []
        for m in reversed(modules):
            for statement in m.file.statements:
                if isinstance(statement, n.Subject):
                    made += self.rows(statement.constraints, m.name)
        self.check_names(made)
        return tuple(made)

    def rows(self, nodes: tuple[n.Constraint, ...], module_name: str) -> list[Constraint]:
        expressions = self.linker.expressions
        made = [
            self.attempt(lambda node=node: statements.constraint(expressions, node, module_name))
            for node in nodes
        ]
        return [c for c in made if c is not None]

    def default_rows(self, before: tuple[Constraint, ...]) -> tuple[Constraint, ...]:
        """Rows of the concept defaults that were brought in; they may bring in others."""
        made: list[Constraint] = []
        done = 0
        while done < len(self.linker.brought_in):
            concept, span = self.linker.brought_in[done]
            done += 1
            assert isinstance(concept.default, tuple)
            self.linker.in_progress.append((concept.name, span))
            for statement in concept.default:
                if isinstance(statement, n.Subject):
                    made += self.rows(statement.constraints, "vocabulary")
            self.linker.in_progress.pop()
            self.linker.declarer.fill_in()
        self.check_names([*before, *made])
        return tuple(made)

    def check_names(self, constraints: list[Constraint]) -> None:
        seen: dict[str, Constraint] = {}
        for c in constraints:
            if c.name in seen:
                self.report.error(
                    "E202",
                    f"there are two constraints '{c.name}'",
                    c.span,
                    "choose another name",
                    related=(Related(seen[c.name].span, "the other one is here"),),
                )
            seen.setdefault(c.name, c)

    def cuts(self, modules: list[Module]) -> tuple[Constraint, ...]:
        return tuple(
            c
            for m in modules
            for s in m.file.statements
            if isinstance(s, n.Cut)
            for c in self.rows((s.constraint,), m.name)
        )

    def rule(self, kind: type[T], modules: list[Module], work: Callable[..., object]):  # type: ignore[no-untyped-def]
        for m in modules:
            found = self.one(kind, m.file)
            if found is not None:
                return self.attempt(lambda: work(self.linker.expressions, found))
        return None

    def default_predict(self) -> PredictSpec | None:
        """Where a formulation has labels and says nothing else: the class of the greatest one."""
        if self.linker.declaration("label") is None:
            return None
        text = "predict class argmax {k in classes} label[l,k];"
        node = parse(Source("<default>", text)).statements[0]
        assert isinstance(node, n.Predict)
        return self.attempt(lambda: statements.predict(self.linker.expressions, node))

    # -------------------------------------------------------------------- result

    def known_symbols(self) -> list[tuple[str, Symbol]]:
        return [(k, s) for k, s in self.linker.symbols.items() if s is not None]

    def of(self, role: Role) -> tuple[Symbol, ...]:
        return tuple(s for _, s in self.known_symbols() if s.role is role)

    def tree_name(self) -> str:
        named = self.one(n.TreeName, self.file)
        return named.name if named else "tree"


def objective_as_let(node: n.Objective) -> n.Let:
    """A named objective can be mentioned as a term: `svm + 32 * …`."""
    assert node.name is not None
    start = node.span.text.index(node.name)
    at = node.span.source.span(node.span.start + start, node.span.start + start + len(node.name))
    return n.Let(name=node.name, name_span=at, value=node.value, tag=node.tag, span=node.span)
