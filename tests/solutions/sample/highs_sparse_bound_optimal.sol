Model status
Optimal

# Primal solution values
Feasible
Objective -39.8125714285714
Objective_bound -39.8125714285714
MIP_rel_gap 0
# Columns -8 sparse
go_left(12,1) 1 0
go_left(13,1) 1 2
count(1) 5 3
count(2) 9 4
coef(1,m2) -5 5
coef(1,7) -7.14286e-08 6
slack 19.5 7
objective_constant 1 8
