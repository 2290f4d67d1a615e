"""Checks on every request, its origin and its size, and the headers of every answer."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treemip.study.playground.denied import Denied
from treemip.study.playground.limits import BODY, Limits

LOCAL = ("localhost", "127.0.0.1", "[::1]")

POLICY = (
    "default-src 'self'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""For the page itself: scripts and styles come from this server; CodeMirror draws its
marks as `data:` images."""

PAGE_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'"
)
"""For a page that a command wrote: inline scripts run, and nothing else can be loaded."""

UPLOADS = "/api/tables"


class Guard:
    """Answers what it refuses itself, and raises nothing."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app, self.limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_headers(message["headers"])
            await send(message)

        try:
            self._check(scope, headers)
        except Denied as refusal:
            response = JSONResponse(refusal.to_json(), refusal.status)
            await response(scope, receive, answered)
            return
        await self.app(scope, receive, answered)

    def _check(self, scope: Scope, headers: dict[str, str]) -> None:
        host = headers.get("host", "")
        if not self.limits.public and _name(host) not in LOCAL:
            # DNS rebinding: another site can point its own name at this machine.
            raise Denied(
                403, "this server answers to localhost only", "open it as http://127.0.0.1"
            )
        origin = headers.get("origin")
        reads = scope["method"] in ("GET", "HEAD")
        if not reads and origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            raise Denied(403, "the request comes from another site")
        most = most_bytes(self.limits, scope["path"])
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > most:
            raise too_large(most)


def most_bytes(limits: Limits, path: str) -> int:
    return limits.upload if path == UPLOADS else BODY


def too_large(most: int) -> Denied:
    message = f"the request is larger than {most / 1e6:g} MB, the limit here"
    return Denied(413, message, "use fewer rows or columns, or treemip on your machine")


def _name(host: str) -> str:
    """Without the port."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


def _with_headers(headers: list[Any]) -> list[Any]:
    own = {name.lower() for name, _ in headers}
    added = {
        b"content-security-policy": POLICY.encode(),
        b"x-content-type-options": b"nosniff",
        b"referrer-policy": b"no-referrer",
        b"cross-origin-resource-policy": b"same-origin",
        b"cache-control": b"no-store",
    }
    return [*headers, *((k, v) for k, v in added.items() if k not in own)]
