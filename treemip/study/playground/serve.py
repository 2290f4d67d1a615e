"""The playground's server, from the port to the signal that ends it."""

from __future__ import annotations

import socket

import uvicorn

from treemip.core.source.diagnostic import fail
from treemip.study.playground.app import application
from treemip.study.playground.limits import Limits
from treemip.study.sandbox.folder import remove_abandoned


def serve(host: str, port: int, limits: Limits) -> None:
    """Serve until a signal. Raises TreemipError where the port is taken."""
    listening = _listening(host, port)
    remove_abandoned()
    name, number = listening.getsockname()[:2]
    shown = f"[{name}]" if ":" in name else name
    print(f"playground: http://{shown}:{number}  (Ctrl-C ends it)", flush=True)
    config = uvicorn.Config(
        application(limits),
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=3,
        proxy_headers=limits.public,
    )
    uvicorn.Server(config).run([listening])


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=200)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot listen on '{host}', port {port}: {reason}"
        fail("E902", message, remedy="choose another port with --port; 0 is a free one")
