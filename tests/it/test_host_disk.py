"""A disk that is full: the program runs on, and what is missing is known."""

import subprocess

import pytest

from lib import BUILD, Home, wait_for
import oracle_stream

BURST = BUILD / "tests" / "it" / "burst"


@pytest.fixture
def small(tmp_path):
    """A home on a disk of 3 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m,mode=0700", "tmpfs",
                    place], check=True)
    try:
        with Home(place / "home") as made:
            made.path.mkdir(mode=0o700)
            yield made
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def fill(home):
    """Leave no room at all; the file that takes it."""
    path = home.path.parent / "ballast"
    with open(path, "wb", buffering=0) as out:
        for size in (1 << 16, 4096, 1):
            try:
                while True:
                    out.write(bytes(size))
            except OSError:
                pass
    return path


def test_full_disk_stops_no_program_and_the_gap_is_exact(small):
    """The bytes of the log and the gaps together are all there were."""
    total = 6_000_000
    sid = small.start("sh", "-c", f"read x; {BURST} 5 {total}; read y; exit 6")
    small.wait_status(sid, "running")
    ballast = fill(small)
    small.ok("send", sid, "--text", "go\r")
    wait_for(lambda: small.info(sid)["offset"] >= total,
             lambda: small.info(sid))
    small.wait_text(sid, "%012d" % (total // 80 - 1))
    ballast.unlink()
    wait_for(lambda: any(e["type"] == "gap" for e in small.events(sid)),
             lambda: (small.dir(sid) / "host.log").read_text())
    small.ok("send", sid, "--text", "bye\r")
    ended = small.wait_status(sid, "exited")
    assert ended["exit_code"] == 6
    gaps = [e for e in small.events(sid) if e["type"] == "gap"]
    missing = sum(e["bytes"] for e in gaps)
    assert 0 < missing < total
    raw = small.run("log", "--raw", sid)
    assert len(raw.out) + missing == ended["offset"], (gaps, raw.err)
    first = gaps[0]
    echo = raw.out.index(b"%012d" % 0)
    where = oracle_stream.difference(raw.out[echo:first["offset"]], 5)
    assert where is None, where


def test_full_disk_is_told_and_is_over_by_itself(small):
    sid = small.start("sh", "-c", "read x; echo first; read y; echo second; "
                      "cat")
    small.wait_status(sid, "running")
    ballast = fill(small)
    small.ok("send", sid, "--text", "a\r")
    small.wait_text(sid, "first")
    text = (small.dir(sid) / "host.log")
    small.ok("send", sid, "--text", "b\r")
    small.wait_text(sid, "second")
    ballast.unlink()
    wait_for(lambda: b"second" in small.raw(sid), lambda: text.read_text())
    assert [e for e in small.events(sid) if e["type"] == "gap"] == []
