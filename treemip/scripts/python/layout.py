"""How lines of a script are broken."""

from __future__ import annotations

WIDTH = 100
STEP = "    "
BREAK = "\0"  # where a long row may be broken; else a blank


def called(function: str, parts: list[str], width: int = WIDTH) -> str:
    """A call on one line where it fits, else an argument a line, broken where that is too long."""
    plainly = [p.replace(BREAK, " ") for p in parts]
    line = f"{function}({', '.join(plainly)})"
    if len(line) <= width:
        return line
    room = width - len(STEP) - 1
    said = [
        flat if len(flat) <= room else part.replace(BREAK, f"\n{STEP}")
        for part, flat in zip(parts, plainly, strict=True)
    ]
    return f"{function}(\n" + "".join(f"{STEP}{p},\n" for p in said) + ")"


def index_tuple(names: list[str]) -> str:
    """`(i, t)`, `(i,)`, `()`"""
    return f"({', '.join(names)}{',' * (len(names) == 1)})"
