"""The texts a spec is linked from, what they declare, and the texts of the library.

Also the values that the spec and the command line give to the formulation's parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from treemip.core.resolve.builtins import DEFAULT_FORMULATIONS, builtin, is_builtin
from treemip.core.resolve.module_files import SPEC
from treemip.core.resolve.settings.selection import TOGETHER
from treemip.core.resources import library_path, shared_path
from treemip.core.source.diagnostic import Diagnostic, Fix, Related, Report, Severity, TreemipError
from treemip.core.source.span import Source, Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse
from treemip.core.syntax.scan import word_span

if TYPE_CHECKING:
    from treemip.core.resolve.spec import Constraint, Spec

S = TypeVar("S", bound=n.Statement)

VOCABULARY = "vocabulary"


def formulation_names() -> list[str]:
    """Names of the formulations in the library, sorted."""
    return sorted(p.stem for p in library_path().glob("*.tree") if p.stem != VOCABULARY)


def shared_names() -> list[str]:
    """Names of the library's modules that formulations `use`, sorted."""
    return sorted(p.stem for p in shared_path().glob("*.tree"))


@cache
def of_library(owner: str) -> bool:
    """Whether the rows and names of this owner are the library's; see `Module`."""
    return owner in (VOCABULARY, *formulation_names(), *shared_names())


def own_cuts(spec: Spec) -> frozenset[str]:
    """Names of the families of cuts of a spec that are not the library's."""
    return frozenset(cut.name for cut in spec.cuts if not of_library(cut.module))


def asked_by_selection(row: Constraint) -> bool:
    """Whether a row of a spec is there because its strategy selects points `together`."""
    module = library_module(TOGETHER)
    return module is not None and row.span.source == module.span.source


@cache
def library_module(name: str) -> n.File | None:
    """The parsed library module of that name, or None."""
    for folder in (library_path(), shared_path()):
        # Looked up in the folder's list, since a name may be none that a file can have.
        if name in {path.stem for path in folder.glob("*.tree")}:
            path = folder / f"{name}.tree"
            # Messages name library files by their place in the library, wherever it is installed.
            place = path.relative_to(library_path().parent).as_posix()
            return parse(Source(place, Source.read(path).text))
    return None


def library_statements(name: str) -> tuple[n.Statement, ...]:
    """The statements of a library module, behind them those of the modules that it uses."""
    names, statements = [name], list[n.Statement]()
    for one in names:
        file = library_module(one)
        for s in file.statements if file is not None else ():
            statements.append(s)
            if isinstance(s, n.Use) and s.module.text not in names:
                names.append(s.module.text)
    return tuple(statements)


# --------------------------------------------------------------------- texts and what they declare


@dataclass
class Module:
    """A text's declarations by name.

    role: "spec", "formulation" or "vocabulary"; "formulation" also of a module that is used.
    owner: whose rows and names these are: a formulation's name, for it and for what it uses, or
    "spec" or "vocabulary". path: of a file, "" of the spec; None in the library. written: how the
    text that names it does. asked_by: the setting of the strategy whose rows it has. asked_as: of a
    copy, the requirement that it is for. within: names of the modules whose copies asked for it.
    """

    role: str
    name: str
    file: n.File
    owner: str = SPEC
    path: str | None = None
    written: str = ""
    asked_by: Span | None = None
    asked_as: str = ""
    within: tuple[str, ...] = ()
    declarations: dict[str, n.Declaration] = field(default_factory=dict)
    concepts: dict[str, n.Concept] = field(default_factory=dict)


def statements_of(modules: Iterable[Module], kind: type[S]) -> Iterator[tuple[Module, S]]:
    """All statements of a kind with their modules, in the order of look-up."""
    return ((m, s) for m in modules for s in m.file.statements if isinstance(s, kind))


def formulation_of(
    split: n.Split | None, own: Callable[[], bool], report: Report
) -> n.Reference | None:
    """The formulation asked for, the split kind's default, or None when the spec is one itself.

    own: whether it is. Reports E215 for the kind.
    """
    if split is None:
        return None
    place = word_span(split.span, split.kind, 1)
    if split.kind not in DEFAULT_FORMULATIONS:
        message = f"unknown split kind '{split.kind}'"
        remedy = f"the kinds are {listed(DEFAULT_FORMULATIONS)}"
        report.error("E215", message, place, remedy, did_you_mean(split.kind, DEFAULT_FORMULATIONS))
        return split.by
    if split.by is not None or own():
        return split.by
    return n.Reference(text=DEFAULT_FORMULATIONS[split.kind], span=place)


