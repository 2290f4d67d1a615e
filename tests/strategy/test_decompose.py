"""Decomposition: monotone, within the constraints, and where it ends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.api.compiled import Compiled
from treemip.core.model.answer import Answer, Limits, Progress
from treemip.core.model.model import Model
from treemip.core.model.values import objective_value, row_values, violation
from treemip.core.resolve.settings.decompose import DecomposeSpec
from treemip.core.solvers.ipopt.solve import Ipopt
from treemip.core.source.diagnostic import TreemipError
from treemip.core.strategy.multistart import multistart
from treemip.methods.decomposition.decompose import decompose
from treemip.methods.decomposition.stationarity import stationarity
from treemip.methods.decomposition.working_sets import working_sets

pytest.importorskip("casadi")

SPECS = Path(treemip.__file__).parents[1] / "specs"
HEAD = """
data "data/iris.csv" { label class; scale minmax; }
topology complete(depth = 2);
split randomized by mrct(gamma = %s);
"""
PRICED = "minimize expected_cost + 0.5 * l0_local + 0.25 * l0_global;"
SCHEMES = {
    "S-NB-DEC": "single",
    "C-NB-DEC": "convergent",
    "a partition": "convergent(branches = 1)",
    "pairs": "nodes(branches = 2, order = cyclic)",
    "all": "nodes(branches = all)",
}


def compiled(strategy: str, body: str = PRICED, gamma: float = 32) -> Compiled:
    text = f"{HEAD % gamma}{body}\nstrategy {{ start none; solver ipopt; {strategy} }}"
    return treemip.loads(text, base=SPECS).compile().for_solver("ipopt")


def decomposed(of: Compiled, starts: int = 1, seed: int = 0, **options: object) -> Answer:
    plan, topology = of.program.spec.strategy.decompose, of.instance.topology
    assert plan is not None and topology is not None
    branches = topology.heap[topology.branches]
    return decompose(of.model, plan, branches, Limits(seed=seed), starts, **options)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_the_objective_decreases_and_the_constraints_are_kept(scheme: str) -> None:
    of = compiled(f"decompose {scheme};")
    answer = decomposed(of)
    went = answer.decomposition
    values = [went.initial, *went.objectives]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0] - 1
    assert answer.objective == values[-1] == objective_value(of.model, answer.values)
    assert violation(of.model, answer.values) <= 1e-6
    assert len(went.seconds) == len(went.objectives) == answer.nodes
    assert list(went.seconds) == sorted(went.seconds)
    assert answer.status == ("locally_optimal" if went.stationarity <= 1e-6 else "feasible")


def test_without_convergence_theorem_the_coupling_constraints_are_named() -> None:
    coupled = {
        scheme: decomposed(compiled(f"decompose {scheme};")).decomposition.coupled
        for scheme in ("convergent", "convergent(branches = 1)", "nodes(branches = all)")
    }
    assert coupled["convergent"] == ("least_rate",)
    assert coupled["convergent(branches = 1)"] == ("least_rate", "norminf_bound")
    assert coupled["nodes(branches = all)"] == ()


def test_the_end_of_the_convergent_scheme_is_stationary_for_the_whole_problem() -> None:
    of = compiled("decompose convergent(macro_iterations = 100, inner_iterations = 200);", gamma=8)
    answer = decomposed(of)
    assert answer.decomposition.stationarity <= 1e-6
    ipopt = Ipopt(of.model, Limits(seed=0))
    assert stationarity(ipopt, answer.values) == answer.decomposition.stationarity
    assert stationarity(ipopt, ipopt.advance(ipopt.point(0), 3)) > 1e-2
    again = ipopt.solve([answer.values], near=1)
    assert again.objective == pytest.approx(answer.objective, abs=1e-5)


def test_all_nodes_together_end_where_ipopt_alone_ends() -> None:
    whole = "nodes(branches = all, initial_iterations = 0, inner_iterations = 3000, proximal = 0)"
    of = compiled(f"decompose {whole};", gamma=8)
    start = Ipopt(of.model).advance(Ipopt(of.model).point(0), 0)
    alone = multistart(of.model, Limits(seed=0), 1, start)
    assert decomposed(of, start=start).objective == pytest.approx(alone.objective, abs=1e-6)


def test_a_convex_case_ends_at_the_optimum_of_the_whole() -> None:
    """Without an expected cost, quadratic in the coefficients, which a row couples."""
    body = """
