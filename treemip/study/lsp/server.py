"""The server: the open texts, the threads that look at them, and when their problems are shown.

Texts are looked at in one thread and their data in another, so that reading a table never holds up
typing. An error that nobody foresaw becomes a line of the log and an empty answer.
"""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from treemip import __version__
from treemip.study.lsp import conversion
from treemip.study.lsp.documents import Document, Documents
from treemip.study.lsp.problems import problems
from treemip.study.lsp.protocol import TreeProtocol
from treemip.study.lsp.results import Refused

PAUSE = 0.1
"""Seconds without a change after which a text is looked at."""

DATA_PAUSE = 0.6
"""Seconds without a change after which its data are."""

ENGINE_PAUSE = 2.0
"""Seconds after that, without a change, after which exact engines are asked."""

STACK = 64 << 20
"""Bytes of a thread's stack: deeply nested texts are walked by recursion."""

REQUEST_FAILED = -32803

T = TypeVar("T")
Handler = Callable[["TreeServer", Any], Awaitable[Any]]


class TreeServer(LanguageServer):
    """The server with the open texts."""

    def __init__(self) -> None:
        super().__init__("treemip", __version__, protocol_cls=TreeProtocol)
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
        self.commands: dict[str | int, asyncio.Task[Any]] = {}
        """The command of each request for one that is not answered yet."""

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

    def end_command(self, request: str | int) -> None:
        """End what runs for a request; nothing where that is none for a command."""
        task = self.commands.pop(request, None)
        if task is not None:
            task.cancel()

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
                self.later("engines", uri, ENGINE_PAUSE, self.ask_engines)

    async def ask_engines(self, uri: str) -> None:
        document, loop = self.documents.open.get(uri), asyncio.get_running_loop()
        if document is not None and await loop.run_in_executor(
            self.data, self.documents.ask_engines, document
        ):
            await self._publish(document)

    def forget(self, uri: str) -> None:
        """Nothing more is done for a text."""
        for what in ("text", "data", "engines"):
            task = self.waiting.pop((what, uri), None)
            if task is not None:
                task.cancel()

    def changed(self, uri: str, at_once: bool = False) -> None:
        self.forget(uri)
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
