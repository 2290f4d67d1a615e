from pathlib import Path

from treemip.core.files.solution_formats import read_solution

Path("pairs.sol").write_text("optimal\nx 1\ny 0.5\n")
found = read_solution("pairs.sol")
assert found.format == "pairs" and found.values.tolist() == [1, 0.5]
