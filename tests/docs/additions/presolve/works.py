from trying import IRIS, proven

from treemip import loads

text = IRIS + "strategy { presolve equal_rows; }"
repeated = "subject to twice {i in points, n in branches}: active[n] <= 1;"
compiled = loads(text + repeated, base="specs/data").compile()
result = proven(compiled.solve("highs", start="none"))
assert result.objective == 50
