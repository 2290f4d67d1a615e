"""The language server: requests of the protocol, answered by the functions of this room.

Texts are looked at in one thread and their data in another, so that reading a table never holds up
typing. An error that nobody foresaw becomes a line of the log and an empty answer.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar
from uuid import uuid4

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from treemip import __version__
from treemip.core.source.diagnostic import TreemipError
from treemip.study.lsp import commands, conversion
from treemip.study.lsp.completion import completion
from treemip.study.lsp.documents import Document, Documents
from treemip.study.lsp.hover import hover
from treemip.study.lsp.layout import formatting
from treemip.study.lsp.lenses import COMMANDS, lenses
from treemip.study.lsp.navigation import definition, highlights, references
from treemip.study.lsp.outline import folds, outline
from treemip.study.lsp.positions import Lines
from treemip.study.lsp.problems import fixes, problems
from treemip.study.lsp.rename import rename, renamed_place
from treemip.study.lsp.results import Refused
from treemip.study.lsp.signatures import signature_help
from treemip.study.lsp.tokens import tokens
from treemip.study.lsp.view import View

PAUSE = 0.1
"""Seconds without a change after which a text is looked at."""

DATA_PAUSE = 0.6
"""Seconds without a change after which its data are."""

STACK = 64 << 20
"""Bytes of a thread's stack: deeply nested texts are walked by recursion."""

REQUEST_FAILED = -32803

T = TypeVar("T")
Handler = Callable[["TreeServer", Any], Awaitable[Any]]


class TreeServer(LanguageServer):
    """The server with the open texts."""

    def __init__(self) -> None:
        super().__init__("treemip", __version__)
        self.documents = Documents()
        before = threading.stack_size(STACK)
        self.texts = ThreadPoolExecutor(1, "texts")
        self.data = ThreadPoolExecutor(1, "data")
        for pool in (self.texts, self.data):
            pool.submit(int).result()  # the thread begins with this stack
        threading.stack_size(before)
        self.waiting: dict[tuple[str, str], asyncio.Task[None]] = {}
        self.running: dict[str, asyncio.Future[Any]] = {}
        """The command that runs on each spec."""

    def report_server_error(self, error: Exception, source: Any) -> None:
        """In the log only: no window for what a user can do nothing about. Refusals are none."""
        if getattr(error, "code", None) != REQUEST_FAILED:
            self.log(f"{type(error).__name__}: {error}")

    def log(self, text: str) -> None:
        with suppress(Exception):
            kind = lsp.MessageType.Log
            self.window_log_message(lsp.LogMessageParams(kind, text))

    def shutdown(self) -> None:
        for pool in (self.texts, self.data):
            pool.shutdown(wait=False, cancel_futures=True)
        super().shutdown()

    async def in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.texts, work, *arguments)

    # ------------------------------------------------------------- problems

    def later(self, what: str, uri: str, seconds: float, work: Callable[[str], Any]) -> None:
        """Do something for a text after a pause; once, however often it is asked for."""
        old = self.waiting.pop((what, uri), None)
        if old is not None:
            old.cancel()

        async def wait() -> None:
            await asyncio.sleep(seconds)
            self.waiting.pop((what, uri), None)
            try:
                await work(uri)
            except Exception:
                self.log(traceback.format_exc())

        self.waiting[what, uri] = asyncio.get_running_loop().create_task(wait())

    async def publish(self, uri: str) -> None:
        """The problems of a text, and of the open texts that it is a module of."""
        document = self.documents.open.get(uri)
        if document is None:
            return
        await self._publish(document)
        for other in self.documents.users_of(document):
            await self._publish(other)

    async def _publish(self, document: Document) -> None:
        state = self.documents.state
        found = await self.in_thread(self._problems, document)
        if state == self.documents.state and document.uri in self.documents.open:
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(document.uri, found)
            )

    def _problems(self, document: Document) -> list[lsp.Diagnostic]:
        view = self.documents.view(document)
        facts = self.documents.of_data(document)
        lines = self.documents.lines(document)
        found = problems(view, facts.problems)
        return [conversion.diagnostic(self.documents, lines, one) for one in found]

    async def bind(self, uri: str) -> None:
        """Ask the data of a text, then show its problems with theirs."""
        document = self.documents.open.get(uri)
        if document is not None:
            await self.in_thread(self.documents.view, document)
            loop = asyncio.get_running_loop()
            if await loop.run_in_executor(self.data, self.documents.bind, document):
                await self._publish(document)

    def changed(self, uri: str, at_once: bool = False) -> None:
        self.later("text", uri, 0 if at_once else PAUSE, self.publish)
        self.later("data", uri, PAUSE if at_once else DATA_PAUSE, self.bind)


def guarded(empty: Any = None) -> Callable[[Handler], Handler]:
    """A handler whose unforeseen errors are logged and answered by `empty`."""

    def decorated(handler: Handler) -> Handler:
        @wraps(handler)
        async def safe(server: TreeServer, params: Any) -> Any:
            try:
                return await handler(server, params)
            except Refused as refusal:
                raise JsonRpcException(str(refusal), REQUEST_FAILED) from None
            except Exception:
                server.log(traceback.format_exc())
                return empty

        return safe

    return decorated


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


# ------------------------------------------------------------------------------- texts


