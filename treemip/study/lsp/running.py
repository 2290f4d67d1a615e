"""A command of the server from the click to its answer: one at a time for each spec, with a bar in
the editor whose button ends it, as the end of the request does."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from treemip.study.lsp import commands
from treemip.study.lsp.documents import Document
from treemip.study.lsp.lenses import COMMANDS
from treemip.study.lsp.results import Refused
from treemip.study.lsp.server import REQUEST_FAILED, TreeServer


async def run_command(server: TreeServer, command: str, argument: Any) -> dict[str, Any] | None:
    """Solve or explain a spec. The answer goes into the log and back to the client; None where the
    file cannot be run, and of a command that was ended."""
    document = next((d for d in server.documents.open.values() if str(d.path) == argument), None)
    if document is None:
        raise JsonRpcException("the command takes the path of an open text", REQUEST_FAILED)
    try:
        commands.check_saved(document.path, document.text)
    except Refused as refusal:
        server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, str(refusal)))
        return None
    request, this = server.protocol.msg_id, asyncio.current_task()
    if request is not None and this is not None:
        server.commands[request] = this
    try:
        return await _answered(server, command, document)
    except asyncio.CancelledError:
        return None
    finally:
        if request is not None:
            server.commands.pop(request, None)


async def _answered(server: TreeServer, command: str, document: Document) -> dict[str, Any] | None:
    view = await server.in_thread(server.documents.view, document)
    limited = view.spec is not None and view.spec.strategy.time_limit is not None
    words = commands.words_of(command, document.path, limited)
    title = f"{COMMANDS[command]} {document.path.name}"
    if (old := server.running.get(document.uri)) is not None:
        old.cancel()  # one at a time: the newer one is meant
    task = server.running[document.uri] = asyncio.ensure_future(
        commands.run(words, document.path.parent)
    )
    token = None
    try:
        token = await _progress(server, title, task)
        answer = await task
    finally:
        task.cancel()
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
