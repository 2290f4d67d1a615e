"""lsp, mcp, playground: the servers for editors, assistants and browsers"""

from __future__ import annotations

import os
from pathlib import Path

from treemip.cli.console import DONE
from treemip.core.source.diagnostic import fail, refused
from treemip.core.source.extras import pip_install


def lsp(stdio: bool = False, tcp: int | None = None) -> int:
    """Serve .tree files to an editor.

    Speaks the Language Server Protocol on standard input and output, or on a port of this machine.
    """
    if stdio and tcp is not None:
        raise refused("--stdio and --tcp exclude each other", "give one of them")
    if tcp is not None and not 1 <= tcp <= 65535:
        raise refused(f"--tcp {tcp} is not a port", "a port is a number from 1 to 65535")
    try:
        from treemip.study.lsp.serve import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        fail("E602", f"the language server needs {error.name}", remedy=pip_install("lsp"))
    serve(tcp)
    return DONE


LOCAL = ("127.0.0.1", "::1", "localhost")


def playground(
    host: str = "127.0.0.1",
    port: int = 8137,
    seconds: float = 60.0,
    megabytes: int = 10,
    workers: int | None = None,
    public: bool = False,
) -> int:
    """Serve a page to write specs and solve them.

    Texts, tables and answers stay in memory; a solve runs in a process of its own, within limits,
    and reads nothing but what was handed over. Ends with Ctrl-C.
    """
    if host not in LOCAL and not public:
        message = f"--host {host} lets other machines reach this page"
        raise refused(message, "add --public if whoever reaches the port may solve here")
    if not 0 <= port <= 65535:
        raise refused(f"--port {port} is not a port", "a port is a number from 0 to 65535")
    for name, value in (("seconds", seconds), ("megabytes", megabytes), ("workers", workers)):
        if value is not None and not 0 < value <= 100_000:
            raise refused(f"--{name} {value} is not a limit", "give a number above 0, such as 10")
    try:
        from treemip.study.playground.limits import Limits
        from treemip.study.playground.serve import serve as serve_page
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("starlette", "uvicorn"):
            raise
        fail("E602", f"the playground needs {error.name}", remedy=pip_install("playground"))
    chosen = {} if workers is None else {"workers": workers}
    serve_page(host, port, Limits(seconds, float(megabytes), public=public, **chosen))
    return DONE


def mcp(folder: Path = Path(), seconds: float = 60) -> int:
    """Serve treemip to an assistant.

    Speaks the Model Context Protocol on standard input and output. Specs are checked and solved in
    processes of their own, which read this folder and no other.
    """
    if not folder.is_dir():
        raise refused(f"--folder {folder} is not a folder", "name one that exists")
    if not 0 < seconds < float("inf"):
        raise refused(f"--seconds {seconds:g} is not a time limit", "give a number above 0")
    if os.name != "posix":
        raise refused("the assistant's server needs Linux or macOS", "on Windows run it in WSL")
    try:
        from treemip.study.assistant.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("mcp", "mcp_types"):
            raise
        fail("E602", f"the assistant's server needs {error.name}", remedy=pip_install("mcp"))
    serve(folder, seconds)
    return DONE
