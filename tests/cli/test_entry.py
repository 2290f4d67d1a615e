"""Ctrl-C at the very beginning ends as it does later."""

from __future__ import annotations

import subprocess
import sys

BEGIN = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "{at}":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
sys.argv[1:] = ["list"]
from treemip.cli.entry import run
run()
"""


def test_ctrl_c_while_modules_are_imported():
    for at in ("argparse", "treemip.cli.main", "treemip.cli.console"):
        said = subprocess.run(
            [sys.executable, "-c", BEGIN.format(at=at)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (said.returncode, said.stdout, said.stderr) == (130, "", "interrupted\n")
