"""Hostile specs: bombs of brackets, sums and names."""

from __future__ import annotations

from .hostile_inputs import HEAD, SPEC, Input, of_spec

DOUBLED = "".join(f"let d{k} = d{k - 1} + d{k - 1};\n" for k in range(1, 61))
NESTED = "".join(
    f"let d{k} {{t in branches}} = max {{j in features}} d{k - 1}[t] + coef[t,j];\n"
    for k in range(1, 40)
)

BOMBS: dict[str, str | bytes] = {
    "unclosed brackets": SPEC + "minimize " + "(" * 100_000,
    "closed brackets": SPEC + "minimize " + "(" * 100_000 + "1" + ")" * 100_000 + ";",
    "braces": "{" * 100_000,
    "square brackets": SPEC + "minimize coef" + "[" * 100_000,
    "minus signs": SPEC + "minimize " + "-" * 100_000 + "1;",
    "a long sum": SPEC + "minimize " + " + ".join(["splits"] * 20_000) + ";",
    "a long product": SPEC + "param a = " + " * ".join(["1.5"] * 20_000) + ";",
    "a tower of powers": SPEC + "param a = 9^9^9^9^9;",
    "negations": SPEC + "param a = if " + "not " * 50_000 + "1 = 1 then 1 else 0;",
    "a chain of if": SPEC + "param a = " + "if 1 = 2 then 1 else " * 20_000 + "0;",
    "lets that double": SPEC + "let d0 = splits;\n" + DOUBLED + "minimize d60;",
    "params that double": SPEC + "param d0 = 1;\n" + DOUBLED.replace("let", "param"),
    "lets in lets": SPEC
    + "let d0 {t in branches} = bias[t];\n"
    + NESTED
    + "minimize sum {t in branches} d39[t];",
    "a range of 1e9": SPEC + "set s = 1..1000000000;\nparam a = card(s);",
    "a sum over 1e12": SPEC + "param a = sum {q in 1..1e12} q;",
    "a product over 1000": SPEC + "param a = prod {q in 1..1000} q;",
    "ranges multiplied": SPEC + "param a = sum {q in 1..10000, r in 1..10000, s in 1..100} 1;",
    "rows 1e4 x 1e4": SPEC + "subject to r {q in 1..10000, s in 1..10000}: q * bias[root] <= s;",
    "variables 1e5 x 1e5": SPEC + "var z {q in 1..100000, s in 1..100000} binary;",
    "a range of huge numbers": SPEC + "param a = card({q in 1e19..1e19+5000});",
    "a number of 5,000 digits": SPEC + "param a = " + "9" * 5000 + ";",
    "a number of 1e6 digits": SPEC + "param a = 0." + "3" * 1_000_000 + ";",
    "1e400": SPEC + "param a = 1e400;",
    "a depth of 40": SPEC.replace("depth = 1", "depth = 40"),
    "a depth of 1e9": SPEC.replace("depth = 1", "depth = 1000000000"),
    "a depth of 1e300": SPEC.replace("depth = 1", "depth = 1e300"),
    "a shape of brackets": SPEC.replace("complete(depth = 1)", "shape(" + "(" * 50_000 + ")"),
    "50,000 statements": SPEC + "".join(f"param a{k} = {k};\n" for k in range(50_000)),
    "50,000 errors": SPEC + "".join(f"param a{k} = b{k};\n" for k in range(50_000)),
    "50,000 wrong marks": SPEC + "param a == 1;\n" * 50_000,
    "a name of 1e6 letters": SPEC + f"param {'a' * 1_000_000} = 1;",
    "an unknown name of 1e5 letters": SPEC + f"minimize {'a' * 100_000};",
    "a formulation of 300 letters": HEAD + f"split oblique by {'a' * 300};",
    "a formulation that is a path": HEAD + "split oblique by etc_passwd;\n",
    "a string of 1e7 letters": SPEC + f'param a "{"x" * 10_000_000}" = 1;',
    "a comment of 1e7 letters": SPEC + "#" + "x" * 10_000_000,
    "an unclosed string": SPEC + 'param a "' + "x" * 1_000_000,
    "only spaces": " " * 10_000_000,
    "only line ends": "\n" * 1_000_000,
    "NUL bytes": b"\0" * 1_000_000,
    "UTF-16": SPEC.encode("utf-16"),
    "not UTF-8": SPEC.encode() + b"\xff\xfe\xc3\x28",
    "escape sequences": SPEC + "param a\x1b[31m = 1;\x1b]0;title\x07",
    "an escape sequence in a string": SPEC.replace('"t.csv"', '"t\x1b[2Jcsv"'),
    "right to left": SPEC + "param \u202e = 1;",
    "nothing": "",
}
SPECS: list[Input] = [one for name, text in BOMBS.items() for one in of_spec(name, text)]
SPECS += [
    Input(f"fmt of {name}", ("fmt", "s.tree", "--check"), {"s.tree": BOMBS[name]})
    for name in (
        "unclosed brackets",
        "closed brackets",
        "minus signs",
        "a long sum",
        "NUL bytes",
        "a string of 1e7 letters",
    )
]
SPECS += [
    Input(f"-p {value[:20]}", ("compile", "s.tree", "-o", "out.mps", "-p", value), {}, ("out.mps",))
    for value in ("eps=nan", "eps=1e999", "eps=-1", "eps=", "=1", "eps", "eps=" + "(" * 100_000,
                  "eps=sum {q in 1..1e12} q", "eps=9^9^9^9", "none=1", "eps=\x1b[31m", "eps=0x1")
]  # fmt: skip
