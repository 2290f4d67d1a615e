"""The tree-sitter grammar: its parser is made from the text beside it, its words are the
language's, and its queries say of every part what the colours of pages say."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from colour_kinds import CALLED
from colour_readers import EDITORS, ROOT, TREE_SITTER, offsets, tree_of, tree_sitter_language
from colour_words import words

from treemip.core.syntax.colours import parts

SHIPPED = sorted((ROOT / "specs").rglob("*.tree"))
QUERIES = sorted([*TREE_SITTER.glob("queries/*.scm"), *EDITORS.glob("helix/queries/*/*.scm")])

BLOCKS = """\
data "a.csv" {
  label class;
}

subject to
  few {t in branches}:
    sum {j in features} uses[t,j] <= 2;
  depth: max {t in branches} active[t]
    <= 1;
"""


@pytest.fixture(scope="module")
def language(tmp_path_factory):
    return tree_sitter_language(tmp_path_factory.mktemp("tree-sitter"))


def captures(path: Path, text: str, language) -> list[tuple[str, int, int]]:
    """What a query captures in a text, in its order, in characters."""
    import tree_sitter

    query = tree_sitter.Query(language, path.read_text(encoding="utf-8"))
    place = offsets(text, "utf-8", 1)
    found = tree_sitter.QueryCursor(query).captures(tree_of(text, language))
    return sorted(
        ((name, place[node.start_byte], place[node.end_byte]) for name in found
         for node in found[name]),
        key=lambda each: each[1:],
    )  # fmt: skip


def strings_in(node: object) -> set[str]:
    """The texts that a grammar names."""
    if isinstance(node, list):
        return set().union(*map(strings_in, node))
    if not isinstance(node, dict):
        return set()
    own = {node["value"]} if node.get("type") == "STRING" else set()
    return own.union(*(strings_in(part) for part in node.values()))


def test_the_words_of_the_grammar_are_those_of_the_language() -> None:
    grammar = json.loads((TREE_SITTER / "src" / "grammar.json").read_text(encoding="utf-8"))
    found = {text for text in strings_in(grammar["rules"]) if text.isalpha()}
    assert found == set(words()["keywords"])


def test_the_parser_was_made_from_this_grammar() -> None:
    """grammar.js says what grammar.json has, which tree-sitter writes together with parser.c."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine")
    script = Path(__file__).with_name("grammar_json.mjs")
    said = subprocess.run([node, script], capture_output=True, text=True, check=True).stdout
    made = json.loads((TREE_SITTER / "src" / "grammar.json").read_text(encoding="utf-8"))
    now = json.loads(said)
    assert {key: made[key] for key in now} == now, "run: tree-sitter generate --no-bindings"


@pytest.mark.parametrize("path", QUERIES, ids=lambda p: str(p.relative_to(EDITORS)))
def test_a_query_takes_nodes_that_there_are(path: Path, language) -> None:
    assert any(captures(path, text.read_text("utf-8"), language) for text in SHIPPED)


def test_colours_are_those_of_pages(language) -> None:
    path = TREE_SITTER / "queries" / "highlights.scm"
    brackets = {"punctuation.bracket": "punctuation.delimiter", "variable.parameter": "variable"}
    for spec in SHIPPED:
        text = spec.read_text(encoding="utf-8")
        found = [(brackets.get(n, n), *at) for n, *at in captures(path, text, language)]
        expected = [(CALLED[part.kind].tree_sitter, part.start, part.end) for part in parts(text)]
        assert [
            (ours, theirs, text[ours[1] : ours[2]])
            for ours, theirs in zip(found, expected, strict=False)
            if ours != theirs
        ] == [], spec.name
        assert len(found) == len(expected)


def test_blocks_and_long_statements_are_folded_and_indented(language) -> None:
    queries = TREE_SITTER / "queries"
    folded = {
        BLOCKS[start:end].partition("\n")[0]
        for name, start, end in captures(queries / "folds.scm", BLOCKS, language)
        if name == "fold" and "\n" in BLOCKS[start:end]
    }
    rows = {"few {t in branches}:", "depth: max {t in branches} active[t]"}
    assert folded == {"{", "subject to", *rows}
    begun = {
        BLOCKS[start:end].partition("\n")[0]
        for name, start, end in captures(queries / "indents.scm", BLOCKS, language)
        if name == "indent.begin" and "\n" in BLOCKS[start:end]
    }
    assert begun == folded


def test_indices_are_local_to_what_they_are_written_in(language) -> None:
    found = captures(TREE_SITTER / "queries" / "locals.scm", BLOCKS, language)
    definitions = [BLOCKS[s:e] for name, s, e in found if name.startswith("local.definition")]
    assert definitions == ["few", "t", "j", "depth", "t"]
    scopes = [BLOCKS[s:e] for name, s, e in found if name == "local.scope"]
    assert any(text.startswith("few {t") for text in scopes)
    assert any(text.startswith("sum {j") for text in scopes)
