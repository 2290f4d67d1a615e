"""Every diagnostic code with its title; `make docs` generates docs/errors.md from it."""

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
"""The stage at which a code is raised, by the beginning of the code."""

TITLES: dict[str, str] = {
    # text
    "E101": "syntax error",
    "E102": "a string or bracket is not closed",
    "E103": "an operator or character that the language does not have",
    "E104": "malformed number or string",
    "E105": "unknown statement",
    "E106": "missing punctuation or keyword",
    "E107": "superfluous punctuation",
    "E108": "a constraint or condition is not a comparison",
    "E109": "parts of a declaration contradict each other",
    "E110": "indices in the notation of another language",
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
    "E210": "unknown formulation or module",
    "E211": "unknown parameter",
    "E212": "a setting that is unknown",
    "E213": "a setting does not take these values",
    "E214": "no constraint of that name to drop",
    "E215": "the formulation does not produce splits of this kind",
    "E216": "a selection of points does not fit the spec",
    "E218": "objectives that are solved in turn, where one is expected",
    # data
    "E301": "the data file cannot be read",
    "E302": "unknown column",
    "E303": "a missing value",
    "E304": "a column has the wrong type",
    "E305": "the classes do not fit",
    "E306": "the training part is empty or impossible",
    "E307": "a requirement of the formulation does not hold",
    "E308": "invalid value of a parameter",
    "E309": "unknown class, feature, category or group value",
    "E310": "the topology cannot be built",
    "E311": "invalid weights",
    "E312": "the points cannot be selected",
    # lowering
    "E401": "an index outside the declared set",
    "E402": "not a finite number",
    "E403": "a row that can never hold",
    "E404": "undefined arithmetic",
    "E405": "not enough memory",
    # reformulation
    "E501": "no bound, so no big-M",
    "E502": "no exact reformulation",
    "E503": "an unusable big-M",
    "E504": "a separator that does not fit the spec",
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
    "E703": "a row cannot be routed",
    "E705": "no tree can be read out of the solution",
    # command line
    "E901": "a file is missing or cannot be read",
    "E902": "invalid value of an option",
    # warnings
    "W201": "a formulation that the spec does not name",
    "W202": "a parameter of the spec overrides one of its formulation",
    "W203": "a concept that provides nothing",
    "W204": "a file that stands in for a module of the library",
    "W301": "advice from the formulation",
    "W302": "questionable data",
    "W401": "a reduction over an empty set, for every index",
    "W601": "the start is used in part or not at all",
    "W602": "a strategy setting that the solver ignores",
    "W603": "the solver failed; the start is returned",
    "W604": "the search for other good trees failed; the best one is returned",
    "W605": "a model of selected points",
    "W606": "rounds of selection in which errors rose, or might have",
    "W607": "an objective of several is not proven, or not solved",
    "W608": "a proof or bound is withdrawn: a tree, or the solver itself, contradicts it",
    "W609": "no exact engine takes the spec, or proves it",
    "W611": "a version of the solver that is known to give wrong answers",
    "W702": "a tree is not verified; a tighter tolerance may help",
    "W703": "a tree is not verified; the objective pays for points that violate its splits",
    "W704": "the solver's bound is wrong: its own tree is better",
    "W705": "a split is within rounding error of a training point",
    "W706": "a tree file was changed after it was written",
    "W707": "a module's file differs from the text that a tree was solved with",
}


def reference() -> str:
    """The table of all codes as Markdown."""
    lines = [
        "# Errors and warnings",
        "",
        "<!-- Generated by `make docs`; do not edit. -->",
        "",
        "Every message starts with its code. An error stops the command before it writes a file;",
        "a warning does not. A message says what is wrong, points at the place in the text, shows",
        "where that place was used from, and suggests a fix after `help:`:",
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
