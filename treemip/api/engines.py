"""What exact engines make of a spec over its data: why none takes it, or what they work on."""

from __future__ import annotations

import time
from collections.abc import Callable

from treemip.engines.engine import Case
from treemip.engines.obstacle import noted, obstacle
from treemip.instance.instance import Instance
from treemip.model.model import Model
from treemip.source.diagnostic import Diagnostic

SECONDS = 5.0
"""For finding what of a spec stands in the way."""


def engine_note(instance: Instance, model: Model | Callable[[], Model]) -> Diagnostic | None:
    """W609, why no exact engine takes the spec; None where one does, and for a spec without trees
    or data. model: as stated, or what makes it where an engine asks for it."""
    if not instance.spec.split or instance.topology is None or instance.data is None:
        return None
    until = time.perf_counter() + SECONDS
    refusal = obstacle(Case(instance, model), lambda: time.perf_counter() > until)
    return None if refusal is None else noted(instance, refusal)
