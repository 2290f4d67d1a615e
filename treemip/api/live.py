"""A compiled spec as a model in other packages, for whatever they can do with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from treemip.instance.instance import Instance
from treemip.model.answer import Limits
from treemip.model.model import Model
from treemip.source.diagnostic import Diagnostic, refused
from treemip.source.suggest import did_you_mean, listed

if TYPE_CHECKING:
    import coptpy
    import cplex
    import cvxpy
    import gurobipy
    import highspy
    import mosek
    import pyomo.environ
    import pyscipopt
    import xpress

    from treemip.api.compiled import Compiled
    from treemip.solvers.ipopt.model import CasadiModel

Cuts = Literal["rows", "lazy", "user"]
Start = Sequence[float] | np.ndarray | None


class SolverModels:
    """The part of `Compiled` that hands its model over.

    Where a package takes them, `cuts` says what becomes of rows of `cut` families: ordinary rows,
    lazy constraints or user cuts; `start` is a value for each column, from `start_values`, an
    earlier `Result.answer.values` or any other source. What a package does not take is raised as
    E601 at its place; a package that is missing as E602.
    """

    @property
    def instance(self) -> Instance:
        raise NotImplementedError

    @property
    def stated(self) -> Model:
        raise NotImplementedError

    @property
    def model(self) -> Model:
        raise NotImplementedError

    def require_one_objective(self) -> None:
        raise NotImplementedError

    def start_values(
        self, start: Any = None, *, time_limit: float = 60.0
    ) -> tuple[np.ndarray | None, list[Diagnostic]]:
        """A start completed to a solution in memory: float64 (columns,), and warnings.

        start: as for `Compiled.solve`; without it, "search" where the spec's trees can be searched,
        else "cart". Takes at most `time_limit` seconds. None where there is no solution to begin
        with. Raises E902 for a start that is not one, or that the formulation cannot have,
        KeyboardInterrupt at a signal before there is one.
        """
        self.require_one_objective()
        from treemip.api.starts import start_of
        from treemip.resolve.settings.strategy import NO_START
        from treemip.strategy.starts.concepts import NoStart
        from treemip.strategy.starts.start_notes import refused as refused_start
        from treemip.strategy.starts.warm_start import default_start, warm_start

        limits = Limits(time=time_limit)
        given = start_of(start, cast("Compiled", self))
        by_default = default_start(self.instance, limits)
        kind = given if start is not None else "cart" if by_default == NO_START else by_default
        try:
            begun = warm_start(kind, self.instance, self.model, "auto", limits, self.stated)
        except NoStart as error:
            if start is None and kind == "search":
                return self.start_values("cart", time_limit=time_limit)
            raise refused_start(kind or "none", error) from None
        if begun.stopped is not None and begun.values is None:
            raise KeyboardInterrupt
        return begun.values, list(begun.notes)

    # ------------------------------------------------------- modelling and derivatives

    def to_casadi(self) -> CasadiModel:
        """The model as CasADi expressions with their bounds. Raises E602 without casadi."""
        return self.to_model("ipopt")

    def to_pyomo(self) -> pyomo.environ.ConcreteModel:
        """The model in Pyomo under the spec's names. Raises E602 without pyomo."""
        self.require_one_objective()
        from treemip.packages.pyomo import to_pyomo

        return to_pyomo(self.model)

    def to_cvxpy(self) -> cvxpy.Problem:
        """The model in CVXPY, a variable for each family. Raises E601, and E602 without cvxpy."""
        self.require_one_objective()
        from treemip.packages.cvxpy import to_cvxpy

        return to_cvxpy(self.model)

    # -------------------------------------------------------------------- solvers

    def to_model(self, solver: str, *options: Any) -> Any:
        """The model as an object of the solver's Python package; the methods below are this, by
        solver. Raises E902 for a solver that has no such objects."""
        self.require_one_objective()
        from treemip.registry import solvers

        able = {name: one.to_model for name, one in solvers().items() if one.to_model is not None}
        if solver not in able:
            message = f"there is no model in memory for '{solver}'"
            known = did_you_mean(solver, able) or f"there are {listed(able)}"
            raise refused(message, known)
        return able[solver](self.model, *options)

    def to_highs(self) -> highspy.Highs:
        """The model in highspy under the spec's names, in the model's order. Raises E601, E602."""
        return self.to_model("highs")

    def to_scip(self) -> pyscipopt.Model:
        """The model in PySCIPOpt under the spec's names; `data` lists the variables in order.
        Raises E601, E602."""
        return self.to_model("scip")

    def to_gurobi(
        self, env: gurobipy.Env | None = None, *, cuts: Cuts = "rows", start: Start = None
    ) -> gurobipy.Model:
        """The model in gurobipy under the spec's names. Raises E601, E602, E607."""
        return self.to_model("gurobi", env, cuts, start)

    def to_cplex(self, *, cuts: Cuts = "rows", start: Start = None) -> cplex.Cplex:
        """The model in CPLEX's Python package under the spec's names. Raises E601, E602, E607."""
        return self.to_model("cplex", cuts, start)

    def to_xpress(self, *, cuts: Cuts = "rows", start: Start = None) -> xpress.problem:
        """The model in Xpress's Python package under the spec's names. Raises E601, E602, E607."""
        return self.to_model("xpress", cuts, start)

    def to_copt(
        self, env: coptpy.Envr | None = None, *, cuts: Cuts = "rows", start: Start = None
    ) -> coptpy.Model:
        """The model in coptpy under the spec's names. Raises E601, E602, E607."""
        return self.to_model("copt", env, cuts, start)

    def to_mosek(self, env: mosek.Env | None = None, *, start: Start = None) -> mosek.Task:
        """The model as a MOSEK task under the spec's names. Raises E601, E602, E607."""
        return self.to_model("mosek", env, start)
