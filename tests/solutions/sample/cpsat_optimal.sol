CP-SAT solution: feasible
objective -39.81257142857143
go_left(12,1) 1.0
go_left(12,3) 0.0
go_left(13,1) 1.0
count(1) 5.0
count(2) 9.0
coef(1,m2) -5.0
coef(1,7) -7.142857142857144e-08
slack 19.5
objective_constant 1.0
end
