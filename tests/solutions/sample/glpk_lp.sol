c Problem:    sample
c Rows:       5
c Columns:    9
c Non-zeros:  12
c Status:     OPTIMAL
c Objective:  gain = -40.31257143 (MINimum)
c
s bas 5 9 f f -40.3125714285714
i 1 u 2.25 -2
i 2 u 13.5 -0.125
i 3 b 4.5 0
i 4 u 0.05 -0.00142857142857143
i 5 u 36 -0.125
j 1 u 1 -2.125
j 2 b 0.25 0
j 3 u 1 -2
j 4 b 5 0
j 5 u 9 -2
j 6 l -5 1
j 7 b -7.14285714285714e-08 0
j 8 b 19.5 0
j 9 s 1 -2.5
e o f