def check_kind(split: n.Split | None, modules: list[Module], report: Report) -> None:
    """A formulation makes the splits that the spec says. Reports E215."""
    if split is None or split.kind not in DEFAULT_FORMULATIONS:
        return
    for m, header in statements_of(modules, n.Header):
        if header.kind != split.kind:
            message = f"{header.name} makes {header.kind} splits, not {split.kind} ones"
            remedy = "the header and the split of a spec must name the same kind"
            if m.role == "formulation":
                remedy = f"write: split {header.kind} by {m.written};"
            place = word_span(split.span, split.kind, 1)
            fix = Fix.write(place, header.kind)
            report.error("E215", message, place, remedy, fix=fix)


def collect(m: Module, report: Report) -> None:
    """Fill a module's tables of declarations; a name declared twice is an error."""
    for statement in m.file.statements:
        if isinstance(statement, n.Concept):
            _enter(m.concepts, statement, report)
        elif isinstance(statement, n.Declaration):
            _enter(m.declarations, statement, report)
        elif isinstance(statement, n.Objective):
            for one in (statement, *statement.then):
                if one.name:
                    _enter(m.declarations, objective_as_let(one), report)


def _enter(
    table: dict[str, n.Concept] | dict[str, n.Declaration], node: n.Declaration, report: Report
) -> None:
    before = table.get(node.name)
    if before is not None:
        related = (Related(before.name_span, "first declared here"),)
        report.error("E202", f"'{node.name}' is declared twice", node.name_span, related=related)
    elif is_builtin(node.name):
        message = f"'{node.name}' is {builtin(node.name)} of the language"
        report.error("E202", message, node.name_span, "choose another name")
    else:
        table[node.name] = node  # type: ignore[assignment]


def objective_as_let(node: n.Objective) -> n.Let:
    """A named objective can be mentioned as a term: `svm + 32 * …`."""
    assert node.name is not None
    at = word_span(node.span, node.name, 1)
    return n.Let(name=node.name, name_span=at, value=node.value, tag=node.tag, span=node.span)


def declared_apart(modules: list[Module], report: Report) -> None:
    """No two modules declare the same name, except for parameters and sets; see `_replaces`."""
    for later, m in enumerate(modules):
        for before in modules[:later]:
            if m.role == "vocabulary" and before.role == "formulation":
                continue  # a formulation's own term of a vocabulary's name
            for name, there in m.declarations.items():
                here = before.declarations.get(name)
                if here is not None and not _replaces(before, here, there):
                    del before.declarations[name]  # what follows from it would be noise
                    message = f"'{name}' is already declared by {m.name}"
                    remedy = "choose another name"
                    related = (Related(there.name_span, "declared here"),)
                    report.error("E202", message, here.name_span, remedy, related=related)


def route_forgotten(modules: list[Module], split: n.Split | None, report: Report) -> bool:
    """A spec that declares variables but names no formulation still gets the default one.

    That is a mistake where the spec holds its own formulation and lacks a `route`. Reports E208 and
    returns True where both declare the same names; warns (W201) otherwise.
    """
    default = next((m for m in modules if m.owner not in (SPEC, VOCABULARY)), None)
    own = {k: d for k, d in modules[0].declarations.items() if isinstance(d, n.Var)}
    if split is None or split.by or default is None or not own:
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
    """A spec may redeclare parameters and sets, over as many indices as they had, and so may a
    formulation those of the modules that it uses."""
    formulation = module.file.header is not None
    if not (module.role == "spec" or formulation) or type(new) is not type(old):
        return False
    return isinstance(new, n.Param | n.SetDeclaration)


# ---------------------------------------------------------------------------- values of parameters


def override(
    modules: list[Module], split: n.Split | None, options: Iterable[tuple[str, str]], report: Report
) -> None:
    """Replace values that the modules give. Reports E209, E211, E902."""
    _by_arguments(modules, split, report)
    _by_spec(modules, split, report)
    for name, text in options:
        _by_option(name, text, modules, report)


