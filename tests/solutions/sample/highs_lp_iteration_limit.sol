Model status
Iteration limit reached

# Primal solution values
Infeasible
Objective -50.2500714285714
# Columns 9
go_left(12,1) 1
go_left(12,3) 1
go_left(13,1) 1
count(1) 9
count(2) 9
coef(1,m2) -5
coef(1,7) -7.14286e-08
slack 0
objective_constant 1
# Rows 5
at_most(0) 3
at_most(1) 45
at_most(2) -15
at_most(3) 0.05
at_most(4) 8

# Dual solution values
Feasible
# Columns 9
go_left(12,1) -3
go_left(12,3) -2
go_left(13,1) -4
count(1) -1.5
count(2) -2.25
coef(1,m2) 1
coef(1,7) 0
slack 0.125
objective_constant -2.5
# Rows 5
at_most(0) 0
at_most(1) 0
at_most(2) 0
at_most(3) -0.0014285714286
at_most(4) 0

# Basis
HiGHS_basis_file v2
Valid
# Columns 9
go_left(12,1) 2
go_left(12,3) 2
go_left(13,1) 2
count(1) 2
count(2) 2
coef(1,m2) 0
coef(1,7) 1
slack 0
objective_constant 2
# Rows 5
at_most(0) 1
at_most(1) 1
at_most(2) 1
at_most(3) 2
at_most(4) 1
