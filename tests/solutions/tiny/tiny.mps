* maximize objective: its negative is minimized here
NAME tree FREE
ROWS
 N objective
 E one_leaf(1)
 E one_leaf(2)
 E one_leaf(3)
 E one_leaf(4)
 E one_leaf(5)
 E one_leaf(6)
 E one_leaf(7)
 E one_leaf(8)
 E one_leaf(9)
 E one_leaf(10)
 E flow(1,1)
 E flow(2,1)
 E flow(3,1)
 E flow(4,1)
 E flow(5,1)
 E flow(6,1)
 E flow(7,1)
 E flow(8,1)
 E flow(9,1)
 E flow(10,1)
 E one_label(2)
 E one_label(3)
 L hit_reach(1,2)
 L hit_reach(1,3)
 L hit_reach(2,2)
 L hit_reach(2,3)
 L hit_reach(3,2)
 L hit_reach(3,3)
 L hit_reach(4,2)
 L hit_reach(4,3)
 L hit_reach(5,2)
 L hit_reach(5,3)
 L hit_reach(6,2)
 L hit_reach(6,3)
 L hit_reach(7,2)
 L hit_reach(7,3)
 L hit_reach(8,2)
 L hit_reach(8,3)
 L hit_reach(9,2)
 L hit_reach(9,3)
 L hit_reach(10,2)
 L hit_reach(10,3)
 L hit_label(1,2)
 L hit_label(1,3)
 L hit_label(2,2)
 L hit_label(2,3)
 L hit_label(3,2)
 L hit_label(3,3)
 L hit_label(4,2)
 L hit_label(4,3)
 L hit_label(5,2)
 L hit_label(5,3)
 L hit_label(6,2)
 L hit_label(6,3)
 L hit_label(7,2)
 L hit_label(7,3)
 L hit_label(8,2)
 L hit_label(8,3)
 L hit_label(9,2)
 L hit_label(9,3)
 L hit_label(10,2)
 L hit_label(10,3)
 L no_split(1,1)
 L no_split(2,1)
 L no_split(3,1)
 L no_split(4,1)
 L no_split(5,1)
 L no_split(6,1)
 L no_split(7,1)
 L no_split(8,1)
 L no_split(9,1)
 L no_split(10,1)
 L budget
 L unit_norm(1)
 G abs_above(1,1)
 G abs_above(2,1)
 G abs_below(1,1)
 G abs_below(2,1)
 L go_left(1,1)
 L go_left(2,1)
 L go_left(3,1)
 L go_left(4,1)
 L go_left(5,1)
 L go_left(6,1)
 L go_left(7,1)
 L go_left(8,1)
 L go_left(9,1)
 L go_left(10,1)
 G go_right(1,1)
 G go_right(2,1)
 G go_right(3,1)
 G go_right(4,1)
 G go_right(5,1)
 G go_right(6,1)
 G go_right(7,1)
 G go_right(8,1)
 G go_right(9,1)
 G go_right(10,1)
