"""Values by name: parameters of a formulation of the library, and those of a user's own texts.

A name that nothing depends on is refused: it is misspelt, or the objective is another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from treemip.core.resolve.formulations import formulation_named
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import scan
from treemip.study.sklearn.errors import invalid

ROOTS = (n.Subject, n.Var, n.Route, n.Predict)
"""Statements of a formulation that are part of every model."""


def splits_of(formulation: str) -> str:
    """The kind of a formulation's splits; "univariate" for an unknown one, which the reader of
    the spec refuses."""
    return next((s.kind for s in _statements(formulation) if isinstance(s, n.Header)), "univariate")


def parameters_of(formulation: str) -> tuple[str, ...]:
    return tuple(s.name for s in _statements(formulation) if isinstance(s, n.Param))


def takes_two_classes(formulation: str) -> bool:
    """Whether the formulation requires a label of two classes."""
    return any(
        isinstance(s, n.Requires) and s.word == "requires" and _is_two_classes(s.condition)
        for s in _statements(formulation)
    )


def _is_two_classes(condition: n.Expr) -> bool:
    """Whether the condition is  card(classes) = 2."""
    return (
        isinstance(condition, n.Comparison)
        and condition.op == "="
        and set(n.mentioned(condition)) == {"card", "classes"}
        and isinstance(condition.right, n.Number)
        and condition.right.value == 2
    )


def _statements(formulation: str) -> tuple[n.Statement, ...]:
    try:
        return formulation_named(formulation).statements
    except TreemipError:  # the reader of the spec says what is wrong
        return ()


def require_mentioned(params: Mapping[str, Any], formulation: str, texts: Iterable[str]) -> None:
    """Raises E211 for a name that is no parameter of the formulation and in none of the texts, and
    E202 for one that is both: a value meant for the texts would change the formulation."""
    known = parameters_of(formulation)
    words = {lexeme.text for text in texts for lexeme in scan(text) if lexeme.kind == "name"}
    for name in params:
        if name in known and name in words:
            message = f"'{name}' in params is a parameter of {formulation} and also in your texts"
            raise invalid("E202", message, "give the one in your texts another name")
        if name in known or name in words:
            continue
        has = f"{formulation} has {listed(known)}" if known else f"{formulation} has none"
        raise invalid(
            "E211",
            f"params has '{name}', which is no parameter of {formulation} and is not mentioned by "
            "the objective, a constraint or a definition",
            did_you_mean(str(name), [*known, *sorted(words)]) or has,
        )


def require_used(params: Mapping[str, Any], formulation: str, spec: n.File) -> None:
    """Raises E211 for a parameter of the formulation that only its own objective depends on, where
    the spec has another one."""
    library = _statements(formulation)
    own = [s for s in library if isinstance(s, n.Objective)]
    replaced = any(isinstance(s, n.Objective) for s in spec.statements)
    used = _depended_on(library, [*spec.statements, *(() if replaced else own)])
    for name in params:
        if name in parameters_of(formulation) and name not in used:
            names = [objective.name for objective in own if objective.name]
            remedy = f'objective="{names[0]}" is {formulation}\'s own' if names else ""
            message = f"nothing depends on the parameter '{name}' of {formulation}"
            raise invalid("E211", f"{message} with this objective", remedy)


def _depended_on(library: tuple[n.Statement, ...], roots: list[n.Statement]) -> set[str]:
    """All names that the roots mention, and what defines these in the formulation mentions."""
    named = (n.Declaration, n.Objective)
    defined = {s.name: s for s in library if isinstance(s, named) and s.name is not None}
    waiting: list[n.Statement] = [*roots, *(s for s in library if isinstance(s, ROOTS))]
    used = set[str]()
    while waiting:
        new = set(n.mentioned(waiting.pop())) - used
        used |= new
        waiting += [defined[name] for name in new if name in defined]
    return used
