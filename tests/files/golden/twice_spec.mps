NAME twice FREE
ROWS
 N cut
 G cut_11794118(5,1)
 G cut_11794118(5,2)
 G cut_cf05d207
COLUMNS
 a(1,12,1) cut_11794118(5,1) 1
 a(1,12,2) cut_11794118(5,2) 1
 a(2,1,3) cut_cf05d207 1
 a_25bdab85(1) cut 0
 a_25bdab85(2) cut 0
 a_1(1) cut 0
 a_1(2) cut 1
RHS
BOUNDS
 LO BND a(1,12,1) 0
 PL BND a(1,12,1)
 LO BND a(1,12,2) 0
 PL BND a(1,12,2)
 LO BND a(2,1,3) 0
 PL BND a(2,1,3)
 LO BND a_25bdab85(1) 0
 PL BND a_25bdab85(1)
 LO BND a_25bdab85(2) 0
 PL BND a_25bdab85(2)
 LO BND a_1(1) 0
 PL BND a_1(1)
 LO BND a_1(2) 0
 PL BND a_1(2)
ENDATA
