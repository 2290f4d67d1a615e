"""The extension of Sphinx that makes the pages of the site which are not texts of docs/.

Before Sphinx looks for pages, those of the gallery, of messages, of Python and of files outside
docs/ are written into folders that git ignores; while it reads a page, links out of docs/ are led
to them. What is for forges stays as it is.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from . import docstrings, finish, llms, pages, reading


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", pages.write)
    app.connect("source-read", reading.read)
    app.connect("autodoc-process-docstring", docstrings.convert)
    app.connect("html-page-context", finish.page, priority=900)  # after the theme's own
    app.connect("build-finished", llms.write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