def parameters(modules: list[Module]) -> dict[str, tuple[Module, n.Param]]:
    """Parameters by name, each from the first module that declares it."""
    declared_in: dict[str, tuple[Module, n.Param]] = {}
    for m in modules:
        for name, declared in m.declarations.items():
            if isinstance(declared, n.Param):
                declared_in.setdefault(name, (m, declared))
    return declared_in


def formulations(modules: list[Module]) -> list[Module]:
    return [m for m in modules if m.role == "formulation"]


def _by_arguments(modules: list[Module], split: n.Split | None, report: Report) -> None:
    if split is None or not split.arguments:
        return
    known = parameters(formulations(modules))
    named: set[str] = set()
    for argument in split.arguments:
        name = argument.name
        if name is None:
            report.error(
                "E211", "a formulation's parameters are given by name", argument.span, _such(known)
            )
        elif name not in known:
            message = f"'{split.by.text if split.by else split.kind}' has no parameter '{name}'"
            hint = did_you_mean(name, known)
            report.error("E211", message, word_span(argument.span, name), _listed(known), hint)
        elif name in named:
            report.error("E209", f"'{name}' is given twice", word_span(argument.span, name))
        else:
            m, old = known[name]
            m.declarations[name] = replace(old, value=argument.value)
            named.add(name)


def _such(known: Iterable[str]) -> str:
    return next((f"for example {name} = 0.01" for name in known), "it has no parameters")


def _listed(known: Iterable[str]) -> str:
    names = listed(known)
    return f"its parameters are {names}" if names else "it has no parameters"


def _by_spec(modules: list[Module], split: n.Split | None, report: Report) -> None:
    """A spec's parameter without indices gives its value to the formulation's of that name. Warns
    (W202), since the name may be a coincidence; `by soct(eps = …)` cannot be one. A module that the
    spec itself uses takes values in no other way."""
    spec, known = modules[0], parameters(formulations(modules))
    for name, declared in list(spec.declarations.items()):
        if name in known and isinstance(declared, n.Param) and declared.domain is None:
            m, _ = known[name]
            old = m.declarations[name]
            assert isinstance(old, n.Param)
            if m.owner != SPEC:
                report.add(_overrides(declared, old, m, split))
            m.declarations[name] = replace(old, value=declared.value, name_span=declared.name_span)
            del spec.declarations[name]


def _overrides(new: n.Param, old: n.Param, module: Module, split: n.Split | None) -> Diagnostic:
    """W202: a parameter of the spec gives its value to one of its formulation."""
    name, remedy = new.name, "if that is not meant, choose another name"
    if split:
        by = split.by.span.text if split.by else module.owner
        chosen = f"split {split.kind} by {by}({name} = …);"
        remedy = f"if that is meant, write  {chosen}  else choose another name"
    message = f"the param '{name}' overrides the parameter of that name in {module.name}"
    related = (Related(old.name_span, "the parameter that it overrides"),)
    return Diagnostic(
        "W202", message, new.name_span, remedy, related=related, severity=Severity.WARNING
    )


def _by_option(name: str, text: str, modules: list[Module], report: Report) -> None:
    known = parameters(modules)
    if name not in known:
        message = f"-p {name}={text}: there is no parameter '{name}'"
        remedy = did_you_mean(name, known) or (
            f"the parameters are {listed(known)}" if known else "this spec has none"
        )
        report.add(Diagnostic.outside("E211", message, remedy))
        return
    value = option_value(name, text)
    if value is None:
        report.add(
            Diagnostic.outside(
                "E902",
                f"-p {name}={text}: '{text}' is not one value"
                if text.strip()
                else f"-p {name}=: there is no value",
                f"write a number or an expression of known values, such as -p {name}=0.01",
            )
        )
        return
    m, old = known[name]
    m.declarations[name] = replace(old, value=value)


def option_value(name: str, text: str) -> n.Expr | None:
    """The expression in an option's text, or None if the text is not exactly one expression."""
    source = Source(f"-p {name}={text}", f"param {name} = {text};")
    try:
        statements = parse(source).statements
    except TreemipError:
        return None
    only = statements[0] if len(statements) == 1 else None
    return only.value if isinstance(only, n.Param) and not only.doc else None