async def did_open(server: TreeServer, params: lsp.DidOpenTextDocumentParams) -> None:
    server.documents.encoding = str(getattr(server.workspace.position_encoding, "value", "utf-16"))
    server.documents.put(params.text_document.uri, params.text_document.text)
    server.changed(params.text_document.uri, at_once=True)


async def did_change(server: TreeServer, params: lsp.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    server.documents.change(uri, map(conversion.edit_of, params.content_changes))
    server.changed(uri)


async def did_save(server: TreeServer, params: lsp.DidSaveTextDocumentParams) -> None:
    if params.text_document.uri in server.documents.open:
        server.changed(params.text_document.uri, at_once=True)


async def did_close(server: TreeServer, params: lsp.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    closed = server.documents.open.get(uri)
    users = server.documents.users_of(closed) if closed is not None else []
    server.documents.close(uri)
    for other in users:  # they are linked with the file again
        server.changed(other.uri, at_once=True)
    for what in ("text", "data"):
        task = server.waiting.pop((what, uri), None)
        if task is not None:
            task.cancel()
    server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


async def did_change_files(server: TreeServer, params: lsp.DidChangeWatchedFilesParams) -> None:
    server.documents.changed_on_disk()
    for uri in list(server.documents.open):
        server.changed(uri)


# ---------------------------------------------------------------------------- requests


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


# ---------------------------------------------------------------------------- commands


async def run_command(server: TreeServer, command: str, argument: Any) -> dict[str, Any] | None:
    """Solve or explain a spec. The answer goes into the log and back to the client."""
    document = next((d for d in server.documents.open.values() if str(d.path) == argument), None)
    if document is None:
        raise JsonRpcException("the command takes the path of an open text", REQUEST_FAILED)
    try:
        commands.check_saved(document.path, document.text)
    except Refused as refusal:
        server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, str(refusal)))
        return None
    view = await server.in_thread(server.documents.view, document)
    limited = view.spec is not None and view.spec.strategy.time_limit is not None
    words = commands.words_of(command, document.path, limited)
    title = f"{COMMANDS[command]} {document.path.name}"
    if (old := server.running.get(document.uri)) is not None:
        old.cancel()  # one at a time: the newer one is meant
    task = server.running[document.uri] = asyncio.ensure_future(
        commands.run(words, document.path.parent)
    )
    token = await _progress(server, title, task)
    try:
        answer = await task
    except asyncio.CancelledError:
        task.cancel()
        return None
    finally:
        if server.running.get(document.uri) is task:
            del server.running[document.uri]
        if token is not None:
            server.work_done_progress.end(token, lsp.WorkDoneProgressEnd())
    server.log(f"{title}\n{answer.text}")
    kind = lsp.MessageType.Error if answer.code == 2 else lsp.MessageType.Info
    server.window_show_message(lsp.ShowMessageParams(kind, f"{title}: {answer.summary}"))
    return {"code": answer.code, "text": answer.text}


async def _progress(server: TreeServer, title: str, task: asyncio.Future[Any]) -> str | None:
    """A bar in the editor whose button ends the task; None where the client has none."""
    window = server.client_capabilities.window
    if window is None or not window.work_done_progress:
        return None
    token = str(uuid4())
    await server.work_done_progress.create_async(token)
    begin = lsp.WorkDoneProgressBegin(title, cancellable=True)
    server.work_done_progress.begin(token, begin)
    server.work_done_progress.tokens[token].add_done_callback(lambda _: task.cancel())
    return token


# ------------------------------------------------------------------------ registration

NOTIFICATIONS: dict[str, Handler] = {
    lsp.TEXT_DOCUMENT_DID_OPEN: did_open,
    lsp.TEXT_DOCUMENT_DID_CHANGE: did_change,
    lsp.TEXT_DOCUMENT_DID_SAVE: did_save,
    lsp.TEXT_DOCUMENT_DID_CLOSE: did_close,
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_files,
}

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


def make_server() -> TreeServer:
    """A server with all that it answers."""
    server = TreeServer()
    # pygls would make the changes too, with a form feed for the end of a line, and stop at a place
    # that is not there.
    server.protocol.fm.builtin_features.pop(lsp.TEXT_DOCUMENT_DID_CHANGE, None)
    for method, notified in NOTIFICATIONS.items():
        server.feature(method)(_bound(server, guarded()(notified)))
    for method, (handler, options, empty) in REQUESTS.items():
        server.feature(method, options)(_bound(server, guarded(empty)(handler)))
    for name in COMMANDS:
        _add_command(server, name)
    return server


def _bound(server: TreeServer, handler: Handler) -> Callable[[Any], Awaitable[Any]]:
    async def bound(params: Any) -> Any:
        return await handler(server, params)

    return bound


def _add_command(server: TreeServer, name: str) -> None:
    async def command(argument: Any = None, *_: Any) -> Any:
        return await run_command(server, name, argument)

    server.command(name)(command)


def serve(port: int | None = None) -> None:
    """Serve on standard input and output or, with a port, one client of this machine."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = make_server()
    if port is None:
        channel, sys.stdout = sys.stdout.buffer, sys.stderr  # nothing else may write there
        server.start_io(stdout=channel)
    else:
        server.start_tcp("127.0.0.1", port)
