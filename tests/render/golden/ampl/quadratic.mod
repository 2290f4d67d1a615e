# margot, written by treemip for AMPL.
# D'Onofrio, Grani, Monaci, Palagi: Margin optimal classification trees (2023)
#
# Quadratic: AMPL's own, which GNU MathProg does not read.
# Points are called by their row in the data, nodes by their number: the root is 1, the
# children of t are 2t and 2t + 1.
#
#     ampl quadratic.run

# ---- sets and parameters, in the data file

set branches;
set points;
set features;
set ends;
set nodes;
set last_branches;
set leaves;
param M_xi;  # M_\xi in the paper
param M_H;  # M_{\mathcal H} in the paper
param eps;  # least distance of a left-going point from the hyperplane
param C {t in branches};  # price of the margin violations at t
param parent {nodes};
set ancestors {nodes};
param sign {i in points};  # y in the paper; if y[i] = positive then 1 else -1
param x {points, features};  # feature value, after encoding and scaling
param right {nodes};
param left {nodes};

# ---- variables

# w in the paper; coefficient of feature j in the split at t
var coef {t in branches, j in features};
# b in the paper
var offset {t in branches};
# \xi in the paper; margin violation of point i at t
var slack {i in points, t in branches} >= 0;
# z in the paper
var assign {i in points, s in ends} binary;

# ---- definitions

# 1 where point i passes node t
var reach {i in points, t in nodes : t in branches or parent[t] not in last_branches} =
  sum {s in ends : t = s or t in ancestors[s] or t in leaves and parent[t] = s} assign[i,s];

# ---- objective

minimize svm:
  sum {t in branches} 0.5 * (sum {j in features} coef[t,j] ^ 2)
    + sum {t in branches, i in points} C[t] * slack[i,t];

# ---- constraints

# one_path (5) from margot
s.t. one_path {i in points}: sum {s in ends} assign[i,s] = 1;

# margin_side (7) from margot
s.t. margin_side {i in points, t in branches}:
  sign[i] * (sum {j in features} coef[t,j] * x[i,j] + offset[t])
    >= 1 - slack[i,t] - M_xi * (1 - reach[i,t]);

# go_right (9) from margot
s.t. go_right {i in points, t in branches : t not in last_branches}:
  sum {j in features} coef[t,j] * x[i,j] + offset[t] >= -M_H * (1 - reach[i,right[t]]);

# go_left (10) from margot
s.t. go_left {i in points, t in branches : t not in last_branches}:
  sum {j in features} coef[t,j] * x[i,j] + offset[t] + eps <= M_H * (1 - reach[i,left[t]]);
