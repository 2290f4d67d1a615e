"""The rules that name a fault, each with an example, in the order they are tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treemip.core.source.diagnostic import Diagnostic
from treemip.core.syntax.faults import expression_rules as e
from treemip.core.syntax.faults import statement_rules as s
from treemip.core.syntax.faults.machine import expected
from treemip.core.syntax.faults.stop import Fault, Stop, shown


class Rule(NamedTuple):
    """A text that does not parse, and the function that names its fault, or returns None."""

    example: str
    name_fault: Callable[[Stop], Fault | None]


RULES = (
    Rule("use vocabulary", s.end_of_text),
    Rule("tree t;;", s.stray_mark),
    Rule("subject to: few: a <= 1;", s.colon_after_to),
    Rule("lte a = 1;", s.unknown_statement),
    Rule('data "d.csv" { "label" y; }', s.unnamed_setting),
    Rule('data "d.csv" { label y;\nparam a = 1;', s.statement_in_block),
    Rule("subject to minimize a;", s.no_constraint),
    Rule("subject to few: a <= 1; vra x binary;", s.misspelt_in_constraints),
    Rule("subject to few: a <= 1; cut {i in points}: a[i] <= 1;", s.keyword_as_name),
    Rule("subject to a + b <= 1;", s.unnamed_constraint),
    Rule("tree my-tree;", s.tree_name),
    Rule("subject to few: not a = 1 ==> b <= 1;", e.guard_as_condition),
    Rule("let a = (1 + 2];", e.wrong_closer),
    Rule("let a = sum(i in points) x[i];", e.round_domain),
    Rule("let a = sum i in points x[i];", e.bare_reduction),
    Rule("let a = usm {i in points} x[i];", e.misspelt_reduction),
    Rule("let a = x[i][j];", e.index_of_index),
    Rule("param a {j in features} = table(age: 2);", e.bare_key),
    Rule("set s = {i in : i = 1};", e.no_set),
    Rule("let a = (1 + 2;", e.unclosed),
    Rule("subject to few: a + b;", e.no_relation),
    Rule("set s = {i in points : y[i]};", e.no_condition),
    Rule("subject to few: a <= b <= c <= d;", e.too_many),
    Rule("subject to few: a ==> b <= 1;", e.bad_implication),
    Rule("subject to few: a <= 1 or b <= 2;", e.joined),
    Rule("subject to few: a <= 1 and b <= 2;", e.joined_without_arrow),
    Rule("let a = b <= c;", e.comparison_as_value),
    Rule("param a = 1\nparam b = 2;", s.missing_semicolon),
    Rule('data "d.csv" { label = y; }', s.mark_in_setting),
    Rule("var x >= 0 binary;", s.kind_after_bounds),
    Rule("subject to few: x[i] <= 1 for i in points;", s.foreign_index),
    Rule("let a = 2 x;", s.side_by_side),
    Rule("let a = sum {i i in points} x[i];", s.twice),
    Rule("param a : 1;", s.other_mark),
    Rule("param a 1;", s.missing_mark),
    Rule("let a = + b;", s.leading_plus),
)


def classify(stop: Stop) -> Fault:
    """The fault where a parse stopped, by the first rule that names it, else in general terms."""
    for rule in RULES:
        fault = rule.name_fault(stop)
        if fault is not None:
            return fault
    message = f"unexpected {shown(stop.lexeme)}"
    return Fault(Diagnostic("E101", message, stop.here(), caret=expected(stop.machine)))
