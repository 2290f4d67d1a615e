NAME                : sample FREE
PROBLEM STATUS      : DUAL_INFEASIBLE
SOLUTION STATUS     : DUAL_INFEASIBLE_CER
OBJECTIVE NAME      : gain
PRIMAL OBJECTIVE    : 0                       
DUAL OBJECTIVE      : 0                       

CONSTRAINTS
INDEX      NAME                                 AT ACTIVITY                 LOWER LIMIT        UPPER LIMIT        DUAL LOWER               DUAL UPPER              
0          at_most(0)                           BS 0                        NONE               2.25               0                        0                       
1          at_most(1)                           BS 0                        NONE               13.5               0                        0                       
2          at_most(2)                           BS 0                        -4                 NONE               0                        0                       
3          at_most(3)                           BS 0                        NONE               0.05               0                        0                       
4          at_most(4)                           BS 0                        NONE               36                 0                        0                       

VARIABLES
INDEX      NAME                                 AT ACTIVITY                 LOWER LIMIT        UPPER LIMIT        DUAL LOWER               DUAL UPPER              
0          go_left(12,1)                        BS 0                        0                  1                  0                        0                       
1          go_left(12,3)                        BS 0                        0                  1                  0                        0                       
2          go_left(13,1)                        BS 0                        0                  1                  0                        0                       
3          count(1)                             BS 0                        0                  9                  0                        0                       
4          count(2)                             BS 0                        0                  9                  0                        0                       
5          coef(1,m2)                           BS 0                        -5                 5                  0                        0                       
6          coef(1,7)                            BS 0                        -5                 5                  0                        0                       
7          slack                                BS 0                        0                  NONE               0                        0                       
8          objective_constant                   BS 0                        1                  1                  0                        0                       
