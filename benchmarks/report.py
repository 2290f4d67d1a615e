"""Results as text: a table a case, and where they were measured."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

from cases import TREEMIP, Interpreters
from measure import Cost

WIDTH = 16


def table(title: str, costs: dict[str, Cost], models: dict[str, str]) -> str:
    """One line a contender; ratios are CPU seconds over treemip's where it took part."""
    own = costs.get(TREEMIP)
    head = f"{'':{WIDTH}} {'CPU s':>8} {'wall s':>8} {'ratio':>7} {'peak MB':>8}"
    lines = [title, head]
    for tool, cost in costs.items():
        ratio = f"{cost.cpu / own.cpu:.2f}" if own else ""
        lines.append(
            f"{tool:{WIDTH}} {cost.cpu:8.2f} {cost.wall:8.2f} {ratio:>7} {cost.peak:8.0f}"
            f"  {models.get(tool, '')}".rstrip()
        )
    return "\n".join(lines)


def machine() -> str:
    """Processor, system and Python in one line."""
    cpu = platform.processor() or platform.machine()
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        models = [
            line for line in listing.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = models[0].partition(":")[2].strip() if models else cpu
    return f"{cpu}, {platform.system()} {platform.release()}, Python {platform.python_version()}"


def versions(python: Interpreters) -> str:
    """Versions of treemip and of the peers, as their own Pythons know them."""
    peers = ("gurobipy", "linopy", "pyoptinterface", "pyomo", "highspy", "numpy", "scipy")
    own = ("treemip", "numpy", "polars", "highspy")
    return f"treemip's Python: {installed(python.own, own)}\npeers' Python: " + installed(
        python.peers, peers
    )


def installed(python: str, names: tuple[str, ...]) -> str:
    """The packages' versions in that Python, "absent" where there is none."""
    script = (
        "import importlib.metadata as m\n"
        f"installed = {{d.name.lower(): d.version for d in m.distributions()}}\n"
        f"print(', '.join(f'{{n}} {{installed.get(n, \"absent\")}}' for n in {names!r}))"
    )
    return subprocess.run(
        [python, "-c", script], capture_output=True, text=True, check=True
    ).stdout.strip()
