"""Every tolerance of treemip: what counts as equal, zero, whole, kept or proven.

From the finest to the coarsest use, each has to leave room for the one before it: sums in another
order differ by some 1e-15 of their size; solvers keep rows within 1e-9 (asked to) to 1e-6 (by
default), times a factor for their scaling and presolve; verification forgives `VERIFIED`, which is
above all of these; the epsilons and margins of the formulations must be above `VERIFIED`.

"Relative" is to the size of what is compared, and to 1 where that is less than 1.
"""

from __future__ import annotations

from treemip.core.resolve.settings.solve_options import NUMBERS

# ------------------------------------------------------------------- verification

VERIFIED = 1e-5
"""Relative. How far a row, a bound, a term or an objective may be off in a verified tree.

Above every solver's default feasibility (`FEASIBILITY`), since rows are scaled by solvers and not
here, and far below any epsilon of a formulation. The same for comparisons inside `means`, which
stand for rows."""

IN_TURN = 1e-6
"""Relative. How far an objective that is no whole number may be worse where a later one is solved:
what solvers leave of a row, and below `VERIFIED`."""

DUST = 1e-9
"""Values of a solution below are 0: what a switched-off column keeps of the solver's arithmetic.

No greater than `TIGHT`, so that what a tight solve means is never taken for dust."""

RECOMPUTED = 1e-9
"""Relative. Between a number that tree.json records and the same sum done again: another machine
may add in another order, and nothing else differs."""

SCALED_BACK = 1e-14
"""Relative. How far scaling and its inverse may move a number: some roundings."""

ROUNDING = 1e-12
"""What is equal differs by no more when it is computed in two ways: the products of a square that
is multiplied out, what a point is worth on two sides, impurities, mean accuracies."""

CONFLICT = 1e-9
"""Relative. By how much two rows must miss each other to exclude each other in presolve."""

APART = 1e-9
"""Relative, to the products of a sum without their signs. How far a threshold keeps from the points
beside it, where there is room: more than rounding, less than solvers' tolerances."""

CLEAR = 1e-6
"""Likewise, of a threshold that has points on one side only, before it is moved away from them."""

CENTRE = 1e-3
"""Share of its gap by which a threshold may miss the middle to be a short number."""

NO_MARGIN = 1e-9
"""A margin no greater, of a linear program that separates two sets of points, separates nothing."""

FAINT_SHARE = 1e-2
"""Weights of a split that together move points by no more of the farthest point's distance can be
noise: a quadratic objective within g of its optimum leaves weights of size sqrt(2 g)."""

FAINT_LOSS = 1e-6
"""Relative. What dropping faint weights may cost in the objective or in a margin; below `VERIFIED`,
so that a tree is not less verified without them."""

NO_COEFFICIENT = 1e-7
"""A coefficient of a randomized split no greater counts as 0 (the code of Amaldi, Consolo and
Manno 2023; their paper says a = 0). Above `DUST`: solvers of nonlinear problems are coarser."""

# ---------------------------------------------------------------- rows that are known

KNOWN_ROW = 1e-9
"""How far a row without variables may miss its bounds before a spec is called infeasible, and a row
of a tree in an exact engine: such rows hold by arithmetic on data, so only rounding is forgiven."""

# -------------------------------------------------------------------------- solvers

PROVEN = 1e-6
"""Relative. Solvers call a difference of this size between bound and objective none (HiGHS's
mip_abs_gap): the proof of an optimum. Below `VERIFIED`, so a proven optimum can be verified."""

LEAST_OBJECTIVE = 1e-10
"""What a relative gap is divided by where the objective is nearer to 0, as solvers do."""

TOLD_APART = 1e-10
"""Relative to what all points may cost together: trees whose values differ by less are one to an
exact engine, which adds costs up in another order."""

EQUAL = 1e-9
"""Relative. Objectives of trees that differ by less are one, rounded in another way."""

FEASIBILITY = 1e-6
"""How far rows and bounds of a nonlinear model may be missed, unless the limits say otherwise: the
default of HiGHS, SCIP and Ipopt alike."""

TIGHT = 1e-9
"""The feasibility that is advised where a looser one left a tree unverified; the least that solvers
in common take."""

LOOSE = NUMBERS["feasibility"].most
"""The greatest feasibility that solvers take; values that miss a row by more are no solution."""

