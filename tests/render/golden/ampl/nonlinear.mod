# mrct, written by treemip for AMPL.
# Amaldi, Consolo, Manno: On multivariate randomized classification trees (2023)
#
# Nonlinear: AMPL's own, which GNU MathProg does not read.
# Points are called by their row in the data, nodes by their number: the root is 1, the
# children of t are 2t and 2t + 1.
#
#     ampl nonlinear.run

# ---- sets and parameters, in the data file

set features;
set branches;
set points;
set leaves;
set nodes;
param gamma;  # steepness of the logistic distribution
set classes;
param min_rate;  # rho in the paper; least share of each class that is given its own label
set left_ancestors {nodes};
param x {points, features};  # feature value, after encoding and scaling
set right_ancestors {nodes};
param y {points} symbolic;  # class of a point
# w in the paper; price of giving class h to a point of class k; if k = h then 0 else 0.5
param cost {k in classes, h in classes};
param class_count {classes};  # number of points of a class

# ---- variables

# a in the paper; coefficient of feature j in the split at t
var coef {t in branches, j in features} >= -1, <= 1;
# mu in the paper; right-hand side of the split at t
var bias {t in branches} >= -1, <= 1;
# c in the paper; 1 where leaf l predicts class k, or how probably
var label {l in leaves, k in classes} >= 0, <= 1;

# ---- definitions

# norminf(coef[*,j])
var norminf_1 {j in features} >= 0;
s.t. norminf_1_above {j in features, t in branches}: norminf_1[j] >= coef[t,j];
s.t. norminf_1_below {j in features, t in branches}: norminf_1[j] >= -coef[t,j];

# abs(coef[t,j])
var abs_1 {t in branches, j in features} >= 0;
s.t. abs_1_above {t in branches, j in features}: abs_1[t,j] >= coef[t,j];
s.t. abs_1_below {t in branches, j in features}: abs_1[t,j] >= -coef[t,j];

# p in the paper
var go_left {i in points, t in branches} =
  0.5
    * (1 + tanh(gamma * ((sum {j in features} coef[t,j] * x[i,j]) / card(features) - bias[t]) / 2));

# (1)
var along {i in points, l in leaves} =
  (prod {t in left_ancestors[l]} go_left[i,t])
    * (prod {t in right_ancestors[l]} (1 - go_left[i,t]));

# P in the paper; 1 where point i passes node t, or with what probability
var reach {i in points, l in leaves} = along[i,l];

# 1 where point i is given class k
var predicts {i in points, k in classes} = sum {l in leaves} reach[i,l] * label[l,k];

# ---- objective

minimize objective_:
  sum {i in points, l in leaves} reach[i,l] * (sum {k in classes} cost[y[i],k] * label[l,k])
    + 0.1 * (sum {t in branches, j in features} (1 - exp(-5 * abs_1[t,j])))
    + 0.2 * (sum {j in features} log(norminf_1[j] + 1e-06));

# ---- constraints

# one_label (2b) from mrct
s.t. one_label {l in leaves}: sum {k in classes} label[l,k] = 1;

# every_class (2c) from mrct
s.t. every_class {k in classes}: sum {l in leaves} label[l,k] >= 1;

# least_rate from mrct
s.t. least_rate {k in classes}:
  sum {i in points : y[i] = k} predicts[i,k] >= min_rate * class_count[k];
