"""Hostile tree.json, solution files, outputs, and names that reach exported scripts."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable

from .files import FOLDER, saved_tree
from .hostile_inputs import HEAD, SPEC, Content, Input

TINY: dict[str, Content] = {
    name: (FOLDER / name).read_bytes() for name in ("tiny.tree", "tiny.csv", "highs.sol")
}


def _tree(change: Callable[[dict], object]) -> Callable[[], bytes]:  # type: ignore[type-arg]
    def made() -> bytes:
        said = json.loads(saved_tree())
        change(said)
        return json.dumps(said).encode("utf-8", "surrogatepass")

    return made


def _later(made: Callable[[], bytes]) -> Content:
    return lambda path: path.write_bytes(made())


def _raw(old: bytes, new: bytes) -> Callable[[], bytes]:
    return lambda: saved_tree().replace(old, new, 1)


TREES: dict[str, Callable[[], bytes]] = {
    "brackets": lambda: b"[" * 200_000,
    "brackets inside": _raw(
        b'"values": {', b'"values": {"x": ' + b"[" * 100_000 + b"]" * 100_000 + b", "
    ),
    "a number of 5,000 digits": _raw(b'"points": 10', b'"points": 1' + b"0" * 5000),
    "a number of 400 digits": _raw(b'"points": 10', b'"points": 1' + b"0" * 400),
    "NaN": _raw(b'"threshold": ', b'"threshold": NaN, "x": '),
    "1e400": _raw(b'"threshold": ', b'"threshold": 1e400, "x": '),
    "no nodes": _tree(lambda s: s["tree"].update(nodes=[])),
    "a node 2**70": _tree(lambda s: s["tree"]["nodes"][0].update(node=2**70)),
    "a node -1": _tree(lambda s: s["tree"]["nodes"][0].update(node=-1)),
    "a million classes": _tree(
        lambda s: s["tree"].update(classes=["a", "b", *map(str, range(10**6))])
    ),
    "classes of lists": _tree(lambda s: s["tree"].update(classes=[[], {}])),
    "damaged scores": _tree(lambda s: s["scores"]["training"].update(classes=[None], recall=3)),
    "scores of nothing": _tree(lambda s: s.update(scores={"training": {}, "test": []})),
    "an escape sequence": _tree(lambda s: s["tree"].update(classes=["a\x1b[31m", "b"])),
    "a surrogate": _tree(lambda s: s["tree"].update(classes=["a\ud800", "b"])),
    "another spec": _tree(lambda s: s["spec"].update(text="(" * 100_000)),
    "a base of NUL": _tree(lambda s: s["spec"].update(base="\0")),
    "a list": lambda: b"[]",
    "null": lambda: b"null",
    "UTF-16": lambda: saved_tree().decode().encode("utf-16"),
}  # fmt: skip
FILES: list[Input] = [
    Input(f"{command[0]} of tree.json: {name}", command, {**TINY, "tree.json": _later(made)})
    for name, made in TREES.items()
    for command in (
        ("verify", "tree.json"),
        ("predict", "tree.json", "tiny.csv"),
        ("score", "tree.json"),
        ("show", "tree.json"),
    )
]

ANSWERS: dict[str, Content] = {
    "/dev/zero": lambda p: p.symlink_to("/dev/zero"),
    "a FIFO": os.mkfifo,
    "a folder": lambda p: p.mkdir(),
    "nothing": b"",
    "a gzip bomb": lambda p: p.write_bytes(gzip.compress(b"\0" * (1 << 29))),
    "brackets of JSON": b'{"SolutionInfo": ' + b"[" * 200_000,
    "entities": b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY a%d "%s">' % (k, (b"&a%d;" % (k - 1) if k > 1 else b"&a;") * 10)
               for k in range(1, 12))
    + b"]><CPLEXSolution><header/>&a11;</CPLEXSolution>",
    "an entity of a file": b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    b"<CPLEXSolution version='1.2'><header objectiveValue='&a;'/></CPLEXSolution>",
    "1e6 lines": b"=obj= 1\n" + b"reach(1,1) 1\n" * 1_000_000,
}  # fmt: skip
FILES += [
    Input(f"decode of {name}", ("decode", "tiny.tree", "s.sol"), {**TINY, "s.sol": content})
    for name, content in ANSWERS.items()
]

NAME = (
    'x"""\nimport os; os.system(\'touch pwned\')\n'
    "\"\"\"' + __import__('os').system('touch pwned') + '"
)
COLUMNS = f'"{NAME.replace(chr(34), chr(34) * 2)}",b,c\n1,2,y\n2,3,n\n3,1,y\n'
OTHERS = [
    ("ampl", "out.mod"),
    ("pyomo", "out.py"),
    ("gurobipy", "out.py"),
    ("pyscipopt", "out.py"),
    ("cvxpy", "out.py"),
]
WRITTEN = ("out.py", "out_data.json", "out.mod", "out.dat", "out.run")
FILES += [
    Input(f"export to {to} of names that are code", ("export", "s.tree", "--to", to, "-o", out),
          {"t.csv": COLUMNS}, WRITTEN)
    for to, out in OTHERS
]  # fmt: skip
FILES += [
    Input(f"export to {to} of a spec whose file name is code",
          ("export", NAME.replace("/", "") + ".tree", "--to", to, "-o", out),
          {NAME.replace("/", "") + ".tree": SPEC}, WRITTEN)
    for to, out in OTHERS
]  # fmt: skip

