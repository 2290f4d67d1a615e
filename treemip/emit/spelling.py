"""A block's name, as the model has it, spelt in the characters that model files may hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import blake2b

LONGEST = 96  # characters of a whole name; CBC's LP reader renames everything above 100

# Words of the LP and MPS formats, in any case; a strict reader takes them for its own.
# SCIP and Xpress take a member S1 of a special ordered set in MPS for the head of another one.
_WORDS = """
st s.t. subject such that to bin binary binaries int integer integers gen general generals free
inf infinity nan end bound bounds min minimum minimize minimise max maximum maximize maximise
sos sos1 sos2 s1 s2 semi semis sec sin range ranges rhs row rows column columns name endata objsense
quadobj marker intorg intend lazy user cuts constraint constraints
"""
_KEYWORDS = frozenset(_WORDS.split())
_EXPONENT = re.compile(r"[eE]([0-9].*)?")
# HiGHS's LP reader takes any word that begins so for a number, as strtod does.
_NUMBER = re.compile(r"inf|nan", re.IGNORECASE)
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)")


def spell(names: list[str], room: list[int], taken: Iterable[str] = ()) -> list[str]:
    """A safe base name for each of `names`, of at most `room` characters, none twice or `taken`.

    A name that is safe already stays as it is. One that must change, or comes a second time,
    takes its transliteration when that is free and otherwise adds eight digits of its own hash,
    so that what a name becomes hardly depends on the others and never on the run.
    """
    plain = [_transliterated(name) for name in names]
    used = set(taken)
    spelt = [""] * len(names)
    safe = [p == n and len(p) <= r for p, n, r in zip(plain, names, room, strict=True)]
    for k in sorted(range(len(names)), key=lambda k: (not safe[k], not names[k].isascii())):
        base, salt = plain[k], 0
        while len(base) > room[k] or base in used:
            digest = blake2b(f"{names[k]}\0{salt}".encode(), digest_size=4).hexdigest()
            base, salt = f"{plain[k][: room[k] - 9]}_{digest}", salt + 1
        used.add(base)
        spelt[k] = base
    return spelt


def _transliterated(name: str) -> str:
    text = "".join(_letter(c) for c in unicodedata.normalize("NFKD", name))
    odd_start = not (text[:1].isalpha() or text[:1] == "_")
    if (
        odd_start
        or text.casefold() in _KEYWORDS
        or _EXPONENT.fullmatch(text)
        or _NUMBER.match(text)
    ):
        return f"_{text}"
    return text


def _letter(c: str) -> str:
    if c.isascii():
        return c if c.isalnum() or c in "_." else "_"
    if unicodedata.combining(c):
        return ""
    if greek := _GREEK.fullmatch(unicodedata.name(c, "")):
        word = greek[2].lower().replace("lamda", "lambda")  # Unicode's spelling of the letter
        return word if greek[1] == "SMALL" else word.capitalize()
    return f"u{ord(c):04x}"
