"""The spec as mathematics: indexed sums, the papers' symbols, LaTeX, HTML or Markdown."""
