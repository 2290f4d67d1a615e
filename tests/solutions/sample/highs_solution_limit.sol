Model status
Solution limit reached

# Primal solution values
Feasible
Objective -900.2
# Columns 30
v0(1) 0
v0(2) 0
v0(3) 0
v0(4) 1
v0(5) 0
v0(6) 0
v0(7) 0
v0(8) 1
v0(9) 1
v0(10) 0
v0(11) 1
v0(12) 1
v0(13) 0
v0(14) 1
v0(15) 1
v0(16) 0
v0(17) 0
v0(18) 1
v0(19) 0
v0(20) 0
v0(21) 0
v0(22) 0
v0(23) 0
v0(24) 0
v0(25) 1
v0(26) 0
v0(27) 1
v0(28) 1
v0(29) 1
v0(30) 1
# Rows 10
r(1) 719
r(2) 693
r(3) 798
r(4) 629
r(5) 761
r(6) 750
r(7) 885
r(8) 607
r(9) 628
r(10) 782

# Dual solution values
None

# Basis
HiGHS_basis_file v2
None
