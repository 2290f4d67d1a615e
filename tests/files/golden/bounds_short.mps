NAME _bounds FREE
ROWS
 N obj
 L r1
 G r2
 E r3
 G r4
 L r5
 L r6
 L r8
COLUMNS
 x1 obj 1 r1 1
 x1 r2 1 r3 1
 x1 r4 1 r5 1
 x2 obj 0
 x3 r8 1
 x4 obj -1 r8 0.3333333333333333
 x5 obj 0
 x6 obj 0
 MARKER1 'MARKER' 'INTORG'
 x7 r1 0.1 r2 0.1
 x7 r3 0.1 r4 0.1
 x7 r5 0.1
 x8 obj 0
 x9 obj 0
 x10 obj 0
 x11 obj 0
 x12 r1 -2 r2 -2
 x12 r3 -2 r4 -2
 x12 r5 -2
 x13 obj 0
 x14 obj 0
 x15 obj 0
 MARKER1 'MARKER' 'INTEND'
 x16 obj 0
RHS
 RHS r1 1.5
 RHS r2 2
 RHS r3 4
 RHS r4 -1
 RHS r6 9
 RHS r8 -7
RANGES
 RNG r4 10000001
BOUNDS
 LO BND x1 0
 PL BND x1
 LO BND x2 -2.5
 UP BND x2 1e-05
 FR BND x3
 MI BND x4
 UP BND x4 -1
 FX BND x5 3
 LO BND x6 -4
 PL BND x6
 LO BND x7 0
 PL BND x7
 LO BND x8 -3
 UP BND x8 7
 FR BND x9
 MI BND x10
 UP BND x10 4
 FX BND x11 2
 BV BND x12
 FX BND x13 0
 FX BND x14 1
 BV BND x15
 LO BND x16 0
 UP BND x16 1
ENDATA
