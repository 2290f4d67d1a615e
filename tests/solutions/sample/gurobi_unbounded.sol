# Solution for model sample
# Objective value = -5e+29
go_left(12,1) 1
go_left(12,3) 1
go_left(13,1) 0
count(1) 4
count(2) 9
coef(1,m2) -5
coef(1,7) -7.1428571428571437e-08
slack 1e+30
objective_constant 1
