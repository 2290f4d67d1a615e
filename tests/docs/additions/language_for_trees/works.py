from pathlib import Path

from trying import solved

from treemip.cli.main import main

solved().save("tree.json")
main(["convert", "tree.json", "-o", "tree.outline"])
text = Path("tree.outline").read_text()
assert text.startswith("petal") and "\n  leaf" in text, text
