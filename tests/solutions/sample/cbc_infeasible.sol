Infeasible - objective value -44.25007143
      0 go_left(12,1)                    1                      -3
      1 go_left(12,3)                    1                      -2
      2 go_left(13,1)                    1                      -4
      3 count(1)                         5                       0
      4 count(2)                         9              -2.4166667
      5 coef(1,m2)                      -5                       1
      6 coef(1,7)           -7.1428571e-08                       0
      7 slack                            0                   0.125
      8 objective_constant               1                    -2.5
