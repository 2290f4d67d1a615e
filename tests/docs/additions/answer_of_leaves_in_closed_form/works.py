from treemip.answers.search.curves.narrow_parabola import NarrowParabola
from trying import solved

ways = []
original = NarrowParabola.least
NarrowParabola.least = lambda curve, worth: ways.append(1) or original(curve, worth)
result = solved("""
data "credit-24.csv" { label amount number; use duration; scale minmax; }
topology complete(depth = 1);
split univariate by ort(squared = 1);
""")
assert result.answer.solver == "engine" and ways
