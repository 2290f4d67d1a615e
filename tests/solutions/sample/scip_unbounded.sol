solution status: unbounded
objective value:                                 -2.5
objective_constant                                  1 	(obj:-2.5)
