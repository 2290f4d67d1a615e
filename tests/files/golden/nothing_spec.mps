NAME nothing FREE
ROWS
 N obj
COLUMNS
 objective_constant obj -0.25
RHS
BOUNDS
 FX BND objective_constant 1
ENDATA
