"""Requests about a text, answered by the functions of this room, and the table of them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lsprotocol import types as lsp

from treemip.core.source.diagnostic import TreemipError
from treemip.study.lsp import conversion
from treemip.study.lsp.completion import completion
from treemip.study.lsp.documents import Document
from treemip.study.lsp.hover import hover
from treemip.study.lsp.layout import formatting
from treemip.study.lsp.lenses import lenses
from treemip.study.lsp.navigation import definition, highlights, references
from treemip.study.lsp.outline import folds, outline
from treemip.study.lsp.positions import Lines
from treemip.study.lsp.problems import fixes
from treemip.study.lsp.rename import rename, renamed_place
from treemip.study.lsp.server import Handler, TreeServer
from treemip.study.lsp.signatures import signature_help
from treemip.study.lsp.tokens import tokens
from treemip.study.lsp.view import View

T = TypeVar("T")


async def _at(
    server: TreeServer,
    params: Any,
    work: Callable[[View, Lines, int, Document], T],
) -> T:
    """What a function says of a position of a text, worked out in the thread of texts."""
    document = server.documents.get(params.text_document.uri)

    def answer() -> T:
        lines = server.documents.lines(document)
        view = server.documents.view(document)
        position = getattr(params, "position", None)
        offset = 0 if position is None else conversion.offset_of(lines, position)
        return work(view, lines, offset, document)

    return await server.in_thread(answer)


async def on_hover(server: TreeServer, params: lsp.HoverParams) -> lsp.Hover | None:
    def work(view: View, lines: Lines, offset: int, document: Document) -> lsp.Hover | None:
        found = hover(view, offset, server.documents.of_data(document))
        return None if found is None else conversion.hover(lines, found)

    return await _at(server, params, work)


async def on_completion(server: TreeServer, params: lsp.CompletionParams) -> lsp.CompletionList:
    def work(view: View, lines: Lines, offset: int, document: Document) -> lsp.CompletionList:
        found = completion(view, offset, server.documents.of_data(document))
        snippets = _has_snippets(server.client_capabilities)
        items = [
            conversion.item(lines, offset, number, one, snippets)
            for number, one in enumerate(found)
        ]
        return lsp.CompletionList(is_incomplete=False, items=items)

    return await _at(server, params, work)


def _has_snippets(capabilities: lsp.ClientCapabilities) -> bool:
    text = capabilities.text_document
    item = text.completion.completion_item if text and text.completion else None
    return bool(item and item.snippet_support)


async def on_signature(
    server: TreeServer, params: lsp.SignatureHelpParams
) -> lsp.SignatureHelp | None:
    def work(view: View, lines: Lines, offset: int, document: Document) -> Any:
        found = signature_help(view, offset)
        return None if found is None else conversion.signature(found)

    return await _at(server, params, work)


async def on_definition(server: TreeServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
    def work(view: View, lines: Lines, offset: int, document: Document) -> list[lsp.Location]:
        return [conversion.location(server.documents, p) for p in definition(view, offset)]

    return await _at(server, params, work)


async def on_references(server: TreeServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
    def work(view: View, lines: Lines, offset: int, document: Document) -> list[lsp.Location]:
        places = references(view, offset, server.documents.edited)
        return [conversion.location(server.documents, place) for place in places]

    return await _at(server, params, work)


async def on_highlight(
    server: TreeServer, params: lsp.DocumentHighlightParams
) -> list[lsp.DocumentHighlight]:
    def work(view: View, lines: Lines, offset: int, document: Document) -> Any:
        places = highlights(view, offset)
        return [lsp.DocumentHighlight(conversion.range_of(lines, p.start, p.end)) for p in places]

    return await _at(server, params, work)


async def on_prepare_rename(server: TreeServer, params: lsp.PrepareRenameParams) -> lsp.Range:
    def work(view: View, lines: Lines, offset: int, document: Document) -> lsp.Range:
        place = renamed_place(view, offset)
        return conversion.range_of(lines, place.start, place.end)

    return await _at(server, params, work)


async def on_rename(server: TreeServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
    def work(view: View, lines: Lines, offset: int, document: Document) -> lsp.WorkspaceEdit:
        changes = rename(view, offset, params.new_name, server.documents.edited)
        return conversion.workspace_edit(server.documents, changes)

    return await _at(server, params, work)


async def on_formatting(
    server: TreeServer, params: lsp.DocumentFormattingParams
) -> list[lsp.TextEdit]:
    def work(view: View, lines: Lines, offset: int, document: Document) -> list[lsp.TextEdit]:
        try:
            changes = formatting(view.name, view.text)
        except TreemipError:
            return []  # its faults are shown already
        return conversion.text_edits(lines, changes)

    return await _at(server, params, work)


async def on_symbols(
    server: TreeServer, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol]:
    def work(view: View, lines: Lines, offset: int, document: Document) -> Any:
        return [conversion.symbol(lines, one) for one in outline(view)]

    return await _at(server, params, work)


async def on_folding(server: TreeServer, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    def work(view: View, lines: Lines, offset: int, document: Document) -> list[lsp.FoldingRange]:
        return [conversion.folding(one) for one in folds(view)]

    return await _at(server, params, work)


async def on_tokens(server: TreeServer, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    def work(view: View, lines: Lines, offset: int, document: Document) -> lsp.SemanticTokens:
        return lsp.SemanticTokens(conversion.token_data(lines, tokens(view)))

    return await _at(server, params, work)


async def on_actions(server: TreeServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    def work(view: View, lines: Lines, offset: int, document: Document) -> list[lsp.CodeAction]:
        start = conversion.offset_of(lines, params.range.start)
        end = conversion.offset_of(lines, params.range.end)
        found = fixes(view, start, end, server.documents.of_data(document).problems)
        return [conversion.action(server.documents, lines, one) for one in found]

    return await _at(server, params, work)


async def on_lenses(server: TreeServer, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    def work(view: View, lines: Lines, offset: int, document: Document) -> list[lsp.CodeLens]:
        return [conversion.lens(lines, one) for one in lenses(view)]

    return await _at(server, params, work)


REQUESTS: dict[str, tuple[Handler, Any, Any]] = {
    lsp.TEXT_DOCUMENT_HOVER: (on_hover, None, None),
    lsp.TEXT_DOCUMENT_COMPLETION: (
        on_completion,
        lsp.CompletionOptions(trigger_characters=['"', "[", "(", "{", " ", "/"]),
        lsp.CompletionList(is_incomplete=False, items=[]),
    ),
    lsp.TEXT_DOCUMENT_SIGNATURE_HELP: (
        on_signature,
        lsp.SignatureHelpOptions(trigger_characters=["(", "[", ","]),
        None,
    ),
    lsp.TEXT_DOCUMENT_DEFINITION: (on_definition, None, []),
    lsp.TEXT_DOCUMENT_REFERENCES: (on_references, None, []),
    lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (on_highlight, None, []),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (on_prepare_rename, None, None),
    lsp.TEXT_DOCUMENT_RENAME: (on_rename, lsp.RenameOptions(prepare_provider=True), None),
    lsp.TEXT_DOCUMENT_FORMATTING: (on_formatting, None, []),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (on_symbols, None, []),
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: (on_folding, None, []),
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (
        on_tokens,
        conversion.LEGEND,
        lsp.SemanticTokens([]),
    ),
    lsp.TEXT_DOCUMENT_CODE_ACTION: (
        on_actions,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
        [],
    ),
    lsp.TEXT_DOCUMENT_CODE_LENS: (on_lenses, None, []),
}
"""Each request with its handler, options, and the answer after an error."""
