NAME everything FREE
ROWS
 N obj
 L ball(1)
 G ball(2)
 L ball_54295602(2)
 G range.lo
 L one
 L two
USERCUTS
 G late
COLUMNS
 MARKER0 'MARKER' 'INTORG'
 go(1) obj 1 ball(1) -1
 go(1) range.lo 1 one 1
 go(2) range.lo 1 two 1
 MARKER0 'MARKER' 'INTEND'
 x(1) obj -2 late 1
 x(2) late -0.3333333333333333
 objective_constant obj -1.5
RHS
 RHS ball(1) 1
 RHS ball(2) 0.25
 RHS ball_54295602(2) 4
 RHS late -7
 RHS one 2
 RHS two 3
RANGES
 RNG range.lo 2
BOUNDS
 BV BND go(1)
 BV BND go(2)
 LO BND x(1) -1
 UP BND x(1) 2
 LO BND x(2) -1
 UP BND x(2) 2
 FX BND objective_constant 1
QUADOBJ
 x(1) x(2) 1
 x(2) x(2) 1
QCMATRIX ball(1)
 x(1) x(1) 1
 x(1) x(2) -0.25
 x(2) x(1) -0.25
QCMATRIX ball(2)
 x(2) x(2) 2.5
QCMATRIX ball_54295602(2)
 x(2) x(2) 2.5
INDICATORS
 IF one go(1) 1
 IF two go(1) 0
ENDATA
