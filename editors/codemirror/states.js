// Made by `make docs` from grammars/tree.lark; do not edit.
export default {
 "tags": {
  "comment": "lineComment",
  "string": "string",
  "number": "number",
  "head": "definitionKeyword",
  "word": "controlKeyword",
  "kind": "modifier",
  "reduction": "operatorKeyword",
  "declared": "variableName.definition",
  "module": "namespace",
  "setting": "propertyName",
  "choice": "labelName",
  "function": "variableName.standard",
  "set": "typeName",
  "table": "variableName.special",
  "constant": "atom",
  "concept": "variableName.special",
  "term": "variableName.special",
  "name": "variableName",
  "operator": "operator",
  "punctuation": "punctuation",
  "unknown": "invalid"
 },
 "states": {
  "file": [
   {
    "include": "heads"
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "declared",
    "push": "row"
   },
   {
    "match": "\"(?:[^\"\\\\\\n]|\\\\.)*\"?",
    "kind": "string"
   },
   {
    "match": "[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\\p{L}\\p{N}_]|\\.(?!\\.))",
    "kind": "number"
   },
   {
    "match": "(?:==>|!=|\\.\\.|<=|>=|\\*|\\+|-|/|<|=|>|\\^)",
    "kind": "operator"
   },
   {
    "match": "[;,:(){}\\[\\]]",
    "kind": "punctuation"
   }
  ],
  "heads": [
   {
    "match": "(?:data|strategy)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "head",
    "push": "block"
   },
   {
    "match": "(?:maximize|minimize)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "head",
    "push": "objective"
   },
   {
    "match": "(?:subject)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "head",
    "push": "subject"
   },
   {
    "match": "(?:drop)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "head",
    "push": "drop"
   },
   {
    "match": "(?:advise|requires)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "head",
    "push": "requirement"
   },
   {
    "match": "(?:predict|route)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "head",
    "push": "rule"
   },
   {
    "match": "(?:formulation|split|topology|use)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "head",
    "push": "named"
   },
   {
    "match": "(?:concept|cut|let|param|set|term|tree|var)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "head",
    "push": "declaration"
   }
  ],
  "declaration": [
   {
    "match": "[;]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[}])",
    "pop": true
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "declared",
    "push": "tail"
   },
   {
    "match": "\"(?:[^\"\\\\\\n]|\\\\.)*\"?",
    "kind": "string"
   },
   {
    "match": "[;,:(){}\\[\\]]",
    "kind": "punctuation"
   }
  ],
  "named": [
   {
    "match": "[;]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[}])",
    "pop": true
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "module",
    "push": "tail"
   },
   {
    "match": "\"(?:[^\"\\\\\\n]|\\\\.)*\"?",
    "kind": "string",
    "push": "tail"
   }
  ],
  "row": [
   {
    "match": "[;]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[}])",
    "pop": true
   },
   {
    "include": "behind"
   }
  ],
  "objective": [
   {
    "match": "[;]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[}])",
    "pop": true
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*(?=[ \\t]*(?:\"[^\"]*\"[ \\t]*)?:)",
    "kind": "declared",
    "push": "operator"
   },
   {
    "include": "operand"
   }
  ],
  "subject": [
   {
    "match": "(?:to)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "head",
    "pop": true
   },
   {
    "match": "(?=[^\\s#])",
    "pop": true
   }
  ],
  "requirement": [
   {
    "match": "[;]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[}])",
    "pop": true
   },
   {
    "match": "[{]",
    "kind": "punctuation",
    "push": "brace"
   },
   {
    "match": "(?=[^\\s#])",
    "push": "value"
   }
  ],
  "rule": [
   {
    "match": "[;]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[}])",
    "pop": true
   },
   {
    "match": "(?:class|distribution|probability|value|when)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word",
    "push": "value"
   },
   {
    "match": "(?:left|with)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word"
   },
   {
    "match": "(?=[^\\s#])",
    "push": "value"
   }
  ],
  "drop": [
   {
    "match": "[;]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[}])",
    "pop": true
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "name",
    "push": "dropped"
   },
   {
    "match": "[;,:(){}\\[\\]]",
    "kind": "punctuation"
   }
  ],
  "dropped": [
   {
    "match": "(?=[;}])",
    "pop": true
   },
   {
    "match": "[,]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?:unless|when)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word",
    "pop": true
   },
   {
    "match": "(?:falls|rises)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word"
   },
   {
    "include": "heads"
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "name"
   }
  ],
  "tail": [
   {
    "match": "(?=[;}])",
    "pop": true
   },
   {
    "include": "behind"
   }
  ],
  "behind": [
   {
    "match": "\"(?:[^\"\\\\\\n]|\\\\.)*\"?",
    "kind": "string"
   },
   {
    "match": "[(]",
    "kind": "punctuation",
    "push": "paren"
   },
   {
    "match": "[\\[]",
    "kind": "punctuation",
    "push": "index"
   },
   {
    "match": "[{]",
    "kind": "punctuation",
    "push": "brace"
   },
   {
    "match": "(?:==>|!=|\\.\\.|<=|>=|\\*|\\+|-|/|<|=|>|\\^)",
    "kind": "operator",
    "push": "given"
   },
   {
    "match": "[:]",
    "kind": "punctuation",
    "push": "body"
   },
   {
    "match": "(?:binary|free|integer)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "kind"
   },
   {
    "match": "(?:by|splits)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word",
    "push": "module"
   },
   {
    "match": "(?:and|else|in|means|or)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word",
    "push": "given"
   },
   {
    "include": "heads"
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "name"
   },
   {
    "match": "[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\\p{L}\\p{N}_]|\\.(?!\\.))",
    "kind": "number"
   },
   {
    "match": "[;,:(){}\\[\\]]",
    "kind": "punctuation"
   }
  ],
  "module": [
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "module",
    "pop": true
   },
   {
    "match": "\"(?:[^\"\\\\\\n]|\\\\.)*\"?",
    "kind": "string",
    "pop": true
   },
   {
    "match": "(?=[;({}])",
    "pop": true
   },
   {
    "match": "(?=[^\\s#])",
    "pop": true
   }
  ],
  "default": [
   {
    "match": "(?<=\\})",
    "pop": true
   },
   {
    "match": "(?=[^\\s#{])",
    "pop": true
   },
   {
    "match": "[{]",
    "kind": "punctuation",
    "push": "inside"
   }
  ],
  "block": [
   {
    "match": "(?<=\\})",
    "pop": true
   },
   {
    "match": "[;]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[}])",
    "pop": true
   },
   {
    "include": "heads"
   },
   {
    "match": "\"(?:[^\"\\\\\\n]|\\\\.)*\"?",
    "kind": "string"
   },
   {
    "match": "[{]",
    "kind": "punctuation",
    "push": "settings"
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "name"
   },
   {
    "match": "[;,:(){}\\[\\]]",
    "kind": "punctuation"
   }
  ],
  "inside": [
   {
    "match": "[}]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "include": "file"
   }
  ],
  "settings": [
   {
    "match": "[}]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "setting",
    "push": "setting"
   },
   {
    "match": "[;,:(){}\\[\\]]",
    "kind": "punctuation"
   }
  ],
  "setting": [
   {
    "match": "[;]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[}])",
    "pop": true
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "choice"
   },
   {
    "match": "\"(?:[^\"\\\\\\n]|\\\\.)*\"?",
    "kind": "string"
   },
   {
    "match": "[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\\p{L}\\p{N}_]|\\.(?!\\.))",
    "kind": "number"
   },
   {
    "match": "(?:==>|!=|\\.\\.|<=|>=|\\*|\\+|-|/|<|=|>|\\^)",
    "kind": "operator"
   },
   {
    "match": "[(]",
    "kind": "punctuation",
    "push": "paren"
   },
   {
    "match": "[;,:(){}\\[\\]]",
    "kind": "punctuation"
   }
  ],
  "operand": [
   {
    "match": "(?:if|not)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word"
   },
   {
    "match": "(?:argmax|argmin|max|min|prod|sum)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])(?=[ \\t]*(?:\\{|#|$))",
    "kind": "reduction",
    "push": "reduced"
   },
   {
    "match": "(?:abs|ancestors|answer_of|bisect|card|categories|ceil|class_thresholds|cut_left|cut_right|depth|descend|dot|exp|features_of|floor|hi|inner|last_branches_under|least_difference|least_gap|least_gap_moved|leaves_under|left|left_ancestors|left_support|level|lo|log|logistic|max|max_depth|mentions|mid|min|missing|next|norm1|norminf|normsq|objective_has|objective_is|ord|parent|point|point_of|position|right|right_ancestors|right_support|round|sorted|source_side|sqrt|table|thresholds|values)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])(?=[ \\t]*\\()",
    "kind": "function",
    "push": "operator"
   },
   {
    "match": "(?:category|class_count|given_label|given_prediction|given_slope|given_value|kept_with|routed|weight|x|y)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])(?=[ \\t]*\\[)",
    "kind": "table",
    "push": "operator"
   },
   {
    "match": "(?:active|bias|coef|confusion|correct|label|leaf_score|leaf_slope|leaf_value|nested|occupied|points_in|predicted|predicts|reach|recall|slack|tested|tested_anywhere|unreachable|uses|uses_anywhere)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])(?=[ \\t]*\\[)",
    "kind": "concept",
    "push": "operator"
   },
   {
    "match": "(?:accuracy|appr1_global|appr1_local|appr2_global|appr2_local|balanced_error|changes|distinct_features|features_used|l0_global|l0_local|l1|leaves_used|linf|log_global|log_local|margin|misclassified|splits|total_change|total_slack|worst_class_error)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "term",
    "push": "operator"
   },
   {
    "match": "(?:branches|categorical_features|classes|features|flow_cuts|last_branches|leaves|left_children|nodes|points|right_children|supports)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "set",
    "push": "operator"
   },
   {
    "match": "(?:negative|positive|root|side_constraints)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "constant",
    "push": "operator"
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "name",
    "push": "operator"
   },
   {
    "match": "[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\\p{L}\\p{N}_]|\\.(?!\\.))",
    "kind": "number",
    "push": "operator"
   },
   {
    "match": "\"(?:[^\"\\\\\\n]|\\\\.)*\"?",
    "kind": "string",
    "push": "operator"
   },
   {
    "match": "(?=[({])",
    "push": "operator"
   },
   {
    "match": "(?:==>|!=|\\.\\.|<=|>=|\\*|\\+|-|/|<|=|>|\\^)",
    "kind": "operator"
   },
   {
    "match": "[\\[]",
    "kind": "punctuation",
    "push": "index"
   },
   {
    "match": "[;,:(){}\\[\\]]",
    "kind": "punctuation"
   }
  ],
  "value": [
   {
    "match": "(?=[;)\\]}])",
    "pop": true
   },
   {
    "include": "operand"
   }
  ],
  "given": [
   {
    "match": "(?=[;)\\]}])",
    "pop": true
   },
   {
    "match": "(?:default)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])(?=[ \\t]*(?:\\{|#|$))",
    "kind": "word",
    "push": "default"
   },
   {
    "include": "operand"
   }
  ],
  "body": [
   {
    "match": "(?=[;)\\]}])",
    "pop": true
   },
   {
    "match": "(?:let)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word",
    "push": "local"
   },
   {
    "include": "operand"
   }
  ],
  "local": [
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "declared",
    "pop": true
   },
   {
    "match": "(?=[^\\s#])",
    "pop": true
   }
  ],
  "later": [
   {
    "match": "(?=[;)\\]}])",
    "pop": true
   },
   {
    "match": "(?:maximize|minimize)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "head"
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*(?=[ \\t]*(?:\"[^\"]*\"[ \\t]*)?:)",
    "kind": "declared",
    "push": "operator"
   },
   {
    "match": "(?:default)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])(?=[ \\t]*(?:\\{|#|$))",
    "kind": "word",
    "push": "default"
   },
   {
    "include": "operand"
   }
  ],
  "operator": [
   {
    "match": "(?=[;)\\]}])",
    "pop": true
   },
   {
    "match": "(?:==>|!=|\\.\\.|<=|>=|\\*|\\+|-|/|<|=|>|\\^)",
    "kind": "operator",
    "pop": true
   },
   {
    "match": "[,:]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?:and|by|else|in|means|or|splits)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word",
    "pop": true
   },
   {
    "match": "(?:then)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word",
    "push": "later"
   },
   {
    "match": "(?:if|not)(?!(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])",
    "kind": "word"
   },
   {
    "match": "[(]",
    "kind": "punctuation",
    "push": "paren"
   },
   {
    "match": "[\\[]",
    "kind": "punctuation",
    "push": "index"
   },
   {
    "match": "[{]",
    "kind": "punctuation",
    "push": "brace"
   },
   {
    "include": "heads"
   },
   {
    "match": "\"(?:[^\"\\\\\\n]|\\\\.)*\"?",
    "kind": "string"
   },
   {
    "match": "[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\\p{L}\\p{N}_]|\\.(?!\\.))",
    "kind": "number"
   },
   {
    "match": "(?!\\p{Nd})(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_](?:(?![²³¹¼-¾⁰-₎⅐-↋])[\\p{L}\\p{N}_])*",
    "kind": "name"
   }
  ],
  "reduced": [
   {
    "match": "(?<=\\})",
    "pop": true
   },
   {
    "match": "(?=[^\\s#{])",
    "pop": true
   },
   {
    "match": "[{]",
    "kind": "punctuation",
    "push": "brace"
   }
  ],
  "paren": [
   {
    "match": "[)]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[;\\]}])",
    "pop": true
   },
   {
    "include": "operand"
   }
  ],
  "index": [
   {
    "match": "[\\]]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[;)}])",
    "pop": true
   },
   {
    "include": "operand"
   }
  ],
  "brace": [
   {
    "match": "[}]",
    "kind": "punctuation",
    "pop": true
   },
   {
    "match": "(?=[;)\\]])",
    "pop": true
   },
   {
    "include": "operand"
   }
  ]
 }
};
