;;; treemip-ts-words.el --- Words of treemip  -*- lexical-binding: t; -*-

;; Made by `make docs' from grammars/tree.lark; do not edit.

;;; Code:

(defconst treemip-ts-heads
  '("advise" "concept" "cut" "data" "drop" "formulation" "let" "maximize" "minimize" "param" "predict" "requires" "route" "set" "split" "strategy" "subject" "term" "to" "topology" "tree" "use" "var"))

(defconst treemip-ts-words
  '("and" "by" "class" "default" "distribution" "else" "falls" "if" "in" "left" "means" "not" "or" "probability" "rises" "splits" "then" "unless" "value" "when" "with"))

(defconst treemip-ts-kinds
  '("binary" "free" "integer"))

(defconst treemip-ts-functions
  '("abs" "ancestors" "answer_of" "bisect" "card" "categories" "ceil" "class_thresholds" "cut_left" "cut_right" "depth" "descend" "dot" "exp" "features_of" "floor" "hi" "inner" "last_branches_under" "least_difference" "least_gap" "least_gap_moved" "leaves_under" "left" "left_ancestors" "left_support" "level" "lo" "log" "logistic" "max" "max_depth" "mentions" "mid" "min" "missing" "next" "norm1" "norminf" "normsq" "objective_has" "objective_is" "ord" "parent" "point" "point_of" "position" "right" "right_ancestors" "right_support" "round" "sorted" "source_side" "sqrt" "table" "thresholds" "values"))

(defconst treemip-ts-names
  '("accuracy" "active" "appr1_global" "appr1_local" "appr2_global" "appr2_local" "balanced_error" "bias" "category" "changes" "class_count" "coef" "confusion" "correct" "distinct_features" "features_used" "given_label" "given_prediction" "given_slope" "given_value" "kept_with" "l0_global" "l0_local" "l1" "label" "leaf_score" "leaf_slope" "leaf_value" "leaves_used" "linf" "log_global" "log_local" "margin" "misclassified" "nested" "occupied" "points_in" "predicted" "predicts" "reach" "recall" "routed" "slack" "splits" "tested" "tested_anywhere" "total_change" "total_slack" "unreachable" "uses" "uses_anywhere" "weight" "worst_class_error" "x" "y"))

(defconst treemip-ts-sets
  '("branches" "categorical_features" "classes" "features" "flow_cuts" "last_branches" "leaves" "left_children" "nodes" "points" "right_children" "supports"))

(defconst treemip-ts-constants
  '("negative" "positive" "root" "side_constraints"))

(defconst treemip-ts-operators
  '("==>" "!=" ".." "<=" ">=" "+" "-" "/" "<" "=" ">" "^"))

(provide 'treemip-ts-words)
;;; treemip-ts-words.el ends here
