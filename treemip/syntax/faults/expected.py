"""What could come next, in the language's own words."""

from __future__ import annotations

from lark.lexer import PatternStr

from treemip.syntax.faults.machine import END, Machine, statement_words
from treemip.syntax.tables import parser

_OPERANDS = {"NAME", "NUMBER", "STRING", "LPAR", "LBRACE", "MINUS", "REDUCE", "IF", "NOT"}
_OPERATORS = {"PLUS", "MINUS", "TIMES", "POWER", "AND", "OR"}
_RELATIONS = {"CMP", "EQ", "IN", "NOT"}
_AFTER_NAMES = {"LPAR", "LSQB"}
_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a string",
    "KIND": "'binary', 'integer' or 'free'",
    "CMP": "a relation such as <=",
    "EQ": "'='",
}


def expected(machine: Machine) -> str:
    """`expected ';' or an operator`; empty where nothing can be said."""
    words = _words(machine.expected() - {END})
    if not words:
        return ""
    return "expected " + " or ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _words(left: set[str]) -> list[str]:
    said: list[str] = []
    statements = set(statement_words().values())
    if statements <= left:
        said.append("a statement")
        left = left - statements
    if {"NAME", "NUMBER", "LPAR"} <= left:
        said.append("a condition" if "NOT" in left else "an expression")
        left = left - _OPERANDS
    if {"PLUS", "TIMES"} <= left:
        said.append("an operator")
        left = left - _OPERATORS - _AFTER_NAMES
        if "CMP" in left:
            said.append("a relation such as <=")
            left = left - _RELATIONS
    said += [_WORDS[t] for t in sorted(left & _WORDS.keys())]
    marks = sorted(f"'{_text(t)}'" for t in left - _WORDS.keys() if _text(t))
    return marks + said


def _text(terminal: str) -> str:
    """The one text a terminal stands for, if there is one."""
    pattern = next(t.pattern for t in parser().terminals if t.name == terminal)
    return pattern.value if isinstance(pattern, PatternStr) else ""
