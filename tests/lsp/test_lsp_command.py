"""`treemip lsp`: its options, a port, and what it says without its packages."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
import time

import pytest

from treemip.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--tcp", "0"], "is not a port"), (["--stdio", "--tcp", "9"], "exclude each other")],
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


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"processId": None, "rootUri": None, "capabilities": {}},
}


@pytest.mark.parametrize("drop", ["at once", "after an answer", "within a message", "by a reset"])
def test_a_client_of_a_port_may_leave(drop: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "treemip", "lsp", "--tcp", str(port)]
    server = subprocess.Popen(words, stderr=subprocess.PIPE)
    try:
        client = _connected(port)
        if drop != "at once":
            body = json.dumps(INITIALIZE).encode()
            client.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            assert b"Content-Length" in client.recv(200)
        if drop == "within a message":
            client.sendall(b"Content-Length: 5000\r\n\r\n{")
        if drop == "by a reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        assert server.communicate(timeout=60)[1] == b""
        assert server.returncode == 0
    finally:
        server.kill()
        server.wait()


def test_a_port_that_is_taken(capsys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["lsp", "--tcp", str(port)]) == 2
    assert "choose another port" in capsys.readouterr().err


def _connected(port: int) -> socket.socket:
    for _ in range(200):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=20)
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise AssertionError("nobody listens")
