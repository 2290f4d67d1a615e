[
  (settings)
  (default_block)
  (subject_to)
  (constraint)
  (objective)
  (param)
  (set)
  (tree)
  (let)
  (var)
  (concept)
  (term)
  (requirement)
  (formulation)
  (comment)+
] @fold
