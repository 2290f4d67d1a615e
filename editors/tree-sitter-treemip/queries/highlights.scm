; Made by `make docs` from grammars/tree.lark; do not edit.
(comment) @comment
(string) @string
(number) @number

["advise" "concept" "cut" "data" "drop" "formulation" "maximize" "minimize" "param" "predict" "requires" "route" "set" "split" "strategy" "subject" "term" "to" "topology" "tree" "use" "var"] @keyword
(let "let" @keyword)
(local_set "let" @keyword.operator)
["and" "by" "class" "default" "distribution" "else" "falls" "if" "in" "left" "means" "not" "or" "probability" "rises" "splits" "then" "unless" "value" "when" "with"] @keyword.operator
(reduction operator: _ @keyword.operator)
(var kind: _ @type.builtin)

(tree_name name: (identifier) @function)
(param name: (identifier) @function)
(set name: (identifier) @function)
(tree name: (identifier) @function)
(var name: (identifier) @function)
(let name: (identifier) @function)
(concept name: (identifier) @function)
(term name: (identifier) @function)
(objective name: (identifier) @function)
(later name: (identifier) @function)
(constraint name: (identifier) @function)
(local_set name: (identifier) @function)
(formulation name: (identifier) @module)
(formulation kind: (identifier) @module)
(use module: (identifier) @module)
(split module: (identifier) @module)
(split kind: (identifier) @module)
(topology kind: (identifier) @module)
(setting key: (identifier) @property)
(word (identifier) @constant)
(binder name: (identifier) @variable.parameter)
(parameter name: (identifier) @variable.parameter)
(named name: (identifier) @variable.parameter)
(method (identifier) @variable)
(drop row: (identifier) @variable)
(press (identifier) @variable)

((name . (identifier) @type.builtin)
 (#any-of? @type.builtin "branches" "categorical_features" "classes" "features" "flow_cuts" "last_branches" "leaves" "left_children" "nodes" "points" "right_children" "supports"))
((name . (identifier) @constant.builtin)
 (#any-of? @constant.builtin "negative" "positive" "root" "side_constraints"))
((name . (identifier) @variable.builtin)
 (#any-of? @variable.builtin "accuracy" "appr1_global" "appr1_local" "appr2_global" "appr2_local" "balanced_error" "changes" "distinct_features" "features_used" "l0_global" "l0_local" "l1" "leaves_used" "linf" "log_global" "log_local" "margin" "misclassified" "splits" "total_change" "total_slack" "worst_class_error"))
((name . (identifier) @variable.builtin . (subscript))
 (#any-of? @variable.builtin "category" "class_count" "given_label" "given_prediction" "given_slope" "given_value" "kept_with" "routed" "weight" "x" "y"))
((name . (identifier) @variable.builtin . (subscript))
 (#any-of? @variable.builtin "active" "bias" "coef" "confusion" "correct" "label" "leaf_score" "leaf_slope" "leaf_value" "nested" "occupied" "points_in" "predicted" "predicts" "reach" "recall" "slack" "tested" "tested_anywhere" "unreachable" "uses" "uses_anywhere"))
((name . (identifier) @function.builtin . (arguments))
 (#any-of? @function.builtin "abs" "ancestors" "answer_of" "bisect" "card" "categories" "ceil" "class_thresholds" "cut_left" "cut_right" "depth" "descend" "dot" "exp" "features_of" "floor" "hi" "inner" "last_branches_under" "least_difference" "least_gap" "least_gap_moved" "leaves_under" "left" "left_ancestors" "left_support" "level" "lo" "log" "logistic" "max" "max_depth" "mentions" "mid" "min" "missing" "next" "norm1" "norminf" "normsq" "objective_has" "objective_is" "ord" "parent" "point" "point_of" "position" "right" "right_ancestors" "right_support" "round" "sorted" "source_side" "sqrt" "table" "thresholds" "values"))
((name . (identifier) @variable .)
 (#not-match? @variable "^(accuracy|appr1_global|appr1_local|appr2_global|appr2_local|balanced_error|branches|categorical_features|changes|classes|distinct_features|features|features_used|flow_cuts|l0_global|l0_local|l1|last_branches|leaves|leaves_used|left_children|linf|log_global|log_local|margin|misclassified|negative|nodes|points|positive|right_children|root|side_constraints|splits|supports|total_change|total_slack|worst_class_error)$"))
((name . (identifier) @variable . (subscript))
 (#not-match? @variable "^(accuracy|active|appr1_global|appr1_local|appr2_global|appr2_local|balanced_error|bias|branches|categorical_features|category|changes|class_count|classes|coef|confusion|correct|distinct_features|features|features_used|flow_cuts|given_label|given_prediction|given_slope|given_value|kept_with|l0_global|l0_local|l1|label|last_branches|leaf_score|leaf_slope|leaf_value|leaves|leaves_used|left_children|linf|log_global|log_local|margin|misclassified|negative|nested|nodes|occupied|points|points_in|positive|predicted|predicts|reach|recall|right_children|root|routed|side_constraints|slack|splits|supports|tested|tested_anywhere|total_change|total_slack|unreachable|uses|uses_anywhere|weight|worst_class_error|x|y)$"))
((name . (identifier) @variable . (arguments))
 (#not-match? @variable "^(abs|accuracy|ancestors|answer_of|appr1_global|appr1_local|appr2_global|appr2_local|balanced_error|bisect|branches|card|categorical_features|categories|ceil|changes|class_thresholds|classes|cut_left|cut_right|depth|descend|distinct_features|dot|exp|features|features_of|features_used|floor|flow_cuts|hi|inner|l0_global|l0_local|l1|last_branches|last_branches_under|least_difference|least_gap|least_gap_moved|leaves|leaves_under|leaves_used|left|left_ancestors|left_children|left_support|level|linf|lo|log|log_global|log_local|logistic|margin|max|max_depth|mentions|mid|min|misclassified|missing|negative|next|nodes|norm1|norminf|normsq|objective_has|objective_is|ord|parent|point|point_of|points|position|positive|right|right_ancestors|right_children|right_support|root|round|side_constraints|sorted|source_side|splits|sqrt|supports|table|thresholds|total_change|total_slack|values|worst_class_error)$"))

["==>" "!=" ".." "<=" ">=" "*" "+" "-" "/" "<" "=" ">" "^"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
[";" "," ":"] @punctuation.delimiter
