"""The texts a spec is linked from, and what each of them declares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from treemip.resolve.builtins import BASE_SETS, CONSTANTS, DATA, FUNCTION_NAMES, NUMBERS, builtin
from treemip.resolve.library import formulation_names, module
from treemip.resolve.pointing import word
from treemip.source.diagnostic import Related, Report
from treemip.source.span import Span
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes as n


@dataclass
class Module:
    """A text's declarations by name. `role` is "spec", "formulation" or "vocabulary"."""

    role: str
    name: str
    file: n.File
    declarations: dict[str, n.Declaration] = field(default_factory=dict)
    concepts: dict[str, n.Concept] = field(default_factory=dict)


def gather(file: n.File, formulation: str, split: n.Split | None, report: Report) -> list[Module]:
    """Spec, formulation, used modules, vocabulary: the order of look-up."""
    found = [Module("spec", "spec", file)]
    if formulation and split:
        _take("formulation", formulation, word(split.span, formulation, 3), found, report)
    seen = 0
    while seen < len(found):  # a used module may use others
        for statement in found[seen].file.statements:
            if isinstance(statement, n.Use):
                place = word(statement.span, statement.name, 1)
                _take("module", statement.name, place, found, report)
        seen += 1
    vocabulary = module("vocabulary")
    assert vocabulary is not None
    found.append(Module("vocabulary", "vocabulary", vocabulary))
    for one in found:
        _collect(one, report)
    return found


def _take(what: str, name: str, span: Span, found: list[Module], report: Report) -> None:
    """Append a library module once; the vocabulary is always there and comes last.

    Reports E210 for one that is not there, E209 for a formulation that is `use`d.
    """
    if name == "vocabulary" or any(m.name == name for m in found[1:]):
        return
    text = module(name)
    if text is not None:
        header = any(isinstance(s, n.Header) for s in text.statements)
        if what == "module" and header:
            message = f"'{name}' is a formulation: `split` names it, not `use`"
            report.error("E209", message, span, f"write: split … by {name};")
            return
        found.append(Module("formulation", name, text))
        return
    known = formulation_names()
    report.error(
        "E210",
        f"unknown {what} '{name}'",
        span,
        f"the library has {listed(known)}",
        did_you_mean(name, known),
    )


def _collect(m: Module, report: Report) -> None:
    """Fill a module's tables of declarations; a name declared twice is an error."""
    for statement in m.file.statements:
        if isinstance(statement, n.Concept):
            _enter(m.concepts, statement, report)
        elif isinstance(statement, n.Declaration):
            _enter(m.declarations, statement, report)
        elif isinstance(statement, n.Objective) and statement.name:
            _enter(m.declarations, objective_as_let(statement), report)


def _enter(
    table: dict[str, n.Concept] | dict[str, n.Declaration], node: n.Declaration, report: Report
) -> None:
    before = table.get(node.name)
    if before is not None:
        report.error(
            "E202",
            f"'{node.name}' is declared twice",
            node.name_span,
            related=(Related(before.name_span, "first declared here"),),
        )
    elif node.name in (*BASE_SETS, *CONSTANTS, *NUMBERS, *DATA, *FUNCTION_NAMES):
        report.error(
            "E202",
            f"'{node.name}' is {builtin(node.name)} of the language",
            node.name_span,
            "choose another name",
        )
    else:
        table[node.name] = node  # type: ignore[assignment]


def objective_as_let(node: n.Objective) -> n.Let:
    """A named objective can be mentioned as a term: `svm + 32 * …`."""
    assert node.name is not None
    at = word(node.span, node.name, 1)
    return n.Let(name=node.name, name_span=at, value=node.value, tag=node.tag, span=node.span)


def declared_apart(modules: list[Module], report: Report) -> None:
    """No module declares what another one has, but for a spec's own parameters and sets."""
    for later, m in enumerate(modules):
        for before in modules[:later]:
            if m.role == "vocabulary" and before.role == "formulation":
                continue  # a formulation's own term of a vocabulary's name
            for name, there in m.declarations.items():
                here = before.declarations.get(name)
                if here is not None and not _replaces(before, here, there):
                    del before.declarations[name]  # what follows from it would be noise
                    report.error(
                        "E202",
                        f"'{name}' is already declared by {m.name}",
                        here.name_span,
                        "choose another name",
                        related=(Related(there.name_span, "declared here"),),
                    )


def route_forgotten(modules: list[Module], split: n.Split | None, report: Report) -> bool:
    """A spec that names no formulation and declares variables gets the default formulation too.

    That is a slip where a formulation of its own lacks its `route`. Reports E208 and returns True
    where both declare the same names; warns (W201) otherwise.
    """
    default = next((m for m in modules if m.role == "formulation"), None)
    own = {k: d for k, d in modules[0].declarations.items() if isinstance(d, n.Var)}
    if split is None or split.formulation or default is None or not own:
        return False
    name = default.name
    both = [k for k in own if k in default.declarations]
    named = f"write  split {split.kind} by {name};"
    if not both:
        message = f"`split {split.kind}` takes the formulation {name} beside the spec's variables"
        remedy = f"{named}  if that is meant; a formulation of your own needs a `route` rule"
        report.warn("W201", message, split.span, remedy)
        return False
    message = (
        f"the spec declares {listed(both)} but no `route`, so `split {split.kind}` takes the "
        f"default formulation, {name}, which declares the same"
    )
    remedy = (
        "add a `route` rule if this is a formulation of your own, such as  route left when "
        f"dot(coef[t,*], x[i,*]) <= bias[t];  or {named}  and use its variables"
    )
    related = (Related(own[both[0]].name_span, "declared by the spec"),)
    report.error("E208", message, split.span, remedy, related=related)
    return True


def _replaces(module: Module, new: n.Declaration, old: n.Declaration) -> bool:
    """A spec may redeclare parameters and sets, over as many indices as they had."""
    if module.role != "spec" or type(new) is not type(old):
        return False
    return isinstance(new, n.Param | n.SetDeclaration)


def statements(modules: list[Module], kind: type) -> Iterator[tuple[Module, n.Statement]]:
    """All statements of a kind with their modules, in the order of look-up."""
    return ((m, s) for m in modules for s in m.file.statements if isinstance(s, kind))
