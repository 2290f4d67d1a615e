"""explain, stats, diagnose: what a spec becomes, and why it has no solution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemip.cli.console import (
    DONE,
    NO_SOLUTION,
    complain,
    load_spec,
    note,
    parameters,
    say,
    say_json,
    table,
    write_text,
)
from treemip.core.files.undo import unwinding
from treemip.core.source.diagnostic import refused

if TYPE_CHECKING:
    import numpy as np

    from treemip.api.diagnosis import Diagnosis, GivenUp
    from treemip.api.program import Implied
    from treemip.core.model.blocks import Rows
    from treemip.core.strategy.conflict import Conflict


SUFFIXES = {
    ".txt": "text",
    "": "text",
    ".md": "md",
    ".html": "html",
    ".htm": "html",
    ".tex": "latex",
}


def explain(
    spec: Path,
    output: Path | None = None,
    format_: str | None = None,
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: Path | None = None,
    engine: bool = False,
) -> int:
    """Say what a spec states and becomes.

    Its objective, variables, rows and reformulations: as text that quotes the spec, or as
    mathematics in the paper's symbols, for LaTeX, a browser or Markdown. With --engine, what the
    exact engines make of it.
    """
    from treemip.api.explain import FORMATS
    from treemip.api.explain import explain as explained

    if format_ is not None and format_ not in FORMATS:
        raise refused(f"unknown format '{format_}'", f"one of {', '.join(FORMATS)}")
    program = load_spec(spec, parameters(parameter), output, data=data, include=include)
    chosen = format_ if format_ is not None else _by_suffix(output)
    compiled = program.compile()
    complain(compiled.warnings)
    if engine and chosen != "text":
        raise refused("--engine writes text alone", "leave out --format, or write to a file .txt")
    text = explained(compiled, chosen, spec.stem, engine)
    if output is None:
        say(text)
    else:
        write_text(output, text.rstrip("\n") + "\n")
    return DONE


def _by_suffix(output: Path | None) -> str:
    """The format of the output's suffix; text for none. Raises E902 for one of no format."""
    suffix = output.suffix.lower() if output else ""
    if suffix not in SUFFIXES:
        known = ", ".join(each for each in SUFFIXES if each)
        message = f"no format is known by the suffix of '{output}'"
        raise refused(message, f"use one of {known}, or set --format")
    return SUFFIXES[suffix]


def stats(
    spec: Path,
    bound: bool = False,
    cuts: str | None = None,
    implications: Implied | None = None,
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: Path | None = None,
    json: bool = False,
) -> int:
    """Sizes of the compiled model.

    In all and by family, with the ranges of coefficients and of the big-M numbers, the
    parameters without indices, and what is known of the VC dimension.
    """
    from treemip.api.engines import engine_note

    if cuts is not None and not bound:
        raise refused("--cuts compares bounds of the relaxation", "add --bound")
    named = None if cuts is None else [c.strip() for c in cuts.split(",") if c.strip()]
    if named == []:
        raise refused("--cuts names no cut", "such as --cuts NAME,NAME, or leave it out")
    compiled = load_spec(spec, parameters(parameter), data=data, include=include).compile(
        named, implications=implications
    )
    obstacle = engine_note(compiled.instance, compiled.stated)
    complain([*compiled.warnings, *([obstacle] if obstacle else [])])
    sizes = compiled.stats(relaxation=bound, cuts=named)
    if json:
        say_json(sizes)
        return DONE
    print(table([(name.replace("_", " "), text) for name, text in _plain(sizes)]))
    for part, title in PARTS.items():
        if lines := [_line(*one) for one in sizes.get(part, {}).items() if not _is_empty(one[1])]:
            print(f"\n{title}")
            print(table(lines))
    if "lp_bounds" in sizes:
        print(f"\n{_bounds(sizes['lp_bounds'])}")
        if any(one["status"] == "time_limit" for one in sizes["lp_bounds"]["of"]):
            from treemip.api.bounds import SECONDS

            note(f"a relaxation has no bound where {SECONDS:g} seconds do not suffice to solve it")
    elif bound:
        note("there is no bound: the model is nonlinear, and its relaxation has local optima")
    return DONE


