Unbounded - objective value 0.00000000
      0 go_left(12,1)                    0                      -1
      1 go_left(12,3)                    0                       0
      2 go_left(13,1)                    0                      -2
      3 count(1)                         0                       0
      4 count(2)                         0              -2.4166667
      5 coef(1,m2)                       0                       1
      6 coef(1,7)                        0                       0
      7 slack                            0                    -0.5
**       8 objective_constant               0                    -2.5
