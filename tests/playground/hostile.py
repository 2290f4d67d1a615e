"""What a stranger may hand over: specs and tables by name, with what the answer has to say.

A spec is a text, or a change of SPEC as (old, new). `says`: a part of a message of the editor, of
the upload or of the solve; "" where the input is odd and fine.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass

SPEC = """\
data "t.csv" { label y; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
"""

TABLE = "u,v,y\n" + "".join(f"{i},{i % 3},{'ab'[i % 2]}\n" for i in range(8))

SCRIPT = '<script>alert(1)</script><img src=x onerror="alert(2)">'


@dataclass(frozen=True)
class Spec:
    text: str | tuple[str, str]
    says: str = ""
    slow: bool = False

    @property
    def whole(self) -> str:
        return self.text if isinstance(self.text, str) else SPEC.replace(*self.text, 1)


@dataclass(frozen=True)
class Upload:
    content: bytes
    says: str
    name: str = "t.csv"


def _data(path: str) -> tuple[str, str]:
    return ('"t.csv"', f'"{path}"')


def _after(text: str) -> tuple[str, str]:
    return ("by oct;", f"by oct;\n{text}")


SPECS = {
    # files that are not the visitor's
    "absolute path": Spec(_data("/etc/passwd"), "outside of the folder"),
    "absolute path, device": Spec(_data("/dev/zero"), "outside of the folder"),
    "absolute path, of the process": Spec(_data("/proc/self/environ"), "outside of the folder"),
    "absolute path, standard input": Spec(_data("/dev/stdin"), "outside of the folder"),
    "path upwards": Spec(_data("../../../etc/passwd"), "outside of the folder"),
    "path upwards and back": Spec(_data("x/../../t.csv"), "cannot be read"),
    "home": Spec(_data("~/.ssh/id_rsa"), "no such file"),
    "address": Spec(_data("http://127.0.0.1:1/t.csv"), "no such file"),
    "the folder itself": Spec(_data("."), "cannot be read"),
    "no file": Spec(_data(""), ""),
    "hidden file": Spec(_data(".output/err"), "no such file"),
    "NUL in a path": Spec(_data("t\0.csv"), "E"),
    "long path": Spec(_data("a/" * 3000 + "t.csv"), "E301"),
    "formulation by absolute path": Spec(("by oct", 'by "/etc/hosts"'), "E210"),
    "formulation upwards": Spec(("by oct", 'by "../../../../etc/hosts"'), "E210"),
    "module by absolute path": Spec(_after('use "/etc/passwd";'), "/etc/passwd"),
    "side table by absolute path": Spec(
        _after('param p {j in features} = table(file = "/etc/passwd");'), "outside of the folder"
    ),
    "another visitor's table": Spec(_data("../../table.x"), "cannot be read"),
    # texts that take long or much
    "deep parentheses": Spec(_after("param a = " + "(" * 50_000 + "1;"), "E", slow=True),
    "deep parentheses, closed": Spec(
        _after("param a = " + "(" * 20_000 + "1" + ")" * 20_000 + ";"), "E", slow=True
    ),
    "deep minus": Spec(_after("param a = " + "-" * 90_000 + "1;"), "E", slow=True),
    "deep brackets": Spec(_after("param a = x" + "[x" * 40_000), "E", slow=True),
    "deep conditions": Spec(_after("param a = " + "if 1 = 1 then " * 9_000 + "1;"), "E", slow=True),
    "long sum": Spec(_after("param a = " + "1+" * 90_000 + "1;"), "", slow=True),
    "long power": Spec(_after("param a = " + "2^" * 40_000 + "2;"), "E", slow=True),
    "line of 190 KB": Spec(_after("# " + "x" * 190_000), ""),
    "many statements": Spec(_after("param a = 1;\n" * 13_000), "E", slow=True),
    "many errors": Spec("topolgy complete;\n" * 10_000, "E", slow=True),
    "wide set": Spec(_after("set S = 1..1000000000;"), "E"),
    "product of sets": Spec(
        _after("set S = 1..30000;\nparam p {a in S, b in S, c in S} = a * b * c;"), "E"
    ),
    "large depth": Spec(("depth = 1", "depth = 60"), "E"),
    "large number": Spec(("depth = 1", "depth = 1e308"), "E"),
    "very large number": Spec(("depth = 1", "depth = 1" + "0" * 5000), "E"),
    "negative depth": Spec(("depth = 1", "depth = -1"), "E"),
    "endless rounds": Spec(_after("param a = b;\nparam b = a;"), "E"),
    "a module of itself": Spec(_after('use "s.tree";'), "E"),
    # odd texts
    "nothing": Spec("", ""),
    "only NUL": Spec("\0" * 1000, "E"),
    "NUL within": Spec(_after("param a\0 = 1;"), "E"),
    "byte order mark": Spec("\ufeff" + SPEC, ""),
    "line ends of old": Spec(SPEC.replace("\n", "\r\n"), ""),
    "right to left": Spec(_after("# \u202e;drowssap"), ""),
    "emoji": Spec(_after("param \U0001f333 = 1;"), "E"),
    "markup in a name": Spec(_after(f"param {SCRIPT} = 1;"), "E"),
    "a page": Spec(f"<!doctype html>{SCRIPT}", "E"),
    # programs
    "a solver's command line": Spec(
        _after('strategy { solver "command:touch owned {model}"; }'), "E"
    ),
}

UPLOADS = {
    "gzip that grows": Upload(gzip.compress(b"a" * 300_000_000, 9), "", "t.csv.gz"),
    "gzip that is cut": Upload(gzip.compress(TABLE.encode() * 1000)[:-30], "damaged", "t.csv.gz"),
    "gzip that is none": Upload(b"\x1f\x8b" + b"\0" * 100, "", "t.csv.gz"),
    "Parquet that is none": Upload(b"PAR1" + b"\xff" * 1000 + b"PAR1", "", "t.parquet"),
    "Parquet of text": Upload(TABLE.encode(), "", "t.parquet"),
    "NUL": Upload(b"a,b\n" + b"\0" * 10_000, ""),
    "UTF-16": Upload(TABLE.encode("utf-16"), "UTF"),
    "Latin-1": Upload("ä,ö,y\n1,2,ß\n".encode("latin-1"), "UTF-8"),
    "line of 1 MB": Upload(b"a,b\n" + b"x" * 1_000_000 + b",1\n", ""),
    "quote without end": Upload(b'a,b\n"' + b"x,\n" * 100_000, ""),
    "100 000 columns": Upload(b",".join(b"c%d" % i for i in range(100_000)) + b"\n", ""),
    "ragged": Upload(b"a,b\n1\n1,2,3\n", "row"),
    "the same name twice": Upload(b"a,a\n1,2\n", ""),
    "only a header": Upload(b"a,b\n", ""),
    "markup": Upload(f"{SCRIPT.replace(',', '')},y\n1,a\n".encode(), ""),
    "a page for a table": Upload(b"<html><body>" + SCRIPT.encode() * 100, ""),
    "name with markup": Upload(TABLE.encode(), "cannot be the name", "<script>.csv"),
    "name with NUL": Upload(TABLE.encode(), "cannot be the name", "a\0.csv"),
    "name upwards": Upload(TABLE.encode(), "cannot be the name", "a/../../b.csv"),
    "long name": Upload(TABLE.encode(), "cannot be the name", "x" * 5000),
}
