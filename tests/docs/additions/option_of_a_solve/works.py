from treemip import loads
from trying import IRIS

DEEP = IRIS.replace("depth = 1", "depth = 2").replace(
    "class;", "class; use petal_width, sepal_width;"
)
compiled = loads(DEEP, base="specs/data").compile()
assert compiled.solve("highs", start="none", nodes=1).status == "solver_limit"
compiled = loads(DEEP + "strategy { nodes 1; }", base="specs/data").compile()
assert compiled.solve("highs", start="none").status == "solver_limit"
