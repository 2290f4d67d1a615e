* maximize profit: its negative is minimized here
NAME squares FREE
ROWS
 N profit
 L sum
COLUMNS
 x(1) profit -1 sum 1
 x(2) sum 1
 objective_constant profit -2.5
RHS
 RHS sum 100
BOUNDS
 LO BND x(1) -10
 UP BND x(1) 10
 LO BND x(2) -10
 UP BND x(2) 10
 FX BND objective_constant 1
QUADOBJ
 x(1) x(1) 2
 x(1) x(2) 1
 x(2) x(2) 6
ENDATA