minimize sum {t in branches, j in features} (coef[t,j] - 0.3 * t) ^ 2
       + sum {l in leaves, k in classes} label[l,k] ^ 2;
subject to shared {j in features}: sum {t in branches} coef[t,j] <= 3;
drop least_rate;
"""
    body = body.replace("0.3 * t", "0.3 * depth(t) - 0.1")
    of = compiled("decompose single;", body)
    answer = decomposed(of)
    alone = multistart(of.model, Limits(seed=0), 1)
    assert answer.objective == pytest.approx(alone.objective, abs=1e-6)
    assert answer.status == "locally_optimal"


def test_side_constraints_between_nodes_are_kept_and_named() -> None:
    body = f"""{PRICED}
subject to together {{j in features}}: sum {{t in branches}} coef[t,j] <= 0.05;
subject to balance: sum {{i in points, t in branches}} go_left[i,t] <= 200;
"""
    of = compiled("decompose single;", body)
    answer = decomposed(of)
    assert {"together", "balance"} <= {*answer.decomposition.coupled}
    assert violation(of.model, answer.values) <= 1e-6
    body_of = row_values(of.model, answer.values)
    assert len(body_of) == of.model.row_count
    assert answer.objective < answer.decomposition.initial


def test_an_equation_between_branches_is_refused() -> None:
    body = f"{PRICED}\nsubject to tied {{j in features}}: sum {{t in branches}} coef[t,j] = 0;"
    with pytest.raises(TreemipError) as error:
        decomposed(compiled("decompose single;", body))
    assert error.value.diagnostics[0].code == "E601"
    assert "cannot keep 'tied'" in error.value.diagnostics[0].message
    together = compiled("decompose nodes(branches = all);", body)
    assert violation(together.model, decomposed(together).values) <= 1e-6


def test_a_start_that_is_a_solution_is_where_it_begins_and_it_ends_no_worse() -> None:
    of = compiled("decompose single;")
    start = Ipopt(of.model).advance(Ipopt(of.model).point(3), 0)
    answer = decomposed(of, start=start)
    assert answer.start_accepted
    assert answer.decomposition.initial == objective_value(of.model, start)
    assert answer.objective < answer.decomposition.initial


def test_more_starts_are_never_worse_and_a_seed_repeats() -> None:
    of = compiled("decompose single(macro_iterations = 2, keep = all);")
    worth = [decomposed(of, starts).objective for starts in (1, 3)]
    assert worth[1] <= worth[0]
    assert decomposed(of, 3).objective == worth[1]
    assert decomposed(of, 3).decomposition.runs == 3


def test_only_the_best_starts_go_on_after_the_trial() -> None:
    of = compiled("decompose single(keep = 1, trial = 2);")
    once = compiled("decompose single(macro_iterations = 2, keep = all);")
    trials = [decomposed(once, k, seed=2) for k in (1, 4)]
    answer = decomposed(of, 4, seed=2)
    went = answer.decomposition
    assert went.objectives[1] == trials[-1].objective < trials[0].objective
    assert (went.runs, went.kept) == (4, 1)
    assert answer.nodes == 3 * 2 + len(went.objectives) > 4 * 2
    assert went.objectives[-1] < went.objectives[1]
    assert "the best of 4 starts, of which 1 went on after the trial" in answer.message
    assert list(went.seconds) == sorted(went.seconds)
    assert decomposed(of, 4, seed=2).objective == answer.objective


def test_starts_that_all_go_on_end_where_they_end_one_after_the_other() -> None:
    kept = decomposed(compiled("decompose single(keep = 3, macro_iterations = 3);"), 3)
    each = decomposed(compiled("decompose single(keep = all, macro_iterations = 3);"), 3)
    assert (kept.values == each.values).all()
    assert kept.decomposition.objectives == each.decomposition.objectives
    assert (kept.decomposition.kept, kept.nodes) == (3, each.nodes)


def test_a_good_start_is_kept_even_if_others_go_on() -> None:
    """The answer is the best of all runs, those that were left included."""
    start = decomposed(compiled("decompose single(keep = all);"), 2).values
    of = compiled("decompose single(keep = 1, macro_iterations = 2);")
    assert decomposed(of, 4, start=start).objective <= objective_value(of.model, start)


def test_no_time_and_an_interrupt_keep_what_there_is() -> None:
    of = compiled("decompose single;")
    plan = of.program.spec.strategy.decompose
    branches = np.array([1, 2, 3])
    none = decompose(of.model, plan, branches, Limits(time=0.0), 1)
    assert (none.status, none.values) == ("time_limit", None)

    def stop(progress: Progress) -> None:
        if progress.nodes == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decomposed(of, on_progress=stop)


def test_progress_tells_each_macro_iteration() -> None:
    told: list[Progress] = []
    answer = decomposed(compiled("decompose single;"), on_progress=told.append)
    assert [p.nodes for p in told] == list(range(answer.nodes + 1))
    went = answer.decomposition
    assert [p.objective for p in told] == [went.initial, *went.objectives]


def test_the_saved_tree_says_how_it_went() -> None:
    of = compiled("starts 2; decompose single(macro_iterations = 3);")
    result = of.solve()
    said = result.to_json()["decomposition"]
    assert (said["scheme"], said["runs"]) == ("single", 2)
    assert said["macro_iterations"][-1]["objective"] == pytest.approx(result.objective, rel=1e-6)
    assert len(said["macro_iterations"]) <= 3
    assert result.verified
    assert "decomposition" not in compiled("starts 1;").solve().to_json()


def test_another_solver_that_the_caller_names_is_refused() -> None:
    with pytest.raises(TreemipError) as error:
        compiled("starts 1; decompose single;").solve(solver="scip")
    assert error.value.diagnostics[0].message == (
        "'decompose' solves smooth subproblems by Ipopt, and the solver is scip"
    )


# ---------------------------------------------------------------------------------- working sets


def sets_of(scheme: str, body: str = PRICED) -> tuple[Model, list[set[str]]]:
    of = compiled(f"decompose {scheme};", body)
    plan, topology = of.program.spec.strategy.decompose, of.instance.topology
    assert isinstance(plan, DecomposeSpec) and topology is not None
    sets = working_sets(of.model, plan, topology.heap[topology.branches])
    found = []
    for free in sets.free:
        names = set()
        for block in of.model.variables:
            nodes = (
                block.index.columns[block.index.sorts.index("node")]
                if ("node" in block.index.sorts)
                else np.zeros(block.length, int)
            )
            own = free[block.start : block.stop]
            names |= {f"{block.name} {node}" for node in nodes[own]}
        found.append(names)
    return of.model, found


def test_the_working_sets_of_the_paper() -> None:
    leaves = {f"label {leaf}" for leaf in (4, 5, 6, 7)}
    for branch, names in zip((1, 2, 3), sets_of("single")[1], strict=True):
        own = {f"coef {branch}", f"bias {branch}", f"abs {branch}"}
        assert names == {*own, *leaves, "norminf 0"}
    branches, last = sets_of("convergent")[1]
    assert last == {*leaves, "norminf 0"}
    assert branches == {
        *(f"{name} {t}" for name in ("coef", "bias", "abs") for t in (1, 2, 3)),
        "norminf 0",
    }
    assert [len(names) for names in sets_of("nodes(branches = 2)")[1]] == [11, 8]
