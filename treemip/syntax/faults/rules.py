"""The rules that name a fault, in the order they are asked; the last has an answer always."""

from __future__ import annotations

from collections.abc import Callable

from treemip.source.diagnostic import Diagnostic
from treemip.syntax.faults import brackets, heads, marks, relations
from treemip.syntax.faults.expected import expected
from treemip.syntax.faults.stop import Fault, Stop, shown

Rule = Callable[[Stop], Fault | None]

RULES: tuple[Rule, ...] = (
    marks.end_of_text,
    heads.stray_mark,
    heads.colon_after_to,
    heads.unknown_statement,
    heads.unnamed_setting,
    heads.statement_in_block,
    heads.no_constraint,
    heads.misspelt_in_constraints,
    heads.keyword_as_name,
    heads.unnamed_constraint,
    heads.tree_name,
    brackets.wrong_closer,
    brackets.round_domain,
    brackets.bare_reduction,
    brackets.misspelt_reduction,
    brackets.index_of_index,
    brackets.unclosed,
    relations.no_relation,
    relations.no_condition,
    relations.too_many,
    relations.bad_implication,
    relations.joined,
    relations.comparison_as_value,
    marks.missing_semicolon,
    marks.mark_in_setting,
    marks.kind_after_bounds,
    marks.foreign_index,
    marks.side_by_side,
    marks.twice,
    marks.other_mark,
    marks.missing_mark,
    marks.leading_plus,
)


def classify(stop: Stop) -> Fault:
    for rule in RULES:
        fault = rule(stop)
        if fault is not None:
            return fault
    message = f"unexpected {shown(stop.lexeme)}"
    return Fault(Diagnostic("E101", message, stop.here(), caret=expected(stop.machine)))
