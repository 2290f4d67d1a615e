import csv
from pathlib import Path

from treemip.cli.main import main
from trying import IRIS, solved

result = solved(IRIS.replace("minmax", "halves"))
assert result.objective == 50
result.save("tree.json")
main(["convert", "tree.json", "-o", "tree.py"])
exec(Path("tree.py").read_text(), names := {})
with open("specs/data/iris.csv") as file:
    rows = [
        {k: float(v) if k != "class" else v for k, v in row.items()} for row in csv.DictReader(file)
    ]
assert sum(names["predict"](row) != row["class"] for row in rows) == 50
