from trying import IRIS, solved

result = solved(IRIS, solver="scipy_milp", start="none")
assert result.objective == 50 and result.answer.solver == "scipy_milp"
