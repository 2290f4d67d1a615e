solution status: optimal solution found
objective value:                    -40.3125714285714
go_left(12,1)                                       1 	(obj:-3)
go_left(12,3)                                    0.25 	(obj:-2)
go_left(13,1)                                       1 	(obj:-4)
count(1)                                            5 	(obj:-1.5)
count(2)                                            9 	(obj:-2.25)
coef(1,m2)                                         -5 	(obj:1)
coef(1,7)                        -7.14285714285714e-08 	(obj:1000)
slack                                            19.5 	(obj:0.125)
objective_constant                                  1 	(obj:-2.5)
