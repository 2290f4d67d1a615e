"""The Chromium of this machine, for tests of pages."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium_path() -> str | None:
    """The one that TREEMIP_BROWSER names, or one on the path."""
    return os.environ.get("TREEMIP_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
