; Indices belong to what they are written in, all other names to the file.
[
  (file)
  (param)
  (set)
  (tree)
  (var)
  (let)
  (concept)
  (term)
  (constraint)
  (requirement)
  (reduction)
  (domain)
] @local.scope

(binder name: (identifier) @local.definition.variable.parameter)
(parameter name: (identifier) @local.definition.variable.parameter)

(name . (identifier) @local.reference)
