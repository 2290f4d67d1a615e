"""The campaigns by name, in the order of the summary."""

from __future__ import annotations

from .cases import Campaign
from .engines import CAMPAIGN as ENGINES
from .estimators import CAMPAIGN as ESTIMATORS
from .exports import CAMPAIGN as EXPORTS
from .files import CAMPAIGN as FILES
from .formulations import CAMPAIGN as FORMULATIONS
from .hostile import CAMPAIGN as HOSTILE
from .readers import CAMPAIGN as READERS
from .scores import CAMPAIGN as SCORES
from .searches import CAMPAIGN as SEARCHES
from .signals import CAMPAIGN as SIGNALS
from .solves import CAMPAIGN as SOLVES
from .specs import CAMPAIGN as SPECS
from .sweeps import CAMPAIGN as SWEEPS
from .symbols import CAMPAIGN as SYMBOLS

CAMPAIGNS: dict[str, Campaign] = {
    c.name: c
    for c in (
        *(SPECS, SOLVES, SEARCHES, ENGINES, FORMULATIONS, READERS, EXPORTS, SCORES, ESTIMATORS),
        *(FILES, SYMBOLS, SIGNALS, SWEEPS, HOSTILE),
    )
}
