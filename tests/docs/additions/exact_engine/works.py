from treemip.answers.engines.one_split import OneSplit
from trying import solved

ran = []
original = OneSplit.run
OneSplit.run = lambda engine, effort: ran.append(engine) or original(engine, effort)
result = solved("""
data "credit-24.csv" { label class; use amount; }
topology complete(depth = 1);
split univariate by binoct;
""")
assert len(ran) == 1 and result.answer.solver == "engine"
