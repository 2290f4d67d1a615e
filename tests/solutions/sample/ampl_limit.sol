solver: time limit
a feasible solution was found

Options
3
1
1
0
5
5
9
9
0
0
0
0
0
-5
-7.142857142857144e-08
19.5
1
1
0
1
5
9
objno 0 400
suffix 0 1 8 0 0
sstatus
0 1
