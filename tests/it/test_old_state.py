"""Homes, logs and keyframes of every released engine, kept in tests/it/old,
and opened by the present build.
"""

import hashlib
import json
import os
import pathlib
import signal
import struct
import tarfile

import pytest

import lib
from lib import Home, wait_for

OLD = pathlib.Path(__file__).parent / "old"
HOMES = sorted(OLD.glob("home-engine-*.tar.xz"))
ENGINE = json.loads(lib.tend("version", "--json").text)["result"]["engine"]
NEWER = 99
REBUILT = "rebuilt from the output"


@pytest.fixture(params=HOMES, ids=lambda path: path.name.partition(".")[0])
def kept(request, tmp_path):
    """A home of an older tend, and that tend's output for its sessions."""
    with tarfile.open(request.param) as tar:
        tar.extractall(tmp_path)
    (tmp_path / "home").chmod(0o700)
    expected = json.loads((tmp_path / "expected.json").read_text())
    with Home(tmp_path / "home") as home:
        yield home, expected["sessions"]


def snapshot(home, sid, *args):
    """The screen, and the messages beside it."""
    answer = home.run("snapshot", "--json", sid, *args)
    assert answer.status == 0, answer
    return json.loads(answer.out)["result"], answer.err


def same_screen(got, want, what):
    """Everything in the older tend's output; the present one may have more."""
    differ = {key: (got.get(key), value) for key, value in want.items()
              if got.get(key) != value}
    assert not differ, (what, differ)


def test_each_released_engine_has_a_home_here():
    assert [path.name for path in HOMES] == [
        f"home-engine-{number}.tar.xz" for number in range(1, ENGINE)]


def test_sessions_of_an_older_tend_are_listed_and_read(kept):
    home, sessions = kept
    listed = {s["name"]: s for s in home.json("ls", "-a")}
    for name, want in sessions.items():
        same_screen(listed[name], want["info"], name)
        events = [e["type"] for e in home.events(want["id"])]
        assert events == want["types"], name
        raw = hashlib.sha256(home.raw(want["id"])).hexdigest()
        assert raw == want["raw"], name


def test_screens_of_an_older_tend_are_unchanged(kept):
    home, sessions = kept
    for name, want in sessions.items():
        got, said = snapshot(home, want["id"])
        same_screen(got, want["end"], name)
        assert said == "", (name, said)
        for seq, screen in want["at"].items():
            got, said = snapshot(home, want["id"], "--at", seq)
            same_screen(got, screen, (name, seq))
            assert said == "", (name, seq, said)


def test_logs_of_an_older_tend_can_be_compressed(kept):
    home, sessions = kept
    home.ok("gc", "--budget", "1G")
    for name, want in sessions.items():
        same_screen(snapshot(home, want["id"])[0], want["end"], name)
        raw = hashlib.sha256(home.raw(want["id"])).hexdigest()
        assert raw == want["raw"], name


# --- keyframes of a future engine

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
    TABLE.append(byte)

KEYFRAME, PREFIX = 11, 16  # the record's type, and bytes before "TKF"
HEADER = 128               # of a segment: 64 bytes, twice


def crc32c(crc, data):
    crc ^= 0xffffffff
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


def age_keyframes(path, engine, keep=0):
    """Mark the keyframes of a segment as those of another engine, except the
    first `keep`; returns their number."""
    data = bytearray(path.read_bytes())
    nonce = data[24:32]
    at, found = HEADER, 0
    while at + 28 <= len(data):
        magic, kind, _, size = struct.unpack_from("<HBBI", data, at)
        if magic != 0x6474:
            break
        place = bytes(nonce) + struct.pack("<Q", at)
        payload = slice(at + 28, at + 28 + size)
        crc = crc32c(crc32c(0, place), data[at:at + 24] + data[payload])
        assert crc == struct.unpack_from("<I", data, at + 24)[0], at
        if kind == KEYFRAME:
            start = at + 28 + PREFIX
            assert data[start:start + 3] == b"TKF", at
            found += 1
            if found > keep:
                data[start + 4] = engine
            crc = crc32c(crc32c(0, place), data[at:at + 24] + data[payload])
            struct.pack_into("<I", data, at + 24, crc)
        at += 28 + size
    path.write_bytes(data)
    return found


@pytest.mark.parametrize("keep", [0, 1, 2])
@pytest.mark.parametrize("name", ["plain", "resized", "drawing", "unicode"])
def test_screens_of_a_newer_engine_are_rebuilt_with_a_notice(kept, name,
                                                                keep):
    home, sessions = kept
    want = sessions[name]
    sid = want["id"]
    segment = home.dir(sid) / "log" / "00000001.seg"
    count = age_keyframes(segment, NEWER, keep)
    assert count >= 2
    got, said = snapshot(home, sid)
    # Sizes come from the resize events, the rest from the output.
    same_screen(got, {key: value for key, value in want["end"].items()
                      if key != "hash"}, (name, keep))
    assert (REBUILT in said) == (keep < count), (keep, said)
    # A replay with history begins with the first keyframe anyway.
    said = snapshot(home, sid, "--scrollback")[1]
    assert REBUILT in said or keep > 0, said
    text = home.run("log", "--text", sid)
    assert text.status == 0 and text.out, text


def test_a_host_that_rebuilt_the_screen_says_so_until_it_is_revived():
    with Home() as home:
        sid = home.start("sh", "-c", "echo hello; exec cat",
                         options=("-n", "down"))
        home.wait_text(sid, "hello")
        assert home.info(sid)["degraded"] is None
        host = home.info(sid)["host_pid"]
        os.kill(host, signal.SIGSTOP)
        age_keyframes(home.dir(sid) / "log" / "00000001.seg", NEWER)
        os.kill(host, signal.SIGKILL)
        wait_for(lambda: home.info(sid)["host_pid"] not in (None, host)
                 and home.info(sid)["degraded"], lambda: home.info(sid))
        assert REBUILT in home.info(sid)["degraded"], home.info(sid)
        assert "hello" in home.ok("snapshot", sid)
        shown = home.ok("info", sid)
        assert REBUILT in shown and "'tend revive down'" in shown, shown
        home.ok("revive", sid)
        assert home.info(sid)["degraded"] is None, home.info(sid)
