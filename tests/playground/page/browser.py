"""The playground in a browser: a server of its own, and pages that note what must not happen."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
EDITORS = ROOT / "editors"
ASSETS = ROOT / "treemip" / "study" / "playground" / "assets"

LONG = 60_000
"""Milliseconds for a solve on a busy machine."""

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    path = next((one for one in found if one), None)
    if path is None:
        pytest.skip("no Chromium on this machine")
    return path


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server that was just started."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    command = [sys.executable, "-m", "treemip", "playground", "--port", "0"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            address = re.search(r"http://\S+", line)
            assert address, f"the server said: {line!r}"
            yield address[0]
        finally:
            process.terminate()


class Visit:
    """A page of the playground, and what happened on it that must not: errors, other hosts."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.faults: list[str] = []
        page.set_default_timeout(LONG)
        page.on("console", lambda said: said.type == "error" and self.faults.append(said.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._requested)

    def _requested(self, request: Any) -> None:
        if not request.url.startswith((self.address, f"blob:{self.address}")):
            self.faults.append(f"a request to {request.url}")

    def open(self, fragment: str = "") -> Visit:
        self.page.goto(f"{self.address}/{fragment}")
        self.page.wait_for_selector("html[data-ready=yes]")
        return self

    def says(self, words: str) -> str:
        """What the line of messages says, once it has these words. Raises AssertionError with what
        it says in their place."""
        from playwright.sync_api import TimeoutError as TooLate

        line = self.page.locator("#status", has_text=words)
        try:
            line.wait_for()
        except TooLate as error:
            said = self.page.locator("#status").inner_text()
            raise AssertionError(f"{words!r} is not in {said!r}") from error
        return str(line.inner_text())

    def text(self) -> str:
        """The text in the editor; the parts of it that are in sight."""
        lines = self.page.locator(".cm-line").all_inner_texts()
        return "\n".join(line.replace("\n", "") for line in lines)

    def write(self, text: str) -> None:
        """At the end of the text."""
        self.page.locator(".cm-content").press("Control+End")
        self.page.keyboard.insert_text(text)

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()

    def focused(self) -> str:
        """The id of what has the focus, also within the editor; its text where it has none."""
        return str(
            self.page.evaluate(
                """() => {
                  let at = document.activeElement;
                  if (at.shadowRoot) return at.id;
                  return at.id || at.getAttribute('aria-label') || at.textContent;
                }"""
            )
        )
