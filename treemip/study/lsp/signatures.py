"""The signature of the call, or the indices of the table, that the cursor is in."""

from __future__ import annotations

from treemip.core.resolve.builtins import CALLS, FUNCTIONS
from treemip.core.resolve.settings.encodings import BINS, CODES, SCALES, Code, Word
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import Lexeme
from treemip.study.lsp.asked_modules import asked_at, module_signature
from treemip.study.lsp.completion_statements import formulation_parameters
from treemip.study.lsp.completion_texts import index_sorts
from treemip.study.lsp.cursor import Call, cursor_at
from treemip.study.lsp.declared import declared
from treemip.study.lsp.results import Signature
from treemip.study.lsp.view import View


def signature_help(view: View, offset: int) -> Signature | None:
    cursor = cursor_at(view.text, offset)
    call = None if cursor.in_comment else cursor.call
    if call is None or call.name is None or call.opener == "{":
        return None
    if call.opener == "[":
        return _indices(view, call)
    if cursor.block:
        return _setting(call)
    if (
        cursor.first == "split"
        and cursor.unit[1:]
        and call.name is cursor.unit[len(cursor.unit) - len(call.inside) - 2]
    ):
        return _formulation(view, call)
    if cursor.first == "topology":
        return Signature("complete(depth = …)", (("depth = …", "levels of branches"),), 0)
    module = asked_at(cursor)
    if module is not None:
        return module_signature(call, module)
    return _term(view, call) or _function(call)


def _setting(call: Call) -> Signature | None:
    assert call.name is not None
    known: dict[str, Word | Code] = {**SCALES, **BINS, **CODES}
    word = known.get(call.name.text)
    return None if word is None else Signature(word.example.split(";")[0], (), 0)


def _formulation(view: View, call: Call) -> Signature | None:
    assert call.name is not None
    name = call.name.text.strip('"')
    params = formulation_parameters(view, name, call.name.kind == "string")
    if not params:
        return None
    labels = [(f"{p.name} = {' '.join(p.value.span.text.split())}", p.doc) for p in params]
    names = [p.name for p in params]
    given = [x.text for x in _argument(call) if x.kind == "name"]
    active = names.index(given[0]) if given and given[0] in names else call.argument
    label = f"{name}({', '.join(text for text, _ in labels)})"
    return Signature(label, tuple(labels), min(active, len(labels) - 1))


def _argument(call: Call) -> list[Lexeme]:
    """The lexemes of the argument at the cursor."""
    inside = list(call.inside)
    for k in range(len(inside) - 1, -1, -1):
        if inside[k].text == ",":
            return inside[k + 1 :]
    return inside


def _term(view: View, call: Call) -> Signature | None:
    assert call.name is not None
    one = declared(view, call.name.text)
    if one is None or not isinstance(one.node, n.Term) or not one.node.parameters:
        return None
    node = one.node
    labels = [
        (name if default is None else f"{name} = {default.text}", "")
        for name, default in zip(node.parameters, node.defaults, strict=True)
    ]
    given = [x.text for x in _argument(call) if x.kind == "name"]
    named = bool(given) and given[0] in node.parameters
    active = node.parameters.index(given[0]) if named else call.argument
    return Signature(one.form, tuple(labels), min(active, len(labels) - 1), one.doc)


def _function(call: Call) -> Signature | None:
    assert call.name is not None
    name = call.name.text
    if name not in CALLS:
        return None
    form, about = CALLS[name]
    inside = form[form.index("(") + 1 : form.rindex(")")]
    names = [part.strip() for part in inside.split(",")]
    kinds = FUNCTIONS[name].arguments if name in FUNCTIONS else ("",) * len(names)
    labels = tuple((part, kind) for part, kind in zip(names, kinds, strict=False))
    return Signature(form, labels, min(call.argument, max(0, len(labels) - 1)), about)


def _indices(view: View, call: Call) -> Signature | None:
    """`reach[`: the indices with their sorts."""
    assert call.name is not None
    name, sorts = call.name.text, index_sorts(view, call.name.text)
    if not sorts:
        return None
    one = declared(view, name)
    names = one.indices if one is not None and len(one.indices) == len(sorts) else ()
    labels = tuple(
        (names[k] if names else str(s).removeprefix("a "), str(s)) for k, s in enumerate(sorts)
    )
    form = f"{name}[{', '.join(label for label, _ in labels)}]"
    return Signature(form, labels, min(call.argument, len(labels) - 1), one.doc if one else "")