def _bounds(bounds: dict[str, Any]) -> str:
    """The bounds of the relaxation with and without cuts, and of which form of the model."""
    from treemip.api.bounds import WAYS
    from treemip.core.model.blocks import Method

    ways = ", ".join(WAYS[Method(way)] for way in bounds["implications"])
    title = "bounds of the relaxation" + (f", implications as {ways}" if ways else "")
    lines = [("  cuts", "bound", "rows", "seconds")]
    for one in bounds["of"]:
        value = one["status"].replace("_", " ") if one["bound"] is None else _range(one["bound"])
        names = ", ".join(one["cuts"]) or "none"
        lines.append((f"  {names}", value, str(one["rows"]), f"{one['seconds']:.3g}"))
    return f"{title}\n{table(lines)}"


PARTS = {
    "variables": "variables",
    "constraints": "constraints",
    "big_m": "big-m",
    "parameters": "parameters",
    "presolve": "presolve",
    "vc_dimension": "VC dimension",
}


def _is_empty(value: Any) -> bool:
    """A family without members, such as one over categorical features where there are none."""
    return isinstance(value, dict) and value.get("columns") == 0


def _line(name: str, value: Any) -> tuple[str, ...]:
    """A name with its number or range, and with what else is known of it."""
    if not isinstance(value, dict):
        return f"  {name}", _range(value), ""
    number, more, *_ = value.values()
    return f"  {name}", _range(number), str(more)


def _plain(sizes: dict[str, Any]) -> list[tuple[str, str]]:
    return [(k, _range(v)) for k, v in sizes.items() if not isinstance(v, dict)]


def _range(value: Any) -> str:
    """A number, `least .. greatest`, or "none"."""
    if value is None:
        return "none"
    if isinstance(value, list):
        low, high = value
        return f"{low:.10g}" if low == high else f"{low:.10g} .. {high:.10g}"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


# ------------------------------------------------------------------ without solution

SHOWN = 10  # rows of a family
CONFLICT_TITLE = (
    "there is no solution: these rows, with the bounds of the variables, exclude each other"
)
REQUIREMENTS_TITLE = "there is no solution: these requirements exclude each other"
ALONE_TITLE = "there is no solution: no tree of this shape keeps this requirement"


def diagnose(
    spec: Path,
    output: Path | None = None,
    time_limit: float = 60.0,
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: Path | None = None,
    json: bool = False,
) -> int:
    """Say which requirements of a spec without solution exclude each other.

    And how far each must give for the others to hold, with the best tree that there is then; -o
    saves these trees. Leaving any of them out gives the others a solution, unless the time was over
    before that was sure. Where several sets exclude each other, all are named.
    """
    if output is not None and output.exists() and not output.is_dir():
        raise refused(
            f"-o {output}: this is a file", "name a folder, for a tree of each relaxation"
        )
    compiled = load_spec(spec, parameters(parameter), data=data, include=include).compile()
    complain(compiled.warnings)
    try:
        with unwinding():
            found = compiled.diagnose(time_limit)
    except KeyboardInterrupt as stop:
        _say_diagnosis(getattr(stop, "found", None), {}, json)
        raise
    saved = _save(found, output)
    _say_diagnosis(found, saved, json)
    if found.feasible is None:
        note("the time limit was reached before a solution or a proof that there is none")
        return NO_SOLUTION
    return DONE


def _say_diagnosis(found: Diagnosis | None, saved: dict[str, Path], json: bool) -> None:
    if found is None:
        return
    if json:
        say_json(_as_json(found, saved))
    else:
        say(_diagnosis_text(found, saved))


def _save(found: Diagnosis, folder: Path | None) -> dict[str, Path]:
    """The best tree for each relaxation, saved in a folder: its file by the requirement's name."""
    trees = {needed.requirement.name: needed.best for needed in found.requirements}
    trees |= {_file_name(few): few.best for few in found.given_up}
    files: dict[str, Path] = {}
    for name, best in trees.items():
        if best is not None and folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            files[name] = folder / f"{name}.json"
            best.save(files[name])
    return files


def _diagnosis_text(found: Diagnosis, saved: dict[str, Path]) -> str:
    from treemip.api.diagnosis_text import tried_in_words

    lines = tried_in_words(found)
    if found.requirements:
        return "\n".join([_requirements_text(found, saved), *([""] if lines else []), *lines])
    if found.rows is not None:
        return _text(found.rows)
    if found.feasible is False:
        return "there is no solution, with or without its requirements"
    return "there is a solution" if found.feasible else "\n".join(lines)


