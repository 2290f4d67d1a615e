"""First specs of survival trees: which columns they name, guess and refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from treemip.api.program import loads
from treemip.core.source.diagnostic import TreemipError
from treemip.study.init.first_spec import FirstSpec, first_spec
from treemip.study.init.first_spec_survival import SurvivalAsked
from treemip.study.init.first_spec_treatments import Treatments

ROWS = [(k * 7 % 20, "ab"[k % 2], 3 + k * 5 % 17, k % 3 and 1) for k in range(30)]
CSV = "age,site,months,failed\n" + "".join(f"{','.join(map(str, row))}\n" for row in ROWS)
TEXT = """\
# A first spec for t.csv, by treemip init.
data "t.csv" {
  label  none;
  # event: guessed by name
  # time: when the row was last observed
  # event: 1 if it happened then, 0 if it did not; 20 events in 30 rows
  number time from months, event from failed;
  # add to drop what is known only after the event
  # group age;  # for fairness constraints, not for splits
  encode onehot(drop = if_binary, unseen = zero);  # text: a 0/1 column for each value
  scale  minmax;  # for ost; trees are shown in the table's own units
  # train 0.75 seed 1;  # keeps a quarter of the rows for a test
}
topology complete(depth = 2);
split univariate by ost;
# Harrell's C, which solve and score report:  let harrell_c = concordance;

# A constraint to try: remove the "# " before the next two lines.
# subject to
#   least {l in leaves}: points_in[l] >= 5 * occupied[l];

strategy {
  time_limit 60;  # seconds
  seed       1;
}
"""


def made(folder: Path, table: str = CSV, **options: Any) -> FirstSpec:
    (folder / "t.csv").write_text(table)
    asked = {name: options.pop(name, None) for name in ("time", "event")}
    return first_spec(folder / "t.csv", folder, survival=SurvivalAsked(**asked), **options)


def test_the_whole_text(tmp_path: Path) -> None:
    text = made(tmp_path, time="months").text
    lines = [line for line in text.splitlines() if "group age" not in line]
    assert lines == [line for line in TEXT.splitlines() if "group age" not in line]


@pytest.mark.parametrize(
    ("options", "guessed"),
    [
        ({"time": "months", "event": "failed"}, ()),
        ({"event": "failed"}, ("time",)),
        ({"formulation": "ost"}, ("time", "event")),
        ({"formulation": "ost_grid", "event": "failed"}, ("time",)),
    ],
)
def test_it_compiles_and_says_what_was_guessed(
    options: dict[str, str], guessed: tuple[str, ...], tmp_path: Path
) -> None:
    spec = made(tmp_path, depth=1, **options)
    assert spec.roles is not None
    told = spec.roles.told(spec.classes)
    assert told.startswith("time 'months', event 'failed' (20 events in 30 rows)")
    assert told.endswith(f"{' and '.join(guessed)} guessed by name") is bool(guessed)
    assert (f"# {', '.join(guessed)}: guessed by name" in spec.text) is bool(guessed)
    text = spec.text.replace("# subject", "subject").replace("#   least", "least")
    text = text.replace("# Harrell's C, which solve and score report:  ", "")
    assert loads(text, base=tmp_path).compile().solve(time_limit=5).verified


def test_gaps_are_left_out_and_counted(tmp_path: Path) -> None:
    spec = made(tmp_path, CSV + "4,a,,1\n5,b,7,\n", time="months", event="failed")
    assert spec.unlabelled == 2 and spec.roles is not None
    assert spec.roles.gaps == "a gap in time or event"
    loads(spec.text, base=tmp_path).compile()


NAMELESS = CSV.replace("months,failed", "m,f")
REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    (
        NAMELESS,
        {"formulation": "ost"},
        "no name of a column tells which is the time and event of a survival tree",
        "name them: --time NAME --event NAME; the columns are 'age', 'site', 'm', 'f'",
    ),
    (
        NAMELESS,
        {"time": "m"},
        "no name of a column tells which is the event of a survival tree",
        "name them: --event NAME; the columns are 'age', 'site', 'm', 'f'",
    ),
    (CSV, {"time": "month"}, "there is no column 'month'", "did you mean 'months'?"),
    (
        CSV,
        {"event": "site"},
        "the column 'site' holds text, and --event needs 1 where the event happened, else 0",
        "name another column: --event",
    ),
    (
        CSV,
        {"time": "age", "event": "months"},
        "the column 'months' has the value 3, and --event needs 1 where the event happened, else 0",
        "name another column with --event, or recode this one",
    ),
    (
        CSV,
        {"time": "failed", "event": "failed"},
        "--time and --event name the same column",
        "name a different column for each",
    ),
    (
        CSV.replace(",1\n", ",0\n"),
        {"time": "months"},
        "the column 'failed' has no 1: no event happened",
        "name another column with --event",
    ),
    (
        CSV,
        {"label": "site", "formulation": "ost"},
        "ost is for survival trees, which have no use for --label",
        "leave it out; name the columns by --time and --event",
    ),
    (
        CSV,
        {"time": "months", "treatments": Treatments("site", "months", randomized=True)},
        "--time is for survival trees, which have no use for --treatment",
        "leave it out; name the columns by --time and --event",
    ),
    (
        CSV,
        {"time": "months", "formulation": "oct"},
        "oct does not learn from times of events",
        "take ost, the default",
    ),
]


@pytest.mark.parametrize(("table", "options", "message", "remedy"), REFUSED)
def test_what_is_refused(
    table: str, options: dict[str, Any], message: str, remedy: str, tmp_path: Path
) -> None:
    with pytest.raises(TreemipError) as caught:
        made(tmp_path, table, **options)
    (told,) = caught.value.diagnostics
    assert (told.code, told.message, told.remedy) == ("E902", message, remedy)