COLUMNS
 MARKER0 'MARKER' 'INTORG'
 active(1) objective 0.25 no_split(1,1) -1
 active(1) no_split(2,1) -1 no_split(3,1) -1
 active(1) no_split(4,1) -1 no_split(5,1) -1
 active(1) no_split(6,1) -1 no_split(7,1) -1
 active(1) no_split(8,1) -1 no_split(9,1) -1
 active(1) no_split(10,1) -1 budget 1
 reach(1,1) flow(1,1) 1
 reach(1,2) one_leaf(1) 1 flow(1,1) -1
 reach(1,2) hit_reach(1,2) -1 go_left(1,1) 1
 reach(1,3) one_leaf(1) 1 flow(1,1) -1
 reach(1,3) hit_reach(1,3) -1 no_split(1,1) 1
 reach(1,3) go_right(1,1) -1.1
 reach(2,1) flow(2,1) 1
 reach(2,2) one_leaf(2) 1 flow(2,1) -1
 reach(2,2) hit_reach(2,2) -1 go_left(2,1) 1.25
 reach(2,3) one_leaf(2) 1 flow(2,1) -1
 reach(2,3) hit_reach(2,3) -1 no_split(2,1) 1
 reach(2,3) go_right(2,1) -1.35
 reach(3,1) flow(3,1) 1
 reach(3,2) one_leaf(3) 1 flow(3,1) -1
 reach(3,2) hit_reach(3,2) -1 go_left(3,1) 1.5
 reach(3,3) one_leaf(3) 1 flow(3,1) -1
 reach(3,3) hit_reach(3,3) -1 no_split(3,1) 1
 reach(3,3) go_right(3,1) -1.6
 reach(4,1) flow(4,1) 1
 reach(4,2) one_leaf(4) 1 flow(4,1) -1
 reach(4,2) hit_reach(4,2) -1 go_left(4,1) 1.75
 reach(4,3) one_leaf(4) 1 flow(4,1) -1
 reach(4,3) hit_reach(4,3) -1 no_split(4,1) 1
 reach(4,3) go_right(4,1) -1.85
 reach(5,1) flow(5,1) 1
 reach(5,2) one_leaf(5) 1 flow(5,1) -1
 reach(5,2) hit_reach(5,2) -1 go_left(5,1) 1.75
 reach(5,3) one_leaf(5) 1 flow(5,1) -1
 reach(5,3) hit_reach(5,3) -1 no_split(5,1) 1
 reach(5,3) go_right(5,1) -1.85
 reach(6,1) flow(6,1) 1
 reach(6,2) one_leaf(6) 1 flow(6,1) -1
 reach(6,2) hit_reach(6,2) -1 go_left(6,1) 2
 reach(6,3) one_leaf(6) 1 flow(6,1) -1
 reach(6,3) hit_reach(6,3) -1 no_split(6,1) 1
 reach(6,3) go_right(6,1) -2.1
 reach(7,1) flow(7,1) 1
 reach(7,2) one_leaf(7) 1 flow(7,1) -1
 reach(7,2) hit_reach(7,2) -1 go_left(7,1) 2
 reach(7,3) one_leaf(7) 1 flow(7,1) -1
 reach(7,3) hit_reach(7,3) -1 no_split(7,1) 1
 reach(7,3) go_right(7,1) -2.1
 reach(8,1) flow(8,1) 1
 reach(8,2) one_leaf(8) 1 flow(8,1) -1
 reach(8,2) hit_reach(8,2) -1 go_left(8,1) 1.75
 reach(8,3) one_leaf(8) 1 flow(8,1) -1
 reach(8,3) hit_reach(8,3) -1 no_split(8,1) 1
 reach(8,3) go_right(8,1) -1.85
 reach(9,1) flow(9,1) 1
 reach(9,2) one_leaf(9) 1 flow(9,1) -1
 reach(9,2) hit_reach(9,2) -1 go_left(9,1) 1.25
 reach(9,3) one_leaf(9) 1 flow(9,1) -1
 reach(9,3) hit_reach(9,3) -1 no_split(9,1) 1
 reach(9,3) go_right(9,1) -1.35
 reach(10,1) flow(10,1) 1
 reach(10,2) one_leaf(10) 1 flow(10,1) -1
 reach(10,2) hit_reach(10,2) -1 go_left(10,1) 2
 reach(10,3) one_leaf(10) 1 flow(10,1) -1
 reach(10,3) hit_reach(10,3) -1 no_split(10,1) 1
 reach(10,3) go_right(10,1) -2.1
 label(2,1) one_label(2) 1 hit_label(1,2) -1
 label(2,1) hit_label(2,2) -1 hit_label(3,2) -1
 label(2,1) hit_label(4,2) -1 hit_label(10,2) -1
 label(2,2) one_label(2) 1 hit_label(5,2) -1
 label(2,2) hit_label(6,2) -1 hit_label(7,2) -1
 label(2,2) hit_label(8,2) -1 hit_label(9,2) -1
 label(3,1) one_label(3) 1 hit_label(1,3) -1
 label(3,1) hit_label(2,3) -1 hit_label(3,3) -1
 label(3,1) hit_label(4,3) -1 hit_label(10,3) -1
 label(3,2) one_label(3) 1 hit_label(5,3) -1
 label(3,2) hit_label(6,3) -1 hit_label(7,3) -1
 label(3,2) hit_label(8,3) -1 hit_label(9,3) -1
 MARKER0 'MARKER' 'INTEND'
 hit(1,2) objective -1 hit_reach(1,2) 1
 hit(1,2) hit_label(1,2) 1
 hit(1,3) objective -1 hit_reach(1,3) 1
 hit(1,3) hit_label(1,3) 1
 hit(2,2) objective -1 hit_reach(2,2) 1
 hit(2,2) hit_label(2,2) 1
 hit(2,3) objective -1 hit_reach(2,3) 1
 hit(2,3) hit_label(2,3) 1
 hit(3,2) objective -1 hit_reach(3,2) 1
 hit(3,2) hit_label(3,2) 1
 hit(3,3) objective -1 hit_reach(3,3) 1
 hit(3,3) hit_label(3,3) 1
 hit(4,2) objective -1 hit_reach(4,2) 1
 hit(4,2) hit_label(4,2) 1
 hit(4,3) objective -1 hit_reach(4,3) 1
 hit(4,3) hit_label(4,3) 1
 hit(5,2) objective -1 hit_reach(5,2) 1
 hit(5,2) hit_label(5,2) 1
 hit(5,3) objective -1 hit_reach(5,3) 1
 hit(5,3) hit_label(5,3) 1
 hit(6,2) objective -1 hit_reach(6,2) 1
 hit(6,2) hit_label(6,2) 1
 hit(6,3) objective -1 hit_reach(6,3) 1
 hit(6,3) hit_label(6,3) 1
 hit(7,2) objective -1 hit_reach(7,2) 1
 hit(7,2) hit_label(7,2) 1
 hit(7,3) objective -1 hit_reach(7,3) 1
 hit(7,3) hit_label(7,3) 1
 hit(8,2) objective -1 hit_reach(8,2) 1
 hit(8,2) hit_label(8,2) 1
 hit(8,3) objective -1 hit_reach(8,3) 1
 hit(8,3) hit_label(8,3) 1
 hit(9,2) objective -1 hit_reach(9,2) 1
 hit(9,2) hit_label(9,2) 1
 hit(9,3) objective -1 hit_reach(9,3) 1
 hit(9,3) hit_label(9,3) 1
 hit(10,2) objective -1 hit_reach(10,2) 1
 hit(10,2) hit_label(10,2) 1
 hit(10,3) objective -1 hit_reach(10,3) 1
 hit(10,3) hit_label(10,3) 1
 coef(1,1) abs_above(1,1) -1 abs_below(1,1) 1
 coef(1,1) go_left(2,1) 0.25 go_left(4,1) 0.75
 coef(1,1) go_left(5,1) 0.5 go_left(6,1) 1
 coef(1,1) go_left(7,1) 0.75 go_left(8,1) 0.25
 coef(1,1) go_left(9,1) 0.25 go_left(10,1) 1
 coef(1,1) go_right(2,1) 0.25 go_right(4,1) 0.75
 coef(1,1) go_right(5,1) 0.5 go_right(6,1) 1
 coef(1,1) go_right(7,1) 0.75 go_right(8,1) 0.25
 coef(1,1) go_right(9,1) 0.25 go_right(10,1) 1
 coef(1,2) abs_above(2,1) -1 abs_below(2,1) 1
 coef(1,2) go_left(3,1) 0.5 go_left(4,1) 0.25
 coef(1,2) go_left(5,1) 0.75 go_left(6,1) 0.5
 coef(1,2) go_left(7,1) 1 go_left(8,1) 0.75
 coef(1,2) go_left(9,1) 0.25 go_right(3,1) 0.5
 coef(1,2) go_right(4,1) 0.25 go_right(5,1) 0.75
 coef(1,2) go_right(6,1) 0.5 go_right(7,1) 1
 coef(1,2) go_right(8,1) 0.75 go_right(9,1) 0.25
 bias(1) go_left(1,1) -1 go_left(2,1) -1
 bias(1) go_left(3,1) -1 go_left(4,1) -1
 bias(1) go_left(5,1) -1 go_left(6,1) -1
 bias(1) go_left(7,1) -1 go_left(8,1) -1
 bias(1) go_left(9,1) -1 go_left(10,1) -1
 bias(1) go_right(1,1) -1 go_right(2,1) -1
 bias(1) go_right(3,1) -1 go_right(4,1) -1
 bias(1) go_right(5,1) -1 go_right(6,1) -1
 bias(1) go_right(7,1) -1 go_right(8,1) -1
 bias(1) go_right(9,1) -1 go_right(10,1) -1
 abs(1,1) unit_norm(1) 1 abs_above(1,1) 1
 abs(1,1) abs_below(1,1) 1
 abs(2,1) unit_norm(1) 1 abs_above(2,1) 1
 abs(2,1) abs_below(2,1) 1
 objective_constant objective -2.5
