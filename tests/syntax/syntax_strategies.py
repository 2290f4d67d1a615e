"""Random nodes of every kind, as a program would build them: no spans, no Group."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from hypothesis import strategies as st

from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.faults.machine import REDUCTIONS, STATEMENT_WORDS

NOWHERE = Source("<python>", "").span(0, 0)

WORDS = {
    *REDUCTIONS, *STATEMENT_WORDS, "if", "then", "else", "and", "or", "not", "in", "by", "default",
    "means", "binary", "integer", "free", "left", "class", "distribution", "to", "splits",
}  # fmt: skip

names = st.from_regex(r"[A-Za-zλβñ_][A-Za-z0-9_éß]{0,4}", fullmatch=True).filter(
    lambda name: name not in WORDS
)
texts = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=8)
labels = st.text("abξ%\\\"' ", min_size=1, max_size=4)
operators = st.sampled_from(["<=", ">=", "=", "<", ">", "!="])


def make(kind: type, /, **parts: Any) -> st.SearchStrategy:
    return st.builds(kind, span=st.just(NOWHERE), **parts)


def declared(kind: type, /, **parts: Any) -> st.SearchStrategy:
    return make(kind, name=names, name_span=st.just(NOWHERE), **parts)


def tuples(elements: st.SearchStrategy, least: int = 0, most: int = 3) -> st.SearchStrategy:
    return st.lists(elements, min_size=least, max_size=most).map(tuple)


numbers = st.sampled_from(["0", "1", "2.50", "1e-3", "7.0", "12345678901", "3.5E+2"]).map(
    lambda text: n.Number(value=float(text), text=text, span=NOWHERE)
)
_leaves = st.one_of(numbers, make(n.String, value=texts), make(n.Name, name=names))


# Named by `deferred`, so that the strategies refer to one another instead of being written out.
expressions: st.SearchStrategy = st.deferred(lambda: _leaves | _leaves | _compound)
conditions: st.SearchStrategy = st.deferred(lambda: _tests | _tests | _combined)
arguments: st.SearchStrategy = st.deferred(lambda: tuples(_argument))
sets = expressions | make(n.Range, lower=expressions, upper=expressions)
_binder_names = st.just(("i",)) | names.map(lambda name: (name,)) | st.just(("i", "k"))
domains = make(
    n.Domain,
    binders=tuples(make(n.Binder, names=_binder_names, set=sets), most=2),
    condition=st.none() | conditions,
)
_argument = st.one_of(
    make(n.Argument, value=expressions),
    make(n.Argument, value=expressions, name=names),
    make(n.Argument, value=expressions, key=numbers | make(n.String, value=st.just("a"))),
)
_compound = st.one_of(
    make(
        n.Name,
        name=names,
        arguments=st.none() | arguments,
        indices=st.none() | tuples(expressions | make(n.All), least=1, most=2),
    ),
    make(n.Negative, operand=expressions),
    make(n.Binary, op=st.sampled_from("+-*/^"), left=expressions, right=expressions),
    make(n.Binary, op=st.sampled_from("+*"), left=expressions, right=expressions),
    make(n.Choice, condition=conditions, then=expressions, otherwise=expressions),
    make(n.Reduction, op=st.sampled_from(REDUCTIONS), domain=domains, body=expressions),
    make(n.Comprehension, domain=domains),
    make(n.Texts, texts=tuples(make(n.String, value=st.just("a")), least=1)),
)
_tests = st.one_of(
    make(n.Comparison, left=expressions, op=operators, right=expressions),
    make(
        n.Comparison,
        left=expressions,
        op=operators,
        right=expressions,
        op2=operators,
        right2=expressions,
    ),
    make(
        n.Member,
        item=expressions | make(n.Tuple, parts=tuples(_leaves, least=2)),
        set=sets,
        negated=st.booleans(),
    ),
)
_combined = st.one_of(
    make(n.AnyOf, parts=tuples(conditions, least=2)),
    make(n.AllOf, parts=tuples(conditions, least=2)),
    make(n.Negated, operand=conditions),
)
_doc = st.just("") | texts
_symbol = st.just("") | labels.filter(lambda text: not text.startswith("("))
_tag = st.just("") | labels.map(lambda text: f"({text}")
_domain = st.none() | domains


relations = st.one_of(
    make(n.Relation, left=expressions, op=operators, right=expressions),
    make(
        n.Relation,
        left=expressions,
        op=operators,
        right=expressions,
        op2=operators,
        right2=expressions,
    ),
)
_guards = st.lists(
    make(n.Guard, left=expressions, op=operators, value=expressions), min_size=1, max_size=3
).map(tuple)
_implications = st.one_of(
    make(n.Implication, guards=_guards, body=relations),
    make(
        n.Implication,
        guards=_guards,
        body=relations,
        method=names,
        argument=st.none() | expressions,
    ),
)
_senses = st.sampled_from(["minimize", "maximize"])
_objectives = st.one_of(
    make(n.Objective, sense=_senses, value=expressions),
    make(n.Objective, sense=_senses, value=expressions, name=names, tag=st.just("") | labels),
)
rows = st.recursive(
    relations | _implications,
    lambda body: make(n.LocalSet, name=names, set=sets, body=body),
    max_leaves=2,
)
_asked = make(n.Asked, module=make(n.Reference, text=names), arguments=arguments)
constraints: st.SearchStrategy = st.deferred(lambda: _constraints)
_constraints = declared(n.Constraint, tag=st.just("") | labels, domain=_domain, body=rows | _asked)

references = st.one_of(
    make(n.Reference, text=names), make(n.Reference, text=texts, is_path=st.just(True))
)
_words = st.one_of(
    make(n.Word, name=names, arguments=st.none() | arguments),
    make(n.Word, string=texts),
    make(n.Word, number=st.floats(-1e6, 1e6) | st.integers(-9, 9).map(float)),
)
settings_: st.SearchStrategy = st.deferred(lambda: _settings)
_settings = make(n.Setting, key=names, groups=tuples(tuples(_words, least=1)))
_bounds = make(n.Bound, op=operators, value=expressions)
_shared = {"symbol": _symbol, "tag": _tag, "domain": _domain}

_simple: st.SearchStrategy = st.deferred(lambda: st.one_of(_statements))
_statements = (
    make(n.Header, name=names, kind=names, paper=_doc),
    make(n.TreeName, name=names),
    make(n.Use, module=references),
    make(n.Split, kind=names),
    make(n.Split, kind=names, by=references, arguments=arguments),
    make(n.Topology, kind=names, arguments=arguments, text=st.none() | texts),
    make(n.Data, path=texts, settings=tuples(settings_)),
    make(n.Strategy, settings=tuples(settings_)),
    declared(n.Param, value=expressions, doc=_doc, **_shared),
    declared(n.SetDeclaration, domain=_domain, value=sets),
    declared(n.TreeDeclaration, domain=_domain, value=expressions),
    declared(
        n.Var,
        kind=st.sampled_from(["binary", "integer", "continuous"]),
        bounds=tuples(_bounds, most=2),
        means=st.none() | expressions,
        doc=_doc,
        **_shared,
    ),
    declared(n.Let, value=expressions, **_shared),
    st.lists(st.tuples(names, st.none() | numbers), max_size=3).flatmap(
        lambda given: declared(
            n.Term,
            parameters=st.just(tuple(name for name, _ in given)),
            defaults=st.just(tuple(default for _, default in given)),
            value=expressions,
        )
    ),
    make(n.Subject, constraints=tuples(constraints, least=1, most=2)),
    make(n.Cut, constraint=constraints),
    st.tuples(tuples(names, least=1), tuples(names)).map(
        lambda d: n.Drop(
            names=d[0],
            name_spans=(NOWHERE,) * len(d[0]),
            when=d[1],
            when_spans=(NOWHERE,) * len(d[1]),
            span=NOWHERE,
        )
    ),
    st.lists(_objectives, min_size=1, max_size=3).map(
        lambda objectives: replace(objectives[0], then=tuple(objectives[1:]))
    ),
    make(
        n.Requires,
        word=st.sampled_from(["requires", "advise"]),
        condition=conditions,
        message=texts,
        domain=_domain,
    ),
    make(n.Route, left=expressions, op=operators, right=expressions),
    make(n.Route, probability=expressions),
    make(n.Predict, kind=st.sampled_from(["class", "distribution"]), value=expressions),
)
statements: st.SearchStrategy = st.deferred(lambda: _simple | _concepts)
_concepts = declared(
    n.Concept,
    domain=_domain,
    doc=_doc,
    means=st.none() | expressions,
    default=st.none() | expressions | tuples(statements, most=2),
)
files = make(n.File, statements=tuples(statements, most=4))


def ungrouped(node: Any) -> Any:
    """The same tree without the brackets the author wrote."""
    if isinstance(node, n.Group):
        return ungrouped(node.inner)
    if isinstance(node, tuple):
        return tuple(ungrouped(part) for part in node)
    if isinstance(node, n.Node):
        return type(node)(**{f.name: ungrouped(getattr(node, f.name)) for f in fields(node)})
    return node
