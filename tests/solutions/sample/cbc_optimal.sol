Optimal - objective value -39.81257143
      0 go_left(12,1)                    1                  -4.125
      1 go_left(12,3)                    0                      -2
      2 go_left(13,1)                    1                      -4
      3 count(1)                         5                  -1.125
      4 count(2)                         9                  -1.875
      5 coef(1,m2)                      -5                       1
      6 coef(1,7)           -7.1428571e-08                       0
      7 slack                         19.5                       0
      8 objective_constant               1                    -2.5
