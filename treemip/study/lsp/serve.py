"""The server with all that it answers, on standard input and output or on a port."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from lsprotocol import types as lsp

from treemip.core.source.diagnostic import refused
from treemip.study.lsp.lenses import COMMANDS
from treemip.study.lsp.requests import REQUESTS
from treemip.study.lsp.running import run_command
from treemip.study.lsp.server import Handler, TreeServer, guarded
from treemip.study.lsp.texts import NOTIFICATIONS


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
    """Serve on standard input and output or, with a port, one client of this machine until it
    leaves. Raises TreemipError (E902) for a port that is taken."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    if port is not None:
        _serve_client(port)
        return
    channel, sys.stdout = sys.stdout.buffer, sys.stderr  # nothing else may write there
    make_server().start_io(stdout=channel)


def _serve_client(port: int) -> None:
    try:
        listening = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise refused(f"--tcp {port}: {error.strerror or error}", "choose another port") from None
    with listening:
        client, _ = listening.accept()
    with client, suppress(ConnectionError):  # it may leave in the middle of a message
        make_server().start_io(client.makefile("rb"), _Sending(client))  # type: ignore[arg-type]


class _Sending:
    """What the server writes, sent at once."""

    def __init__(self, client: socket.socket) -> None:
        self.write = client.sendall
        self.close = client.close

    def flush(self) -> None:
        """Nothing is kept back."""
