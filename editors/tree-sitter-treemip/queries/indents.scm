; For Neovim. What goes on after its first line is one step further in.
[
  (settings)
  (default_block)
  (subject_to)
  (formulation)
  (param)
  (set)
  (tree)
  (var)
  (let)
  (concept)
  (term)
  (objective)
  (constraint)
  (drop)
  (requirement)
  (route)
  (predict)
  (setting)
  (arguments)
] @indent.begin

"}" @indent.branch @indent.end
")" @indent.branch

(string) @indent.auto
(comment) @indent.auto
