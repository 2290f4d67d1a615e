"""The form of each setting of a data block, and the function that reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treemip.resolve.data_spec import Binning, Encoding, Fold, MissingRule, Ref, Scaling, Share
from treemip.resolve.setting_words import (
    Malformed,
    class_ref,
    column_ref,
    columns_after,
    flags,
    numbers,
    order,
    whole,
)
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes

FORMS = {
    "label": 'label column;  or  label column positive "class";',
    "positive": 'positive "class";',
    "use": "use column, column;",
    "drop": "drop column, column;",
    "group": "group column, column;",
    "weight": "weight column;",
    "id": "id column;",
    "encode": "encode onehot [all | columns];  encode onehot(drop = if_binary, unseen = zero) …;  "
    'encode ordinal column("low", "high"), …;  encode keep columns;',
    "scale": "scale minmax [columns];  scale minmax(lower, upper) …;  scale standard …;  "
    "scale none …;",
    "bin": "bin quantile(5) [columns];  bin thresholds(0.5, 1.5) …;  bin thresholds …;",
    "missing": "missing refuse|drop|impute(mean|median|mode) [columns] "
    '[marks "?", "NA"];  missing marks "?";',
    "train": "train 0.75 [seed 1];  train fold 2 of 5 [seed 1];",
    "separator": 'separator ";";  separator tab;',
}


def _label(setting: nodes.Setting) -> tuple[Ref, Ref | None]:
    match setting.groups:
        case ((column,),):
            return column_ref(column), None
        case ((column, nodes.Word(name="positive", arguments=None), wanted),):
            return column_ref(column), class_ref(wanted)
    raise Malformed(setting.span)


def _positive(setting: nodes.Setting) -> Ref:
    match setting.groups:
        case ((wanted,),):
            return class_ref(wanted)
    raise Malformed(setting.span)


def _column(setting: nodes.Setting) -> Ref:
    match setting.groups:
        case ((column,),):
            return column_ref(column)
    raise Malformed(setting.span)


def _columns(setting: nodes.Setting) -> tuple[Ref, ...]:
    columns = columns_after(setting, 0)
    if not columns:
        raise Malformed(setting.span, "which columns?")
    return columns


def _method(setting: nodes.Setting, known: tuple[str, ...]) -> nodes.Word:
    """The first word, which says how; a column of such a name would stand in quotes."""
    if not setting.groups:
        raise Malformed(setting.span, f"one of {listed(known)}")
    word = setting.groups[0][0]
    if word.name not in known:
        raise Malformed(
            word.span, did_you_mean(word.name or "", known) or f"one of {listed(known)}"
        )
    return word


def _encode(setting: nodes.Setting) -> Encoding:
    method = _method(setting, ("onehot", "ordinal", "keep"))
    assert method.name is not None
    if method.name == "ordinal":
        return _encode_ordinal(setting, method)
    allowed = {"drop": ("if_binary",), "unseen": ("zero", "error")}
    if method.name == "keep":
        del allowed["drop"]
    given = flags(method, allowed)
    match setting.groups:
        case ((_, nodes.Word(name="all", arguments=None)),) if method.name == "onehot":
            every = True
        case _:
            every = False
    columns = () if every else columns_after(setting, 1)
    if method.name == "keep" and not columns:
        raise Malformed(setting.span, "which columns?")
    return Encoding(
        kind=method.name,
        columns=columns,
        every=every,
        drop_binary=given.get("drop") == "if_binary",
        unseen_zero=given.get("unseen") == "zero",
        orders=(None,) * len(columns),
        span=setting.span,
    )


def _encode_ordinal(setting: nodes.Setting, method: nodes.Word) -> Encoding:
    """`ordinal a("low", "high"), b`, or `ordinal("low", "high") "age band", b` for all it names."""
    shared = order(method)
    words = [*setting.groups[0][1:], *(word for group in setting.groups[1:] for word in group)]
    columns = columns_after(setting, 1, calls=True)
    if shared is not None and not columns:
        raise Malformed(method.span, "whose levels are these?")
    return Encoding(
        kind="ordinal",
        columns=columns,
        orders=tuple(order(word) or shared for word in words),
        span=setting.span,
    )


def _scale(setting: nodes.Setting) -> Scaling:
    method = _method(setting, ("minmax", "standard", "none"))
    given = numbers(method)
    if given and (method.name != "minmax" or len(given) != 2 or given[0] >= given[1]):
        raise Malformed(method.span, "only minmax(lower, upper) takes numbers, lower < upper")
    lower, upper = given or (0.0, 1.0)
    kind = str(method.name)
    columns = columns_after(setting, 1)
    return Scaling(kind=kind, lower=lower, upper=upper, columns=columns, span=setting.span)


def _bin(setting: nodes.Setting) -> Binning:
    method = _method(setting, ("quantile", "thresholds"))
    given = numbers(method)
    columns = columns_after(setting, 1)
    if method.name == "thresholds":
        values = tuple(sorted(set(given or ())))
        return Binning(kind="thresholds", values=values, columns=columns, span=setting.span)
    if not given or len(given) != 1 or not given[0].is_integer() or given[0] < 2:
        raise Malformed(method.span, "quantile(k) takes a whole number of bins, at least 2")
    return Binning(kind="quantile", count=int(given[0]), columns=columns, span=setting.span)


def _missing(setting: nodes.Setting) -> tuple[MissingRule | None, tuple[str, ...]]:
    """The word `marks` ends the columns; what follows are the cells that count as missing."""
    groups, marks = _until_marks(setting)
    if not groups:
        return None, marks
    before = nodes.Setting(key=setting.key, groups=groups, span=setting.span)
    method = _method(before, ("refuse", "drop", "impute"))
    how = ""
    if method.name == "impute":
        match method.arguments:
            case (nodes.Argument(name=None, value=nodes.Name(name=how, arguments=None)),) if (
                how in ("mean", "median", "mode")
            ):
                pass
            case _:
                raise Malformed(method.span, "impute(mean), impute(median) or impute(mode)")
    elif method.arguments is not None:
        raise Malformed(method.span, f"'{method.name}' takes no arguments")
    columns = columns_after(before, 1)
    rule = MissingRule(kind=str(method.name), how=how, columns=columns, span=setting.span)
    return rule, marks


def _until_marks(
    setting: nodes.Setting,
) -> tuple[tuple[tuple[nodes.Word, ...], ...], tuple[str, ...]]:
    before: list[tuple[nodes.Word, ...]] = []
    marks: list[str] | None = None
    for group in setting.groups:
        kept = []
        for word in group:
            if marks is None and word.name == "marks" and word.arguments is None:
                marks = []
            elif marks is None:
                kept.append(word)
            elif word.string is None:
                raise Malformed(word.span, 'a mark is a string, such as "?"')
            else:
                marks.append(word.string.strip())
        before += [tuple(kept)] if kept else []
    if (marks is None and not before) or marks == []:
        raise Malformed(setting.span)
    return tuple(before), tuple(marks or ())


def _train(setting: nodes.Setting) -> Share | Fold:
    if len(setting.groups) != 1:
        raise Malformed(setting.span)
    words = list(setting.groups[0])
    seed = 0
    if len(words) > 2 and words[-2].name == "seed":
        seed = whole(words[-1], 0)
        words = words[:-2]
    match words:
        case [nodes.Word(number=float(share)) as word]:
            if not 0 < share <= 1:
                raise Malformed(word.span, "a share is above 0 and at most 1")
            return Share(share=share, seed=seed, span=setting.span)
        case [nodes.Word(name="fold"), first, nodes.Word(name="of"), second]:
            count = whole(second, 2)
            number = whole(first, 1)
            if number > count:
                raise Malformed(first.span, f"the folds are 1 to {count}")
            return Fold(number=number, count=count, seed=seed, span=setting.span)
    raise Malformed(setting.span)


def _separator(setting: nodes.Setting) -> str:
    match setting.groups:
        case ((nodes.Word(name="tab", arguments=None),),):
            return "\t"
        case ((nodes.Word(string=str(mark)),),) if len(mark) == 1 and mark.isascii():
            if not mark.isalnum() and mark not in '"+-. ':
                return mark
    raise Malformed(setting.span, "one character that no number or quoted cell is made of")


READERS: dict[str, Callable[[nodes.Setting], Any]] = {
    "label": _label,
    "positive": _positive,
    "use": _columns,
    "drop": _columns,
    "group": _columns,
    "weight": _column,
    "id": _column,
    "encode": _encode,
    "scale": _scale,
    "bin": _bin,
    "missing": _missing,
    "train": _train,
    "separator": _separator,
}
