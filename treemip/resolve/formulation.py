"""Which formulation a spec asks for, and whether it makes the splits the spec says."""

from __future__ import annotations

from treemip.resolve.builtins import DEFAULT_FORMULATIONS
from treemip.resolve.modules import Module
from treemip.resolve.pointing import word
from treemip.source.diagnostic import Report
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes as n


def formulation_name(
    file: n.File, split: n.Split | None, header: n.Header | None, report: Report
) -> str:
    """The formulation asked for, the split kind's default, or "" when the spec is one itself."""
    if split is None:
        return ""
    place = word(split.span, split.kind, 1)
    if split.kind not in DEFAULT_FORMULATIONS:
        report.error(
            "E215",
            f"unknown split kind '{split.kind}'",
            place,
            f"the kinds are {listed(DEFAULT_FORMULATIONS)}",
            did_you_mean(split.kind, DEFAULT_FORMULATIONS),
        )
        return split.formulation or ""
    own = any(isinstance(s, n.Route) for s in file.statements)
    if split.formulation or own or header is not None:
        return split.formulation or ""
    return DEFAULT_FORMULATIONS[split.kind]


def check_kind(split: n.Split | None, modules: list[Module], report: Report) -> None:
    """A formulation makes the splits that the spec says. Reports E215."""
    if split is None or split.kind not in DEFAULT_FORMULATIONS:
        return
    for m in modules:
        for s in m.file.statements:
            if isinstance(s, n.Header) and s.kind != split.kind:
                report.error(
                    "E215",
                    f"{s.name} makes {s.kind} splits, not {split.kind} ones",
                    word(split.span, split.kind, 1),
                    f"write: split {s.kind} by {s.name};"
                    if m.role == "formulation"
                    else "the header and the split of a spec must name the same kind",
                )
