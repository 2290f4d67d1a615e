"""HiGHS's words for how a solve ended, as its solution files and its log have them."""

from __future__ import annotations

from treemip.model.answer import Status

STATUS: dict[bytes, Status] = {
    b"Optimal": "optimal",
    b"Infeasible": "infeasible",
    b"Unbounded": "unbounded",
    b"Primal infeasible or unbounded": "infeasible_or_unbounded",
    b"Time limit reached": "time_limit",
    b"Interrupted by user": "interrupted",
    b"Interrupted by HiGHS": "interrupted",
    b"Iteration limit reached": "solver_limit",
    b"Solution limit reached": "solver_limit",
    b"Memory limit reached": "solver_limit",
    b"Bound on objective reached": "solver_limit",
    b"Target for objective reached": "solver_limit",
}
"""HiGHS says "Optimal" also when the gap it was given is reached, 0.01 % if none was."""
