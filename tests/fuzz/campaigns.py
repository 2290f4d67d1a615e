"""The campaigns by name, in the order of the summary."""

from __future__ import annotations

from .cases import Campaign
from .engines import CAMPAIGN as ENGINES
from .files import CAMPAIGN as FILES
from .hostile import CAMPAIGN as HOSTILE
from .readers import CAMPAIGN as READERS
from .searches import CAMPAIGN as SEARCHES
from .signals import CAMPAIGN as SIGNALS
from .solves import CAMPAIGN as SOLVES
from .specs import CAMPAIGN as SPECS
from .symbols import CAMPAIGN as SYMBOLS

CAMPAIGNS: dict[str, Campaign] = {
    c.name: c for c in (SPECS, SOLVES, SEARCHES, ENGINES, READERS, FILES, SYMBOLS, SIGNALS, HOSTILE)
}
