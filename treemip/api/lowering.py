"""The stage `lower` of the path: from an instance to the model that its spec states, and back to
`resolve` where the numbers bring rows in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from treemip.instance.instance import Instance
from treemip.lower.bind import bind
from treemip.lower.error_context import traced
from treemip.lower.lower import lower
from treemip.lower.on_demand import on_demand
from treemip.model.model import Model
from treemip.reform.needed_rows import counted, pressed
from treemip.registry import separator_names
from treemip.resolve.checks import is_over_separated
from treemip.resolve.module_files import KeptTexts
from treemip.resolve.resolve import resolve
from treemip.resolve.spec import Constraint, Spec
from treemip.source.diagnostic import Diagnostic, fail
from treemip.source.suggest import did_you_mean, listed
from treemip.strategy.settings import with_priorities
from treemip.syntax.nodes import File

CutNames = str | Iterable[str] | None


@dataclass(frozen=True)
class LoweredProgram:
    """A model as its spec states it. `instance` has the spec with the rows that came in."""

    instance: Instance
    model: Model

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Those of the spec, of its data, and of the model."""
        return (*self.instance.spec.warnings, *self.instance.warnings, *self.model.warnings)


def lower_program(
    file: File, instance: Instance, cuts: CutNames = None, keep: bool = True
) -> LoweredProgram:
    """The model as the spec states it. Raises E4xx, E5xx, E902 for the names of cuts, and E218
    for several objectives.

    keep: whether rows that take much memory are there, rather than made when they are asked for.

    Some rows come in only where numbers press their variables (`drop … unless uses rises`), which
    the lowered model shows: then the path goes back to `resolve` with them.
    """
    while True:
        spec = instance.spec
        model = None if keep else _on_demand(instance, cuts)
        if model is None:
            pressing = model = lower(instance, chosen_cuts(spec, cuts))
        else:
            pressing = lower(instance, only=counted(spec)) if spec.watched else model
        with traced(spec):
            more = pressed(pressing, spec)
        if not more:
            _require_separable(instance, model)
            model = model.with_(warnings=pressing.warnings)
            return LoweredProgram(instance, with_priorities(model, spec.strategy))
        kept = KeptTexts(spec.modules)
        spec = resolve(file, spec.overrides, pressed=spec.pressed | more, texts=kept)
        instance = bind(spec, instance.data)


def _on_demand(instance: Instance, cuts: CutNames) -> Model | None:
    """The model with rows that are made when they are asked for, where that is of use."""
    spec, strategy = instance.spec, instance.spec.strategy
    if strategy.separates or strategy.select or strategy.decompose or chosen_cuts(spec, cuts):
        return None
    return on_demand(instance)


def _require_separable(instance: Instance, model: Model) -> None:
    """Raises E502, E504 for what the strategy separates and cannot, before anything is solved."""
    if not instance.spec.strategy.separates:
        return
    from treemip.separation.separated_model import require_fits

    with traced(instance.spec):
        require_fits(instance, model)


def chosen_cuts(spec: Spec, names: CutNames) -> list[Constraint]:
    """The cut families asked for. Raises E902 for a name that is not one or stands twice."""
    known = {c.name: c for c in spec.cuts if not is_over_separated(c)}
    if names is None:
        wanted = [w.name for w in spec.strategy.cuts]
    else:
        wanted = [names] if isinstance(names, str) else list(names)
    for place, name in enumerate(wanted):
        if name in wanted[:place]:
            fail("E902", f"the cut '{name}' is listed twice", remedy="name it once")
        if name not in known:
            there_are = f"the cuts are {listed(known)}" if known else "the spec has no cuts"
            if name in separator_names():
                there_are = f"its cuts come from the strategy:  cuts {name}(rounds = 3);"
            remedy = did_you_mean(str(name), known) or there_are
            fail("E902", f"there is no cut '{name}'", remedy=remedy)
    return [known[str(name)] for name in wanted]
