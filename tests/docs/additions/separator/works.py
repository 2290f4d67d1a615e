from trying import IRIS, solved

text = IRIS + "strategy { separate one_feature by worst_row; }"
result = solved(text, solver="highs", start="none")
assert result.objective == 50
