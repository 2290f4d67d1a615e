"""A hostile input: what is put into a folder, and the command that is run there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

CSV = "a,b,c\n" + "".join(f"{k % 7},{3 * k % 5},{'y' if k % 7 > 3 else 'n'}\n" for k in range(24))
HEAD = 'data "t.csv" { label c; scale minmax; }\ntopology complete(depth = 1);\n'
SPEC = HEAD + "split oblique by soct(eps = 0.05);\n"

Content = str | bytes | Callable[[Path], object]


@dataclass(frozen=True)
class Input:
    """`files` by name: contents, or what makes something of another kind at a path.

    t.csv and s.tree are there unless `files` has others. `outputs` may change. `codes`: exit codes
    that are right; those documented without. `before` runs in the child ahead of the command.
    """

    name: str
    arguments: tuple[str, ...]
    files: Mapping[str, Content] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    codes: tuple[int, ...] = ()
    limits: Mapping[int, int] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[], None] | None = None

    def prepare(self, work: Path) -> None:
        for name, content in {"t.csv": CSV, "s.tree": SPEC, **self.files}.items():
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            elif isinstance(content, str):
                path.write_bytes(content.encode("utf-8", "surrogateescape"))
            else:
                path.write_bytes(content)


def of_spec(name: str, text: str | bytes, *more: str, codes: tuple[int, ...] = ()) -> list[Input]:
    """A spec, checked and compiled. `more` are options."""
    made = {"s.tree": text}
    return [
        Input(f"{name}, check", ("check", "s.tree", *more), made, codes=codes),
        Input(
            f"{name}, compile",
            ("compile", "s.tree", "-o", "out.mps", *more),
            made,
            ("out.mps",),
            codes,
        ),
    ]
