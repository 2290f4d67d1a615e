"""Files beside the model that help a search: start values, and branching priorities.

Each solver says in its `Caps` how it reads them, if it does.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treemip.core.files.atomic import replacing
from treemip.core.files.lines import Lines, shortest
from treemip.core.files.names import CONSTANT, Style, name_model
from treemip.core.files.profiles import OrderForm, Profile, StartForm
from treemip.core.model.model import Model
from treemip.core.registry import solvers
from treemip.core.source.diagnostic import fail


def write_start(
    model: Model, values: np.ndarray, path: str | Path, profile: Profile, names: Style = "spec"
) -> int:
    """Write the known of `values`, float64 (columns,), nan where unknown; how many there are.

    `names` as in the model's file. Integers are written whole. Raises TreemipError: E601 where
    the profile has no start files, E603 when the file cannot be written.
    """
    return write_values(model, values, path, require_start(profile), names)


def write_values(
    model: Model, values: np.ndarray, path: str | Path, form: StartForm, names: Style = "spec"
) -> int:
    """`write_start` in a given form. Raises E603."""
    values = np.where(model.integer, np.round(values), values)
    token = name_model(model, names).columns()
    if model.objective.constant:
        values, token = np.append(values, 1.0), np.append(token, CONSTANT.encode())
    known = np.flatnonzero(np.isfinite(values))
    distinct, places = np.unique(values[known] + 0.0, return_inverse=True)
    parts: list[bytes | np.ndarray] = [form.before, token, form.between, shortest(distinct)]
    parts.append(form.behind)
    codes = [known, places]
    if form.numbered:
        lead = np.strings.add(b"\n", shortest(np.arange(len(values), dtype=float)))
        parts, codes = [lead, *parts], [known, *codes]
    with replacing(path) as file:
        file.write(form.head.format(len(known)).encode())
        Lines(file, *(part for part in parts if len(part))).write(*codes)
        file.write(form.tail.encode() + b"\n")
    return len(known)


def require_start(profile: Profile) -> StartForm:
    """The form of the profile's start files. Raises E601 where there is none."""
    if profile.caps.start is None:
        who = "every solver" if profile.name == "portable" else profile.title
        message = f"there is no start file for {who}"
        takers = [solver for solver in solvers().values() if solver.caps.start is not None]
        # Those that make most of a start first.
        takers.sort(key=lambda solver: (not solver.licence, solver.start_needs_integers))
        *others, last = (solver.name for solver in takers)
        remedy = f"name a solver that has one: --for {', '.join(others)} or {last}"
        fail("E601", message, remedy=remedy)
    return profile.caps.start


def write_order(model: Model, path: str | Path, profile: Profile, names: Style = "spec") -> int:
    """Write the priorities of the model's integer columns; how many columns have one.

    A greater number comes first; columns that are not named have priority 0. `names` as in the
    model's file. Raises TreemipError: E601 as `require_order`, E603 when the file cannot be
    written.
    """
    form, priority = _order_form(profile), require_order(model, profile)
    named = np.flatnonzero(priority)
    distinct, places = np.unique(priority[named], return_inverse=True)
    token = name_model(model, names).columns()
    number = shortest(distinct.astype(float), lead=True)
    with replacing(path) as file:
        file.write(form.head)
        Lines(file, form.before, token, number).write(named, places)
        file.write(form.tail)
    return len(named)


def require_order(model: Model, profile: Profile) -> np.ndarray:
    """The priorities, int64 (columns,), 0 where there is none.

    Raises E601 where the profile has no such files or the model no priorities.
    """
    _order_form(profile)
    parts = [np.zeros(0, np.int64)]
    for block in model.variables:
        own = block.priority
        parts.append(np.zeros(block.length, np.int64) if own is None else own)
    priority = np.where(model.integer, np.concatenate(parts), 0)
    if not priority.any():
        message = "the spec gives no integer variable a branching priority"
        remedy = "name in the strategy those to branch on first: priority coef, bit root_first;"
        fail("E601", message, remedy=remedy)
    return priority


def _order_form(profile: Profile) -> OrderForm:
    if profile.caps.order is None:
        takers = [solver for solver in solvers().values() if solver.caps.order is not None]
        titles = " and ".join(solver.title for solver in takers)
        options = " or ".join(f"--for {solver.name}" for solver in takers)
        message = f"treemip writes no file of branching priorities for {profile.title}"
        remedy = f"{titles} read one: {options}; SCIP takes them in memory"
        fail("E601", message, remedy=remedy)
    return profile.caps.order
