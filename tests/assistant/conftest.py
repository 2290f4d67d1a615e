"""A session with `treemip mcp` over the pipes of a process, by mcp's own client."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from treemip.core.resources import specs_path

ROOT = Path(__file__).parents[2]


def session(folder: Path, talk: Callable[[Client], Awaitable[Any]], *options: str) -> Any:
    """What a conversation with a server of this folder comes to."""
    words = ["-P", "-m", "treemip", "mcp", "--folder", str(folder), *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    async def main() -> Any:
        server = StdioServerParameters(command=sys.executable, args=words, env=environment)
        async with Client(stdio_client(server)) as client:
            return await talk(client)

    return asyncio.run(asyncio.wait_for(main(), 240))


class Session:
    """Calls of tools in turn, each answered by its text and its fields."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options = folder, options

    def talk(self, work: Callable[[Client], Awaitable[Any]]) -> Any:
        return session(self.folder, work, *self.options)

    def call(self, *calls: tuple[str, dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
        async def work(client: Client) -> list[tuple[str, dict[str, Any]]]:
            found = []
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                assert not result.is_error, result
                found.append((result.content[0].text, result.structured_content))
            return found

        return self.talk(work)


@pytest.fixture
def credit(tmp_path: Path) -> Path:
    """A folder with the credit example and its table."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "credit-24.csv").write_bytes(
        (specs_path() / "data" / "credit-24.csv").read_bytes()
    )
    (tmp_path / "credit.tree").write_bytes((specs_path() / "credit.tree").read_bytes())
    return tmp_path


@pytest.fixture
def server(credit: Path) -> Session:
    return Session(credit)
