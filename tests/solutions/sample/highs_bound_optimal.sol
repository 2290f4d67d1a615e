Model status
Optimal

# Primal solution values
Feasible
Objective -39.8125714285714
Objective_bound -39.8125714285714
MIP_rel_gap 0
# Columns 9
go_left(12,1) 1
go_left(12,3) 0
go_left(13,1) 1
count(1) 5
count(2) 9
coef(1,m2) -5
coef(1,7) -7.14286e-08
slack 19.5
objective_constant 1
# Rows 5
at_most(0) 2
at_most(1) 13.5
at_most(2) 4.5
at_most(3) 0.05
at_most(4) 4

# Dual solution values
None

# Basis
HiGHS_basis_file v2
None
