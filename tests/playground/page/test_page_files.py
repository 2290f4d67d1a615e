"""The files of the page: its bundle is that of its sources, small, and asks no other host."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from browser import ASSETS, EDITORS


def test_the_bundle_is_that_of_its_sources(tmp_path) -> None:
    node = shutil.which("node")
    if node is None or not (EDITORS / "node_modules" / "esbuild").is_dir():
        pytest.skip("run `make editors`, which installs esbuild")
    locked = json.loads((EDITORS / "package-lock.json").read_text("utf-8"))["packages"]
    present = json.loads((EDITORS / "node_modules" / ".package-lock.json").read_text("utf-8"))
    for name, package in present["packages"].items():
        if package["version"] != locked[name]["version"]:
            pytest.skip(f"{name} is not the one of package-lock.json: run `make editors`")
    subprocess.run([node, EDITORS / "playground" / "build.mjs", tmp_path], check=True, timeout=60)
    for made in tmp_path.iterdir():
        same = made.read_text("utf-8") == (ASSETS / made.name).read_text("utf-8")
        assert same, f"{made.name} is out of date: cd editors && npm run playground"
    assert sorted(made.name for made in tmp_path.iterdir()) == ["licenses.txt", "playground.js"]


def test_the_page_is_small_and_whole() -> None:
    page = (ASSETS / "index.html").read_text("utf-8")
    named = re.findall(r'(?:src|href)="(\S+?)"', page)
    assert named == ["/assets/icon.svg", "/assets/playground.css", "/assets/playground.js"]
    assert all((ASSETS.parent / name[1:]).is_file() for name in named)
    assert sum(path.stat().st_size for path in ASSETS.iterdir()) < 500_000


@pytest.mark.parametrize("name", ["index.html", "playground.css"])
def test_nothing_is_loaded_from_elsewhere_and_nothing_is_inline(name) -> None:
    text = (ASSETS / name).read_text("utf-8")
    assert not re.search(r"https?://|url\(|@import|\sstyle=|<style|\son\w+=|javascript:", text)
    assert not re.search(r"<script[^>]*>(?!</script>)", text)


def test_sources_put_no_text_in_as_markup() -> None:
    sources = "".join(p.read_text("utf-8") for p in (EDITORS / "playground").glob("*.js"))
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", sources)


def test_the_licence_of_each_package_is_beside_the_bundle() -> None:
    text = (ASSETS / "licenses.txt").read_text("utf-8")
    assert "@codemirror/view\n================\n\nMIT License" in text
    assert len(re.findall(r"(?m)^=+$", text)) == text.count("Permission is hereby granted") >= 8
