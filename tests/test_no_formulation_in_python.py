"""What decides is what a spec means: no Python names a formulation of the library, its rows or its
variables. Examples in docstrings and messages may."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "specs" / "library"
NAMED_HERE = {
    "core/resolve/builtins.py",  # what `split` has without `by`
    "study/init/first_spec.py",  # what `init` proposes
    "study/init/first_spec_survival.py",
    "study/init/first_spec_treatments.py",
    "study/sklearn/classifier.py",  # defaults of estimators
    "study/sklearn/policy.py",
    "study/sklearn/regressor.py",
    "study/sklearn/survival.py",
}
READERS = ("answers", "methods", "core/strategy")
"""What looks into models: single words are names of rows and variables here."""

ENGLISH = {"rows", "square", "has", "selected"}
SCORES = {"log_loss", "false_positive_rate", "true_positive_rate"}


def literals(path: Path) -> Iterator[str]:
    """The strings of a module but for docstrings."""
    tree = ast.parse(path.read_text())
    said = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def modules() -> Iterator[tuple[str, set[str]]]:
    for path in sorted((ROOT / "treemip").rglob("*.py")):
        yield path.relative_to(ROOT / "treemip").as_posix(), set(literals(path))


def rows_and_variables() -> set[str]:
    """Of the library's formulations, but for what the vocabulary calls so."""
    found = set[str]()
    for path in LIBRARY.rglob("*.tree"):
        text = re.sub(r"#[^\n]*", "", path.read_text())
        found |= set(re.findall(r"^ *(?:var|let|cut) +(\w+)", text, re.M))
        found |= set(re.findall(r'^\s+(\w+) *(?:"[^"]*" +)?(?:\{[^\n]*\})?:', text, re.M))
    vocabulary = (LIBRARY / "vocabulary.tree").read_text()
    return found - set(re.findall(r"^(?:concept|term|param) +(\w+)", vocabulary, re.M))


def test_no_python_names_a_formulation() -> None:
    names = {path.stem for path in LIBRARY.glob("*.tree")} - {"vocabulary"}
    found = {module for module, said in modules() if said & names}
    assert found == NAMED_HERE


def test_no_python_names_rows_or_variables() -> None:
    names = rows_and_variables()
    assert {"loss_high", "hit_least", "one_used", "leaf_size", "split_or_stop"} <= names
    several = {name for name in names if "_" in name}
    found = set()
    for module, said in modules():
        own = names - ENGLISH if module.startswith(READERS) else several - SCORES
        if said & own:
            found.add(module)
    assert found == set()
