"""`treemip lsp`: its options, a port, and what it says without its packages."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time

import pytest

from treemip.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--tcp", "0"], "is no port"), (["--stdio", "--tcp", "9"], "exclude each other")],
)
def test_options_that_do_not_fit(arguments: list[str], said: str, capsys) -> None:
    assert main(["lsp", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_what_to_install_is_said(monkeypatch, capsys) -> None:
    for name in [n for n in sys.modules if n.startswith("treemip.study.lsp")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("pygls", "lsprotocol"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["lsp"]) == 2
    error = capsys.readouterr().err
    assert "E602" in error
    assert "pip install" in error


def test_a_port_of_this_machine() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "treemip", "lsp", "--tcp", str(port)])
    try:
        client = _connected(port)
        params = {"processId": None, "rootUri": None, "capabilities": {}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        body = json.dumps(message).encode()
        client.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert b"Content-Length" in client.recv(200)
        client.close()
    finally:
        server.kill()
        server.wait()


def _connected(port: int) -> socket.socket:
    for _ in range(200):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=20)
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise AssertionError("nobody listens")
