"""Checks of a whole text: statements that must be there, once, and that fit each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from treemip.core.registry import separators, solver_names
from treemip.core.resolve.builtins import (
    BASE_SETS,
    CONSTANTS,
    DATA,
    OF_CLASSES,
    SEPARATED,
    builtin,
)
from treemip.core.resolve.link import Linker
from treemip.core.resolve.modules import Module, statements_of
from treemip.core.resolve.settings.data_spec import DataNames, DataSpec, as_column
from treemip.core.resolve.settings.selection import Selection
from treemip.core.resolve.settings.separation import is_initial
from treemip.core.resolve.settings.topology import KINDS
from treemip.core.resolve.settings.words import words_of
from treemip.core.resolve.spec import Constraint, PredictSpec, RouteSpec
from treemip.core.resolve.tree_rules import DEFAULT_RULE
from treemip.core.resolve.typed import BaseSet, Role
from treemip.core.source.diagnostic import Fix, Related, Report
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.nodes import mentioned
from treemip.core.syntax.scan import word_span

T = TypeVar("T")

CHANCE = "write  route left with probability logistic(dot(coef[t,*], x[i,*]) - bias[t]);"
ROUTE = "route left when dot(coef[t,*], x[i,*]) <= bias[t];"

WORDS: dict[type, str] = {
    n.Header: "formulation",
    n.TreeName: "tree",
    n.Objective: "minimize or maximize",
}


def the_one(kind: type[T], file: n.File, report: Report) -> T | None:
    """The one statement of a kind; each further one is an error (E209)."""
    statements = [s for s in file.statements if isinstance(s, kind)]
    for extra in statements[1:]:
        message = f"there is a second '{WORDS.get(kind, kind.__name__.lower())}' statement"
        related = (Related(statements[0].span, "the first one is here"),)
        remedy, fix = "keep one of the two", Fix.delete(extra.span)
        report.error("E209", message, extra.span, remedy, related=related, fix=fix)
    return statements[0] if statements else None


def check_complete(
    file: n.File,
    split: n.Split | None,
    data: n.Data | None,
    topology: n.Topology | None,
    report: Report,
) -> None:
    """A split needs data and a topology; a text needs something to solve. Reports E208."""
    if split is None:
        if not any(isinstance(s, n.Header | n.Var) for s in file.statements):
            message = "nothing to solve: there is no split and there are no variables"
            remedy = "add: split oblique by soct;"
            report.error("E208", message, file.span.source.span(0, 0), remedy)
        return
    if data is None:
        report.error(
            "E208", "a split needs data", split.span, 'add: data "file.csv" { label class; }'
        )
    if topology is None:
        before = split.span.source.span(split.span.start, split.span.start)
        remedy, fix = f"add: {KINDS['complete']}", Fix.write(before, f"{KINDS['complete']}\n")
        report.error("E208", "a split needs a topology", split.span, remedy, fix=fix)


def check_header(header: n.Header | None, stated: frozenset[str], report: Report) -> bool:
    """A formulation's file needs a spec that gives data and topology. Reports E208 and returns True
    where such a file is used as a spec; a file with data or a topology is a spec."""
    if header is None or stated:
        return False
    message = f"'{header.name}' is a formulation, and this text has no data and no topology for it"
    remedy = (
        'write a spec:  data "file.csv" { label class; } topology complete(depth = 2); '
        f"split {header.kind} by {header.name};"
    )
    report.error("E208", message, header.span, remedy)
    return True


def check_rules(
    modules: list[Module],
    route: RouteSpec | None,
    predict: PredictSpec | None,
    kind: str,
    linker: Linker,
) -> None:
    """`route` and `predict` fit each other, so that a solution can be read as a tree.

    Reports E208 where one of them stands alone, or without data and a topology, E215 where the
    spec's route makes splits of another `kind` than the spec says. A text without either has no
    tree and is compiled only.
    """
    report = linker.report
    if route is not None and predict is None and not any(statements_of(modules, n.Predict)):
        message = "no rule says what a leaf predicts, so no tree can be read from a solution"
        remedy = (
            "declare  var label {l in leaves, k in classes} binary;  "
            "or add  predict class argmax {k in classes} …;"
        )
        report.error("E208", message, route.span, remedy)
    stated = predict is not None and predict.span.source.name != DEFAULT_RULE
    if predict is not None and stated and not any(statements_of(modules, n.Route)):
        report.error(
            "E208",
            "no rule says which points go left, so no tree can be read from a solution",
            predict.span,
            f"add: {ROUTE}",
        )
    if route is None:
        return
    for statement in sorted(linker.lacking - linker.missed):
        linker.attempt(lambda: linker.require(statement, "route", route.span))
    randomized = route.probability is not None
    if kind and randomized != (kind == "randomized"):
        rule = "a probability" if randomized else "a comparison"
        report.error(
            "E215",
            f"the spec says {kind} splits, but its route is {rule}",
            route.span,
            f"write  split randomized …;  or  {ROUTE}" if randomized else CHANCE,
        )


def check_columns(data: DataSpec | None, modules: list[Module], report: Report) -> None:
    """Groups and known numbers are mentioned by name, so nothing else may have that name (E202)."""
    if data is None:
        return
    named = [("a group", ref) for ref in data.group]
    for what, ref in [*named, *(("a known number", ref) for ref in data.number)]:
        name = ref.name
        word = "group" if what == "a group" else "number"
        remedy = f"give it another name:  {word} another_name from {as_column(ref.text)};"
        if name in (*BASE_SETS, *CONSTANTS, *DATA, "missing"):
            message = f"{what} cannot be called '{name}': that is {builtin(name)} of the language"
            report.error("E202", message, ref.span, remedy)
            continue
        for m in modules:
            declared = m.declarations.get(name) or m.concepts.get(name)
            if declared is not None:
                who = "the spec" if m.role == "spec" else m.name
                report.error(
                    "E202",
                    f"{what} cannot be called '{name}', which {who} declares",
                    ref.span,
                    remedy,
                    related=(Related(declared.name_span, "declared here"),),
                )
                break


def check_label(
    data: DataSpec | None, split: n.Split | None, modules: list[Module], report: Report
) -> bool:
    """Whether the label does not suit the formulation, which then cannot be resolved.

    Reports E206 for numbers instead of classes or the reverse, E208 for a missing label.
    """
    of_formulation = [m for m in modules if m.role == "formulation" and not m.asked_as]
    header = next((m for m, _ in statements_of(of_formulation, n.Header)), None)
    if data is None or split is None or header is None:
        return False
    if not data.label.text and data.label_kind != "none":
        return True  # what stands there was an error, and says nothing of classes or numbers
    place = split.by.span if split.by else split.span
    names = {name for m in of_formulation for name in mentioned(m.file.statements)}
    numbers = any(p.kind == "value" for _, p in statements_of(of_formulation, n.Predict))
    if data.label_kind == "class":
        if "y" not in names or not numbers:
            return False
        report.add(DataNames.of(data).without_numbers(header.name, place))
        return True
    needed = OF_CLASSES | ({"y"} if data.label_kind == "none" else set())
    if needed.isdisjoint(names):
        return False
    lacking = DataNames.of(data).without_classes(header.name, place, numbers)
    own = [d for d in modules[0].declarations.values() if isinstance(d, n.Var)]
    if split.by is None and own:
        message = (
            f"the spec declares '{own[0].name}' but no `route`, so `split {split.kind}` takes the "
            f"default formulation, and {lacking.message}"
        )
        remedy = f"for a formulation of your own add: {ROUTE}  or, for that one, {lacking.remedy}"
        lacking = replace(lacking, message=message, remedy=remedy)
    report.add(lacking)
    return True


def check_weight(data: DataSpec | None, select: Selection | None, linker: Linker) -> None:
    """Warn (W302) about weights that the model does not use."""
    if "weight" in linker.symbols:
        return
    if select is not None and select.kind == "iterative":
        linker.report.warn(
            "W302",
            "'select iterative' gives points a greater weight, and nothing here depends on weights",
            select.span,
            "minimize misclassified;  counts each point with its weight",
        )
    if data is None or data.weight is None:
        return
    message = f"nothing here depends on the weights of '{data.weight.text}': each point counts once"
    remedy = "minimize misclassified;  counts each point with its weight"
    linker.report.warn("W302", message, data.weight.span, remedy)


def check_concepts(modules: list[Module], report: Report) -> None:
    """Warn (W203) about concepts of the spec that have a meaning but no default or declaration."""
    declared = {name for m in modules for name in m.declarations}
    for concept in modules[0].concepts.values():
        if concept.default is None and concept.name not in declared:
            message = (
                f"the concept '{concept.name}' provides nothing: it has no default, and nothing "
                "here declares it"
            )
            remedy = f"add a default,  = …;  or declare  var {concept.name}  or  let {concept.name}"
            report.warn("W203", message, concept.name_span, remedy)


def check_strategy(
    blocks: list[n.Strategy],
    rows: list[Constraint],
    cuts: tuple[Constraint, ...],
    route: RouteSpec | None,
    linker: Linker,
    report: Report,
) -> None:
    """The cuts, rows and variables that the strategy names are there (E212), each named once
    (E209); what is decomposed is a randomized tree, by Ipopt (E213)."""
    over = {c.name: sets for c in cuts if (sets := separated_set(c)) is not None}
    names = [c.name for c in cuts if c.name not in over]
    separated = [c.name for c in rows] + names
    named: list[n.Word] = []
    variables = [k for k, s in linker.symbols.items() if s and s.role is Role.VARIABLE]
    concepts = {k for m in linker.modules for k in m.concepts}
    for setting in (s for block in blocks for s in block.settings):
        words = words_of(setting)
        if setting.key == "cuts":
            words = _without_over_separated([w for w in words if not is_initial(w)], over, report)
            remedy = f"the cuts are {listed(names)}" if names else "this formulation has no cuts"
            _check_words("cut", words, names, remedy, report)
        elif setting.key == "separate":
            kept = [w.name == "by" and w.arguments is None for w in words]
            named += words[: kept.index(True)] if any(kept) else []
        elif setting.key == "decompose":
            _check_decompose(setting, blocks, route, report)
        elif setting.key == "priority":
            known = [*variables, *concepts, "root_first"]
            remedy = f"the variables are {listed(variables)}"
            _check_words("variable", words, known, remedy, report)
    named = _without_over_separated(named, over, report)
    there_are = f"the rows and cuts are {listed(separated)}"
    remedy = there_are if separated else "this formulation has neither rows nor cuts"
    _check_words("family of rows or cuts", named, separated, remedy, report)


def is_over_separated(family: Constraint) -> bool:
    """Whether a family has a row for each support or flow cut that a separator finds."""
    return separated_set(family) is not None


def separated_set(family: Constraint) -> str | None:
    """The set, filled by separators, that the family ranges over; None if there is no such set."""
    sets = (binder.set for binder in family.domain.binders)
    names = (s.name for s in sets if isinstance(s, BaseSet) and s.name in SEPARATED)
    return next(names, None)


def _without_over_separated(
    words: list[n.Word], over: dict[str, str], report: Report
) -> list[n.Word]:
    """The words that name an ordinary family; E212 for families over what a separator finds."""
    for word in words:
        if (members := over.get(word.name or "")) is not None:
            able = next(name for name, one in separators().items() if one.over == members)
            found = members.replace("_", " ")
            message = f"'{word.name}' has rows only where a separator has found {found}"
            remedy = f"name the separator: cuts {able}(rounds = 3);  or  separate {able};"
            report.error("E212", message, word.span, remedy)
    return [word for word in words if word.name not in over]


def _check_decompose(
    setting: n.Setting, blocks: list[n.Strategy], route: RouteSpec | None, report: Report
) -> None:
    place = word_span(setting.span, setting.key)
    if route is None or route.probability is None:
        report.error(
            "E213",
            "'decompose' is for randomized trees, whose training problem is smooth",
            place,
            "leave it out: start search;  and exact solvers train deterministic trees; or take"
            " split randomized by mrct;  or, for numbers, by sorrt;",
            fix=Fix.delete(setting.span),
        )
    chosen = [s for block in blocks for s in block.settings if s.key == "solver"]
    for other in chosen[-1:]:  # a spec's own goes before its formulation's
        word = other.groups[0][0] if other.groups else None
        if word is not None and word.name in solver_names() and word.name != "ipopt":
            related = (Related(other.span, "another solver is chosen here"),)
            message = (
                f"'decompose' solves smooth subproblems by Ipopt, and the solver is {word.name}"
            )
            remedy = "take solver ipopt;  or leave out decompose"
            report.error("E213", message, place, remedy, related=related)


def _check_words(
    what: str, words: list[n.Word], known: list[str], remedy: str, report: Report
) -> None:
    first: dict[str, n.Word] = {}
    for word in words:
        name = word.name or word.string or ""
        if name not in known or word.arguments is not None:
            message, hint = f"there is no {what} '{name}'", did_you_mean(name, known)
            report.error("E212", message, word.span, remedy, hint)
        elif first.setdefault(name, word) is not word:
            related = (Related(first[name].span, "first named here"),)
            fix = Fix.delete_of_list(word.span)
            report.error("E209", f"'{name}' is named twice", word.span, related=related, fix=fix)
