from pathlib import Path

from trying import IRIS, solved

from treemip.core.resolve.library_page import filled_in

assert solved(IRIS + "maximize goal: weight_right - 0.5 * splits;").objective == 99.5
assert "`weight_right`" in filled_in(Path("docs/library.md").read_text())
