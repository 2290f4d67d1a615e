"""Files appear whole or not at all."""

from __future__ import annotations

import gzip
import os
import signal
import threading
from pathlib import Path

import pytest

from treemip.core.files import atomic as files
from treemip.core.files.atomic import descriptor, is_stream, replacing, together, written_size
from treemip.core.source.diagnostic import TreemipError


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


def test_no_folder_and_a_folder_in_the_files_place(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    assert "there is no folder" in said(tmp_path / "none" / "a.mps")
    assert "there is no folder" in said(tmp_path / "plain" / "a.mps")
    assert "not an ordinary file" in said(tmp_path)
    assert (tmp_path / "plain").read_text() == "x"


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


# ------------------------------------------------------------------------ several files at once


def test_files_that_belong_together_appear_together(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two.gz"
    one.write_text("old")
    with together():
        with replacing(one) as file:
            file.write(b"new")
        assert one.read_text() == "old"
        assert written_size(one) == 3
        with together(), replacing(two) as file:
            file.write(b"newer")
        assert not two.exists()
        assert written_size(two) > 0
    assert (one.read_text(), gzip.decompress(two.read_bytes())) == ("new", b"newer")
    assert sorted(os.listdir(tmp_path)) == ["one", "two.gz"]
    assert written_size(one) == 3


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_one_that_fails_leaves_all_as_they_were(error: type[BaseException], tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("old")
    with pytest.raises((KeyboardInterrupt, TreemipError)), together():
        with replacing(one) as file:
            file.write(b"new")
        with replacing(two) as file:
            raise error
    assert one.read_text() == "old"
    assert os.listdir(tmp_path) == ["one"]
    with replacing(two) as file:  # the group is over
        file.write(b"new")
    assert two.read_text() == "new"


def test_one_that_failed_and_was_let_go_is_not_written(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    with together():
        with replacing(one) as file:
            file.write(b"new")
        with pytest.raises(ValueError, match="half"), replacing(two) as file:
            file.write(b"ha")
            raise ValueError("half")
    assert os.listdir(tmp_path) == ["one"]


def test_what_was_written_is_said_where_the_next_cannot_be(tmp_path: Path) -> None:
    """The second one's place is taken by a folder after the look at it."""
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    with pytest.raises(TreemipError) as caught, together():
        for path in (one, two, three):
            with replacing(path) as file:
                file.write(b"new")
        two.mkdir()
    assert str(caught.value) == (
        f"error[E603]: '{two}' cannot be written: Is a directory; '{one}' was written\n"
        "  = help: choose another name"
    )
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]


def test_signals_wait_until_all_files_are_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[str] = []

    def replace(temporary: Path, target: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        moved.append(target.name)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(KeyboardInterrupt), together():
        for name in ("one", "two"):
            with replacing(tmp_path / name) as file:
                file.write(b"new")
    assert moved == ["one", "two"]


# -------------------------------------------------------------------------- devices and pipes


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with replacing(pipe) as file:
        file.write(b"text")
    reader.join()
    assert (read, os.listdir(tmp_path)) == ([b"text"], ["pipe"])


def test_a_descriptor_is_told_from_a_file() -> None:
    assert [descriptor(path) for path in ("/dev/stdout", "/dev/stderr", "/dev/fd/17")] == [1, 2, 17]
    for path in ("1", "fd/1", "/dev/fd/", "/dev/fd/x", "/dev/null", "stdout"):
        assert descriptor(path) is None
    assert is_stream("/dev/null")
    assert not is_stream("nowhere")


def test_a_closed_descriptor_is_said() -> None:
    assert "'/dev/fd/987' cannot be written: Bad file descriptor" in said(Path("/dev/fd/987"))
