NAME twice FREE
ROWS
 N obj
 G r1
 G r2
 G r3
COLUMNS
 x1 r1 1
 x2 r2 1
 x3 r3 1
 x4 obj 0
 x5 obj 0
 x6 obj 0
 x7 obj 1
RHS
BOUNDS
 LO BND x1 0
 PL BND x1
 LO BND x2 0
 PL BND x2
 LO BND x3 0
 PL BND x3
 LO BND x4 0
 PL BND x4
 LO BND x5 0
 PL BND x5
 LO BND x6 0
 PL BND x6
 LO BND x7 0
 PL BND x7
ENDATA
