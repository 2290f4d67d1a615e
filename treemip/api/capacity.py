"""What the VC dimension of a tree's splits is known to be, from the kind of split and its size.

Amaldi, Consolo, Manno: On multivariate randomized classification trees (2023), section 5: two
classes, complete trees of depth D, p inputs, real or binary.
"""

from __future__ import annotations

from typing import Any

PAPER = "Amaldi, Consolo, Manno (2023)"
NO_LEAST = "the lower bound needs a depth below the number of features"


def vc_dimension(split: str, depth: int, features: int) -> dict[str, Any] | None:
    """`at least`, `at most` and the `source` of both; None for splits of other kinds.

    split: the kind; bounds are known for "oblique" and "randomized". depth: of a complete tree.
    Where `at least` is None, `note` says why.
    `at most` is a number only where the bound has no unknown factor, else its order as text. The
    lower bounds are reached by perceptrons at the branches, so they hold for oblique splits too;
    the upper one is of a mixture of logistic experts and does not.
    """
    if split not in ("oblique", "randomized") or depth < 1 or features < 1:
        return None
    if depth == 1:
        exact = features + 1
        return {"at least": exact, "at most": exact, "source": f"{PAPER}, Observation 1"}
    order = "O(2^(4(D-1)) p^2)" if split == "randomized" else None
    least = least_shattered(depth, features)
    known = [f"Proposition {2 if depth == 2 else 3}"]
    known += ["Proposition 4"] * (order is not None)
    found = {"at least": least, "at most": order, "source": f"{PAPER}, {' and '.join(known)}"}
    return found if least is not None else found | {"note": NO_LEAST}


def least_shattered(depth: int, features: int) -> int | None:
    """2(p+1) for D = 2, 2^(D-1) (p-D+3) above: Propositions 2 and 3, for p > D; else None.

    The paper states Proposition 2 for every p, but its two sets of p + 1 vertices of the unit
    cube, which must be disjoint, meet for p = 2. Proposition 3 takes it at p - D + 2 inputs.
    """
    return 2 ** (depth - 1) * (features - depth + 3) if features > depth >= 2 else None
