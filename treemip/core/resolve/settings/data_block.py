"""A `data` block to a DataSpec: each setting read and checked as far as no data is needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from treemip.core.resolve.settings.data_spec import (
    FILLING,
    Binning,
    DataSpec,
    Encoding,
    Fold,
    MissingRule,
    Ref,
    Scaling,
    Share,
    is_parquet,
    one_column_each,
    one_role_each,
    one_treatment_each,
    only_features_treated,
)
from treemip.core.resolve.settings.encodings import BINS, CODES, SCALES, Code, Word
from treemip.core.resolve.settings.words import (
    Malformed,
    Pattern,
    class_ref,
    column_ref,
    columns_after,
    flags,
    number,
    numbers,
    order,
    whole,
    words_of,
)
from treemip.core.source.diagnostic import Fix, Related, Report
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n

T = TypeVar("T", Scaling, Binning)
Settings = dict[str, list[tuple[n.Setting, Any]]]


def read_settings(node: n.Data, report: Report) -> DataSpec:
    """Read a data block. Faults go to `report` (E208, E209, E212, E213).

    After a fault the DataSpec only serves to find more faults; if the label is missing, it is "".
    """
    settings: Settings = {key: [] for key in SETTINGS}
    for setting in node.settings:
        if setting.key not in SETTINGS:
            report.error(
                "E212",
                f"unknown setting '{setting.key}' in a data block",
                setting.span,
                f"the settings are {listed(SETTINGS, 20)}",
                did_you_mean(setting.key, SETTINGS),
            )
            continue
        try:
            settings[setting.key].append((setting, SETTINGS[setting.key].read(setting)))
        except Malformed as fault:
            message = f"'{setting.key}' does not take these values"
            report.error("E213", message, fault.span, SETTINGS[setting.key].example, fault.caret)
    _once(settings, report)
    if settings["separator"] and is_parquet(node.path):
        at = settings["separator"][0][0].span
        message, fix = "a Parquet file has no separator", Fix.delete(at)
        report.error("E209", message, at, "leave it out", fix=fix)
    spec = _assemble(node, settings, report)
    one_role_each(spec, report)
    one_column_each(spec, report)
    one_treatment_each(spec, report)
    only_features_treated(spec, report)
    return spec


def _once(settings: Settings, report: Report) -> None:
    for key, form in SETTINGS.items():
        for setting, _ in settings[key][1:] if form.once else ():
            first = Related(settings[key][0][0].span, "first set here")
            message, fix = f"'{key}' is set twice", Fix.delete(setting.span)
            report.error("E209", message, setting.span, related=(first,), fix=fix)


def _check_positive(label: LabelSetting, span: Span, report: Report) -> None:
    """Report (E209) a setting `positive` beside a label that names the class, or has none."""
    fix = Fix.delete(span)
    if label.positive is not None:
        related = (Related(label.positive.span, "first set here"),)
        report.error("E209", "the positive class is named twice", span, related=related, fix=fix)
    elif label.kind != "class":
        message = "there is no positive class, because the label does not name classes"
        related = (Related(label.column.span, "the label is set here"),)
        report.error("E209", message, span, "leave it out", related=related, fix=fix)


def _assemble(node: n.Data, settings: Settings, report: Report) -> DataSpec:
    def one(key: str) -> Any:
        return settings[key][0][1] if settings[key] else None

    def joined(key: str) -> tuple[Any, ...]:
        return tuple(ref for _, refs in settings[key] for ref in refs)

    if not any(setting.key == "label" for setting in node.settings):
        message = f"the data block of '{node.path}' does not say which column is the label"
        remedy = "add  label column;  label column number;  or, for data without one,  label none;"
        report.error("E208", message, node.span, remedy)
    label = one("label") or LabelSetting(Ref(text="", span=node.span))
    if settings["positive"]:
        _check_positive(label, settings["positive"][0][0].span, report)
    return DataSpec(
        path=node.path,
        label=label.column,
        label_kind=label.kind,
        positive=label.positive or one("positive"),
        use=joined("use") if settings["use"] else None,
        drop=joined("drop"),
        group=joined("group"),
        number=joined("number"),
        weight=one("weight"),
        id=one("id"),
        encode=tuple(value for _, value in settings["encode"]),
        scale=tuple(value for _, value in settings["scale"]),
        bin=tuple(value for _, value in settings["bin"]),
        missing=tuple(rule for _, (rule, _) in settings["missing"] if rule is not None),
        marks=tuple(mark for _, (_, marks) in settings["missing"] for mark in marks),
        train=one("train"),
        separator=one("separator"),
        span=node.span,
    )


# ---------------------------------------------------------------------------------------- settings


class LabelSetting(NamedTuple):
    """The setting `label`, as `DataSpec` has it."""

    column: Ref
    kind: str = "class"
    positive: Ref | None = None


def _label(setting: n.Setting) -> LabelSetting:
    match setting.groups:
        case ((n.Word(name="none", arguments=None) as word,),):
            return LabelSetting(Ref(text="", span=word.span), "none")
        case ((column,),):
            return LabelSetting(column_ref(column))
        case ((column, n.Word(name="number", arguments=None)),):
            return LabelSetting(column_ref(column), "number")
        case ((column, n.Word(name="positive", arguments=None), wanted),):
            return LabelSetting(column_ref(column), "class", class_ref(wanted))
    raise Malformed(setting.span)


def _positive(setting: n.Setting) -> Ref:
    match setting.groups:
        case ((wanted,),):
            return class_ref(wanted)
    raise Malformed(setting.span)


def _column(setting: n.Setting) -> Ref:
    match setting.groups:
        case ((column,),):
            return column_ref(column)
    raise Malformed(setting.span)


def _columns(setting: n.Setting) -> tuple[Ref, ...]:
    columns = columns_after(setting, 0)
    if not columns:
        raise Malformed(setting.span, "name the columns")
    return columns


def _named_columns(setting: n.Setting) -> tuple[Ref, ...]:
    """Columns that expressions mention: `sex`, or `treatment from drug` under another name."""
    refs: list[Ref] = []
    for group in setting.groups:
        match group:
            case (name, n.Word(name="from", arguments=None), column):
                if name.name is None or name.arguments is not None:
                    raise Malformed(name.span, "a name for expressions, without quotes")
                span = name.span.source.span(name.span.start, column.span.end)
                refs.append(Ref(text=column_ref(column).text, alias=name.name, span=span))
            case (column,):
                refs.append(column_ref(column))
            case _:
                raise Malformed(group[1].span, "separate columns with commas")
    if not refs:
        raise Malformed(setting.span, "name the columns")
    return tuple(refs)


def _method(setting: n.Setting, known: Collection[str]) -> n.Word:
    """The first word, the method; a column with such a name must be quoted."""
    if not setting.groups:
        raise Malformed(setting.span, f"one of {listed(known)}")
    word = setting.groups[0][0]
    if word.name not in known:
        raise Malformed(
            word.span, did_you_mean(word.name or "", known) or f"one of {listed(known)}"
        )
    return word


def _encode(setting: n.Setting) -> Encoding:
    """`onehot(unseen = zero) a, b`, `ordinal a("low", "high"), b`, or `ordinal("low", "high") a`
    for all it names."""
    method = _method(setting, CODES)
    kind = str(method.name)
    code, options, shared = CODES[kind], dict[str, str](), None
    if code.orders:
        shared = order(method)
    else:
        options = flags(method, code.flags)
    groups = setting.groups
    every = code.every and len(groups) == 1 and [w.name for w in groups[0][1:]] == ["all"]
    columns = () if every else columns_after(setting, 1, calls=code.orders)
    if code.named and not columns:
        raise Malformed(setting.span, "name the columns")
    if shared is not None and not columns:
        raise Malformed(method.span, "name the columns with these levels")
    own = (order(word) if code.orders else None for word in words_of(setting)[1:])
    return Encoding(
        kind=kind,
        columns=columns,
        every=every,
        drop_binary=options.get("drop") == "if_binary",
        unseen_zero=options.get("unseen") == "zero",
        orders=() if every else tuple(levels or shared for levels in own),
        span=setting.span,
    )


def _treated(setting: n.Setting, made: type[T], words: Mapping[str, Word]) -> T:
    """`minmax(0, 1) a, b`: a word with numbers, and columns."""
    method = _method(setting, words)
    kind = str(method.name)
    arguments = words[kind].read(numbers(method) or ())
    if arguments is None:
        raise Malformed(method.span, words[kind].form)
    columns = columns_after(setting, 1)
    return made(kind=kind, arguments=arguments, columns=columns, span=setting.span)


def _scale(setting: n.Setting) -> Scaling:
    return _treated(setting, Scaling, SCALES)


def _bin(setting: n.Setting) -> Binning:
    return _treated(setting, Binning, BINS)


def _missing(setting: n.Setting) -> tuple[MissingRule | None, tuple[str, ...]]:
    """The word `marks` ends the columns; what follows are the cells that count as missing."""
    groups, marks = _until_marks(setting)
    if not groups:
        return None, marks
    before = n.Setting(key=setting.key, groups=groups, span=setting.span)
    method = _method(before, ("refuse", "drop", "impute", "side", "indicator"))
    how, value = "", None
    if method.name in FILLING:
        how, value = _fill_in(method)
    elif method.arguments is not None:
        raise Malformed(method.span, f"'{method.name}' takes no arguments")
    columns = columns_after(before, 1)
    if value is not None and not columns:
        raise Malformed(method.span, "name the columns that are filled in with this value")
    kind = str(method.name)
    rule = MissingRule(kind=kind, how=how, value=value, columns=columns, span=setting.span)
    return rule, marks


def _fill_in(method: n.Word) -> tuple[str, float | str | None]:
    """`impute(mean)`, `impute(0)`, `impute("none")`: how, or the value."""
    match method.arguments:
        case (n.Argument(name=None, value=n.Name(name=how, arguments=None)),) if how in (
            "mean",
            "median",
            "mode",
        ):
            return how, None
        case (n.Argument(name=None, key=None, value=n.String(value=text)),):
            return "", text.strip()
        case (n.Argument(value=n.Number() | n.Negative()) as argument,):
            return "", number(argument)
    raise Malformed(method.span, 'mean, median, mode, a number or a "value"')


def _until_marks(setting: n.Setting) -> tuple[tuple[tuple[n.Word, ...], ...], tuple[str, ...]]:
    before: list[tuple[n.Word, ...]] = []
    marks: list[str] | None = None
    for group in setting.groups:
        columns = []
        for word in group:
            if marks is None and word.name == "marks" and word.arguments is None:
                marks = []
            elif marks is None:
                columns.append(word)
            elif word.string is None:
                raise Malformed(word.span, 'a mark is a string, such as "?"')
            else:
                marks.append(word.string.strip())
        before += [tuple(columns)] if columns else []
    if (marks is None and not before) or marks == []:
        raise Malformed(setting.span)
    return tuple(before), tuple(marks or ())


SHARE, FOLD = Pattern("SHARE", ("seed",)), Pattern("fold NUMBER of COUNT", ("seed",))
PATTERNS = {"train": (FOLD, SHARE)}
"""Where numbers stand in settings, for which there may be parameters."""


def _train(setting: n.Setting) -> Share | Fold:
    words = setting.groups[0] if len(setting.groups) == 1 else ()
    found = FOLD.match(words) or SHARE.match(words)
    if found is None:
        raise Malformed(setting.span)
    seed = whole(found["seed"], 0) if "seed" in found else 0
    if "share" not in found:
        count, number = whole(found["count"], 2), whole(found["number"], 1)
        if number > count:
            raise Malformed(found["number"].span, f"the folds are 1 to {count}")
        return Fold(number=number, count=count, seed=seed, span=setting.span)
    share = found["share"].number
    if share is None:
        raise Malformed(setting.span)
    if not 0 < share <= 1:
        raise Malformed(found["share"].span, "a share is above 0 and at most 1")
    return Share(share=share, seed=seed, span=setting.span)


def _separator(setting: n.Setting) -> str:
    match setting.groups:
        case ((n.Word(name="tab", arguments=None),),):
            return "\t"
        case ((n.Word(string=str(mark)),),) if len(mark) == 1 and mark.isascii():
            if not mark.isalnum() and mark not in '"+-. ':
                return mark
    raise Malformed(setting.span, "one character that cannot occur in a number or a quoted cell")


@dataclass(frozen=True)
class Form:
    """One setting: an example, the function that reads it, and whether it may occur only once."""

    example: str
    read: Callable[[n.Setting], Any]
    once: bool = False


def _examples(key: str, words: Mapping[str, Word | Code]) -> str:
    return "  ".join(f"{key} {word.example}" for word in words.values())


SETTINGS: dict[str, Form] = {
    "label": Form(
        'label column;  label column positive "class";  label column number;  or  label none;',
        _label,
        once=True,
    ),
    "positive": Form('positive "class";', _positive, once=True),
    "use": Form("use column, column;", _columns),
    "drop": Form("drop column, column;", _columns),
    "group": Form("group column, column;  group name from column;", _named_columns),
    "number": Form("number column, column;  number name from column;", _named_columns),
    "weight": Form("weight column;", _column, once=True),
    "id": Form("id column;", _column, once=True),
    "encode": Form(_examples("encode", CODES), _encode),
    "scale": Form(_examples("scale", SCALES), _scale),
    "bin": Form(_examples("bin", BINS), _bin),
    "missing": Form(
        "missing refuse|drop|side|impute(mean|median|mode)|indicator(mean|median|mode) [columns] "
        '[marks "?", "NA"];  missing impute(0)|indicator(0) columns;  missing marks "?";',
        _missing,
    ),
    "train": Form("train 0.75 [seed 1];  train fold 2 of 5 [seed 1];", _train, once=True),
    "separator": Form('separator ";";  separator tab;', _separator, once=True),
}
