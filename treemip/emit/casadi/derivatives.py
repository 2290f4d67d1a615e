"""First and second derivatives of a model with a tape, as a few CasADi operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.emit.arrays import joined_quadratic
from treemip.emit.casadi.expansion import Expansion, TooManyTermsError
from treemip.emit.casadi.model import CasadiModel
from treemip.emit.casadi.ops import column, constant, gathered, plus, scaled, times
from treemip.emit.casadi.steps import Derivatives
from treemip.emit.optional import needed
from treemip.model.model import Model

if TYPE_CHECKING:
    import casadi


FEW_COLUMNS = 30
"""Up to about so many columns CasADi's own Hessian, a direction at a time, is made sooner."""


def derivatives(made: CasadiModel, model: Model) -> dict[str, casadi.Function]:
    """What CasADi had better not find by itself, by the names of `casadi.nlpsol`'s options."""
    found = {"jac_g": row_jacobian(made, model)}
    hessian = None if model.column_count <= FEW_COLUMNS else lagrangian_hessian(made, model)
    return found if hessian is None else {**found, "hess_lag": hessian}


def row_jacobian(made: CasadiModel, model: Model) -> casadi.Function:
    """(x, p) -> (g, dg/dx); p is empty.

    Differentiated family by family. Of all rows at once CasADi finds the derivatives column by
    column or row by row, and a single dense family makes either one as long as the model is wide:
    on MRCT with (1) as constraints, iris at depth 2, 6980 operations instead of 424.
    """
    ca = needed("casadi", "casadi")
    parts, start = [], 0
    for block in model.rows:
        stop = start + block.length
        if block.slots is None and not block.quadratic.count:
            parts.append(constant(ca, block.matrix, model.column_count))
        else:
            family = gathered(ca, made.g, np.arange(start, stop))
            parts.append(ca.jacobian(family, made.x))
        start = stop
    jacobian = ca.vertcat(*parts) if parts else ca.MX(0, model.column_count)
    p = ca.MX.sym("p", 0)
    return ca.Function("nlp_jac_g", [made.x, p], [made.g, jacobian], ["x", "p"], ["g", "jac_g_x"])


def lagrangian_hessian(made: CasadiModel, model: Model) -> casadi.Function | None:
    """(x, p, lam_f, lam_g) -> the upper half of the Hessian of lam_f f + lam_g' g; p is empty.

    CasADi would find it one direction at a time, which makes thousands of operations of a tape of
    ten: on MRCT, breast-cancer-diagnostic at depth 2, 3219 instead of 88. None where too many
    terms would come of it; CasADi is better then.
    """
    ca = needed("casadi", "casadi")
    lam_f, lam_g = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", model.row_count)
    expansion = Expansion(Derivatives(made.slots, model.tape), model.column_count)
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
        [made.x, ca.MX.sym("p", 0), lam_f, lam_g],
        [ca.triu(plus(ca, half, half.T))],
        ["x", "p", "lam_f", "lam_g"],
        ["triu_hess_gamma_x_x"],
    )
