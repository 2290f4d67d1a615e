solver: infeasible problem

Options
3
1
1
0
5
0
9
0
objno 0 200
