"""Uploaded tables: files in memory by a random name that only their visitor knows."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path

from treemip.study.playground.denied import Denied
from treemip.study.playground.limits import UNUSED, Limits
from treemip.study.sandbox.folder import Folder, checked_name


@dataclass
class Table:
    id: str
    name: str
    path: Path
    size: int
    visitor: str
    used: float = field(default_factory=time.monotonic)


class Tables:
    """The tables of all visitors, within a total size."""

    def __init__(self, folder: Folder, limits: Limits) -> None:
        self.folder, self.limits = folder, limits
        self.by_id: dict[str, Table] = {}

    def add(self, visitor: str, name: str, content: bytes) -> Table:
        """Keep a table; a visitor with too many loses the one used least recently.

        Raises Denied if there is no room, and TreemipError for an invalid name.
        """
        checked_name(name)
        self.drop_unused()
        own = [one for one in self.by_id.values() if one.visitor == visitor]
        if len(own) >= self.limits.tables_each:
            self.drop(min(own, key=lambda one: one.used).id)
        whole = sum(one.size for one in self.by_id.values()) + len(content)
        if whole > self.limits.tables:
            room = f"{self.limits.tables / 1e6:.0f} MB"
            message = f"the tables of all visitors fill the {room} there is for them"
            raise Denied(503, message, "try again later, or use treemip on your machine")
        id = secrets.token_urlsafe(12)
        path = self.folder.path / f"table.{id}"
        path.write_bytes(content)
        table = self.by_id[id] = Table(id, name, path, len(content), visitor)
        return table

    def get(self, id: str) -> Table:
        """Raises Denied if there is none, or if it was dropped."""
        table = self.by_id.get(id)
        if table is None:
            hours = f"{UNUSED / 3600:.0f} hour" if UNUSED == 3600 else f"{UNUSED / 3600:g} hours"
            message = f"the table is gone: tables that are not used for {hours} are dropped"
            raise Denied(404, message, "upload it again")
        table.used = time.monotonic()
        return table

    def drop(self, id: str) -> None:
        self.by_id.pop(id).path.unlink(missing_ok=True)

    def drop_unused(self) -> None:
        now = time.monotonic()
        for id in [one.id for one in self.by_id.values() if now > one.used + UNUSED]:
            self.drop(id)
