from trying import IRIS, solved

result = solved(IRIS + "set cut_points {f in features} = least_values(f);")
assert result.objective > 90, result.objective  # next to no point goes left
