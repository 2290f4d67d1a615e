"""The site as `make site` builds it: no warning, no dead link, nothing from other hosts, and pages
that can be read; and the trees of the gallery, verified again."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.truth
pytest.importorskip("sphinx")
pytest.importorskip("furo")
ROOT = Path(__file__).parents[2]
sys.path += [str(Path(__file__).parent), str(ROOT / "docs")]

import links  # noqa: E402
import looks  # noqa: E402
from _site import runs  # noqa: E402


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = ["-m", "sphinx", "-W", "--keep-going", "-q", "-d", str(folder / "doctrees")]
    command = [sys.executable, *words, str(ROOT / "docs"), str(folder / "html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_links(site: Path) -> None:
    assert list(links.faults(site)) == []


def test_a_page_for_each_spec(site: Path) -> None:
    for path in sorted((ROOT / "specs").rglob("*.tree")):
        name = path.relative_to(ROOT / "specs").with_suffix("").as_posix()
        page = (site / "gallery" / f"{name}.html").read_text(encoding="utf-8")
        assert 'class="highlight-tree' in page, name
        assert name not in runs.examples() or "<math" in page, name


def test_programs_that_read_text_find_all_pages(site: Path) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# treemip\n\n> treemip finds optimal decision trees")
    assert "](language.html): " in text
    assert "](errors/E210.html)" in text
    assert "# The language" in (site / "llms-full.txt").read_text(encoding="utf-8")


@pytest.mark.skipif(bool(looks.missing()), reason=looks.missing())
def test_looks(site: Path) -> None:
    with looks.chromium() as browser:
        assert list(looks.faults(site, looks.FIRST, browser)) == []


@pytest.mark.parametrize("name", runs.examples())
def test_the_tree_of_an_example_is_verified_again(name: str, tmp_path: Path) -> None:
    saved = runs.read(name).saved
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(saved), encoding="utf-8")
    command = [sys.executable, "-m", "treemip", "verify", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    said = re.search(r"^tree +(verified(?: in part)?)", done.stdout, re.MULTILINE)
    assert said and said[1] == saved["verdict"], done.stdout + done.stderr
