"""A spec and its instance as the parts of a script: data, variables, definitions, rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import indent

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.frame import Frame
from treemip.resolve import typed as t
from treemip.resolve.builtins import BASE_SETS
from treemip.resolve.sorts import Sort
from treemip.resolve.spec import Constraint
from treemip.resolve.symbols import Role, Symbol
from treemip.scripts.expressions import (
    AND,
    SIGN,
    SUM,
    Auxiliary,
    Expressions,
    refused,
    whole_sort,
)
from treemip.scripts.known import Known, plain
from treemip.scripts.names import Names
from treemip.source.span import Span

WIDTH = 100
STEP = "    "
BREAK = "\0"  # where a long row may be broken; else a blank
MIRRORED = {"<=": ">=", ">=": "<="}


@dataclass(frozen=True)
class Ranges:
    """Least and greatest value of each argument of a function, where it must be attained exactly.

    index: labels as in model.blocks.Index, by the names of the function's free indices; offsets,
    low, high: the arguments of each result.
    """

    offsets: np.ndarray
    low: np.ndarray
    high: np.ndarray
    names: tuple[str, ...]
    sorts: tuple[str, ...]
    columns: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Decided:
    """What reformulation found out about a model.

    big_m: the proven M of each row by name of the family and side (1 for <=, -1 for >=); ranges:
    of the functions that need binaries, by their places in the text, a block after the other.
    """

    big_m: Mapping[tuple[str, int], np.ndarray] = field(default_factory=dict)
    ranges: Mapping[tuple[Span, str], Sequence[Ranges]] = field(default_factory=dict)


@dataclass(frozen=True)
class Script:
    """Lines of Python by part; `data` is the text of the data file."""

    loads: tuple[str, ...]
    variables: tuple[str, ...]
    definitions: tuple[str, ...]
    rows: tuple[str, ...]
    objective: str
    sense: str
    title: str
    data: str
    feasibility: float | None


class Writing:
    """Writes the parts in an order in which each tells what the others must hold."""

    def __init__(self, instance: Instance, constraints: Sequence[Constraint], decided: Decided):
        self.instance, self.spec, self.decided = instance, instance.spec, decided
        self.constraints = constraints
        self.known, self.names = Known(instance), Names()
        for name in BASE_SETS:
            self.names.of(("set", name), name)
        spec = self.spec
        for s in (*spec.variables, *spec.parameters, *spec.sets, *spec.lets):
            self.names.of(s, s.name)
        self.write = Expressions(self.known, self.names)

    def script(self) -> Script:
        said = self.spec.objective
        objective, sense = "0", "minimize"
        if said is not None:
            objective, sense = self.write.text(said.value), said.sense
        rows = [text for c in self.constraints for text in self._constraint(c)]
        families = {s: self._variable(s) for s in self.spec.variables}
        definitions = self._definitions()
        variables = [text for s, text in families.items() if self._wanted(s)]
        loads = []
        for name, how in self.write.loads.items():
            doc = self.write.notes.get(name)
            loads.append(f"{name} = {how}" + (f"  # {' '.join(doc.split())}" if doc else ""))
        strategy = self.spec.strategy
        return Script(
            tuple(loads),
            tuple(variables),
            tuple(definitions),
            tuple(rows),
            objective,
            sense,
            self.spec.name,
            self.known.text(),
            strategy.feasibility,
        )

    def _wanted(self, s: Symbol) -> bool:
        return s in self.write.symbols or self.known.frame(s)[0].size > 0

    # ---------------------------------------------------------------- variables

    def _variable(self, s: Symbol) -> str:
        write = self.write
        with write.binding():
            clauses = write.clauses(s.domain.binders, s.domain.guard)
            bound = [write.scope[n][0] for n in s.domain.names]
            index = f"({', '.join(bound)}{',' * (len(bound) == 1)})"
            over = f"[{index} {' '.join(clauses)}]" if bound else "[()]"
            parts = [f'"{s.name}"', over, f'"{s.kind or "continuous"}"']
            for word, ops in (("lower", (">=", "=")), ("upper", ("<=", "="))):
                ends = [write.text(e) for op, e in s.bounds if op in ops]
                if not ends:
                    continue
                pick = "max" if word == "lower" else "min"
                end = ends[0] if len(ends) == 1 else f"{pick}({', '.join(ends)})"
                known = any(e.free for _, e in s.bounds)
                arguments = f"lambda {', '.join(bound)}: " if known else ""
                parts.append(f"{word}={arguments}{end}")
        call = "variables" if bound else "scalar"
        line = f"{write.of(s)} = {_called(call, [p for p in parts if p != '[()]'])}"
        about = " ".join(w for w in (s.paper_symbol and f"{s.paper_symbol} in the paper",) if w)
        note = " ".join("; ".join(w for w in (about, s.doc) if w).split())
        return f"# {note}\n{line}" if note else line

    # -------------------------------------------------------------- definitions

    def _definitions(self) -> list[str]:
        """Functions for all that is mentioned, and for what these mention."""
        done: dict[object, str] = {}
        while True:
            symbols = [s for s in self.write.symbols if s not in done]
            found = [a for key, a in self.write.auxiliaries.items() if key not in done]
            if not symbols and not found:
                extended = [self._extended(s) for s in self.spec.variables]
                return [text for text in (*extended, *done.values()) if text]
            for s in symbols:
                done[s] = "" if s.role is Role.VARIABLE else self._definition(s)
            for key, a in list(self.write.auxiliaries.items()):
                if key not in done:
                    done[key] = self._auxiliary(a, key)

    def _extended(self, s: Symbol) -> str:
        """A variable that the vocabulary extends; empty where nothing mentions its extension."""
        if s.extension is None or s.extension not in self.write.symbols:
            return ""
        names = [self.names.bound(n, set()) for n in s.domain.names]
        inside = ", ".join(names)
        own = self.write.of(s)
        return (
            f"def {self.write.extended(s)}({inside}):\n"
            f"{STEP}if ({inside}) in {own}:\n{STEP * 2}return {own}[{inside}]\n"
            f"{STEP}return {self.write.function(s.extension)}({inside})"
        )

    def _definition(self, s: Symbol) -> str:
        assert s.value is not None
        write = self.write
        before, write.scope = write.scope, {}
        names = s.parameters or s.domain.names
        sorts = s.sorts if s.parameters else s.domain.sorts
        for k, name in enumerate(names):
            binder = None if s.parameters else s.domain.binders[k]
            write.bind(name, sorts[k] if k < len(sorts) else None, binder)
        inside = ", ".join(write.scope[n][0] for n in names)
        about = " ".join(f"{s.doc} {s.tag}".split())
        lines = [f"# {about}"] if about else []
        lines.append(f"def {write.of(s)}({inside}):")
        if s.extension is not None:
            lines += self._elsewhere(s, inside)
        lines.append(f"{STEP}return {write.text(s.value)}")
        write.scope = before
        return "\n".join(lines)

    def _elsewhere(self, s: Symbol, inside: str) -> list[str]:
        """Outside its own indices a definition is the vocabulary's."""
        assert s.extension is not None
        write = self.write
        tests = [write.text(c, AND) for c in s.domain.guard]
        for b in s.domain.binders:
            if not whole_sort(b):
                tests.append(f"{write.scope[b.name][0]} in {write.text(b.set, SUM)}")
            tests += [write.text(c, AND) for c in b.conditions]
        if not tests:
            return []
        return [
            f"{STEP}if not ({' and '.join(tests)}):",
            f"{STEP * 2}return {write.function(s.extension)}({inside})",
        ]

    def _auxiliary(self, a: Auxiliary, key: tuple[Span, str]) -> str:
        e, write = a.expression, self.write
        before, write.scope = write.scope, {}
        for name in a.parameters:
            write.bind(name, _sort(e, name))
        inside = ", ".join(write.scope[p][0] for p in a.parameters)
        index = f"({inside}{',' * (len(a.parameters) == 1)})"
        if isinstance(e, t.Call):
            function = e.function
            arguments = ", ".join(write.text(x) for x in e.arguments)
            arguments = arguments if function == "abs" else f"[{arguments}]"
        else:
            function = e.op
            with write.binding():
                clauses = " ".join(write.clauses(e.binders, e.guard))
                if function == "norminf":
                    body, signs = f"sign * {write.text(e.body, SIGN)}", " for sign in (1, -1)"
                else:
                    body, signs = write.text(e.body, SUM), ""
            arguments = f"[{body} {clauses}{signs}]"
        called = {"abs": "absolute", "max": "maximum", "min": "minimum", "norminf": "maximum"}
        parts = [f'"{a.name}"', index, arguments]
        parts += self._ranges(a, key, function, inside)
        write.scope = before
        quoted = " ".join(e.span.text.split())
        return (
            f"@cache\ndef {a.name}({inside}):\n{STEP}# {quoted}\n"
            f"{STEP}return {called[function]}({', '.join(parts)})"
        )

    def _ranges(self, a: Auxiliary, key: tuple[Span, str], function: str, inside: str) -> list[str]:
        """The ranges of the arguments, from the data file; none where inequalities are exact."""
        blocks = self.decided.ranges.get(key)
        if not blocks:
            return []
        rows: dict[tuple[object, ...], list[object]] = {}
        for block in blocks:
            for r in range(len(block.offsets) - 1):
                labels = tuple(
                    self._label(a, sort, c[r])
                    for sort, c in zip(block.sorts, block.columns, strict=True)
                )
                own = slice(block.offsets[r], block.offsets[r + 1])
                pairs = list(zip(block.low[own], block.high[own], strict=True))
                if function == "norminf":
                    pairs = [p for low, high in pairs for p in ((low, high), (-high, -low))]
                rows[labels] = [[plain(low), plain(high)] for low, high in pairs]
        name = self.names.of(("ranges", key), f"{a.name}_ranges")
        columns = [list(c) for c in zip(*rows, strict=True)]
        if columns:
            self.known.add(name, columns, rows.values())
            self.write.loads[name] = f'table("{name}")'
            return [f"{name}[{inside}]"]
        self.known.tables[name] = rows[()]
        self.write.loads[name] = f'data["{name}"]'
        return [name]

    def _label(self, a: Auxiliary, sort: str, label: float) -> object:
        if sort == "class":
            return self.instance.table.classes[int(label) - 1]
        if sort == "feature":
            return self.instance.table.features[int(label) - 1]
        if sort in ("point", "node", "number"):
            return plain(label)
        raise refused(a.expression, f"a function that must be attained for each {sort}")

    # --------------------------------------------------------------------- rows

    def _constraint(self, c: Constraint) -> list[str]:
        frame, _ = self.write.known.evaluator.sets.expand(
            c.domain.binders, c.domain.guard, Frame.empty()
        )
        if not frame.size:
            return []
        write = self.write
        write.scope = {}
        lines, depth = [_about(c)], 0
        for clause in write.clauses(c.domain.binders, c.domain.guard):
            lines.append(f"{STEP * depth}{clause}:")
            depth += 1
        for name, found in c.local_sets:
            over = write.text(found)
            lines.append(f"{STEP * depth}{write.bind(name)} = {over}")
        bound = [write.scope[n][0] for n in c.domain.names]
        index = f"({', '.join(bound)}{',' * (len(bound) == 1)})"
        rows = self._relation(c, frame, ", ".join(bound))
        parts = [f'"{c.name}"', index if bound else "()", *rows]
        lines.append(indent(_called("state", parts, WIDTH - len(STEP) * depth), STEP * depth))
        write.scope = {}
        return ["\n".join(lines)]

    def _relation(self, c: Constraint, frame: Frame, inside: str) -> list[str]:
        """The rows of one index: one, or two for an equation with a big-M and for two ends."""
        r, found = c.relation, []
        ends = [(r.left, r.op, r.right, "")]
        if r.op2 is not None and r.right2 is not None:
            two = bool(r.left.degree or r.right2.degree)
            suffixes = ("_first", "_second") if two else ("", "")
            # an end comes last, so that the middle is the body of both rows
            first = (r.left, r.op, r.right) if two else (r.right, MIRRORED[r.op], r.left)
            ends = [(*first, suffixes[0]), (r.right, r.op, r.right2, suffixes[1])]
        for left, op, right, suffix in ends:
            if c.guard is None:
                sign = "==" if op == "=" else op
                said, end = self.write.text(left, SUM), self.write.text(right, SUM)
                found.append(f"{said}{BREAK}{sign} {end}")
                continue
            for side in (1, -1):
                if op in ("=", "<=" if side > 0 else ">="):
                    found.append(self._relaxed(c, left, right, suffix, side, frame, inside))
        return found

    def _relaxed(
        self,
        c: Constraint,
        left: t.Typed,
        right: t.Typed,
        suffix: str,
        side: int,
        frame: Frame,
        inside: str,
    ) -> str:
        write = self.write
        assert c.guard is not None and c.guard_value is not None
        guard, value = write.text(c.guard, SIGN), c.guard_value
        if isinstance(value, t.Const):
            off = f"(1 - {guard})" if value.value == 1 else guard
        else:
            known = write.text(value, SIGN)
            off = f"({known} + (1 - 2 * {known}) * {guard})"
        if c.big_m is not None:
            big_m = write.text(c.big_m, SIGN)
        else:
            name = self._proven(c, suffix, side, frame)
            big_m = f"{name}[{inside}]" if inside else name
        said, end = write.text(left, SUM), write.text(right, SUM)
        sign, slack = ("<=", "+") if side > 0 else (">=", "-")
        return f"{said}{BREAK}{sign} {end}{BREAK}{slack} {big_m} * {off}"

    def _proven(self, c: Constraint, suffix: str, side: int, frame: Frame) -> str:
        """The table of the M that the bounds prove, one for each row of the family."""
        values = self.decided.big_m[c.name + suffix, side]
        both = (c.name + suffix, -side) in self.decided.big_m
        wish = f"M_{c.name}{suffix}" + (("_upper" if side > 0 else "_lower") if both else "")
        name = self.names.of(("M", c.name, suffix, side), wish)
        names, sorts = c.domain.names, c.domain.sorts
        self.known.add_rows(name, names, sorts, frame, values)
        self.write.loads[name] = f'table("{name}")' if names else f'data["{name}"]'
        self.write.notes[name] = "greatest violation that the variables' bounds allow"
        return name


def _about(c: Constraint) -> str:
    """A comment: the name, the paper's number, and who states it."""
    parts = [c.name, c.tag, f"from {c.module}" if c.module not in ("", "spec") else ""]
    return f"# {' '.join(p for p in parts if p)}"


def _called(function: str, parts: list[str], width: int = WIDTH) -> str:
    """A call on one line where it fits, else an argument a line, broken where that is too long."""
    plainly = [p.replace(BREAK, " ") for p in parts]
    line = f"{function}({', '.join(plainly)})"
    if len(line) <= width:
        return line
    room = width - len(STEP) - 1
    said = [
        flat if len(flat) <= room else part.replace(BREAK, f"\n{STEP}")
        for part, flat in zip(parts, plainly, strict=True)
    ]
    return f"{function}(\n" + "".join(f"{STEP}{p},\n" for p in said) + ")"


def _sort(e: t.Typed, name: str) -> Sort | None:
    """The sort of a free name, from where it is mentioned."""
    if isinstance(e, t.Bound) and e.name == name:
        return e.of
    return next((s for p in e.inside if name in p.free and (s := _sort(p, name))), None)
