"""How long the language server takes for a text: from a change to its problems, and each request.

    python benchmarks/language_server.py [LINES]

The text is a spec with so many lines (100) of parameters, lets and rows; times are medians of CPU
time in milliseconds, of the functions themselves and without the protocol, which adds about one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median

from treemip.core.resources import specs_path
from treemip.study.lsp.completion import completion
from treemip.study.lsp.hover import hover
from treemip.study.lsp.outline import outline
from treemip.study.lsp.problems import problems
from treemip.study.lsp.table import TableCache, data_facts
from treemip.study.lsp.tokens import tokens
from treemip.study.lsp.view import look

PATH = specs_path() / "credit.tree"


def spec(lines: int) -> str:
    """The shipped credit spec, made so long."""
    text = PATH.read_text(encoding="utf-8")
    more = [
        line
        for k in range(lines)
        for line in (
            f"param top{k} = {k} + card(classes);",
            f'let few{k} {{t in branches}} = sum {{i in points : y[i] = "good"}} reach[i,t];',
            f"subject to row{k} {{t in branches}}: few{k}[t] <= top{k} + card(points);",
        )
    ]
    return "\n".join([*text.splitlines(), *more][:lines]) + "\n"


def milliseconds(work: Callable[[], object], times: int = 15) -> float:
    found = []
    for _ in range(times):
        start = time.process_time()
        work()
        found.append((time.process_time() - start) * 1000)
    return median(found)


def main() -> None:
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    text = spec(lines)
    broken = text.replace("<= top3", "<= tpo3").rstrip()[:-1]  # a name, and the last ';'
    view, cache = look(PATH, text), TableCache()
    facts = data_facts(view, cache)
    at = text.index("misclassified") + 4
    rows: dict[str, Callable[[], object]] = {
        "problems, no error": lambda: problems(look(PATH, text)),
        "problems, unknown name": lambda: problems(look(PATH, text.replace("<= top3", "<= tpo3"))),
        "problems, half typed": lambda: problems(look(PATH, broken, last=view)),
        "data, table read before": lambda: data_facts(view, cache),
        "hover": lambda: hover(view, at, facts),
        "completion": lambda: completion(view, at, facts),
        "semantic tokens": lambda: tokens(look(PATH, text)),
        "outline": lambda: outline(view),
    }
    print(f"{len(text.splitlines())} lines, {len(text)} characters")
    for name, work in rows.items():
        print(f"{name:<26}{milliseconds(work):8.1f} ms")


if __name__ == "__main__":
    main()
