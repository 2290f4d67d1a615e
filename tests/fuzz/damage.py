"""Files damaged at random: bytes, lines, numbers, and values inside JSON."""

from __future__ import annotations

import json
import random
import re
from typing import Any

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
NUMBERS = [b"0", b"1", b"-1", b"2", b"0.5", b"1e308", b"1e309", b"-0.0", b"1e-320", b"nan", b"inf",
           b"", b"1e", b"9" * 30, b"1" + b"0" * 5000, b"0.9999999", b"1.0000001", b"--1",
           "\u0661".encode(), b"1_0", b"0x1p3"]  # fmt: skip
BYTES = [b"\x00", b"\xff", b"\xc3", b"\n", b"\r", b",", b'"', b"\x1b[2J", b"\xef\xbb\xbf", b" ",
         b"\t", b"<", b"{", b"[" * 100_000, b"#", b";", "\u202e".encode(), b"\x1f\x8b"]  # fmt: skip


def damaged(data: bytes, dice: random.Random) -> bytes:
    """The bytes after one to three changes."""
    for _ in range(dice.choice([1, 1, 1, 1, 2, 3])):
        data = dice.choice(CHANGES)(data, dice)
    return data


def _flip(data: bytes, dice: random.Random) -> bytes:
    if not data:
        return data
    k = dice.randrange(len(data))
    return data[:k] + bytes([data[k] ^ (1 << dice.randrange(8))]) + data[k + 1 :]


def _cut(data: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def _lose(data: bytes, dice: random.Random) -> bytes:
    k = dice.randrange(len(data) + 1)
    return data[:k] + data[k + dice.choice([1, 2, 8, 64]) :]


def _insert(data: bytes, dice: random.Random) -> bytes:
    k = dice.randrange(len(data) + 1)
    return data[:k] + dice.choice(BYTES) + data[k:]


def _number(data: bytes, dice: random.Random) -> bytes:
    """A number for another, or one of its digits."""
    places = [m.span() for m in NUMBER.finditer(data)]
    if not places:
        return data
    start, end = dice.choice(places)
    if dice.random() < 0.5:
        return data[:start] + dice.choice(NUMBERS) + data[end:]
    k = dice.randrange(start, end)
    return data[:k] + str(dice.randrange(10)).encode() + data[k + 1 :]


def _lines(data: bytes, dice: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    k, m = dice.randrange(len(lines)), dice.randrange(len(lines))
    way = dice.randrange(4)
    if way == 0:
        lines[k], lines[m] = lines[m], lines[k]
    elif way == 1:
        lines.insert(m, lines[k])
    elif way == 2:
        del lines[k]
    else:
        lines[k : k + 1] = [lines[k].rstrip(b"\r\n") + b"\r\n"]
    return b"".join(lines)


CHANGES = [_flip, _flip, _cut, _lose, _insert, _number, _number, _number, _lines, _lines]

VALUES: list[Any] = [None, True, False, 0, 1, -1, 2, 0.5, 1e308, -1e308, 1e-320, 2**63, 2**1100, "",
                     "x", "a", "\x1b[31m", "\x00", [], {}, [[]], [0], [None], {"x": 1}]  # fmt: skip
RAW = ["NaN", "Infinity", "1" + "0" * 5000, "[" * 100_000 + "]" * 100_000, "1e400",
       '"\\ud800"']  # fmt: skip


def damaged_json(data: bytes, dice: random.Random) -> bytes:
    """A value somewhere exchanged, lost, doubled or nudged; what stays is as it was."""
    said = json.loads(data)
    for _ in range(dice.choice([1, 1, 2, 3])):
        home = said
        while True:
            keys = list(home) if isinstance(home, dict) else range(len(home))
            if not keys:
                break
            key = dice.choice(list(keys))
            if isinstance(home[key], dict | list) and home[key] and dice.random() < 0.85:
                home = home[key]
                continue
            _change(home, key, dice)
            break
    text = json.dumps(said, indent=1, ensure_ascii=False)
    raw = dice.choice(RAW) if '"RAW"' in text else ""
    return text.replace('"RAW"', raw).encode("utf-8", "surrogatepass")


def _change(home: Any, key: Any, dice: random.Random) -> None:
    value, way = home[key], dice.random()
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and way < 0.5:
        home[key] = dice.choice(
            [value + 1, -value, value * 2, value + 1e-4, value / 3, value + 0.5]
        )
    elif way < 0.6:
        del home[key]
    elif way < 0.7 and isinstance(home, list):
        home.insert(key, value)
    elif way < 0.75:
        home[key] = "RAW"
    else:
        home[key] = dice.choice(VALUES)
