"""Grade specs that answer the requirements of words.toml.

    python benchmarks/requirements/run.py --answers FOLDER [--transcript FILE]

FOLDER has NAME.tree for each requirement; those that are not there count as unanswered. An answer
is right if the spec is accepted, its tree verified, every requirement kept as numpy counts it from
the tree's answers, and the objective as good as the best that is known. Where no tree has all that
is asked, the right answer is a spec that is infeasible.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import treemip  # noqa: E402
from benchmarks.requirements.graders.answer import Answer  # noqa: E402
from benchmarks.requirements.graders.tasks import TASKS, faults  # noqa: E402

HERE = Path(__file__).parent
TABLES = (HERE / "data", ROOT / "specs" / "data")
SECONDS = 60.0


@dataclass(frozen=True)
class Grade:
    """faults: what is wrong with an answer; none where it is right."""

    name: str
    status: str
    faults: tuple[str, ...]

    @property
    def right(self) -> bool:
        return not self.faults


def asked() -> dict[str, dict[str, str]]:
    """The words and the table of each requirement, by its name."""
    return tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))


def table(name: str) -> Path:
    return next(folder / name for folder in TABLES if (folder / name).is_file())


def put_tables(folder: Path) -> None:
    """All tables that the words name, where a spec beside them finds them."""
    for name in {one["table"] for one in asked().values()}:
        shutil.copy(table(name), folder / name)


def grade(name: str, spec: str, folder: Path, seconds: float = SECONDS) -> Grade:
    """folder: with the tables; the spec is written there."""
    path = folder / f"{name}.tree"
    path.write_text(spec, encoding="utf-8")
    try:
        result = treemip.load(path).compile().solve(time_limit=seconds)
    except treemip.TreemipError as error:
        return Grade(name, "refused", (str(error),))
    if result.status == "infeasible":
        none = TASKS[name].best is None
        return Grade(name, "infeasible", () if none else ("there is such a tree",))
    if result.verdict != "verified":
        return Grade(name, result.status, (f"the tree is {result.verdict or 'missing'}",))
    result.save(path.with_suffix(".json"))
    answer = Answer(table(asked()[name]["table"]), path.with_suffix(".json"))
    return Grade(name, result.status, tuple(faults(name, answer)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--answers", type=Path, required=True, help="folder of NAME.tree")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit of each solve")
    parser.add_argument("--transcript", type=Path, help="write the grades to this JSON file")
    given = parser.parse_args()
    grades = []
    with tempfile.TemporaryDirectory() as place:
        put_tables(Path(place))
        for name in asked():
            path = given.answers / f"{name}.tree"
            one = Grade(name, "", ("unanswered",))
            if path.is_file():
                one = grade(name, path.read_text(encoding="utf-8"), Path(place), given.seconds)
            first = one.faults[0].partition("\n")[0] if one.faults else ""
            print(f"{name:22} {one.status:12} {'right' if one.right else first}", flush=True)
            grades.append(one)
    print(f"{sum(one.right for one in grades)} of {len(grades)} are right")
    if given.transcript:
        given.transcript.write_text(json.dumps([asdict(one) for one in grades], indent=1))
    return 0 if all(one.right for one in grades) else 1


if __name__ == "__main__":
    sys.exit(main())
