"""`python -m tests.fuzz`: see README.md beside this file."""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import cache
from pathlib import Path

# Before numpy is imported: cases run side by side, one thread each.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "1")

from . import ROOT
from .campaigns import CAMPAIGNS
from .cases import Campaign, Case
from .runner import Tally, run, show_fault
from .workers import run_bounded


def main() -> int:
    options = _options()
    if options.replay:
        return _replay(options.replay, options.seed)
    names = options.campaign.split(",") if options.campaign else list(CAMPAIGNS)
    if unknown := set(names) - set(CAMPAIGNS):
        print(f"unknown campaigns: {', '.join(sorted(unknown))}; {', '.join(CAMPAIGNS)}")
        return 2
    campaigns = [CAMPAIGNS[n] for n in names]
    numbers = {c.name: _most(c, getattr(options, c.unit)) for c in campaigns}
    tally = run(campaigns, numbers, options.seed, options.minutes, options.jobs, _folder)
    _report(tally)
    return 1 if tally.faults else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="of wall clock")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--campaign", help=f"of {', '.join(CAMPAIGNS)}; separated by commas")
    parser.add_argument("--replay", metavar="CAMPAIGN:SEED.NUMBER", help="one case, in detail")
    for c in CAMPAIGNS.values():
        parser.add_argument(f"--{c.unit}", type=int, default=c.default, metavar="N",
                            help=f"cases of the campaign {c.name}")  # fmt: skip
    return parser.parse_args()


def _most(campaign: Campaign, asked: int) -> int:
    return asked if campaign.size is None else min(asked, campaign.size())


@cache
def _folder() -> Path:
    """A folder for faults, made when the first one is saved."""
    path = ROOT / ".fuzz" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    path.mkdir(parents=True)
    return path


def _replay(which: str, seed: int) -> int:
    name, _, rest = which.partition(":")
    first, _, second = rest.partition(".")
    case = Case(name, int(first), int(second)) if second else Case(name, seed, int(first))
    outcome = run_bounded(CAMPAIGNS[name], case, _folder() / "case")
    for file, content in outcome.files.items():
        text = content if isinstance(content, str) else repr(content)
        print(f"--- {file}\n{text}")
    tally = Tally([CAMPAIGNS[name]])
    tally.add(case, outcome)
    if outcome.fault:
        show_fault(case, outcome, tally, _folder)
    else:
        print(f"{case}: no fault; {dict(outcome.counts)}")
    print(tally.summary)
    return 1 if outcome.fault else 0


def _report(tally: Tally) -> None:
    for name, counts in tally.counts.items():
        own = CAMPAIGNS[name].summary
        if own is not None:
            print(own(counts))
            continue
        shown = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
        print(f"{name}: {shown}")
    for key, number in tally.keys.most_common():
        print(f"{number:6} x {key.splitlines()[0]}")
    print(tally.summary)


if __name__ == "__main__":
    sys.exit(main())
