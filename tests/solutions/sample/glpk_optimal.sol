c Problem:    sample
c Rows:       5
c Columns:    9
c Non-zeros:  12
c Status:     INTEGER OPTIMAL
c Objective:  gain = -39.81257143 (MINimum)
c
s mip 5 9 o -39.8125714285714
i 1 2
i 2 13.5
i 3 4.5
i 4 0.05
i 5 36
j 1 1
j 2 0
j 3 1
j 4 5
j 5 9
j 6 -5
j 7 -7.14285714285714e-08
j 8 19.5
j 9 1
e o f
