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
] @indent

["}" ")"] @outdent
