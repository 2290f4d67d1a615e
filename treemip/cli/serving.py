"""lsp: the language server for editors"""

from __future__ import annotations

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
        from treemip.study.lsp.serve import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        fail("E602", f"the language server needs {error.name}", remedy=pip_install("lsp"))
    serve(tcp)
    return DONE
