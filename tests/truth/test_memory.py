"""Files of models with millions of nonzeros: what writing takes beside the model's own arrays."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SPECS = Path(__file__).parents[2] / "benchmarks" / "specs"
MEASURE = """
import json, resource, sys
import treemip

def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

compiled = treemip.load(sys.argv[1]).compile()
matrices = [block.matrix for block in compiled.model.rows]
arrays = sum(m.indices.nbytes + m.data.nbytes + m.indptr.nbytes for m in matrices)
before = peak()
report = compiled.write(sys.argv[2], names="short")
print(json.dumps([report.nonzeros, arrays, peak() - before]))
"""


@pytest.mark.truth
@pytest.mark.parametrize("suffix", [".mps", ".lp", ".mof.json"])
def test_arrays_and_text_take_less_than_three_times_the_arrays(suffix: str, tmp_path: Path) -> None:
    """S-OCT at depth 4 on spambase; the peak of a process of its own."""
    spec, target = SPECS / "soct_spambase_depth4.tree", tmp_path / f"model{suffix}"
    said = subprocess.check_output([sys.executable, "-c", MEASURE, str(spec), str(target)])
    nonzeros, arrays, more = json.loads(said)
    assert nonzeros > 8_000_000
    assert arrays + more < 3 * arrays
