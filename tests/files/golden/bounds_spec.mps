NAME _bounds FREE
ROWS
 N obj
 L cap(1)
 G cap(2)
 E cap(3)
 G cap(4)
 L cap(5)
 L cap(6)
 L last
COLUMNS
 x(1) obj 1 cap(1) 1
 x(1) cap(2) 1 cap(3) 1
 x(1) cap(4) 1 cap(5) 1
 x(2) obj 0
 x(3) last 1
 x(4) obj -1 last 0.3333333333333333
 x(5) obj 0
 x(6) obj 0
 MARKER1 'MARKER' 'INTORG'
 k(1) cap(1) 0.1 cap(2) 0.1
 k(1) cap(3) 0.1 cap(4) 0.1
 k(1) cap(5) 0.1
 k(2) obj 0
 k(3) obj 0
 k(4) obj 0
 k(5) obj 0
 pick(1) cap(1) -2 cap(2) -2
 pick(1) cap(3) -2 cap(4) -2
 pick(1) cap(5) -2
 pick(2) obj 0
 pick(3) obj 0
 pick(4) obj 0
 MARKER1 'MARKER' 'INTEND'
 y obj 0
RHS
 RHS cap(1) 1.5
 RHS cap(2) 2
 RHS cap(3) 4
 RHS cap(4) -1
 RHS cap(6) 9
 RHS last -7
RANGES
 RNG cap(4) 10000001
BOUNDS
 LO BND x(1) 0
 PL BND x(1)
 LO BND x(2) -2.5
 UP BND x(2) 1e-05
 FR BND x(3)
 MI BND x(4)
 UP BND x(4) -1
 FX BND x(5) 3
 LO BND x(6) -4
 PL BND x(6)
 LO BND k(1) 0
 PL BND k(1)
 LO BND k(2) -3
 UP BND k(2) 7
 FR BND k(3)
 MI BND k(4)
 UP BND k(4) 4
 FX BND k(5) 2
 BV BND pick(1)
 FX BND pick(2) 0
 FX BND pick(3) 1
 BV BND pick(4)
 LO BND y 0
 UP BND y 1
ENDATA
