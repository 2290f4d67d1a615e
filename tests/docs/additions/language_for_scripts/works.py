import json
from pathlib import Path

from treemip.cli.main import main

main(["export", "specs/iris_binoct.tree", "-p", "depth=1", "--to", "plain", "-o", "iris.plain"])
assert Path("iris.plain").read_text() == "minimize sum(l in leaves, c in classes: error[l, c])\n"
assert "leaves" in json.loads(Path("iris.json").read_text())
