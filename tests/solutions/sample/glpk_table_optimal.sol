Problem:    sample
Rows:       5
Columns:    9 (5 integer, 3 binary)
Non-zeros:  12
Status:     INTEGER OPTIMAL
Objective:  gain = -39.81257143 (MINimum)

   No.   Row name        Activity     Lower bound   Upper bound
------ ------------    ------------- ------------- -------------
     1 at_most(0)                  2                        2.25 
     2 at_most(1)               13.5                        13.5 
     3 at_most(2)                4.5            -4               
     4 at_most(3)               0.05                        0.05 
     5 at_most(4)                 36                          36 

   No. Column name       Activity     Lower bound   Upper bound
------ ------------    ------------- ------------- -------------
     1 go_left(12,1)
                    *              1             0             1 
     2 go_left(12,3)
                    *              0             0             1 
     3 go_left(13,1)
                    *              1             0             1 
     4 count(1)     *              5             0             9 
     5 count(2)     *              9             0             9 
     6 coef(1,m2)                 -5            -5             5 
     7 coef(1,7)        -7.14286e-08            -5             5 
     8 slack                    19.5             0               
     9 objective_constant
                                   1             1             = 

Integer feasibility conditions:

KKT.PE: max.abs.err = 0.00e+00 on row 0
        max.rel.err = 0.00e+00 on row 0
        High quality

KKT.PB: max.abs.err = 0.00e+00 on row 0
        max.rel.err = 0.00e+00 on row 0
        High quality

End of output
