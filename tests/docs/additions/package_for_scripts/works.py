from treemip import load

compiled = load("specs/iris_binoct.tree", depth=1).compile()
script, _ = compiled.to_script("rows", "iris.py")
exec(script, names := {})
assert names["ROWS"] == 7, names["ROWS"]
