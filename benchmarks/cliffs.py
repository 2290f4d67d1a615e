"""Cliffs: what one more word in a spec costs, in seconds and in proofs.

    python benchmarks/cliffs.py                     run what is not done yet, and write the page
    python benchmarks/cliffs.py --formulation oct --size 150 --word splits --word recall
    python benchmarks/cliffs.py --page-only         write the page from the runs that are kept

For every univariate formulation of the library: plain `misclassified`, then with every term of the
vocabulary at a price, and with every spec of specs/constraints, at depth 2 on a table of 150 and
one of 1,500 points. A cell is a fresh process of `treemip solve`, its CPU seconds beside those of
the plain spec in the same run of this program. Cells above ten times these, or without a proof,
have the line that says why no exact engine answered. Runs are kept, one file each: after Ctrl-C it
goes on.
"""

# ruff: noqa: E402  The cells are those of a test folder, found by the path set here.

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "support")]

import numpy as np
import support_cells as support
from measure import measured
from report import machine

from treemip.core.resolve.modules import formulation_names

FOLDER = ROOT / "benchmarks" / "data" / "made" / "cliffs"
PAGE = ROOT / "benchmarks" / "tables" / "cliffs.md"
SIZES = (150, 1500)
SECONDS = 30.0  # of wall clock, a cell
STEEP = 10.0  # times the plain spec
SEED = 7
PLAIN = "misclassified"
LIKE = {
    "ost": "ost_grid",
    "prescriptive_dm": "prescriptive_ipw",
    "prescriptive_dr": "prescriptive_ipw",
}
"""Formulations that ask for the same columns as another, which `support_cells` knows."""
PREDICTED = (
    "\nparam predicted_outcome {i in points, k in treatments} =\n"
    "  (if k = treatment[i] then 1 else 0.8) * outcome[i];"
)
SCALED = {"leaf_size": ("points_in[l] <= 12", "points_in[l] <= {half}")}
"""What specs of specs/constraints say for their 24 points, and what they would for more."""
NOTES = ("W609", "W601")  # why no engine takes the spec; why there is no search for it
REFUSED, NO_TREE, OPEN = "refused", "no tree exists", "open"


@dataclass(frozen=True)
class Cell:
    """One run. by: who proved it, "" where nobody did; said: the message of a refusal, or the line
    that says why no engine answered; plain: CPU seconds of the plain spec in the same run; limit:
    seconds of wall clock."""

    size: int
    formulation: str
    word: str
    seconds: float
    plain: float
    outcome: str
    by: str
    said: str
    limit: float

    @property
    def ratio(self) -> float:
        return self.seconds / self.plain

    @property
    def steep(self) -> bool:
        """Whether the page says why."""
        return self.outcome == OPEN or (self.outcome != REFUSED and self.ratio > STEEP)


