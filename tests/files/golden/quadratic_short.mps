* maximize obj: its negative is minimized here
NAME squares FREE
ROWS
 N obj
 L r1
COLUMNS
 x1 obj -1 r1 1
 x2 r1 1
 objective_constant obj -2.5
RHS
 RHS r1 100
BOUNDS
 LO BND x1 -10
 UP BND x1 10
 LO BND x2 -10
 UP BND x2 10
 FX BND objective_constant 1
QUADOBJ
 x1 x1 2
 x1 x2 1
 x2 x2 6
ENDATA
