NAME modele_delta FREE
ROWS
 N grou00dfe
 G xi(7)
 G xi(m7)
 G _range
COLUMNS
 MARKER0 'MARKER' 'INTORG'
 xi(m2,1) grou00dfe 1 xi(7) 1
 xi(0,12) grou00dfe 1 xi(m7) 1
 xi(10,3) grou00dfe 1 _range 1
 MARKER0 'MARKER' 'INTEND'
 _e_d367e011 grou00dfe 1 _range 1
 _e grou00dfe 1
 e_(1) grou00dfe 1
 u53d8 grou00dfe 1 xi(m7) 2
 _end grou00dfe 1
RHS
BOUNDS
 BV BND xi(m2,1)
 BV BND xi(0,12)
 BV BND xi(10,3)
 LO BND _e_d367e011 0
 PL BND _e_d367e011
 LO BND _e 0
 PL BND _e
 LO BND e_(1) 0
 PL BND e_(1)
 LO BND u53d8 0
 PL BND u53d8
 LO BND _end 0
 PL BND _end
ENDATA
