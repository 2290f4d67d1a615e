Problem:    tree
Rows:       98
Columns:    61 (35 integer, 35 binary)
Non-zeros:  235
Status:     INTEGER OPTIMAL
Objective:  objective = -11.25 (MINimum)

   No.   Row name        Activity     Lower bound   Upper bound
------ ------------    ------------- ------------- -------------
     1 one_leaf(1)                 1             1             = 
     2 one_leaf(2)                 1             1             = 
     3 one_leaf(3)                 1             1             = 
     4 one_leaf(4)                 1             1             = 
     5 one_leaf(5)                 1             1             = 
     6 one_leaf(6)                 1             1             = 
     7 one_leaf(7)                 1             1             = 
     8 one_leaf(8)                 1             1             = 
     9 one_leaf(9)                 1             1             = 
    10 one_leaf(10)                1             1             = 
    11 flow(1,1)                   0             0             = 
    12 flow(2,1)                   0             0             = 
    13 flow(3,1)                   0             0             = 
    14 flow(4,1)                   0             0             = 
    15 flow(5,1)                   0             0             = 
    16 flow(6,1)                   0             0             = 
    17 flow(7,1)                   0             0             = 
    18 flow(8,1)                   0             0             = 
    19 flow(9,1)                   0             0             = 
    20 flow(10,1)                  0             0             = 
    21 one_label(2)                1             1             = 
    22 one_label(3)                1             1             = 
    23 hit_reach(1,2)
                                   0                           0 
    24 hit_reach(1,3)
                                   0                           0 
    25 hit_reach(2,2)
                                   0                           0 
    26 hit_reach(2,3)
                                   0                           0 
    27 hit_reach(3,2)
                                   0                           0 
    28 hit_reach(3,3)
                                  -1                           0 
    29 hit_reach(4,2)
                                   0                           0 
    30 hit_reach(4,3)
                                   0                           0 
    31 hit_reach(5,2)
                                   0                           0 
    32 hit_reach(5,3)
                                   0                           0 
    33 hit_reach(6,2)
                                   0                           0 
    34 hit_reach(6,3)
                                   0                           0 
    35 hit_reach(7,2)
                                   0                           0 
    36 hit_reach(7,3)
                                   0                           0 
    37 hit_reach(8,2)
                                   0                           0 
    38 hit_reach(8,3)
                                   0                           0 
    39 hit_reach(9,2)
                                   0                           0 
    40 hit_reach(9,3)
                                   0                           0 
    41 hit_reach(10,2)
                                   0                           0 
    42 hit_reach(10,3)
                                   0                           0 
    43 hit_label(1,2)
                                   0                           0 
    44 hit_label(1,3)
                                   0                           0 
    45 hit_label(2,2)
                                   0                           0 
    46 hit_label(2,3)
                                   0                           0 
    47 hit_label(3,2)
                                  -1                           0 
    48 hit_label(3,3)
                                   0                           0 
    49 hit_label(4,2)
                                   0                           0 
    50 hit_label(4,3)
                                   0                           0 
    51 hit_label(5,2)
                                   0                           0 
    52 hit_label(5,3)
                                   0                           0 
    53 hit_label(6,2)
                                   0                           0 
    54 hit_label(6,3)
                                   0                           0 
    55 hit_label(7,2)
                                   0                           0 
    56 hit_label(7,3)
                                   0                           0 
    57 hit_label(8,2)
                                   0                           0 
    58 hit_label(8,3)
                                   0                           0 
    59 hit_label(9,2)
                                   0                           0 
    60 hit_label(9,3)
                                   0                           0 
    61 hit_label(10,2)
                                   0                           0 
    62 hit_label(10,3)
                                   0                           0 
    63 no_split(1,1)
                                  -1                           0 
    64 no_split(2,1)
                                  -1                           0 
    65 no_split(3,1)
                                   0                           0 
    66 no_split(4,1)
                                  -1                           0 
    67 no_split(5,1)
                                   0                           0 
    68 no_split(6,1)
                                   0                           0 
    69 no_split(7,1)
                                   0                           0 
    70 no_split(8,1)
                                   0                           0 
    71 no_split(9,1)
                                   0                           0 
    72 no_split(10,1)
                                  -1                           0 
    73 budget                      1                           1 
    74 unit_norm(1)                1                           1 
    75 abs_above(1,1)
                                 0.4             0               
    76 abs_above(2,1)
                                 0.2             0               
    77 abs_below(1,1)
                                   0             0               
    78 abs_below(2,1)
                                 1.4             0               
    79 go_left(1,1)                1                           1 
    80 go_left(2,1)              1.2                        1.25 
    81 go_left(3,1)              0.3                         1.5 
    82 go_left(4,1)             1.75                        1.75 
    83 go_left(5,1)             0.35                        1.75 
    84 go_left(6,1)              0.1                           2 
    85 go_left(7,1)             0.45                           2 
    86 go_left(8,1)              0.4                        1.75 
    87 go_left(9,1)              0.1                        1.25 
    88 go_left(10,1)
                                 1.8                           2 
    89 go_right(1,1)
                                   0            -1               
    90 go_right(2,1)
                               -0.05         -1.25               
    91 go_right(3,1)
                                -1.3          -1.5               
    92 go_right(4,1)
                                   0         -1.75               
    93 go_right(5,1)
                                -1.5         -1.75               
    94 go_right(6,1)
                                  -2            -2               
    95 go_right(7,1)
                               -1.65            -2               
    96 go_right(8,1)
                               -1.45         -1.75               
    97 go_right(9,1)
                               -1.25         -1.25               
    98 go_right(10,1)
                                -0.2            -2               

   No. Column name       Activity     Lower bound   Upper bound