def main() -> int:
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    try:
        if not options.page_only:
            for size in options.size or SIZES:
                for formulation in options.formulation or formulations():
                    run(size, formulation, options)
    except KeyboardInterrupt:
        print("stopped; what is done is kept", file=sys.stderr)
    options.page.write_text(page(options.folder, options.note), encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    add = parser.add_argument
    add("--size", type=int, action="append", help="points of the table; may be repeated")
    add("--formulation", action="append", choices=formulations(), help="may be repeated")
    add("--word", action="append", help="a term or a spec of specs/constraints; may be repeated")
    add("--limit", type=float, default=SECONDS, help="seconds of wall clock, a cell")
    add("--folder", type=Path, default=FOLDER, help="where runs are kept")
    add("--page", type=Path, default=PAGE)
    add("--page-only", action="store_true", help="run nothing")
    add("--note", default="", help="a sentence on the machine, such as what else ran on it")
    return parser.parse_args()


# ----------------------------------------------------------------------- cells


@cache
def formulations() -> tuple[str, ...]:
    """The library's with univariate splits."""
    return tuple(n for n in formulation_names() if support.kind_of(n) == "univariate")


def words(formulation: str) -> tuple[str, ...]:
    """Terms beside the objective, then specs of specs/constraints, that it may have."""
    like = LIKE.get(formulation, formulation)
    terms = [t for t in support.terms(like) if t not in (support.OWN, PLAIN)]
    return (*terms, *(s for s in support.sides(like) if s != support.NONE))


def plain(formulation: str) -> str:
    """The word of the plain spec: its own objective where leaves answer no class."""
    like = LIKE.get(formulation, formulation)
    return support.OWN if like in support.OTHERS else PLAIN


def spec_of(size: int, formulation: str, word: str, table: Path) -> str:
    like = LIKE.get(formulation, formulation)
    of_classes = like not in support.OTHERS
    is_side = word in support.sides(like)
    term = PLAIN if of_classes and word == PLAIN else support.OWN if is_side else word
    side = word if is_side else support.NONE
    if is_side and of_classes:
        term = support.OWN if support.has_objective(word) else PLAIN
    text = support.text_of(like, term, side, support.form_of(like))
    text = text.replace(f" + 0.1 * {PLAIN};", ";") if term == PLAIN else text
    text = text.replace('data "t"', f'data "{table}"').replace("quantile(2)", "quantile(5)")
    text = text.replace(support.TOPOLOGY, "topology complete(depth = 2);")
    if formulation == "categorical_odt":
        text = text.replace("drop housing;", "encode keep housing;")
    text = text.replace(f"by {like};", f"by {formulation};")
    text = _scaled(text, word, size)
    return text + (PREDICTED if formulation in ("prescriptive_dm", "prescriptive_dr") else "")


def _scaled(text: str, word: str, size: int) -> str:
    if word not in SCALED:
        return text
    few, many = SCALED[word]
    assert few in text
    return text.replace(few, many.replace("{half}", str(size // 2)))


def made_table(size: int, formulation: str, folder: Path) -> Path:
    """Customers like those of specs/data/credit-24.csv; the bad ones are more where a credit is
    long and large, or its holder young, but for noise."""
    like = LIKE.get(formulation, formulation)
    path = folder / f"{size}-{like}.csv"
    rng = np.random.default_rng([SEED, size])
    duration, age = rng.integers(4, 61, size), rng.integers(19, 76, size)
    amount = (rng.gamma(2.0, 1600.0, size) + 250).astype(int)
    risk = 1.5 * (duration > 24) + 1.2 * (amount > 4000) + 1.0 * (age < 28) - 1.8
    bad = rng.random(size) < 1 / (1 + np.exp(-risk))
    columns: dict[str, list[object]] = {
        "duration": duration.tolist(),
        "amount": amount.tolist(),
        "age": age.tolist(),
        "housing": rng.choice(["own", "rent", "free"], size, p=[0.7, 0.2, 0.1]).tolist(),
        "sex": rng.choice(["male", "female"], size, p=[0.65, 0.35]).tolist(),
        "class": np.where(bad, "bad", "good").tolist(),
    }
    columns = support.with_answers(columns, like)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(columns), *zip(*columns.values(), strict=True)])
    return path


# ------------------------------------------------------------------------ runs


def run(size: int, formulation: str, options: argparse.Namespace) -> None:
    """The cells that are missing; the plain spec goes first, each time."""
    asked = words(formulation)
    left = [
        word
        for word in asked
        if (not options.word or word in options.word)
        and not _file(options.folder, size, formulation, word).exists()
    ]
    base = _file(options.folder, size, formulation, plain(formulation))
    if not left and (base.exists() or options.word):
        return
    table = made_table(size, formulation, options.folder)
    first = _solved(size, formulation, plain(formulation), table, options.limit, None)
    _keep(base, first)
    for word in left:
        cell = _solved(size, formulation, word, table, options.limit, first.seconds)
        _keep(_file(options.folder, size, formulation, word), cell)


def _solved(
    size: int, formulation: str, word: str, table: Path, limit: float, seconds: float | None
) -> Cell:
    """seconds: of the plain spec; None where this is it."""
    spec = table.with_suffix(".tree")
    spec.write_text(spec_of(size, formulation, word, table), encoding="utf-8")
    command = [sys.executable, "-m", "treemip", "solve", str(spec), "--json", "--threads", "1"]
    ran = measured([*command, "--time-limit", str(limit)])
    base = ran.cost.cpu if seconds is None else seconds
    outcome, by, said = _read(ran.output, ran.errors, ran.code)
    cell = Cell(size, formulation, word, ran.cost.cpu, base, outcome, by, said, limit)
    if cell.steep and not said:
        why = measured([sys.executable, "-c", WHY, str(spec)])
        cell = Cell(**{**asdict(cell), "said": (why.output.strip().splitlines() or [""])[0]})
    return cell


WHY = """
import sys
import treemip
from treemip.api.engines import engine_note
compiled = treemip.load(sys.argv[1]).compile()
note = engine_note(compiled.instance, compiled.stated)
print("" if note is None else note.message)
"""


def _read(output: str, errors: str, code: int) -> tuple[str, str, str]:
    """How it ended, who proved it, and what was said of it."""
    if not output.startswith("{"):
        lines = [line for line in errors.splitlines() if line.startswith("error")]
        return REFUSED, "", lines[0] if lines else f"exit code {code}"
    answer = json.loads(output)
    notes = [w["message"] for code in NOTES for w in answer["warnings"] if w["code"] == code]
    said = notes[0] if notes else ""
    known = answer["optimality"]
    if answer["status"] == "infeasible":
        return NO_TREE, answer["solver"], said
    if known is None or not known["proven"]:
        return OPEN, "", said
    return "proven", known["by"], said


def _file(folder: Path, size: int, formulation: str, word: str) -> Path:
    name = "".join(c if c.isalnum() or c == "_" else "-" for c in word)
    return folder / f"{size}-{formulation}-{name}.json"


def _keep(path: Path, cell: Cell) -> None:
    path.write_text(json.dumps(asdict(cell), indent=1) + "\n", encoding="utf-8")
    print(f"{cell.size} {cell.formulation} {cell.word}: {_shown(cell)} {cell.by} {cell.said}",
          file=sys.stderr, flush=True)  # fmt: skip


# ------------------------------------------------------------------------ page


HEAD = """# Cliffs

Made by `python benchmarks/cliffs.py`; do not edit. One more word in a spec, depth 2: CPU seconds of
a fresh process as a multiple of the plain spec's in the same run, which are in the first row; at
most {limits} s of wall clock a cell. `*` proven, by an exact engine or the objective's own bound;
`+` proven by a solver; `?` not proven; `none`: proven that there is no tree; a code: refused. Bold:
above {steep} times, or not proven; the number is that of the line below the table which says why no
exact engine answered.
"""


def page(folder: Path, note: str) -> str:
    cells = [Cell(**json.loads(path.read_text())) for path in sorted(folder.glob("*.json"))]
    hours = sum(cell.seconds for cell in cells) / 3600
    limits = " or ".join(f"{limit:g}" for limit in sorted({cell.limit for cell in cells}))
    when = f"{datetime.now(UTC):%d %B %Y}"
    where = f"{len(cells)} cells, {hours:.1f} hours of CPU time; {when}, {machine()}."
    lines = [HEAD.format(limits=limits, steep=f"{STEEP:g}"), f"{where} {note}".rstrip()]
    for size in sorted({cell.size for cell in cells}):
        lines += ["", f"## {size} points", "", *_table([c for c in cells if c.size == size])]
    return "\n".join(lines) + "\n"


def _table(cells: list[Cell]) -> Iterator[str]:
    """A row for each word, a column for each formulation; then the lines by number."""
    known = {(c.formulation, c.word): c for c in cells}
    columns = [name for name in formulations() if any(c.formulation == name for c in cells)]
    every = dict.fromkeys(word for name in columns for word in words(name))
    said: dict[str, int] = {}
    yield "| | " + " | ".join(f"`{name}`" for name in columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    first = [known.get((name, plain(name))) for name in columns]
    yield "| plain, s | " + " | ".join("" if c is None else _plain(c, said) for c in first) + " |"
    for word in every:
        row = [known.get((name, word)) for name in columns]
        if any(row):
            texts = ("" if c is None else _numbered(c, said) for c in row)
            yield f"| `{word}` | " + " | ".join(texts) + " |"
    yield ""
    yield from (f"{number}. {line}" for line, number in said.items())


def _plain(cell: Cell, said: dict[str, int]) -> str:
    return f"{cell.seconds:.1f} {_mark(cell)}" + (_number(cell, said) if cell.steep else "")


def _numbered(cell: Cell, said: dict[str, int]) -> str:
    return f"**{_shown(cell)}**{_number(cell, said)}" if cell.steep else _shown(cell)


def _number(cell: Cell, said: dict[str, int]) -> str:
    line = cell.said or ("no line says why" if cell.outcome == OPEN else f"slow: {cell.by}")
    return f" ({said.setdefault(line, len(said) + 1)})"


def _shown(cell: Cell) -> str:
    if cell.outcome == REFUSED:
        return cell.said.partition("[")[2].partition("]")[0] or REFUSED
    ratio = f"{cell.ratio:.1f}" if cell.ratio < 10 else f"{cell.ratio:.0f}"
    return f"{ratio} {_mark(cell)}"


def _mark(cell: Cell) -> str:
    if cell.outcome == NO_TREE:
        return "none" if cell.by in ("engine", "search") else "none +"
    if cell.outcome == OPEN:
        return "?"
    engine = cell.by == "an exact engine" or cell.by.startswith("the objective's own")
    return "\\*" if engine else "+"


if __name__ == "__main__":
    sys.exit(main())