def _requirements_text(found: Diagnosis, saved: dict[str, Path]) -> str:
    from treemip.api.diagnosis_text import best_in_words, in_words, text_of

    alone = found.minimal and len(found.requirements) == 1
    lines = [ALONE_TITLE if alone else REQUIREMENTS_TITLE]
    for needed in found.requirements:
        row = needed.requirement
        lines += ["", f"{row.name_span}: {text_of(row)}", f"  {in_words(needed)}"]
        if needed.give.enough is not False:
            file = f", saved in {saved[row.name]}" if row.name in saved else ""
            lines.append(f"  {best_in_words(needed.best, needed.seconds)}{file}")
    for others in found.other_sets:
        lines += ["", "These exclude each other as well:"]
        lines += [f"  {row.name_span}: {text_of(row)}" for row in others]
    for few in found.given_up:
        names = ", ".join(row.name for row in few.requirements)
        best = best_in_words(few.best, few.seconds)
        rest = "there is a tree" if few.all_given_up else "the others hold"
        lines += ["", f"without {names} {rest}: {best}"]
        if _file_name(few) in saved:
            lines.append(f"  saved in {saved[_file_name(few)]}")
    if not found.minimal:
        lines += ["", "the time limit was reached, so some of them may not be needed"]
    return "\n".join(lines)


def _file_name(few: GivenUp) -> str:
    return "without-" + "-".join(row.name for row in few.requirements)


def _text(conflict: Conflict) -> str:
    places_of: dict[str, list[str]] = {}
    for block, rows in conflict.rows:
        text = " ".join(block.span.text.split()) if block.span else block.name
        head = f"{block.span or block.name}: {text}"
        places_of.setdefault(head, []).extend(_row_places(block, rows))
    lines = [CONFLICT_TITLE]
    for head, places in places_of.items():
        lines += ["", head, *places]
    if not conflict.irreducible:
        lines += ["", "the time limit was reached, so some of them may not be needed"]
    return "\n".join(lines)


def _row_places(block: Rows, rows: np.ndarray) -> list[str]:
    """The rows of a block by their indices; of products, which are only numbered, how many."""
    if block.made_by == "product":
        return [f"  with {len(rows)} of the rows '{block.name}' that state its products"]
    places = [", ".join(f"{n} = {v}" for n, v in place.items()) for place in _places(block, rows)]
    lines = [f"  for {place}" for place in places[:SHOWN] if place]
    return lines + ([f"  and {len(places) - SHOWN} more"] if len(places) > SHOWN else [])


def _as_json(found: Diagnosis, saved: dict[str, Path]) -> dict[str, Any]:
    from treemip.api.diagnosis_text import best_as_json, text_of, tried_as_json

    rows = () if found.rows is None else found.rows.rows
    return {
        "feasible": found.feasible,
        "irreducible": found.minimal if found.rows is None else found.rows.irreducible,
        "requirements": [
            {
                "name": needed.requirement.name,
                "place": str(needed.requirement.name_span),
                "text": text_of(needed.requirement),
                "give": needed.give.to_json(),
                "best": best_as_json(needed.best, saved.get(needed.requirement.name)),
                "seconds": round(needed.seconds, 1),
            }
            for needed in found.requirements
        ],
        "other_sets": [[row.name for row in others] for others in found.other_sets],
        "given_up": [
            {
                "requirements": [row.name for row in few.requirements],
                "best": best_as_json(few.best, saved.get(_file_name(few))),
                "seconds": round(few.seconds, 1),
            }
            for few in found.given_up
        ],
        "tried": tried_as_json(found.tried),
        "rows": [
            {
                "family": block.name,
                "place": str(block.span) if block.span else None,
                "indices": _places(block, numbers),
            }
            for block, numbers in rows
        ],
    }


def _places(block: Rows, rows: np.ndarray) -> list[dict[str, str]]:
    """The indices of some rows of a block, each by its name."""
    from treemip.core.model.text import label

    columns = [[label(v) for v in column[rows].tolist()] for column in block.index.columns]
    names = block.index.names
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] or [{}]
