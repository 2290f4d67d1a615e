Problem:    sample
Rows:       5
Columns:    9
Non-zeros:  12
Status:     OPTIMAL
Objective:  gain = -40.31257143 (MINimum)

   No.   Row name   St   Activity     Lower bound   Upper bound    Marginal
------ ------------ -- ------------- ------------- ------------- -------------
     1 at_most(0)   NU          2.25                        2.25            -2 
     2 at_most(1)   NU          13.5                        13.5        -0.125 
     3 at_most(2)   B            4.5            -4               
     4 at_most(3)   NU          0.05                        0.05   -0.00142857 
     5 at_most(4)   NU            36                          36        -0.125 

   No. Column name  St   Activity     Lower bound   Upper bound    Marginal
------ ------------ -- ------------- ------------- ------------- -------------
     1 go_left(12,1)
                    NU             1             0             1        -2.125 
     2 go_left(12,3)
                    B           0.25             0             1 
     3 go_left(13,1)
                    NU             1             0             1            -2 
     4 count(1)     B              5             0             9 
     5 count(2)     NU             9             0             9            -2 
     6 coef(1,m2)   NL            -5            -5             5             1 
     7 coef(1,7)    B   -7.14286e-08            -5             5 
     8 slack        B           19.5             0               
     9 objective_constant
                    NS             1             1             =          -2.5 

Karush-Kuhn-Tucker optimality conditions:

KKT.PE: max.abs.err = 0.00e+00 on row 0
        max.rel.err = 0.00e+00 on row 0
        High quality

KKT.PB: max.abs.err = 0.00e+00 on row 0
        max.rel.err = 0.00e+00 on row 0
        High quality

KKT.DE: max.abs.err = 0.00e+00 on column 0
        max.rel.err = 0.00e+00 on column 0
        High quality

KKT.DB: max.abs.err = 0.00e+00 on row 0
        max.rel.err = 0.00e+00 on row 0
        High quality

End of output
