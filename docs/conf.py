"""How the documentation is built as a site: `make site`. What is special is in docs/_site."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import treemip  # noqa: E402  found beside this folder, or installed

project = "treemip"
copyright = "the authors of treemip, under the MIT licence"
version = release = treemip.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "_site",
]
exclude_patterns = ["_site"]
templates_path = ["_site/templates"]
html_static_path = ["_site/static"]
html_css_files = ["site.css"]

# Anchors of headings are those of forges, to four levels.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

highlight_language = "text"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"

html_theme = "furo"
html_title = "treemip"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    # Furo's own colours of links and notes are kept where they have the contrast that AA asks for.
    "light_css_variables": {
        "color-foreground-muted": "#5c5f66",
        "color-brand-primary": "#0b5a36",
        "color-brand-content": "#0a5f8a",
    },
    "dark_css_variables": {
        "color-foreground-muted": "#a3a8b0",
        "color-brand-primary": "#8fd6ae",
        "color-brand-content": "#8cc8ee",
    },
}
copybutton_prompt_text = "$ "
