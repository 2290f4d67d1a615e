"""A `data` block to a DataSpec: what each setting says, checked as far as no data is needed."""

from __future__ import annotations

from typing import Any

from treemip.resolve.data_clashes import (
    one_role_each,
    one_treatment_each,
    only_features_treated,
)
from treemip.resolve.data_forms import FORMS, READERS
from treemip.resolve.data_spec import DataSpec, Ref, is_parquet
from treemip.resolve.setting_words import Malformed
from treemip.source.diagnostic import Related, Report
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes

Found = dict[str, list[tuple[nodes.Setting, Any]]]

ONCE = ("label", "positive", "weight", "id", "train", "separator")


def read_settings(node: nodes.Data, report: Report) -> DataSpec:
    """Interpret a data block. Faults go to `report` (E208, E209, E212, E213).

    After a fault the DataSpec only serves to find more faults; without a label its label is "".
    """
    found: Found = {key: [] for key in FORMS}
    for setting in node.settings:
        if setting.key not in READERS:
            report.error(
                "E212",
                f"unknown setting '{setting.key}' in a data block",
                setting.span,
                f"the settings are {listed(READERS, 20)}",
                did_you_mean(setting.key, READERS),
            )
            continue
        try:
            found[setting.key].append((setting, READERS[setting.key](setting)))
        except Malformed as fault:
            message = f"'{setting.key}' does not take these values"
            report.error("E213", message, fault.span, FORMS[setting.key], fault.caret)
    _once(found, report)
    if found["separator"] and is_parquet(node.path):
        at = found["separator"][0][0].span
        report.error("E209", "a Parquet file has no separator", at, "leave it out")
    spec = _assemble(node, found, report)
    one_role_each(spec, report)
    one_treatment_each(spec, report)
    only_features_treated(spec, report)
    return spec


def _once(found: Found, report: Report) -> None:
    for key in ONCE:
        for setting, _ in found[key][1:]:
            first = Related(found[key][0][0].span, "first set here")
            report.error("E209", f"'{key}' is set twice", setting.span, related=(first,))


def _assemble(node: nodes.Data, found: Found, report: Report) -> DataSpec:
    def one(key: str) -> Any:
        return found[key][0][1] if found[key] else None

    def joined(key: str) -> tuple[Any, ...]:
        return tuple(ref for _, refs in found[key] for ref in refs)

    if not any(setting.key == "label" for setting in node.settings):
        message = f"the data block of '{node.path}' does not say which column is the label"
        report.error("E208", message, node.span, f"add  {FORMS['label']}")
    label, positive = one("label") or (Ref(text="", span=node.span), None)
    if positive is not None and found["positive"]:
        first = Related(positive.span, "first set here")
        span = found["positive"][0][0].span
        report.error("E209", "the positive class is named twice", span, related=(first,))
    return DataSpec(
        path=node.path,
        label=label,
        positive=positive or one("positive"),
        use=joined("use") if found["use"] else None,
        drop=joined("drop"),
        group=joined("group"),
        weight=one("weight"),
        id=one("id"),
        encode=tuple(value for _, value in found["encode"]),
        scale=tuple(value for _, value in found["scale"]),
        bin=tuple(value for _, value in found["bin"]),
        missing=tuple(rule for _, (rule, _) in found["missing"] if rule is not None),
        marks=tuple(mark for _, (_, marks) in found["missing"] for mark in marks),
        train=one("train"),
        separator=one("separator"),
        span=node.span,
    )
