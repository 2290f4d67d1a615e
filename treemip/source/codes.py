"""Every diagnostic code with its title; docs/errors.md is made from this table.

E1 text, E2 names and kinds, E3 data, E4 lowering, E5 reformulation, E6 targets and solvers,
E7 trees and verification, E9 command line. W codes are warnings of the same stages.
"""

from __future__ import annotations

TITLES: dict[str, str] = {
    # text
    "E101": "the text is not in the language",
    "E102": "a string or bracket is not closed",
    "E103": "an operator or character of another notation",
    "E104": "a number or string is not well written",
    "E105": "unknown statement",
    "E106": "a mark or word is missing",
    "E107": "a mark too many",
    "E108": "a constraint or condition is not a comparison",
    "E109": "parts of a declaration contradict each other",
    "E110": "indices are written otherwise",
    "E111": "nested too deeply",
    # names and kinds
    "E201": "unknown name",
    "E202": "declared twice",
    "E203": "wrong number of indices or arguments",
    "E204": "an index or argument is of the wrong sort",
    "E205": "a concept this formulation does not have",
    "E206": "an expression is of a kind not allowed here",
    "E207": "declarations depend on each other in a circle",
    "E208": "a statement is missing",
    "E209": "a statement stands twice or in the wrong place",
    "E210": "unknown formulation",
    "E211": "unknown parameter",
    "E212": "unknown setting",
    "E213": "a setting's values are not of its form",
    "E214": "nothing of that name to drop",
    "E215": "the formulation does not make splits of this kind",
    # data
    "E301": "the data file cannot be read",
    "E302": "unknown column",
    "E303": "a missing value",
    "E304": "a column is not of the type asked for",
    "E305": "the classes do not fit",
    "E306": "the training part is empty or impossible",
    "E307": "a requirement of the formulation does not hold",
    "E308": "a parameter's value",
    "E309": "unknown class, feature or group value",
    "E310": "the topology cannot be built",
    "E311": "weights",
    # lowering
    "E401": "an index outside the declared set",
    "E402": "not a finite number",
    "E403": "a row that can never hold",
    "E404": "arithmetic",
    # reformulation
    "E501": "no bound, so no big-M",
    "E502": "no exact reformulation",
    "E503": "a given big-M is not usable",
    # targets and solvers
    "E601": "the target cannot take this model",
    "E602": "an optional package is missing",
    "E603": "the file cannot be written",
    "E604": "the solver failed",
    "E605": "the solver found no solution",
    "E606": "the solution file cannot be read",
    "E607": "the solution does not fit the model",
    # trees and verification
    "E701": "the tree file cannot be read",
    "E702": "the tree and the solution disagree",
    "E703": "a row cannot be routed",
    "E704": "the solution violates the model",
    # command line
    "E901": "a file is not there or cannot be read",
    "E902": "an option's value",
    # warnings
    "W301": "advice of the formulation",
    "W302": "data",
    "W601": "start",
    "W701": "a split was repaired",
}
