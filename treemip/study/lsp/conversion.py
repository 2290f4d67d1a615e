"""Results of this room as types of the protocol, with positions in lines and units."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from lsprotocol import types as lsp

from treemip.study.lsp.documents import Documents, Span
from treemip.study.lsp.positions import Lines, uri_of
from treemip.study.lsp.results import (
    Change,
    Fold,
    Hover,
    Item,
    Lens,
    Outline,
    Place,
    Problem,
    Signature,
    Token,
)
from treemip.study.lsp.tokens import KINDS, MODIFIERS

SOURCE = "treemip"

SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}

ITEMS = {
    "keyword": lsp.CompletionItemKind.Keyword,
    "variable": lsp.CompletionItemKind.Variable,
    "function": lsp.CompletionItemKind.Function,
    "parameter": lsp.CompletionItemKind.Field,
    "class": lsp.CompletionItemKind.Class,
    "module": lsp.CompletionItemKind.Module,
    "value": lsp.CompletionItemKind.Value,
    "property": lsp.CompletionItemKind.Property,
    "file": lsp.CompletionItemKind.File,
    "snippet": lsp.CompletionItemKind.Snippet,
}

SYMBOLS = {
    "parameter": lsp.SymbolKind.Constant,
    "set": lsp.SymbolKind.Array,
    "tree": lsp.SymbolKind.Struct,
    "variable": lsp.SymbolKind.Variable,
    "let": lsp.SymbolKind.Function,
    "concept": lsp.SymbolKind.Interface,
    "term": lsp.SymbolKind.Function,
    "constraint": lsp.SymbolKind.Property,
    "setting": lsp.SymbolKind.Property,
    "block": lsp.SymbolKind.Module,
    "rows": lsp.SymbolKind.Namespace,
    "objective": lsp.SymbolKind.Event,
    "split": lsp.SymbolKind.Class,
}


def range_of(lines: Lines, start: int, end: int) -> lsp.Range:
    return lsp.Range(
        lsp.Position(*lines.position(start)), lsp.Position(*lines.position(max(start, end)))
    )


def offset_of(lines: Lines, position: lsp.Position) -> int:
    return lines.offset(position.line, position.character)


def edit_of(change: lsp.TextDocumentContentChangeEvent) -> tuple[Span | None, str]:
    """A change of a text with its place; None for all of it."""
    place = getattr(change, "range", None)
    if place is None:
        return None, change.text
    start, end = place.start, place.end
    return ((start.line, start.character), (end.line, end.character)), change.text


def location(documents: Documents, place: Place) -> lsp.Location:
    lines = documents.lines_of(place.path)
    return lsp.Location(uri_of(place.path), range_of(lines, place.start, place.end))


def diagnostic(documents: Documents, lines: Lines, one: Problem) -> lsp.Diagnostic:
    related = [
        lsp.DiagnosticRelatedInformation(location(documents, place), text or "here")
        for place, text in one.related
    ]
    return lsp.Diagnostic(
        range=range_of(lines, one.start, one.end),
        message=one.message,
        severity=SEVERITIES[one.severity],
        code=one.code,
        source=SOURCE,
        related_information=related or None,
    )


def text_edits(lines: Lines, changes: Iterable[Change]) -> list[lsp.TextEdit]:
    ordered = sorted(changes, key=lambda c: (c.start, c.end))
    return [lsp.TextEdit(range_of(lines, c.start, c.end), c.text) for c in ordered]


def workspace_edit(documents: Documents, changes: Iterable[Change]) -> lsp.WorkspaceEdit:
    ordered = sorted(changes, key=lambda c: c.path)
    by_file: dict[str, list[lsp.TextEdit]] = {}
    for path, of_path in groupby(ordered, key=lambda c: c.path):
        by_file[uri_in(documents, path)] = text_edits(documents.lines_of(path), list(of_path))
    return lsp.WorkspaceEdit(changes=dict(by_file))


def uri_in(documents: Documents, path: str) -> str:
    """The URI by which the editor knows a file, as it writes it."""
    found = (uri for uri, d in documents.open.items() if str(d.path) == path)
    return next(found, uri_of(path))


def action(documents: Documents, lines: Lines, one: Problem) -> lsp.CodeAction:
    assert one.fix is not None
    return lsp.CodeAction(
        title=one.fix.title,
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(documents, lines, one)],
        edit=workspace_edit(documents, one.fix.changes),
        is_preferred=True,
    )


def hover(lines: Lines, one: Hover) -> lsp.Hover:
    text = lsp.MarkupContent(lsp.MarkupKind.Markdown, one.text)
    return lsp.Hover(text, range_of(lines, one.start, one.end))


def item(lines: Lines, offset: int, number: int, one: Item, snippets: bool) -> lsp.CompletionItem:
    """number: its rank, by which editors keep the order."""
    snippet = one.snippet and snippets
    text = one.insert if snippet or not one.snippet else plain_text(one)
    documentation = None
    if one.documentation:
        documentation = lsp.MarkupContent(lsp.MarkupKind.Markdown, one.documentation)
    form = lsp.InsertTextFormat.Snippet if snippet else lsp.InsertTextFormat.PlainText
    return lsp.CompletionItem(
        label=one.label,
        kind=ITEMS[one.kind],
        detail=one.detail or None,
        documentation=documentation,
        sort_text=f"{number:04d}",
        text_edit=lsp.TextEdit(range_of(lines, one.start, offset), text),
        insert_text_format=form,
    )


def plain_text(one: Item) -> str:
    """What a client without snippets inserts: the name, with the bracket of a call."""
    return one.insert.split("$")[0].rstrip() if "$" in one.insert else one.insert


def signature(one: Signature) -> lsp.SignatureHelp:
    parameters = [lsp.ParameterInformation(label, about or None) for label, about in one.parameters]
    active = max(0, one.active)
    about = one.documentation or None
    information = lsp.SignatureInformation(one.label, about, parameters, active)
    return lsp.SignatureHelp([information], 0, active)


def symbol(lines: Lines, one: Outline) -> lsp.DocumentSymbol:
    children = [symbol(lines, child) for child in one.children]
    return lsp.DocumentSymbol(
        name=one.name,
        kind=SYMBOLS.get(one.kind, lsp.SymbolKind.Key),
        range=range_of(lines, one.start, one.end),
        selection_range=range_of(lines, one.name_start, one.name_end),
        detail=one.detail or None,
        children=children or None,
    )


def folding(one: Fold) -> lsp.FoldingRange:
    kind = lsp.FoldingRangeKind.Comment if one.kind == "comment" else lsp.FoldingRangeKind.Region
    return lsp.FoldingRange(start_line=one.first, end_line=one.last, kind=kind)


LEGEND = lsp.SemanticTokensLegend(list(KINDS), list(MODIFIERS))


def token_data(lines: Lines, tokens: Iterable[Token]) -> list[int]:
    """Five numbers each, relative to the one before."""
    data: list[int] = []
    line = unit = 0
    for token in tokens:
        number, start = lines.position(token.start)
        length = lines.position(token.end)[1] - start
        bits = sum(1 << MODIFIERS.index(m) for m in token.modifiers)
        data += [
            number - line,
            start - unit if number == line else start,
            length,
            KINDS.index(token.kind),
            bits,
        ]
        line, unit = number, start
    return data


def lens(lines: Lines, one: Lens) -> lsp.CodeLens:
    command = lsp.Command(title=one.title, command=one.command, arguments=list(one.arguments))
    return lsp.CodeLens(range_of(lines, one.start, one.start), command)
