"""Derivatives of a model with a tape, as a few CasADi operations, by Taylor expansion.

The sums of a tape's slots are expanded, and the expansion is pulled back through the tape to the
columns (expansion.py). It halves the seconds of an Ipopt iteration against CasADi's own Hessian.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.core.files.flat_model import joined_quadratic
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import stack
from treemip.core.solvers.ipopt.differentials import Derivatives
from treemip.core.solvers.ipopt.expansion import Expansion, TooManyTermsError
from treemip.core.solvers.ipopt.model import CasadiModel
from treemip.core.solvers.ipopt.operations import column, constant, gathered, plus, scaled, times
from treemip.core.solving.optional import needed

if TYPE_CHECKING:
    import casadi
    from casadi import MX

FEW_COLUMNS = 30
"""Up to about this many columns, CasADi builds its own Hessian, by directions, faster."""


def derivatives(made: CasadiModel, model: Model) -> dict[str, casadi.Function]:
    """Derivatives to use in place of CasADi's own, by the names of `casadi.nlpsol`'s options."""
    found = {"jac_g": row_jacobian(made, model)}
    hessian = None if model.column_count <= FEW_COLUMNS else lagrangian_hessian(made, model)
    return found if hessian is None else {**found, "hess_lag": hessian}


def row_jacobian(made: CasadiModel, model: Model) -> casadi.Function:
    """(x, p) -> (g, dg/dx).

    Of rows over the points of a class each, for one, CasADi would follow all points for each row.
    """
    ca = needed("casadi", "casadi")
    linear = stack([block.matrix for block in model.rows])
    jacobian = ca.MX(constant(ca, linear, model.column_count)[:, : made.x.numel()])
    if made.weights.nonzeros or any(block.quadratic.count for block in model.rows):
        curved = _curved_jacobian(made, model)
        jacobian = ca.jacobian(made.g, made.x) if curved is None else plus(ca, curved, jacobian)
    inputs = [made.x, made.p]
    return ca.Function("nlp_jac_g", inputs, [made.g, jacobian], ["x", "p"], ["g", "jac_g_x"])


def _curved_jacobian(made: CasadiModel, model: Model) -> MX | None:
    """That of the rows without their linear parts, MX (rows, columns). None for too many terms."""
    expansion = Expansion(
        Derivatives(made.slots, model.tape), model.column_count, made.p.numel(), model.row_count
    )
    expansion.add_rows(made.weights)
    form = joined_quadratic(model)
    if form.count:
        expansion.add_row_products(form, needed("casadi", "casadi").vertcat(made.x, made.p))
    try:
        expansion.pull()
    except TooManyTermsError:
        return None
    return expansion.of_multipliers()


def lagrangian_hessian(made: CasadiModel, model: Model) -> casadi.Function | None:
    """(x, p, lam_f, lam_g) -> the upper half of the Hessian by x of lam_f f + lam_g' g.

    CasADi would find it one direction at a time, which makes thousands of operations of a tape of
    ten: on MRCT, breast-cancer-diagnostic at depth 2, 3219 instead of 88. None where too many
    terms would come of it; CasADi is better then.
    """
    ca = needed("casadi", "casadi")
    lam_f, lam_g = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", model.row_count)
    expansion = Expansion(Derivatives(made.slots, model.tape), model.column_count, made.p.numel())
    objective, weights = model.objective, made.weights
    price = -lam_f if made.negated else lam_f
    if objective.slots is not None:
        own = objective.slots
        value = times(ca, price, column(ca, own.data))
        expansion.add_slots(own.indices, value)
    if weights.nonzeros:
        value = scaled(ca, gathered(ca, lam_g, weights.row_of), weights.data)
        expansion.add_slots(weights.indices, value)
    for form, prices in ((objective.quadratic, price), (joined_quadratic(model), lam_g)):
        expansion.add_products(form, scaled(ca, gathered(ca, prices, form.row), form.coef))
    try:
        expansion.pull()
    except TooManyTermsError:
        return None
    half = expansion.second_order()
    return ca.Function(
        "nlp_hess_l",
        [made.x, made.p, lam_f, lam_g],
        [ca.triu(plus(ca, half, half.T))],
        ["x", "p", "lam_f", "lam_g"],
        ["triu_hess_gamma_x_x"],
    )
