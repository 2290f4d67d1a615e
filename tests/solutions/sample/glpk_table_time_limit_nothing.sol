Problem:    small
Rows:       5
Columns:    40 (40 integer, 40 binary)
Non-zeros:  198
Status:     INTEGER UNDEFINED
Objective:  obj = 0 (MINimum)

   No.   Row name        Activity     Lower bound   Upper bound
------ ------------    ------------- ------------- -------------
     1 r(1)                        0           976             = 
     2 r(2)                        0           975             = 
     3 r(3)                        0          1105             = 
     4 r(4)                        0          1199             = 
     5 r(5)                        0           905             = 

   No. Column name       Activity     Lower bound   Upper bound
------ ------------    ------------- ------------- -------------
     1 v0(1)        *              0             0             1 
     2 v0(2)        *              0             0             1 
     3 v0(3)        *              0             0             1 
     4 v0(4)        *              0             0             1 
     5 v0(5)        *              0             0             1 
     6 v0(6)        *              0             0             1 
     7 v0(7)        *              0             0             1 
     8 v0(8)        *              0             0             1 
     9 v0(9)        *              0             0             1 
    10 v0(10)       *              0             0             1 
    11 v0(11)       *              0             0             1 
    12 v0(12)       *              0             0             1 
    13 v0(13)       *              0             0             1 
    14 v0(14)       *              0             0             1 
    15 v0(15)       *              0             0             1 
    16 v0(16)       *              0             0             1 
    17 v0(17)       *              0             0             1 
    18 v0(18)       *              0             0             1 
    19 v0(19)       *              0             0             1 
    20 v0(20)       *              0             0             1 
    21 v0(21)       *              0             0             1 
    22 v0(22)       *              0             0             1 
    23 v0(23)       *              0             0             1 
    24 v0(24)       *              0             0             1 
    25 v0(25)       *              0             0             1 
    26 v0(26)       *              0             0             1 
    27 v0(27)       *              0             0             1 
    28 v0(28)       *              0             0             1 
    29 v0(29)       *              0             0             1 
    30 v0(30)       *              0             0             1 
    31 v0(31)       *              0             0             1 
    32 v0(32)       *              0             0             1 
    33 v0(33)       *              0             0             1 
    34 v0(34)       *              0             0             1 
    35 v0(35)       *              0             0             1 
    36 v0(36)       *              0             0             1 
    37 v0(37)       *              0             0             1 
    38 v0(38)       *              0             0             1 
    39 v0(39)       *              0             0             1 
    40 v0(40)       *              0             0             1 

Integer feasibility conditions:

KKT.PE: max.abs.err = 0.00e+00 on row 0
        max.rel.err = 0.00e+00 on row 0
        High quality

KKT.PB: max.abs.err = 1.20e+03 on row 4
        max.rel.err = 9.99e-01 on row 4
        SOLUTION IS INFEASIBLE

End of output