------ ------------    ------------- ------------- -------------
     1 active(1)    *              1             0             1 
     2 reach(1,1)   *              1             0             1 
     3 reach(1,2)   *              1             0             1 
     4 reach(1,3)   *              0             0             1 
     5 reach(2,1)   *              1             0             1 
     6 reach(2,2)   *              1             0             1 
     7 reach(2,3)   *              0             0             1 
     8 reach(3,1)   *              1             0             1 
     9 reach(3,2)   *              0             0             1 
    10 reach(3,3)   *              1             0             1 
    11 reach(4,1)   *              1             0             1 
    12 reach(4,2)   *              1             0             1 
    13 reach(4,3)   *              0             0             1 
    14 reach(5,1)   *              1             0             1 
    15 reach(5,2)   *              0             0             1 
    16 reach(5,3)   *              1             0             1 
    17 reach(6,1)   *              1             0             1 
    18 reach(6,2)   *              0             0             1 
    19 reach(6,3)   *              1             0             1 
    20 reach(7,1)   *              1             0             1 
    21 reach(7,2)   *              0             0             1 
    22 reach(7,3)   *              1             0             1 
    23 reach(8,1)   *              1             0             1 
    24 reach(8,2)   *              0             0             1 
    25 reach(8,3)   *              1             0             1 
    26 reach(9,1)   *              1             0             1 
    27 reach(9,2)   *              0             0             1 
    28 reach(9,3)   *              1             0             1 
    29 reach(10,1)  *              1             0             1 
    30 reach(10,2)  *              1             0             1 
    31 reach(10,3)  *              0             0             1 
    32 label(2,1)   *              1             0             1 
    33 label(2,2)   *              0             0             1 
    34 label(3,1)   *              0             0             1 
    35 label(3,2)   *              1             0             1 
    36 hit(1,2)                    1                             
    37 hit(1,3)                    0                             
    38 hit(2,2)                    1                             
    39 hit(2,3)                    0                             
    40 hit(3,2)                    0                             
    41 hit(3,3)                    0                             
    42 hit(4,2)                    1                             
    43 hit(4,3)                    0                             
    44 hit(5,2)                    0                             
    45 hit(5,3)                    1                             
    46 hit(6,2)                    0                             
    47 hit(6,3)                    1                             
    48 hit(7,2)                    0                             
    49 hit(7,3)                    1                             
    50 hit(8,2)                    0                             
    51 hit(8,3)                    1                             
    52 hit(9,2)                    0                             
    53 hit(9,3)                    1                             
    54 hit(10,2)                   1                             
    55 hit(10,3)                   0                             
    56 coef(1,1)                -0.2            -1             1 
    57 coef(1,2)                 0.6            -1             1 
    58 bias(1)                     0            -1             1 
    59 abs(1,1)                  0.2             0             1 
    60 abs(2,1)                  0.8             0             1 
    61 objective_constant
                                   1             1             = 

Integer feasibility conditions:

KKT.PE: max.abs.err = 2.22e-16 on row 96
        max.rel.err = 4.63e-17 on row 96
        High quality

KKT.PB: max.abs.err = 0.00e+00 on row 0
        max.rel.err = 0.00e+00 on row 0
        High quality

End of output
