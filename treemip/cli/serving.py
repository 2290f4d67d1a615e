"""lsp, mcp: the servers for editors and for assistants"""

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
        raise refused(f"--tcp {tcp} is no port", "a port is a number from 1 to 65535")
    try:
        from treemip.study.lsp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        fail("E602", f"the language server needs {error.name}", remedy=pip_install("lsp"))
    serve(tcp)
    return DONE


def mcp(folder: Path = Path(), seconds: float = 60) -> int:
    """Serve treemip to an assistant.

    Speaks the Model Context Protocol on standard input and output. Specs are checked and solved in
    processes of their own, which read this folder and no other.
    """
    if not folder.is_dir():
        raise refused(f"--folder {folder} is no folder", "name one that exists")
    if not 0 < seconds < float("inf"):
        raise refused(f"--seconds {seconds:g} is no time limit", "give a number above 0")
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
