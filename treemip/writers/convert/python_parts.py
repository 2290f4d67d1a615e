"""Functions that a tree written as Python contains, as they stand here."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import math


def _cell(row, column, marks):
    """The text that a data file has for a value; "" for a missing one and its marks."""
    value = row[column]
    if isinstance(value, str):
        text = value.strip(" \t")
    elif value is None or type(value).__name__ in ("NAType", "NaTType"):
        text = ""
    elif type(value).__name__ in ("bool", "bool_"):
        text = str(bool(value))
    elif type(value).__name__ == "Decimal":
        text = "" if value.is_nan() else str(value)
    else:
        text = _number_text(value, column)
    number = _decimal(text)
    known = [
        mark for mark in marks if mark == text or (number is not None and number == _decimal(mark))
    ]
    return "" if known else text


def _number_text(value, column):
    try:
        return str(value.__index__())
    except (AttributeError, TypeError):
        pass
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{value!r} in column {column!r} is neither a number nor text") from None
    if math.isnan(number):
        return ""
    whole = number.is_integer() and abs(number) < 2**53
    return str(int(number)) if whole else repr(number)


def _decimal(text):
    """The number that a text is, or None."""
    try:
        value = float(text) if set(text) <= set("0123456789.eE+-") else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _number(row, column, fill=None, marks=()):
    """A column's number, or `fill` where it is missing. Raises ValueError."""
    cell = _cell(row, column, marks)
    if cell == "":
        if fill is None:
            raise ValueError(f"no value in column {column!r}")
        return fill
    number = _truth(cell)
    if number is None:
        raise ValueError(f"{row[column]!r} in column {column!r}, which holds finite numbers")
    return number


def _truth(text):
    """The number that a text is, also one that is written as a truth value; or None."""
    if text in ("True", "TRUE", "true"):
        return 1.0
    return 0.0 if text in ("False", "FALSE", "false") else _decimal(text)


def _level(row, column, levels, fill=None, marks=(), numeric=False, unseen=False, others=()):
    """The level that a column has; None for one that training did not have, where `unseen` says
    that the tree takes such. `others` are texts that stand for a level. Raises ValueError."""
    cell = _cell(row, column, marks)
    if cell == "":
        if fill is None:
            raise ValueError(f"no value in column {column!r}")
        return fill
    if numeric:
        number = _truth(cell)
        cell = next((name for name in levels if float(name) == number), cell)
    name = dict(others).get(cell, cell)
    if name in levels:
        return name
    if unseen:
        return None
    raise ValueError(f"{row[column]!r} in column {column!r}, a value that training did not have")


def _between(share, lower, upper):
    return upper if share == 1 else lower + (upper - lower) * share


def _logistic(u):
    """1 / (1 + exp(-u)), by operations that IEEE 754 fixes; math.exp differs by machine."""
    small = _exp(-min(abs(u), 745.5))
    return (1.0 if u >= 0 else small) / (1.0 + small)


def _exp(u):
    """exp(u) for u from -745.5 to 0, after fdlibm."""
    power = float(round(u * 1.44269504088896338700))
    high = u - power * 6.93147180369123816490e-01
    low = power * 1.90821492927058770002e-10
    rest = high - low
    square = rest * rest
    series = 0.0
    for coefficient in (
        4.13813679705723846039e-08,
        -1.65339022054652515390e-06,
        6.61375632143793436117e-05,
        -2.77777777770155933842e-03,
        1.66666666666666019037e-01,
    ):
        series = square * (coefficient + series)
    series = rest - series
    value = 1.0 - ((low - (rest * series) / (2.0 - series)) - high)
    return math.ldexp(value, int(power))
