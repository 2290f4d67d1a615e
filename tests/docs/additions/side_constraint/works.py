from trying import solved_file

result = solved_file("mine.tree")
assert result.objective == 63, result.objective
