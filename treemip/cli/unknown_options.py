"""Where to say what an option cannot, for options that users expect and no command has."""

from __future__ import annotations

IN_THE_SPEC = {
    "--data": 'the spec names its data: data "file.csv" { label class; }',
    "--label": 'the spec names the label: data "file.csv" { label class; }',
    "--depth": "the spec gives the depth: topology complete(depth = 2);",
    "--formulation": "the spec names the formulation: split oblique by soct;",
    "--train": "the spec says what to train on: train 0.75 seed 1;  in the data block",
    "--seed": "the spec has the seeds: train 0.75 seed 1;  in the data block, and for the solver "
    "strategy { seed 1; }",
}
"""Options of no command, with the statement that has their place."""

PICTURE = "a tree is shown as text: treemip show tree.json > tree.txt; there are no pictures yet"


def instead(command: str, option: str) -> str:
    """What to write in place of an unknown option of a command, or an empty string."""
    if command.endswith("show") and option in ("-o", "--output"):
        return PICTURE
    return IN_THE_SPEC.get(option, "")
