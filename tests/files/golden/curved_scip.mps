* maximize obj: its negative is minimized here
NAME curved FREE
ROWS
 N obj
 L curved
 L cap
COLUMNS
 x obj -1 cap 1
 y obj -1 cap 1
RHS
 RHS curved 3
 RHS cap 100
BOUNDS
 LO BND x 0
 UP BND x 10
 LO BND y 0
 UP BND y 10
QCMATRIX curved
 x x 1
 x y 0.5
 y x 0.5
 y y 1
ENDATA
