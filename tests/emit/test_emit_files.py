"""Files appear whole or not at all."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from treemip.emit import files
from treemip.emit.files import replacing
from treemip.source.diagnostic import TreemipError


def said(path: Path) -> str:
    with pytest.raises(TreemipError) as caught, replacing(path):
        pytest.fail("opened")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "E603"
    assert diagnostic.remedy
    return str(caught.value)


def test_the_file_takes_its_place_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.mps"
    path.write_text("old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.mps"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
@pytest.mark.parametrize("name", ["a.mps", "a.mps.gz"])
def test_an_error_leaves_what_was_there(
    error: type[BaseException], name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text("old")
    with pytest.raises(error), replacing(path) as file:
        file.write(b"half")
        raise error
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [name]


def test_gz_is_compressed_and_carries_no_time(tmp_path: Path) -> None:
    for name in ("a.mps.gz", "b.gz"):
        with replacing(tmp_path / name) as file:
            file.write(b"text\n" * 100)
    one, two = ((tmp_path / name).read_bytes() for name in ("a.mps.gz", "b.gz"))
    assert gzip.decompress(one) == b"text\n" * 100
    assert one == two
    assert one[4:8] == b"\0\0\0\0"


def test_no_folder(tmp_path: Path) -> None:
    assert "there is no folder" in said(tmp_path / "none" / "a.mps")


def test_a_file_in_the_folders_place(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    assert "there is no folder" in said(tmp_path / "plain" / "a.mps")
    assert (tmp_path / "plain").read_text() == "x"


def test_a_folder_in_the_files_place(tmp_path: Path) -> None:
    assert "not an ordinary file" in said(tmp_path)


def test_a_folder_that_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused by the system itself where that can be had, since root may write anywhere."""
    tmp_path.chmod(0o500)
    if os.access(tmp_path, os.W_OK):

        def denied(*_: object, **__: object) -> int:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("builtins.open", denied)
        monkeypatch.setattr(os, "access", lambda *_: False)
    assert "no write permission in the folder" in said(tmp_path / "a.mps")
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(TreemipError, match="No space left") as caught, replacing(tmp_path / "a"):
        raise OSError(28, "No space left on device")
    assert "make room on the disk" in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_links_are_followed_and_permissions_ordinary(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    link = tmp_path / "link.mps"
    link.symlink_to(tmp_path / "deep" / "real.mps")
    (tmp_path / "plain").write_text("")
    with replacing(link) as file:
        file.write(b"x")
    assert link.is_symlink()
    real = tmp_path / "deep" / "real.mps"
    assert real.read_bytes() == b"x"
    assert real.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_left_over_temporaries_do_not_stop_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a killed process that had our number."""
    monkeypatch.setattr(files, "_numbers", iter(range(9)))
    left = tmp_path / f".treemip-{os.getpid()}-0.part"
    left.write_text("left")
    with replacing(tmp_path / "a.mps") as file:
        file.write(b"x")
    assert (tmp_path / "a.mps").read_bytes() == b"x"
    assert left.read_text() == "left"
