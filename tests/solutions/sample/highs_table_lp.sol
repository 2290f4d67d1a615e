Columns
    Index Status        Lower        Upper       Primal         Dual  Name
        0     UB            0            1            1       -2.125  go_left(12,1)
        1     BS            0            1         0.25            0  go_left(12,3)
        2     UB            0            1            1           -2  go_left(13,1)
        3     BS            0            9            5            0  count(1)
        4     UB            0            9            9           -2  count(2)
        5     LB           -5            5           -5            1  coef(1,m2)
        6     BS           -5            5 -7.14286e-08            0  coef(1,7)
        7     BS            0          inf         19.5            0  slack
        8     FX            1            1            1         -2.5  objective_constant
Rows
    Index Status        Lower        Upper       Primal         Dual  Name
        0     UB         -inf         2.25         2.25           -2  at_most(0)
        1     UB         -inf         13.5         13.5       -0.125  at_most(1)
        2     BS           -4          inf          4.5           -0  at_most(2)
        3     UB         -inf         0.05         0.05  -0.00142857  at_most(3)
        4     UB         -inf            4            4       -1.125  at_most(4)

Model status: Optimal

Objective value: -40.3125714285714
