* maximize obj: its negative is minimized here
NAME _cuts FREE
ROWS
 N obj
 L cap
LAZYCONS
 L late
COLUMNS
 MARKER0 'MARKER' 'INTORG'
 x obj -1 cap 1
 x late 1
 y obj -1 cap 1
 y late 2
 MARKER0 'MARKER' 'INTEND'
RHS
 RHS cap 9
 RHS late 2
BOUNDS
 LO BND x 0
 UP BND x 50
 LO BND y 0
 UP BND y 50
ENDATA
