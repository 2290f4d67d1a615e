"""How each kind of part is called by the editors: its scope, tag, token or capture."""

from __future__ import annotations

from typing import NamedTuple


class Called(NamedTuple):
    """textmate: a scope. codemirror: a tag of Lezer. tree_sitter: a capture."""

    textmate: str
    codemirror: str
    tree_sitter: str


CALLED = {
    "comment": Called("comment.line.number-sign", "lineComment", "comment"),
    "string": Called("string.quoted.double", "string", "string"),
    "number": Called("constant.numeric", "number", "number"),
    "head": Called("keyword.other.statement", "definitionKeyword", "keyword"),
    "word": Called("keyword.control", "controlKeyword", "keyword.operator"),
    "kind": Called("storage.type", "modifier", "type.builtin"),
    "reduction": Called("keyword.other.reduction", "operatorKeyword", "keyword.operator"),
    "declared": Called("entity.name.function", "variableName.definition", "function"),
    "module": Called("entity.name.namespace", "namespace", "module"),
    "setting": Called("variable.other.property", "propertyName", "property"),
    "choice": Called("variable.other.enummember", "labelName", "constant"),
    "function": Called("support.function", "variableName.standard", "function.builtin"),
    "set": Called("support.type", "typeName", "type.builtin"),
    "table": Called("variable.other.constant", "variableName.special", "variable.builtin"),
    "constant": Called("constant.language", "atom", "constant.builtin"),
    "concept": Called("variable.other.constant", "variableName.special", "variable.builtin"),
    "term": Called("variable.other.constant", "variableName.special", "variable.builtin"),
    "name": Called("variable.other", "variableName", "variable"),
    "operator": Called("keyword.operator", "operator", "operator"),
    "punctuation": Called("punctuation.separator", "punctuation", "punctuation.delimiter"),
    "unknown": Called("invalid.illegal", "invalid", "error"),
}
