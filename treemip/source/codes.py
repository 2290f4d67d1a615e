"""Every diagnostic code with its title. The reference of errors is made from this table:

python -m treemip.source.codes > docs/errors.md
"""

from __future__ import annotations

STAGES: dict[str, str] = {
    "E1": "Text",
    "E2": "Names and kinds",
    "E3": "Data",
    "E4": "Lowering to rows",
    "E5": "Reformulation",
    "E6": "Targets and solvers",
    "E7": "Trees and verification",
    "E9": "Command line",
    "W": "Warnings",
}
"""What is under way when a code is raised, by the beginning of the code."""

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
    "E112": "the text is too long",
    # names and kinds
    "E201": "unknown name",
    "E202": "declared twice",
    "E203": "wrong number of indices or arguments",
    "E204": "an index or argument is of the wrong sort",
    "E205": "a concept this formulation does not have",
    "E206": "an expression is of a kind not allowed here",
    "E207": "declarations depend on each other in a circle",
    "E208": "a statement is missing",
    "E209": "a statement is repeated or in the wrong place",
    "E210": "unknown formulation",
    "E211": "unknown parameter",
    "E212": "a setting that is unknown or not available yet",
    "E213": "a setting does not take these values",
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
    "E309": "unknown class, feature, category or group value",
    "E310": "the topology cannot be built",
    "E311": "weights",
    # lowering
    "E401": "an index outside the declared set",
    "E402": "not a finite number",
    "E403": "a row that can never hold",
    "E404": "arithmetic",
    "E405": "more than fits into memory",
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
    "E705": "no tree can be read out of the solution",
    # command line
    "E901": "a file is not there or cannot be read",
    "E902": "an option's value",
    # warnings
    "W201": "a formulation that the spec does not name",
    "W301": "advice of the formulation",
    "W302": "data",
    "W601": "start",
    "W602": "a setting of the strategy that the solver has no use for",
    "W603": "the solver failed, and the start is the answer",
    "W701": "a split was repaired",
    "W702": "a tree is not verified, and a tighter tolerance may mend that",
    "W703": "a tree is not verified, and the objective pays for what its splits do not do",
    "W704": "the solver's bound is false: its own tree is better",
    "W705": "a split is within rounding of a training point",
    "W706": "a tree file was changed after it was written",
}


def reference() -> str:
    """The table of all codes as Markdown."""
    lines = [
        "# Errors and warnings",
        "",
        "<!-- Made by `python -m treemip.source.codes > docs/errors.md`; do not edit. -->",
        "",
        "Every message begins with its code. An error ends the command with no file written;",
        "a warning does not. A message shows what is wrong, the place in the text that says so,",
        "where that was used from, and after `help:` what to write instead:",
        "",
        "```",
        "error[E102]: '(' is not closed",
        " --> my.tree:3:33",
        "  |",
        "3 | split oblique by soct(eps = 0.01;",
        "  |                                 ^ expected ')' for the '(' in column 22",
        "```",
    ]
    for prefix, stage in STAGES.items():
        lines += ["", f"## {stage}", "", "| code | |", "|---|---|"]
        lines += [
            f"| {code} | {title} |" for code, title in TITLES.items() if code.startswith(prefix)
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
