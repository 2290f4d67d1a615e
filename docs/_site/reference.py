"""The pages of Python: one for the functions and one for each class, which autodoc fills."""

from __future__ import annotations

import inspect
from pathlib import Path

from .places import DOCS

EXTRA = {"treemip.sklearn": "scikit-learn", "treemip.plot": "Pictures"}
"""Public modules with names of their own, and the titles of their pages."""

OPENING = """# The Python interface

All public names, from their docstrings. [Python](../python.md) and
[scikit-learn](../sklearn.md) say how they are used together.
"""

INHERITED = "BaseEstimator, ClassifierMixin, RegressorMixin, Exception, object, tuple"


def files() -> dict[Path, str]:
    """The pages, by where they are written."""
    import treemip

    names = [name for name in treemip.__all__ if not inspect.ismodule(getattr(treemip, name))]
    classes = [name for name in names if inspect.isclass(getattr(treemip, name))]
    functions = [name for name in names if name not in classes]
    pages = {"functions": ("Functions", [f"treemip.{name}" for name in functions])}
    pages |= {name: (name, [f"treemip.{name}"]) for name in classes}
    for module, title in EXTRA.items():
        public = __import__(module, fromlist=["__all__"]).__all__
        pages[module.rpartition(".")[2]] = (title, [f"{module}.{name}" for name in public])
    made = {DOCS / "api" / f"{key}.md": _page(*page) for key, page in pages.items()}
    made[DOCS / "api" / "index.md"] = _index(pages)
    return made


def _index(pages: dict[str, tuple[str, list[str]]]) -> str:
    parts = [OPENING]
    for title, names in pages.values():
        listed = "\n".join(f"   {name}" for name in names)
        parts.append(f"## {title}\n\n{_rst(f'.. autosummary::{chr(10)}{chr(10)}{listed}')}")
    listed = "\n".join(pages)
    return "\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"])


def _page(title: str, names: list[str]) -> str:
    return "\n".join([f"# {title}\n", *(_rst(_documented(name)) for name in names)])


def _documented(name: str) -> str:
    module, _, own = name.rpartition(".")
    entry = getattr(__import__(module, fromlist=[own]), own)
    if not inspect.isclass(entry):
        return f".. autofunction:: {name}"
    options = f"   :members:\n   :inherited-members: {INHERITED}\n"
    options += "   :exclude-members: set_fit_request, set_predict_request, set_score_request"
    return f".. autoclass:: {name}\n{options}"


def _rst(text: str) -> str:
    return f"```{{eval-rst}}\n{text}\n```\n"