LEAST_FEASIBILITY = NUMBERS["feasibility"].least
"""The least feasibility that can be asked for; solvers' arithmetic is not finer."""

TAPE_FEASIBILITY = 1e-9
"""SCIP's feasibility for models with nonlinear expressions, unless the limits say otherwise."""

IPOPT_OPTIMALITY = 1e-8
"""Ipopt's `tol` (its default): the scaled optimality error at which a run ends."""

IPOPT_BARRIER = 1e-4
"""Ipopt's `mu_init` from a point that is nearly a solution, so that it stays near."""

IPOPT_PUSH = 1e-6
"""Likewise its `bound_push` and `bound_frac`: by default it moves points well inside bounds."""

PROXIMAL = 1e-6
"""Coefficient of a decomposition's proximal term, unless the spec says otherwise: about the paper's
for thyroid-ann (Amaldi et al. 2023, table 4)."""

STALLED = 1e-8
"""Relative. A decomposition ends with a macro-iteration that improves the objective by less."""

STATIONARY = 1e-6
"""Relative to the objective: an end point of a decomposition is called locally optimal where a step
of 1 in each variable promises no greater improvement, by the linearized problem."""

INFINITE = 1e20
"""What solvers take for no bound, and write where they know none."""

TINY = 1e-9
"""Coefficients up to here are zero to HiGHS (small_matrix_value) and SCIP (numerics/epsilon)."""

CONVEX_SHIFT = 1e-9
"""Eigenvalues down to this share of the largest entry below 0 count as zero: data are rounded."""

SEPARATED = 2.0
"""How often over a separated row is missed by more than the solver's feasibility before it is given
to the solver: what is missed by less may hold already, as the solver counts."""

START = 1e-5
"""How far a start's value may be from its bound, or from a whole number, to be moved there."""

COMPLETE = 1e-7
"""By how much a start may miss a row, to be a solution to every solver without being completed."""

BROKEN = 1e-6
"""Relative, to the coefficients of a row: a slack above it, which a linear program needs to keep a
start's routing, breaks the row; no less than what solvers forgive (`FEASIBILITY`)."""

DOUBTFUL = 1e-4
"""Relative. By how much a start must be better than what a solver claims to be optimal, or than its
bound, for the claim to be called false: above the gaps at which solvers stop by themselves."""

# --------------------------------------------------------------------------- search

SAME_WORTH = 1e-9
"""Values of trees under search that differ by less are one, and violations up to it none: sums over
points are rounded in another order. Weights of points and prices are far above."""

LEAST_DIVISOR = 1e-300
"""Keeps a division by 0 from happening where the dividend is 0 as well."""

SAME_STEP = 1e-9
"""Points that change side at steps nearer to each other change together."""

CLEARLY = 1e-6
"""Relative. By how much a hyperplane's gap is wider than asked for, so that rounding leaves it."""

GAP_SLACK = 1e-9
"""How far a point may be inside the widest gap: what solvers keep rows within when asked to."""

LEAST_RATE = 1e-30
"""In place of a rate of 0, of which there is no logarithm: no point of weight 1 costs more than 70
there."""

SOLVED_COLUMN = 1e-9
"""How far a column that rows settle is from itself in their inverse, at most."""

RIDGE_FLOOR = 1e-9
"""What keeps the Hessian of a logistic fit, and a feature's spread, above 0."""

INTERCEPT_RIDGE = 1e-6
"""The ridge of a logistic fit's threshold, which only keeps it finite."""

SVM_STEP = 1e-9
"""Relative. What Newton's step must promise an SVM in the primal, which only proposes a split."""

SVM_GAP = 1e-10
"""Relative. The duality gap at which the program of a margin tree's branch is solved."""

SVM_FEASIBLE = 1e-9
"""How far its rows may be missed."""

SVM_KEPT = 2e-9
"""By how much rows that must hold are tightened: more than `SVM_FEASIBLE`."""

NEGLIGIBLE = 1e-9
"""Relative, to the greatest coefficient of a margin tree's hyperplane: less is rounding."""

BINDING = 1e-6
"""Multipliers above, in units of the objective, are those of points that hold a hyperplane back."""

MARGIN_BETTER = 1e-7
"""Relative. A margin tree is better where its value is lower by more: above `SVM_GAP`."""

