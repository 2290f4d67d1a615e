"""A formulation of the library as somebody else might write it: everything of its own under other
names, its rows in another order, some of them twice or doubled, some that forbid no tree left out.

What it means stays the same, so that the references for the library's formulation hold for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from renamed import flattened, own_names, with_names, with_rows

NEW = "mine"
DOUBLED = 0.25  # share of rows
SPARE = {"oct": ("loss_high",), "ort": (), "binoct": ("constant",)}
"""Rows that forbid no tree on our tables, whose features all have two values at least. OCT's is the
one that asks for the majority's label, which loses nothing."""
RELATION = re.compile(r"<=|>=")


@dataclass(frozen=True)
class Rewritten:
    """text: a module called NEW. names: of what was renamed, from the library's to the new one."""

    text: str
    names: Mapping[str, str]

    def options(self, given: Mapping[str, float]) -> str:
        """What a spec gives for its parameters, such as "(my_3 = 0.1)"."""
        said = ", ".join(f"{self.names.get(key, key)} = {value:g}" for key, value in given.items())
        return f"({said})" if said else ""

    def in_spec(self, given: Mapping[str, float], with_objective: bool) -> str:
        """Its statements, to follow `split univariate;` in a spec. with_objective: whether its
        objective is the spec's; else it is an expression of that name."""
        text = re.sub(r"\Aformulation[^;]*;\n", "", self.text)
        if not with_objective:
            goal = r"^(?:minimize|maximize) (\w+)(?: +\"[^\"]*\")?:([^;]*;\n)"
            text = re.sub(goal, r"let \1 =\2", text, flags=re.M)
        for key, value in given.items():
            name = self.names.get(key, key)
            text, found = re.subn(
                rf"^param {name}(\s*)= [^\s;]+", rf"param {name}\1= {value:g}", text, flags=re.M
            )
            assert found == 1, name
        return text


def rewritten(rng: np.random.Generator, name: str, spare: bool) -> Rewritten:
    """spare: whether the rows that forbid no tree may be left out."""
    text = flattened(name).replace(f"formulation {name}", f"formulation {NEW}", 1)
    out = [row for row in SPARE.get(name, ()) if spare and rng.random() < 0.5]
    for row in out:
        text = re.sub(rf"^drop {row} [^;]*;\n", "", text, flags=re.M)
    guarded = set(re.findall(r"^drop (\w+) ", text, re.M))
    text = with_rows(text, _order(rng, set(out), guarded))
    word = str(rng.choice(["q", "own_", "v_", "zeta"]))
    order = rng.permutation(1000)
    names = {one: f"{word}{order[k]}" for k, one in enumerate(own_names(text))}
    return Rewritten(with_names(text, names), names)


def _order(
    rng: np.random.Generator, out: set[str], guarded: set[str]
) -> Callable[[list[str]], list[str]]:
    """guarded: rows that a `drop` speaks of, which have to stay the only ones of their kind."""

    def change(rows: list[str]) -> list[str]:
        kept = [row for row in rows if _name(row) not in out]
        more = [
            _again(rng, row) for row in kept if _name(row) not in guarded and rng.random() < DOUBLED
        ]
        every = kept + more
        return [every[k] for k in rng.permutation(len(every))]

    return change


def _name(row: str) -> str:
    return row.split(maxsplit=1)[0].rstrip(":")


def _again(rng: np.random.Generator, row: str) -> str:
    """The row once more under another name, both sides doubled where it is a plain inequality."""
    head, body = _parts(row)
    head = re.sub(r"^(\w+)(?: +\"[^\"]*\")?", r"\1_again", head)
    at = _at_top(body)
    plain = not re.search(r"==>|\blet\b|\bif\b|\bby\b", body)
    if at is not None and plain and rng.random() < 0.5:
        left, sign, right = body[: at[0]], body[at[0] : at[1]], body[at[1] :]
        body = f" 2 * ({left.strip()}) {sign} 2 * ({right.strip()})"
    return f"{head}:{body}"


def _parts(row: str) -> tuple[str, str]:
    """Name and index sets, and what follows their colon."""
    deep = 0
    quoted = False
    for k, one in enumerate(row):
        quoted ^= one == '"'
        deep += 0 if quoted else (one in "{([") - (one in "})]")
        if one == ":" and not deep and not quoted:
            return row[:k], row[k + 1 :]
    raise AssertionError(row)


def _at_top(body: str) -> tuple[int, int] | None:
    """Where the only `<=` or `>=` outside of brackets is; None where there is none, or another
    relation as well."""
    found = []
    for relation in RELATION.finditer(body):
        before = body[: relation.start()]
        if all(before.count(a) == before.count(b) for a, b in ("{}", "()", "[]")):
            found.append(relation.span())
    return found[0] if len(found) == 1 else None
