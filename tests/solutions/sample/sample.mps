* maximize gain: its negative is minimized here
NAME sample FREE
ROWS
 N gain
 L at_most(0)
 L at_most(1)
 G at_most(2)
 L at_most(3)
 L at_most(4)
COLUMNS
 MARKER0 'MARKER' 'INTORG'
 go_left(12,1) gain -3 at_most(0) 1
 go_left(12,1) at_most(1) -9 at_most(2) -0.5
 go_left(12,3) gain -2 at_most(0) 1
 go_left(13,1) gain -4 at_most(0) 1
 count(1) gain -1.5 at_most(1) 3
 count(1) at_most(4) 9
 count(2) gain -2.25 at_most(1) 3
 count(2) at_most(4) -1
 MARKER0 'MARKER' 'INTEND'
 coef(1,m2) gain 1 at_most(2) -1
 coef(1,7) gain 1000 at_most(3) -700000
 slack gain 0.125 at_most(1) -1
 objective_constant gain -2.5
RHS
 RHS at_most(0) 2.25
 RHS at_most(1) 13.5
 RHS at_most(2) -4
 RHS at_most(3) 0.05
 RHS at_most(4) 36
BOUNDS
 BV BND go_left(12,1)
 BV BND go_left(12,3)
 BV BND go_left(13,1)
 LO BND count(1) 0
 UP BND count(1) 9
 LO BND count(2) 0
 UP BND count(2) 9
 LO BND coef(1,m2) -5
 UP BND coef(1,m2) 5
 LO BND coef(1,7) -5
 UP BND coef(1,7) 5
 LO BND slack 0
 PL BND slack
 FX BND objective_constant 1
ENDATA
