Problem:    sample
Rows:       7
Columns:    9 (5 integer, 3 binary)
Non-zeros:  16
Status:     INTEGER EMPTY
Objective:  gain = 0 (MINimum)

   No.   Row name        Activity     Lower bound   Upper bound
------ ------------    ------------- ------------- -------------
     1 at_most(0)                  0                        2.25 
     2 at_most(1)                  0                        13.5 
     3 at_most(2)                  0            -4               
     4 at_most(3)                  0                        0.05 
     5 at_most(4)                  0                          36 
     6 at_most(5)                  0           9.5               
     7 at_most(6)                  0                          33 

   No. Column name       Activity     Lower bound   Upper bound
------ ------------    ------------- ------------- -------------
     1 go_left(12,1)
                    *              0             0             1 
     2 go_left(12,3)
                    *              0             0             1 
     3 go_left(13,1)
                    *              0             0             1 
     4 count(1)     *              0             0             9 
     5 count(2)     *              0             0             9 
     6 coef(1,m2)                  0            -5             5 
     7 coef(1,7)                   0            -5             5 
     8 slack                       0             0               
     9 objective_constant
                                   0             1             = 

Integer feasibility conditions:

KKT.PE: max.abs.err = 0.00e+00 on row 0
        max.rel.err = 0.00e+00 on row 0
        High quality

KKT.PB: max.abs.err = 9.50e+00 on row 6
        max.rel.err = 9.05e-01 on row 6
        SOLUTION IS INFEASIBLE

End of output
