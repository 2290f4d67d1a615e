import subprocess
import sys

from tests.fuzz.mutate import CHANGES

assert CHANGES[-1]("abc", [], None) == "cba"
words = ["-m", "tests.fuzz", "--campaign", "specs", "--mutants", "1", "--jobs", "1"]
ran = subprocess.run([sys.executable, *words], check=False, capture_output=True, text=True)
assert "fuzz: 1 mutants: 0 tracebacks" in ran.stdout, ran.stdout + ran.stderr