RHS
 RHS one_leaf(1) 1
 RHS one_leaf(2) 1
 RHS one_leaf(3) 1
 RHS one_leaf(4) 1
 RHS one_leaf(5) 1
 RHS one_leaf(6) 1
 RHS one_leaf(7) 1
 RHS one_leaf(8) 1
 RHS one_leaf(9) 1
 RHS one_leaf(10) 1
 RHS one_label(2) 1
 RHS one_label(3) 1
 RHS budget 1
 RHS unit_norm(1) 1
 RHS go_left(1,1) 1
 RHS go_left(2,1) 1.25
 RHS go_left(3,1) 1.5
 RHS go_left(4,1) 1.75
 RHS go_left(5,1) 1.75
 RHS go_left(6,1) 2
 RHS go_left(7,1) 2
 RHS go_left(8,1) 1.75
 RHS go_left(9,1) 1.25
 RHS go_left(10,1) 2
 RHS go_right(1,1) -1
 RHS go_right(2,1) -1.25
 RHS go_right(3,1) -1.5
 RHS go_right(4,1) -1.75
 RHS go_right(5,1) -1.75
 RHS go_right(6,1) -2
 RHS go_right(7,1) -2
 RHS go_right(8,1) -1.75
 RHS go_right(9,1) -1.25
 RHS go_right(10,1) -2