OUTPUTS: dict[str, tuple[tuple[str, ...], dict[str, Content]]] = {
    "the data": (("compile", "s.tree", "-o", "o.mps"),
                 {"o.mps": SPEC, "s.tree": SPEC.replace("t.csv", "o.mps")}),
    "the data, as text": (("compile", "s.tree", "--stop-after", "parse", "-o", "t.csv"), {}),
    "the data, beside": (("compile", "s.tree", "-o", "o.nl"),
                         {"o.col": "a,b,c\n1,2,y\n2,3,n\n",
                          "s.tree": SPEC.replace("t.csv", "o.col")}),
    "the spec": (("compile", "s.tree", "--stop-after", "parse", "-o", "s.tree"), {}),
    "a folder": (("compile", "s.tree", "-o", "o.mps"), {"o.mps": lambda p: p.mkdir()}),
    "no folder": (("compile", "s.tree", "-o", "none/o.mps"), {}),
    "/dev/full": (("compile", "s.tree", "-o", "/dev/full"), {}),
    "a name of 300 letters": (("compile", "s.tree", "-o", "x" * 300 + ".mps"), {}),
    "no name": (("compile", "s.tree", "-o", ""), {}),
    "the tree": (("predict", "tree.json", "tiny.csv", "-o", "tree.json"),
                 {**TINY, "tree.json": _later(saved_tree)}),
    "the rows": (("predict", "tree.json", "tiny.csv", "-o", "tiny.csv"),
                 {**TINY, "tree.json": _later(saved_tree)}),
}  # fmt: skip
FILES += [
    Input(f"output to {name}", arguments, files, codes=(2,))
    for name, (arguments, files) in OUTPUTS.items()
]
KEPT: dict[str, Content] = {
    "s.tree": HEAD.replace("t.csv", "solution.csv") + "split oblique by soct(eps = 0.05);\n",
    "solution.csv": "a,b,c\n1,2,y\n2,3,n\n",
    "solution.json": "{}",
    "model.mps": "mine",
    "log.txt": "mine",
    "start.mst": "mine",
}
FILES += [
    Input(f"--keep . with {solver}", ("solve", "s.tree", "--solver", solver, "--keep", "."), KEPT)
    for solver in ("cbc", "command:false {model} {solution}")
]
