c Problem:    sample
c Rows:       5
c Columns:    9
c Non-zeros:  12
c Status:     INTEGER UNDEFINED
c Objective:  gain = 0 (MINimum)
c
s mip 5 9 u 0
i 1 0
i 2 0
i 3 0
i 4 0
i 5 0
j 1 0
j 2 0
j 3 0
j 4 0
j 5 0
j 6 0
j 7 0
j 8 0
j 9 0
e o f
