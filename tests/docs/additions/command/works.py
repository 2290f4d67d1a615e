import subprocess
import sys


def said(*words: str) -> str:
    command = [sys.executable, "-m", "treemip", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


assert said("count", "specs/iris.tree") == "150\n"
assert "count" in said("--help") and "Count the points." in said("count", "--help")
assert "count" in said("completion", "bash")
