"""Functions that a tree written as Python contains, as they stand here."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import math


def _missing(value, marks):
    """Whether a cell is empty or one of the marks of a missing value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, str):
        return value == "" or value in marks
    return math.isnan(value) or any(_decimal(mark) == value for mark in marks)


def _decimal(text):
    """The number that a text is, or None."""
    try:
        value = float(text) if set(text) <= set("0123456789.eE+-") else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _cell(row, column):
    value = row[column]
    return value.strip() if isinstance(value, str) else value


def _number(row, column, fill=None, marks=()):
    """A column's number, or `fill` where it is missing. Raises ValueError."""
    value = _cell(row, column)
    if _missing(value, marks):
        if fill is None:
            raise ValueError(f"no value in column {column!r}")
        return fill
    number = _decimal(value) if isinstance(value, str) else float(value)
    if number is None or math.isinf(number):
        raise ValueError(f"{value!r} in column {column!r}, which holds finite numbers")
    return number


def _level(row, column, levels, fill=None, marks=(), numeric=False, unseen=False):
    """The level that a column has; None for one that training did not have, where `unseen` says
    that the tree takes such. Raises ValueError."""
    value = _cell(row, column)
    if _missing(value, marks):
        if fill is None:
            raise ValueError(f"no value in column {column!r}")
        return fill
    name = _same_number(value, levels) if numeric else _text(value, levels)
    if name in levels:
        return name
    if unseen:
        return None
    raise ValueError(f"{value!r} in column {column!r}, a value that training did not have")


def _same_number(value, levels):
    number = _decimal(value) if isinstance(value, str) else float(value)
    return next((name for name in levels if float(name) == number), None)


def _text(value, levels):
    """A value as a data file has it; truth values as the levels write them."""
    if isinstance(value, str):
        return value
    if type(value).__name__ in ("bool", "bool_"):
        word = str(bool(value))
        known = [name for name in (word, word.upper(), word.lower()) if name in levels]
        return known[0] if known else str(int(value))
    try:
        return str(value.__index__())
    except (AttributeError, TypeError):
        number = float(value)
        whole = number.is_integer() and abs(number) < 1e16
        return str(int(number)) if whole else repr(number)


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
