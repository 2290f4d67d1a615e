# Solution for model sample
# Objective value = -3.9812571428571431e+01
go_left(12,1) 1
go_left(12,3) 0
go_left(13,1) 1
count(1) 5
count(2) 9
coef(1,m2) -5
coef(1,7) -7.1428571428571437e-08
slack 19.5
objective_constant 1
