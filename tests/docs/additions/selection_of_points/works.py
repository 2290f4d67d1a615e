from trying import IRIS, solved

result = solved(IRIS + "strategy { select alternate; }")
assert 60 <= result.selected.kept <= 80, result.selected
