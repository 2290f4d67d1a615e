"""The spec as a document of formulas: LaTeX, HTML or Markdown."""
