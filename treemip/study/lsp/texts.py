"""What an editor tells of its texts: opened, changed, saved, closed, or changed on the disk."""

from __future__ import annotations

from lsprotocol import types as lsp

from treemip.study.lsp import conversion
from treemip.study.lsp.server import Handler, TreeServer


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
    server.forget(uri)
    server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


async def did_change_files(server: TreeServer, params: lsp.DidChangeWatchedFilesParams) -> None:
    server.documents.changed_on_disk()
    for uri in list(server.documents.open):
        server.changed(uri)


NOTIFICATIONS: dict[str, Handler] = {
    lsp.TEXT_DOCUMENT_DID_OPEN: did_open,
    lsp.TEXT_DOCUMENT_DID_CHANGE: did_change,
    lsp.TEXT_DOCUMENT_DID_SAVE: did_save,
    lsp.TEXT_DOCUMENT_DID_CLOSE: did_close,
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_files,
}
