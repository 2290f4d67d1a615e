"""The report printed by Chromium: a deep tree fits on a page across, and the rest on few pages.

Skipped without Chromium: one on the path, or the one that TREEMIP_BROWSER names.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from browsers import chromium_path

import treemip
from treemip.study.report.report import report

CHROMIUM = chromium_path()
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
SPEC = """\
data "rows.csv" { label class; scale minmax; }
topology complete(depth = 5);
split univariate by oct;
strategy { start cart; time_limit 1; }
"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_tree_of_depth_5_is_printed_on_few_pages(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    x, y = random.normal(size=(300, 6)).round(2), random.choice(["no", "yes"], 300)
    lines = ["a,b,c,d,e,f,class", *(",".join([*map(str, r), k]) for r, k in zip(x, y, strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "deep.tree").write_text(SPEC)
    treemip.load(tmp_path / "deep.tree").compile().solve().save(tmp_path / "deep.json")
    text, _ = report(tmp_path / "deep.json", rows=True)
    assert text.count('<section class="node"') > 15
    page, printed = tmp_path / "deep.html", tmp_path / "deep.pdf"
    page.write_text(text, encoding="utf-8")
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}"]
    command += [f"--print-to-pdf={printed}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed.read_bytes())
    across = [float(width) > float(height) for width, height in boxes]
    assert len(across) <= 6 and across.count(True) == 1
