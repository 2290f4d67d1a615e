"""What the settings of a data block may not say together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from treemip.resolve.data_spec import Binning, DataSpec, Encoding, MissingRule, Ref, Scaling
from treemip.source.diagnostic import Related, Report

Treatment = Encoding | Scaling | Binning | MissingRule


def one_role_each(spec: DataSpec, report: Report) -> None:
    """A column is a label, a weight, an id, a group, a feature or dropped: one of these."""
    singles = [("the label", spec.label), ("the weight", spec.weight), ("the id", spec.id)]
    roles: list[tuple[str, Ref]] = [(role, ref) for role, ref in singles if ref is not None]
    roles += [("a group", ref) for ref in spec.group]
    roles += [("used as a feature", ref) for ref in spec.use or ()]
    roles += [("dropped", ref) for ref in spec.drop]
    first: dict[str, tuple[str, Ref]] = {}
    for role, ref in roles:
        before = first.setdefault(ref.text, (role, ref))
        if before[1] is not ref and ref.text:
            related = (Related(before[1].span, f"{before[0]} here"),)
            message = f"column '{ref.text}' is {before[0]} and also {role}"
            if before[0] == role:
                message = f"column '{ref.text}' is named twice"
            report.error("E209", message, ref.span, related=related)


def only_features_treated(spec: DataSpec, report: Report) -> None:
    """Only features are encoded, scaled, binned or filled in (E209)."""
    singles = (ref for ref in (spec.label, spec.weight, spec.id) if ref is not None)
    others = {ref.text for ref in (*singles, *spec.group, *spec.drop)}
    used = None if spec.use is None else {ref.text for ref in spec.use}
    for done, part in _treatments(spec):
        for ref in part.columns:
            if ref.text and (ref.text in others or (used is not None and ref.text not in used)):
                message = f"column '{ref.text}' is not among the features, so it cannot be {done}"
                report.error("E209", message, ref.span)


def _treatments(spec: DataSpec) -> Iterator[tuple[str, Treatment]]:
    """The settings that speak of features, with what each does to them."""
    yield from (("encoded", part) for part in spec.encode)
    yield from (("scaled", part) for part in spec.scale)
    yield from (("binned", part) for part in spec.bin)
    yield from (("filled in", part) for part in spec.missing if part.kind == "impute")


def one_treatment_each(spec: DataSpec, report: Report) -> None:
    """No column is encoded, binned or scaled twice; only ordinal codes may be binned or scaled."""
    _named_once("encode", spec.encode, report)
    _named_once("scale", spec.scale, report)
    _named_once("bin", spec.bin, report)
    _named_once("missing", spec.missing, report)
    every = [part for part in spec.encode if part.every]
    for part in (part for part in spec.bin if every and not part.columns):
        related = (Related(every[0].span, "and so does this"),)
        message = "'bin' without columns speaks for every number"
        report.error("E209", message, part.span, "name the columns of one of them", related=related)
    coded = {
        ref.text: ref for part in spec.encode if part.kind != "ordinal" for ref in part.columns
    }
    binned = {ref.text: ref for part in spec.bin for ref in part.columns}
    scaled = [ref for part in spec.scale if part.kind != "none" for ref in part.columns]
    for refs, others in ((binned.values(), coded), (scaled, {**binned, **coded})):
        for ref in refs:
            other = others.get(ref.text)
            if other is not None:
                message = f"column '{ref.text}' becomes 0/1 columns or is kept as it is elsewhere"
                remedy = "numbers and ordinal codes can be binned or scaled, and only one of these"
                related = (Related(other.span, "here"),)
                report.error("E209", message, ref.span, remedy, related=related)


def _named_once(key: str, parts: Iterable[Treatment], report: Report) -> None:
    first: dict[str, Ref | Treatment] = {}
    for name, place in _subjects(parts):
        before = first.setdefault(name, place)
        if before is not place:
            what = f"column '{name}'" if name else "every other column"
            related = (Related(before.span, "first set here"),)
            report.error("E209", f"'{key}' is set twice for {what}", place.span, related=related)


def _subjects(parts: Iterable[Treatment]) -> Iterator[tuple[str, Ref | Treatment]]:
    """What each part speaks for: its columns, or the empty name for all the others."""
    for part in parts:
        if part.columns:
            yield from ((ref.text, ref) for ref in part.columns)
        else:
            yield "", part
