"""A client of the language server: messages over the pipes of a process, and what came back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import Empty, Queue
from typing import Any

ROOT = Path(__file__).parents[2]


class Client:
    """One session with `treemip lsp`; `notifications` are what the server said unasked."""

    def __init__(self, *arguments: str, capabilities: dict[str, Any] | None = None) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "treemip", "lsp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self.number = 0
        self.answers: dict[int, Any] = {}
        self.notifications: Queue[dict[str, Any]] = Queue()
        self.arrived = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        params = {"processId": None, "rootUri": None, "capabilities": capabilities or {}}
        self.capabilities = self.ask("initialize", params)["capabilities"]
        self.tell("initialized", {})

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        while header := out.readline():
            length = int(header.split(b":")[1])
            while out.readline().strip():
                pass
            message = json.loads(out.read(length))
            if "id" in message and "method" not in message:
                with self.arrived:
                    self.answers[message["id"]] = message
                    self.arrived.notify_all()
            elif "id" in message:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})
                self.notifications.put(message)
            else:
                self.notifications.put(message)

    def send(self, message: dict[str, Any]) -> None:
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, body: bytes) -> None:
        pipe = self.process.stdin
        assert pipe is not None
        pipe.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        pipe.flush()

    def tell(self, method: str, params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Any) -> int:
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.send(request)
        return self.number

    def wait(self, number: int, seconds: float = 60) -> dict[str, Any]:
        with self.arrived:
            assert self.arrived.wait_for(lambda: number in self.answers, seconds), "no answer"
            return self.answers.pop(number)

    def answer(self, method: str, params: Any, seconds: float = 60) -> dict[str, Any]:
        """The whole answer, which may be an error."""
        return self.wait(self.begin(method, params), seconds)

    def ask(self, method: str, params: Any, seconds: float = 60) -> Any:
        """The result of a request. Raises AssertionError for an error."""
        answer = self.answer(method, params, seconds)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    # --------------------------------------------------------------------- texts

    def open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "treemip", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, text: str, version: int = 2) -> None:
        """The whole text anew."""
        document = {"uri": uri, "version": version}
        params = {"textDocument": document, "contentChanges": [{"text": text}]}
        self.tell("textDocument/didChange", params)

    def problems(self, uri: str, seconds: float = 20, quiet: float = 1.5) -> list[dict[str, Any]]:
        """The last problems of a text, once none have come for a while."""
        found: list[dict[str, Any]] | None = None
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                message = self.notifications.get(timeout=quiet if found is not None else 0.2)
            except Empty:
                if found is not None:
                    break
                continue
            params = message.get("params", {})
            if message["method"] == "textDocument/publishDiagnostics" and params["uri"] == uri:
                found = params["diagnostics"]
        assert found is not None, "no problems were published"
        return found

    def logged(self) -> list[str]:
        """What the server has written into its log so far."""
        texts = []
        while not self.notifications.empty():
            message = self.notifications.get()
            if message["method"] == "window/logMessage":
                texts.append(message["params"]["message"])
        return texts

    def end(self) -> int:
        """Shut the server down; its exit code."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(20)