BOUNDS
 BV BND active(1)
 BV BND reach(1,1)
 BV BND reach(1,2)
 BV BND reach(1,3)
 BV BND reach(2,1)
 BV BND reach(2,2)
 BV BND reach(2,3)
 BV BND reach(3,1)
 BV BND reach(3,2)
 BV BND reach(3,3)
 BV BND reach(4,1)
 BV BND reach(4,2)
 BV BND reach(4,3)
 BV BND reach(5,1)
 BV BND reach(5,2)
 BV BND reach(5,3)
 BV BND reach(6,1)
 BV BND reach(6,2)
 BV BND reach(6,3)
 BV BND reach(7,1)
 BV BND reach(7,2)
 BV BND reach(7,3)
 BV BND reach(8,1)
 BV BND reach(8,2)
 BV BND reach(8,3)
 BV BND reach(9,1)
 BV BND reach(9,2)
 BV BND reach(9,3)
 BV BND reach(10,1)
 BV BND reach(10,2)
 BV BND reach(10,3)
 BV BND label(2,1)
 BV BND label(2,2)
 BV BND label(3,1)
 BV BND label(3,2)
 FR BND hit(1,2)
 FR BND hit(1,3)
 FR BND hit(2,2)
 FR BND hit(2,3)
 FR BND hit(3,2)
 FR BND hit(3,3)
 FR BND hit(4,2)
 FR BND hit(4,3)
 FR BND hit(5,2)
 FR BND hit(5,3)
 FR BND hit(6,2)
 FR BND hit(6,3)
 FR BND hit(7,2)
 FR BND hit(7,3)
 FR BND hit(8,2)
 FR BND hit(8,3)
 FR BND hit(9,2)
 FR BND hit(9,3)
 FR BND hit(10,2)
 FR BND hit(10,3)
 LO BND coef(1,1) -1
 UP BND coef(1,1) 1
 LO BND coef(1,2) -1
 UP BND coef(1,2) 1
 LO BND bias(1) -1
 UP BND bias(1) 1
 LO BND abs(1,1) 0
 UP BND abs(1,1) 1
 LO BND abs(2,1) 0
 UP BND abs(2,1) 1
 FX BND objective_constant 1
ENDATA
