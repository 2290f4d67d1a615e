NAME modele_delta FREE
ROWS
 N obj
 G r1
 G r2
 G r3
COLUMNS
 MARKER0 'MARKER' 'INTORG'
 x1 obj 1 r1 1
 x2 obj 1 r2 1
 x3 obj 1 r3 1
 MARKER0 'MARKER' 'INTEND'
 x4 obj 1 r3 1
 x5 obj 1
 x6 obj 1
 x7 obj 1 r2 2
 x8 obj 1
RHS
BOUNDS
 BV BND x1
 BV BND x2
 BV BND x3
 LO BND x4 0
 PL BND x4
 LO BND x5 0
 PL BND x5
 LO BND x6 0
 PL BND x6
 LO BND x7 0
 PL BND x7
 LO BND x8 0
 PL BND x8
ENDATA
