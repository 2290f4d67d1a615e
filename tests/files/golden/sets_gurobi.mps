* maximize obj: its negative is minimized here
NAME sets FREE
ROWS
 N obj
 L cap
 G some
COLUMNS
 MARKER0 'MARKER' 'INTORG'
 _S1 obj -1 some 1
 b obj -4 some 1
 MARKER0 'MARKER' 'INTEND'
 x obj -1
 _S2(1) obj -2 cap 1
 _S2(2) obj -3 cap 1
RHS
 RHS cap 7
 RHS some 1
BOUNDS
 BV BND _S1
 BV BND b
 LO BND x 0
 UP BND x 9
 LO BND _S2(1) 0
 PL BND _S2(1)
 LO BND _S2(2) 0
 UP BND _S2(2) 5
SOS
 S1 either_set
    _S1 1
    x 2
 S1 three_set(1)
    b 1
    _S2(1) 2
    _S2(2) 3
ENDATA
