"""First lines, frames and their order, limits, and permission to connect."""

import contextlib
import json
import os
import resource
import signal
import socket
import struct
import time

import pytest

import wire
from lib import Home, as_another_user, wait_for
from wire import Refused, Wire


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        yield home


@pytest.fixture(scope="module")
def cat(home):
    """The directory of a session that echoes everything."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat")
    with Wire(home.dir(sid), replay="raw", **{"from": 0}) as w:
        w.until_output(b"ready")
    return home.dir(sid)


def first_line(directory, line):
    """Send a first line; returns the reply until the host closes, or a
    line."""
    with wire.connect(directory) as sock:
        sock.settimeout(wire.SECONDS)
        with contextlib.suppress(BrokenPipeError):
            sock.sendall(line)
        got = b""
        while b"\n" not in got:
            more = sock.recv(65536)
            if not more:
                break
            got += more
        return got


def test_the_welcome_has_the_common_features(cat):
    """Versions are negotiated, unknown fields and features ignored."""
    answer = json.loads(first_line(cat, json.dumps({
        "tend": 7, "client": "x" * 500, "mode": "control", "no_such": [1],
        "features": ["offset", "events", "telepathy"]}).encode() + b"\n"))
    assert answer["ok"] is True and answer["tend"] == 1, answer
    assert answer["features"] == ["offset", "events"], answer
    assert answer["granted"] == "readwrite" and len(answer["id"]) == 26


@pytest.mark.parametrize("line", [
    b"hello\n", b"{\n", b"[]\n", b"\n", b"7\n", b"null\n",
    b'{"tend":1,"mode":"telepathy"}\n',
    b'{"tend":"one","mode":"control"}\n',
    b'{"tend":1,"mode":"attach","cols":-4}\n',
    b'{"tend":1,"mode":"attach","replay":7}\n',
    b"[" * 5000 + b"\n",
    b'{"a":"' + b"x" * 20000,
], ids=str)
def test_bad_first_lines_are_reported_and_closed(cat, line):
    answer = json.loads(first_line(cat, line))
    assert answer["ok"] is False, answer
    assert answer["error"]["code"] == "protocol", answer
    assert answer["error"]["message"], answer


def test_a_silent_connection_is_closed_after_ten_seconds(cat):
    begin = time.monotonic()
    answer = json.loads(first_line(cat, b'{"tend":1,'))
    assert answer["error"]["code"] == "timeout", answer
    assert 9 < time.monotonic() - begin < 20


def test_metadata_comes_before_history_and_data(cat):
    """B-12..B-17: Metadata, then History (even when empty), then Data."""
    with Wire(cat, features=(), replay="none") as w:
        assert w.welcome["features"] == []
        kind, payload = w.frame()
        assert kind == wire.METADATA
        meta = json.loads(payload)
        assert meta["panes"] == [{"index": 0, "command": "sh", "width": 80,
                                  "height": 24, "active": True}], meta
        assert set(meta) >= {"session", "principal", "machine", "offset",
                             "history_offset", "gap", "title", "modes"}
        assert w.frame() == (wire.HISTORY, b"")
        w.data(b"abc")
        kind, payload = w.frame()
        assert (kind, payload[:1]) == (wire.DATA, b"a")
        w.until_output(b"abc")


def test_history_holds_the_raw_bytes(cat):
    """B-15, B-19, B-20: from an offset, as they came."""
    with Wire(cat, features=(), replay="raw", **{"from": 2}) as w:
        meta = w.metadata()
        assert meta["history_offset"] == 2 and meta["gap"] == 0, meta
        kind, payload = w.frame()
        assert kind == wire.HISTORY and payload.startswith(b"ady"), payload
        assert len(payload) == meta["offset"] - 2


def test_resize_of_another_length_is_ignored(cat):
    """B-14."""
    with Wire(cat, cols=70, rows=20) as w:
        w.event("resized", cols=70, rows=20)
        for payload in (b"", b"\0\x50", b"\0\x50\0\x18\0", b"\0\0\0\x18"):
            w.send(wire.RESIZE, payload)
        w.sync()
        assert w.call("session.get")["cols"] == 70


def test_bytes_behind_the_line_are_not_lost(cat):
    """B-18: the line and the first frames in one write, or byte by byte."""
    hello = json.dumps({"tend": 1, "mode": "attach", "replay": "none",
                        "features": ["offset"]}).encode() + b"\n"
    whole = hello + wire.frame(wire.DATA, b"together") \
        + wire.frame(wire.PING, b"1")
    for pieces in ([whole], [whole[i:i + 1] for i in range(len(whole))]):
        w = Wire.__new__(Wire)
        w.__dict__.update(sock=wire.connect(cat), buffer=bytearray(),
                          frames=[], output=bytearray(), at=None, gaps=[],
                          screens=[], next_id=1)
        for piece in pieces:
            w.sock.sendall(piece)
        w.welcome = json.loads(w._line())
        assert w.take(wire.PONG) == b"1"
        w.until_output(b"together")
        w.close()


def test_a_ping_is_answered_and_a_detach_closes_the_connection(cat):
    with Wire(cat) as w:
        w.send(wire.PING, b"x" * 64)
        assert w.take(wire.PONG) == b"x" * 64
        w.send(wire.DETACH)
        w.until_closed()


@pytest.mark.parametrize("garbage", [
    struct.pack(">BI", wire.DATA, 0xffffffff),
    struct.pack(">BI", wire.DATA, (1 << 20) + 1),
    wire.frame(0x00), wire.frame(0x7f, b"x"), wire.frame(0xff),
    wire.frame(wire.HISTORY, b"x"), wire.frame(wire.METADATA, b"{}"),
    wire.frame(wire.OUTPUT, b"\0" * 9), wire.frame(wire.ENDED, b"{}"),
    wire.frame(wire.REQUEST, b""), wire.frame(wire.REQUEST, b"{"),
    wire.frame(wire.REQUEST, b"[" * 100000),
    wire.frame(wire.REQUEST, b'{"id":1}'),
    wire.frame(wire.INPUT, b"\0" * 9), wire.frame(wire.SEEN, b"\0" * 7),
    wire.frame(wire.VIEW, b""), wire.frame(wire.PING, b"x" * 65),
    os.urandom(100000),
], ids=range(18))
def test_garbage_closes_its_sender_only(cat, garbage):
    with Wire(cat) as other, Wire(cat) as w:
        try:
            w.sock.sendall(garbage + b"\xee" * 10)
        except (BrokenPipeError, ConnectionResetError):
            pass
        w.until_closed()
        told = [json.loads(payload) for kind, payload in w.frames
                if kind == wire.RESPONSE]
        assert [t["error"]["code"] for t in told] == ["protocol"], w
        other.sync()


def test_half_a_frame_harms_no_other_client(cat):
    with Wire(cat) as other:
        for cut in range(1, 9):
            w = Wire(cat)
            w.sock.sendall(wire.frame(wire.PING, b"1234")[:cut])
            w.close()
        other.sync()


def test_a_control_connection_may_not_type(cat):
    for kind, payload in ((wire.DATA, b"x"), (wire.RESIZE, b"\0\x50\0\x18"),
                          (wire.INPUT, b"\0" * 10), (wire.VIEW, b"\1")):
        with Wire(cat, mode="control") as w:
            w.send(kind, payload)
            w.until_closed()


def test_connections_are_limited(home):
    """64 without a first line and 256 in all; the next gets `busy`."""
    sid = home.start("sh", "-c", "stty raw -echo; exec cat")
    directory = home.dir(sid)
    silent = [wire.connect(directory) for _ in range(64)]
    wait_for(lambda: b"busy" in first_line(directory, b""), "busy")
    for sock in silent:
        sock.close()
    wait_for(lambda: b"welcome" if b'"ok":true' in first_line(
        directory, b'{"tend":1,"mode":"control"}\n') else None,
        "room again")
    many = [Wire(directory, mode="control") for _ in range(256)]
    with pytest.raises(Refused) as refused:
        Wire(directory)
    assert refused.value.code == "busy"
    for w in many:
        w.call("session.get")
        w.close()


def host_pid(home, sid):
    return wait_for(lambda: next(
        m["host_pid"] for m in home.manifests() if m["id"] == sid),
        "the host's pid")


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_without_descriptors_accept_pauses(home):
    """O-24: no spinning, no refusals, and everything continues afterwards."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat")
    with Wire(home.dir(sid), replay="raw", **{"from": 0}) as w:
        w.until_output(b"ready")
        pid = host_pid(home, sid)
        used = max(int(fd) for fd in os.listdir(f"/proc/{pid}/fd"))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 4, used + 4))
        waiting = []
        for _ in range(12):
            sock = wire.connect(home.dir(sid))
            sock.sendall(b'{"tend":1,"mode":"control"}\n')
            waiting.append(sock)
        before, begin = cpu_ticks(pid), time.monotonic()
        while time.monotonic() < begin + 1.5:
            assert w.type(wire.TEXT, b"alive")[0] == wire.WRITTEN
            while w.frame(0.1) is not None:
                pass
        assert cpu_ticks(pid) - before < 30, "it spins"

        def serve():
            """Clients that were answered leave, and make room for others."""
            for sock in [s for s in waiting if peek(s)]:
                sock.close()
                waiting.remove(sock)
            return not waiting

        wait_for(serve, lambda: f"{len(waiting)} still wait")


def peek(sock):
    try:
        return sock.recv(65536, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return None


def test_another_user_is_refused(home):
    """S11: even if all permissions are open."""
    sid = home.start("cat")
    directory = home.dir(sid)
    for path in (home.path, home.path / "sessions", directory):
        path.chmod(0o777)
    (directory / "sock").chmod(0o777)

    def knock():
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(20)
        sock.connect(str(directory / "sock"))
        try:
            sock.sendall(b'{"tend":1,"mode":"control"}\n')
            got = sock.recv(100)
        except (BrokenPipeError, ConnectionResetError):
            got = b""
        return b"silence" if got == b"" else b"heard " + got

    assert as_another_user(knock) == b"silence"
    for path in (home.path, home.path / "sessions", directory):
        path.chmod(0o700)
    with Wire(directory, mode="control") as w:
        assert w.call("session.get")["id"] == sid
        os.kill(w.call("session.get")["child_pid"], signal.SIGKILL)
