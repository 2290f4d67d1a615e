solver: optimal solution; objective -39.81257142857143

Options
3
1
1
0
5
0
9
9
-5
-7.142857142857144e-08
19.5
1
1
0
1
5
9
objno 0 0
