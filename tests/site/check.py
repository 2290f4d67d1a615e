"""Checks a built site: its links, what its pages load, and how they look.

    python tests/site/check.py build/site

Prints what is wrong and exits with 1 if anything is. Addresses of other hosts are listed, and not
tried.
"""

from __future__ import annotations

import sys
from pathlib import Path

import links
import looks


def main(site: Path) -> int:
    site = site.resolve()
    found = list(links.faults(site))
    lacking = looks.missing()
    if not lacking:
        names = looks.selected(site)
        with looks.chromium() as browser:
            found += looks.faults(site, names, browser)
            others = [p.relative_to(site).with_suffix("").as_posix() for p in links.pages(site)]
            found += looks.too_wide(site, others, browser)
    print(*found, sep="\n", end="\n" * bool(found))
    if lacking:
        print(f"note: how pages look was not checked; it needs {lacking}")
    outside = links.elsewhere(site)
    print(f"{len(links.pages(site))} pages, {len(found)} faults; not tried: {' '.join(outside)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
