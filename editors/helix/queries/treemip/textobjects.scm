; A row, a declaration and the like are what Helix calls a function.
[
  (param)
  (set)
  (tree)
  (var)
  (let)
  (concept)
  (term)
  (objective)
  (constraint)
] @function.around

(constraint body: (_) @function.inside)
(param value: (_) @function.inside)
(let value: (_) @function.inside)

(comment) @comment.inside
(comment)+ @comment.around
