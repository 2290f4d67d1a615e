* maximize obj: its negative is minimized here
NAME guards FREE
ROWS
 N obj
 E choice
 L one
 L two
 G three
 E four
COLUMNS
 x obj -1 one 1
 x three 1
 y obj 1 two 1
 y three 1
 z obj 2 four 1
 MARKER1 'MARKER' 'INTORG'
 b choice 1
 c choice -1
 MARKER1 'MARKER' 'INTEND'
RHS
 RHS one 2
 RHS two 3
 RHS three 4
 RHS four 1
BOUNDS
 LO BND x 0
 UP BND x 9
 LO BND y 0
 UP BND y 9
 LO BND z 0
 UP BND z 9
 BV BND b
 BV BND c
INDICATORS
 IF one b 1
 IF two b 0
 IF three c 1
 IF four c 0
ENDATA
