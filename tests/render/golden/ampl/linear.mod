# soct, written by treemip for AMPL.
# Boutilier, Michini, Zhou: Optimal multivariate decision trees (2023)
#
# Linear, and in the part of AMPL that GNU MathProg reads too.
# Points are called by their row in the data, nodes by their number: the root is 1, the
# children of t are 2t and 2t + 1.
#
#     ampl linear.run
#     glpsol --math linear.mod --data linear.dat

# ---- sets and parameters, in the data file

set branches;
set categorical_features;
set features;
set points;
set leaves;
set nodes;
set classes;
param beta;  # most splits that are not trivial; card(branches)
param eps;  # least distance of a right-going point from the hyperplane
param weight {points};  # weight of a point, 1 unless the data names a column
param right {nodes};
param left {nodes};
param y {points} symbolic;  # class of a point
param M {i in points};  # (7) (max {j in features} x[i,j]) + 1
param x {points, features};  # feature value, after encoding and scaling
# by how much an argument can miss the one attained
param abs_2_gap_above {t in branches, j in features};
# by how much an argument can miss the one attained
param abs_2_gap_below {t in branches, j in features};
# greatest violation that the variables' bounds allow
param M_uses_off_upper {t in branches, j in features};
# greatest violation that the variables' bounds allow
param M_uses_off_lower {t in branches, j in features};

# ---- what follows from them

# 1 where the split at t tests kept column c
param tested {t in branches, c in categorical_features} := 0;

# ---- variables

# d in the paper; 1 where t applies a split
var active {t in branches} binary;
# w in the paper; 1 where point i passes node t, or with what probability
var reach {i in points, t in nodes} binary;
# c in the paper; 1 where leaf l predicts class k, or how probably
var label {l in leaves, k in classes} binary;
# z in the paper
var hit {i in points, l in leaves};
# a in the paper; coefficient of feature j in the split at t
var coef {t in branches, j in features} >= -1, <= 1;
# b in the paper; right-hand side of the split at t
var bias {t in branches} >= -1, <= 1;
# 1 where the split at t uses feature j
var uses {t in branches, j in features} binary;

# ---- definitions

# 1 where point i is classified correctly
var correct {i in points};
s.t. correct_is {i in points}: correct[i] = sum {l in leaves} hit[i,l];

# norm1(coef[t,*])
var abs_1 {t in branches, j in features} >= 0;
s.t. abs_1_above {t in branches, j in features}: abs_1[t,j] >= coef[t,j];
s.t. abs_1_below {t in branches, j in features}: abs_1[t,j] >= -coef[t,j];

# abs(coef[t,j])
var abs_2 {t in branches, j in features} >= 0;
s.t. abs_2_above {t in branches, j in features}: abs_2[t,j] >= coef[t,j];
s.t. abs_2_below {t in branches, j in features}: abs_2[t,j] >= -coef[t,j];
var abs_2_pick_above {t in branches, j in features} binary;
s.t. abs_2_attained_above {t in branches, j in features}:
  abs_2[t,j] <= coef[t,j] + abs_2_gap_above[t,j] * (1 - abs_2_pick_above[t,j]);
var abs_2_pick_below {t in branches, j in features} binary;
s.t. abs_2_attained_below {t in branches, j in features}:
  abs_2[t,j] <= -coef[t,j] + abs_2_gap_below[t,j] * (1 - abs_2_pick_below[t,j]);
s.t. abs_2_one {t in branches, j in features}: abs_2_pick_above[t,j] + abs_2_pick_below[t,j] = 1;

var tilt {t in branches};
s.t. tilt_is {t in branches}: tilt[t] = sum {j in features} abs_2[t,j];

# ---- objective

maximize found:
  sum {i in points} weight[i] * correct[i]
    - 0.5
      * (
        sum {t in branches, j in features} uses[t,j]
          + sum {t in branches, c in categorical_features} tested[t,c]
      );

# ---- constraints

# one_leaf (1b) from soct
s.t. one_leaf {i in points}: sum {l in leaves} reach[i,l] = 1;

# flow (1c) from soct
s.t. flow {i in points, t in branches}: reach[i,t] = reach[i,left[t]] + reach[i,right[t]];

# one_label (1d) from soct
s.t. one_label {l in leaves}: sum {k in classes} label[l,k] = 1;

# hit_reach (1e) from soct
s.t. hit_reach {i in points, l in leaves}: hit[i,l] <= reach[i,l];

# hit_label (1f) from soct
s.t. hit_label {i in points, l in leaves}: hit[i,l] <= label[l,y[i]];

# no_split (1g) from soct
s.t. no_split {i in points, t in branches}: reach[i,right[t]] <= active[t];

# budget (1h) from soct
s.t. budget: sum {t in branches} active[t] <= beta;

# unit_norm (5) from soct
s.t. unit_norm {t in branches}: sum {j in features} abs_1[t,j] <= 1;

# go_left (6a) from soct
s.t. go_left {i in points, t in branches}:
  sum {j in features} coef[t,j] * x[i,j] <= bias[t] + M[i] * (1 - reach[i,left[t]]);

# go_right (6b) from soct
s.t. go_right {i in points, t in branches}:
  sum {j in features} coef[t,j] * x[i,j] - eps >= bias[t] - (M[i] + eps) * (1 - reach[i,right[t]]);

# steep
s.t. steep {t in branches}: tilt[t] >= 0.25 * active[t];

# uses_off from vocabulary
s.t. uses_off_upper {t in branches, j in features}: coef[t,j] <= M_uses_off_upper[t, j] * uses[t,j];
s.t. uses_off_lower {t in branches, j in features}:
  coef[t,j] >= -M_uses_off_lower[t, j] * uses[t,j];
