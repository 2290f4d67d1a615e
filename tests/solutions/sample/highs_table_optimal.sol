Columns
    Index Status        Lower        Upper       Primal         Dual  Type        Name
        0                   0            1            1               Integer     go_left(12,1)
        1                   0            1            0               Integer     go_left(12,3)
        2                   0            1            1               Integer     go_left(13,1)
        3                   0            9            5               Integer     count(1)
        4                   0            9            9               Integer     count(2)
        5                  -5            5           -5               Continuous  coef(1,m2)
        6                  -5            5 -7.14286e-08               Continuous  coef(1,7)
        7                   0          inf         19.5               Continuous  slack
        8                   1            1            1               Continuous  objective_constant
Rows
    Index Status        Lower        Upper       Primal         Dual  Name
        0                -inf         2.25            2               at_most(0)
        1                -inf         13.5         13.5               at_most(1)
        2                  -4          inf          4.5               at_most(2)
        3                -inf         0.05         0.05               at_most(3)
        4                -inf            4            4               at_most(4)

Model status: Optimal

Objective value: -39.8125714285714
