"""Words that AMPL or GNU MathProg keep to themselves, or that look like their statements.

Fourer, Gay, Kernighan: AMPL, 2nd edition, A.1; Makhorin: Modeling Language GNU MathProg, 2.3.
"""

from __future__ import annotations

_WORDS = """
Current IN INOUT Infinity Initial LOCAL OUT abs acos acosh all alias and arc arity asin asinh atan
atan2 atanh binary by call card ceil check circular close coeff complements contains cos cosh cover
cross ctime cut data default delete dimen display div drop else end environ exists exit exp export
first fix floor for forall from function gmtime if import in include indexarity indexset infinity
integer inter last length less let log log10 logical max maximize member min minimize mod model
net_in net_out next nextw node not num num0 obj objective of option or ord ord0 ordered param
precision prev prevw print printf problem prod purge quit read redeclare redirect reload remove
repeat reset restore reversed rhs round set setof shell shell_exitcode show sin sinh solution
solve solve_exitcode solve_message solve_result solve_result_num spec sprintf sqrt str2time
subject subj substr suchthat sum suffix symbolic symdiff table tan tanh then time time2str to tr
trunc tuple union unfix Uniform Uniform01 until update var version while within write
"""
RESERVED = frozenset(_WORDS.split())