SAME_TREE = 1e-6
"""Relative. Margin trees whose values differ by less count as one."""

# -------------------------------------------------------------------- exact engines

SAME_BITS = 38
"""Of what a point adds to the objective: an error of 2e-12, less than what is `EQUAL`."""

NO_COST = 1e-12
"""Relative. Costs and differences of costs up to here are rounding of sums over points."""

UNIT_RATIO = 1e-9
"""Relative. How far costs may be from multiples of one number, to be counted in units of it."""

UNIT_LOSS = 1e-6
"""By how many units of loss an objective may be above a whole number of them, to be that number."""

UNIT_BOUND = 1e-4
"""The same for SCIP's bound on losses: between its own feasibility and a unit."""

ON_PLANE = 1e-9
"""Points nearer to a plane through others count as on it."""

SPREAD = 1e-5
"""A plane through points is known to 1e-11 where these spread by this much in each direction."""

CERTIFIED = 1e-9
"""By how much a certificate must be below the gap: far more than rounding errors add up to."""

PROGRAM_BAND = 5e-7
"""The same for linear programs that seek one: they keep rows up to their own tolerance."""

ROUTING_SLACK = 5e-6
"""By how much the rows of a routing are loosened for SCIP: more than its `FEASIBILITY`, so that no
routing that keeps the gap is lost."""

LEAST_PROVABLE_GAP = 1e-4
"""Below it, the tolerances of the linear programs count against the gap itself."""

MARGIN_PROVEN = 5e-7
"""Relative. By how much a margin tree must be better than the best one to be looked for: below
`PROVEN`, since completed trees keep their rows by `SVM_KEPT` more."""

MISSED = 1e-9
"""By how much a point may miss a row of a margin tree's branch: what `SVM_FEASIBLE` leaves."""

DUAL_ROUNDING = 1e-12
"""Relative, to the terms of a dual value: subtracted from it, more than their rounding adds up."""

MASS_ROUNDING = 1e-14
"""The same for sums of multipliers that cancel, relative to their sizes."""

WEIGHTS_NEAR = 1e-4
"""Relative. How near the weights of features are brought to the best ones: any are a bound."""

LEAST_WEIGHT = 1e-6
"""Of a feature that may be in use, so that it can come back."""

SLIGHT_WEIGHT = 1e-3
"""Of all features together: what `LEAST_WEIGHT` adds up to is not paid for."""

# ------------------------------------------------------------------ points selected

HULL = 1e-7
"""In shares of each feature's range. A point no farther from the hull of others is inside it, and
shares of a convex combination up to here are rounding: above `TIGHT`, to which the linear programs
are solved."""

HULL_TIE = 1e-9
"""Points whose distances along a direction differ by no more may be equally far out."""

SELECTED = 1e-6
"""Values of LP (9) nearer to 0 or 1 are 0 or 1."""

# ------------------------------------------------------------------- solution files

WHOLE = 1e-3
"""How far an integer of a solution file may be off; what is farther is a relaxation's value, which
some solvers write when they have no incumbent. Above every solver's integrality tolerance."""

STATED = 1e-4
"""Relative, between the objective that a file states and that of its values: files have few digits,
and solvers leave out what they take for zero, which large costs may make visible."""

EXACT = 1e-9
"""How far a row may be missed by values with all their digits; those of fewer are completed."""

CBC_TEXT = 1e-7
"""Relative, between CBC's text of 8 digits and its saved numbers."""

CBC_ZERO = 1e-7
"""What CBC's text may leave out."""

# ----------------------------------------------------------------------------- data

LAST_EXACT = 2.0**53
"""From here on neighbouring whole numbers share a double."""

LEAST_GAP = 1e-5
"""Differences between values of a feature no greater are rounding, not gaps: the floor of Bertsimas
and Dunn's epsilon_j, which as a margin of rows must not be below `VERIFIED`."""

NEAR_EDGE = 1e-6
"""Relative. A threshold is at an edge that is no farther: scikit-learn's thresholds lie between
values in single precision."""

SAME_EDGE = 1e-8
"""Edges of bins no farther apart are one edge."""

NO_SLACK = 1e-9
"""Less than this between the sides of a row is rounding error of its sums."""

NO_SAMPLES = 1e-9
"""Weight of a leaf without samples in a tree of scikit-learn: SHAP divides by the weight of every
branch."""
