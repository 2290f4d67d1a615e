from pathlib import Path

from treemip import load

load("specs/iris_binoct.tree", depth=1).compile().write("iris.list")
assert "one_leaf 150" in Path("iris.list").read_text()
