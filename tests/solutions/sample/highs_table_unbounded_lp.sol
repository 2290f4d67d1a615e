Columns
    Index Status        Lower        Upper       Primal         Dual  Name
        0     UB            0            1            1           -3  go_left(12,1)
        1     LB            0            1            0           -2  go_left(12,3)
        2     UB            0            1            1           -4  go_left(13,1)
        3     LB            0          inf            0         -1.5  count(1)
        4     LB            0          inf            0        -2.25  count(2)
        5     UB           -5            5            5            1  coef(1,m2)
        6     BS           -5            5 -7.14286e-08            0  coef(1,7)
        7     LB            0          inf            0        0.125  slack
        8     FX            1            1            1         -2.5  objective_constant
Rows
    Index Status        Lower        Upper       Primal         Dual  Name
        0     BS         -inf         2.25            2           -0  at_most(0)
        1     BS         -inf         1000            0           -0  at_most(1)
        2     BS           -4          inf           15           -0  at_most(2)
        3     UB         -inf         0.05         0.05  -0.00142857  at_most(3)
        4     BS         -inf            4           -1           -0  at_most(4)

Model status: Unbounded

Objective value: -4.5000714285714
