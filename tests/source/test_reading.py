"""What is read: ordinary files and given pipes, within bounds. Nothing here may hang."""

import errno
import gzip
import os
import socket
import stat
from pathlib import Path

import pytest

from treemip.core.source import reading
from treemip.core.source.reading import read_bytes, read_text, unpacked


def refused(path: Path | str, most: int | None = None) -> OSError:
    with pytest.raises(OSError) as caught:
        read_bytes(path, most)
    return caught.value


def test_an_ordinary_file_and_a_link_to_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10_000)
    (tmp_path / "b").symlink_to("a")
    assert read_bytes(tmp_path / "a") == read_bytes(tmp_path / "b") == b"x" * 10_000
    assert read_bytes(tmp_path / "a", 10_000) == b"x" * 10_000


def test_what_is_no_ordinary_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("fifo")
    (tmp_path / "dangling").symlink_to("nowhere")
    pipe = "it is a named pipe, not an ordinary file"
    assert refused(tmp_path / "fifo").strerror == pipe
    assert refused(tmp_path / "link").strerror == pipe
    assert refused(tmp_path).strerror == "it is a directory"
    assert refused("/dev/zero").strerror == "it is a device, not an ordinary file"
    assert refused(tmp_path / "a\0b").strerror == "a file name cannot hold such characters"
    assert refused(tmp_path / "dangling").errno == errno.ENOENT
    assert refused(tmp_path / ("a" * 5000)).errno == errno.ENAMETOOLONG


def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # paths of sockets are short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
        assert refused("socket").strerror == "it is a socket, not an ordinary file"


def test_a_given_pipe_is_read_to_its_end() -> None:
    out, into = os.pipe()
    os.write(into, b"a,b\n1,2\n")
    os.close(into)
    try:
        assert read_bytes(f"/dev/fd/{out}") == b"a,b\n1,2\n"
    finally:
        os.close(out)


def test_a_given_pipe_without_end_is_bounded() -> None:
    out, into = os.pipe()
    os.write(into, b"x" * 5000)
    try:
        error = refused(f"/dev/fd/{out}", 100) if os.close(into) is None else None
    finally:
        os.close(out)
    assert error is not None and error.errno == errno.EFBIG
    assert error.strerror == "it is longer than that, and at most 100 bytes can be read"


def test_a_sparse_file_is_refused_by_its_size(tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(1 << 40)
    assert os.stat(tmp_path / "sparse").st_blocks < 100
    error = refused(tmp_path / "sparse", 5_000_000)
    assert error.strerror == "it has 1 099 512 MB, and at most 5 MB can be read"
    assert read_bytes(tmp_path / "sparse", wanted=lambda head: False) == b"\0" * reading.HEAD


def test_a_file_may_not_fill_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1000)
    monkeypatch.setattr(reading, "room", lambda: 2000)
    assert refused(tmp_path / "a").errno == errno.EFBIG


def test_text_has_one_kind_of_line_end(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(tmp_path / "a") == "a\nb\nc\n"


def test_gzip_of_several_members() -> None:
    assert unpacked(gzip.compress(b"a" * 10) + gzip.compress(b"b")) == b"a" * 10 + b"b"


def test_a_gzip_bomb_is_left_as_soon_as_it_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "EXPANDED", 2_000_000)
    bomb = gzip.compress(b"\0" * 50_000_000)
    with pytest.raises(OSError, match="expands to more than 5 MB") as caught:
        unpacked(bomb)
    assert caught.value.errno == errno.EFBIG
    assert len(bomb) * reading.RATIO < 5_500_000


def test_what_compresses_well_but_is_small_is_no_bomb() -> None:
    assert unpacked(gzip.compress(b"0," * 1_000_000)) == b"0," * 1_000_000


@pytest.mark.parametrize(
    "data", [gzip.compress(b"abc", mtime=0)[:-5], b"\x1f\x8bxyz", gzip.compress(b"a", mtime=0)[:12]]
)
def test_damaged_gzip(data: bytes) -> None:
    with pytest.raises(OSError, match="compression is damaged"):
        unpacked(data)


def test_every_kind_of_file_has_words() -> None:
    assert all(stat.S_IFMT(kind) == kind for kind in reading._KINDS)
