"""A page with a tree's picture, and the tree as text for those who do not see it."""

from __future__ import annotations

import numpy as np

from treemip.core.tree.tree import Tree
from treemip.writers.picture.scene import scene_of
from treemip.writers.picture.svg import svg, xml

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 1.5rem; color: #1a1a1a; background: #fff; }}
h1 {{ font-size: 1.3rem; }}
figure {{ margin: 0; overflow-x: auto; }}
pre {{ overflow-x: auto; }}
</style>
</head>
<body>
<h1>{title}</h1>
<figure>
{picture}</figure>
<details>
<summary>The tree as text</summary>
<pre>{text}</pre>
</details>
</body>
</html>
"""


def page(tree: Tree, counts: np.ndarray | None = None) -> str:
    """One file of HTML that needs no network."""
    scene = scene_of(tree, counts)
    text = tree.drawn(counts)
    return _PAGE.format(title=xml(scene.title), picture=svg(scene), text=xml(text))
