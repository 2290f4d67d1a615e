"""What pygls leaves open: a malformed request gets an answer, and the end of a request ends what
runs for it."""

from __future__ import annotations

from typing import Any

from cattrs import transform_error
from lsprotocol import types as lsp
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
)
from pygls.protocol import LanguageServerProtocol

MOST = 3
"""Faults of a message that its answer names."""


class TreeProtocol(LanguageServerProtocol):
    """The protocol of a `TreeServer`."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as an object. Raises JsonRpcException, after answering a request."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            self._refuse(data, self._fault(data, error))
            raise

    def _fault(self, data: dict[str, Any], error: JsonRpcException) -> JsonRpcException:
        method = str(data.get("method"))
        if self.get_message_type(method) is None:
            return JsonRpcMethodNotFound.of(method)
        cause = error.__cause__
        faults = [] if cause is None else transform_error(cause, "message")[:MOST]
        return JsonRpcInvalidParams(f"{method}: {'; '.join(faults)}" if faults else None)

    def _refuse(self, data: dict[str, Any], error: JsonRpcException) -> None:
        """Answer a request by an error; a notification has no answer."""
        if isinstance(data.get("id"), str | int) and "method" in data:
            self._send_response(data["id"], error=error.to_response_error())

    def handle_message(self, message: Any) -> None:
        if isinstance(message, dict):  # it does not say that it is JSON-RPC
            self._refuse(message, JsonRpcInvalidRequest("'jsonrpc' is missing"))
            return
        method = getattr(message, "method", "")
        if self._shutdown and method not in ("", lsp.EXIT) and hasattr(message, "id"):
            error = JsonRpcInvalidRequest("the server was shut down and takes 'exit' only")
            self._send_response(message.id, error=error.to_response_error())
            return
        super().handle_message(message)
        if method == lsp.CANCEL_REQUEST:
            self._server.end_command(message.params.id)  # type: ignore[attr-defined]
