"""Streams outlive hubs, hosts and clients: a client that resumes by offset
sees no gap and no double byte, and sessions never notice (Done 4, R1, B-42).
"""

import array
import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import random
import signal
import socket
import struct
import termios

import pytest

import flood
from hub import Hub
from lib import Home, wait_for
from stream_client import Closed, Refused, Stream

FULL = "TEND_TEST_FULL" in os.environ
LIBC = ctypes.CDLL(None, use_errno=True)
PIDFD_GETFD = 438  # the system call
LINES = 400_000
PARTS = 40 if FULL else 5
CUTS = 400 if FULL else 20


@pytest.fixture
def home():
    with Home() as made:
        yield made


@pytest.fixture
def hub(home):
    with Hub(home) as started:
        yield started


@pytest.fixture
def session(home):
    sid = home.start(*flood.program(LINES))
    home.wait_text(sid, "ready")
    yield sid


class Reader:
    """A client that resumes where it stopped, on whatever hub there is."""

    def __init__(self, hub, sid):
        self.hub, self.sid = hub, sid
        self.data, self.stream = bytearray(), None

    def open(self):
        self.stream = Stream(self.hub)
        self.stream.subscribe(1, session=self.sid, want="output",
                              behind="lossless", access="readwrite",
                              **{"from": len(self.data)})
        return self.stream

    def leave(self):
        """Keep what has come; the connection may be broken."""
        sub = self.stream.subs[1]
        assert not sub.gaps, sub.gaps
        self.data += sub.data
        self.stream.sock.close()

    def has_all(self):
        return (self.data[-4:] + self.stream.subs[1].data[-4:]).endswith(
            b"done")

    def read(self, size):
        """Read so many bytes from this hub, or up to the end."""
        sub = self.stream.subs[1]
        self.stream.until(lambda: len(sub.data) >= size or self.has_all(),
                          f"{size} bytes")

    def read_rest(self):
        self.stream.until(self.has_all, "the end", 90)
        self.leave()


def start_flood(home, sid):
    home.ok("send", sid, "--keys", "Enter")


@pytest.mark.parametrize("kill", [True, False], ids=["kill", "stop"])
def test_a_client_resumes_after_the_end_of_the_hub(home, session, kill):
    want = flood.stream(LINES)
    before = home.info(session)
    hub = Hub(home)
    reader = Reader(hub, session)
    hub.start()
    start_flood(home, session)
    for part in range(PARTS):
        reader.open()
        reader.read(random.randrange(1, len(want) // PARTS // 2))
        if kill:
            hub.kill()
        else:
            hub.process.terminate()
            # The rest of the output arrives, and then the reason.
            assert reader.stream.until_closed() == 1001
            assert hub.process.wait(30) == 0
        reader.leave()
        hub.start()
    reader.open()
    reader.read_rest()
    assert bytes(reader.data) == want
    after = home.info(session)
    for name in "host_pid", "keeper_pid", "child_pid", "status":
        assert after[name] == before[name], name
    assert home.raw(session) == want
    hub.stop()


def test_a_client_resumes_after_the_end_of_session_and_hub(home, session):
    want = flood.stream(LINES)
    with Hub(home) as hub:
        reader = Reader(hub, session)
        reader.open()
        start_flood(home, session)
        reader.read(100_000)
        hub.kill()
        reader.leave()
        home.wait_text(session, "done", 60)
        home.ok("send", session, "--keys", "Enter")
        home.wait_gone(session)
        hub.start()
        stream = reader.open()
        assert stream.event(1, "ended", 60)["exit_code"] == 0
        reader.leave()
        assert bytes(reader.data) == want


def test_a_viewer_sees_nothing_of_a_killed_host(home, hub, session):
    want = flood.stream(LINES)
    reader = Reader(hub, session)
    stream = reader.open()
    stream.event(1, "opened")
    stream.subscribe(2, session=session, want="screen", cells=False)
    start_flood(home, session)
    for part in range(1, PARTS):
        reader.read(len(want) * part // PARTS)
        host = home.info(session)["host_pid"]
        if host is not None:
            os.kill(host, signal.SIGKILL)
        stream.event(1, "opened")
    reader.read_rest()
    assert bytes(reader.data) == want


def test_a_viewer_sees_nothing_of_an_upgrade(home, hub, session):
    want = flood.stream(LINES)
    reader = Reader(hub, session)
    stream = reader.open()
    stream.event(1, "opened")
    start_flood(home, session)
    for part in range(1, 4):
        reader.read(len(want) * part // 8)
        home.ok("upgrade", session)
        stream.event(1, "opened")
    assert stream.type(1, "")["status"] in ("written", "nothing")
    reader.read_rest()
    assert bytes(reader.data) == want


def test_a_screen_goes_on_with_the_next_host(home, hub):
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat")
    home.wait_text(sid, "ready")
    with Stream(hub) as stream:
        stream.subscribe(1, session=sid, want="screen", access="readwrite")
        stream.event(1, "screen")
        os.kill(home.info(sid)["host_pid"], signal.SIGKILL)
        stream.event(1, "opened")
        assert stream.event(1, "screen")["full"]
        stream.type(1, "\r\nnext")
        update = stream.event(1, "screen")
        assert update["changed"][-1]["text"] == "next", update


def test_an_input_is_unknown_when_its_host_dies(home, hub, tmp_path):
    """The outcome is unknown, and nothing is typed twice."""
    keys = tmp_path / "keys"
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; "
                     f"exec cat >{keys}")
    home.wait_text(sid, "ready")
    with Stream(hub) as stream:
        stream.subscribe(1, session=sid, want="output", access="readwrite")
        stream.event(1, "opened")
        # From now on the hub sends at once what it gets.
        assert stream.type(1, "BEGIN")["status"] == "written"
        host = home.info(sid)["host_pid"]
        os.kill(host, signal.SIGSTOP)
        lost = [stream.post("input", sub=1, kind="text", text=f"<{n}>")
                for n in range(10)]
        stream.ask("ping")
        # The hub has sent them: the kernel has them for the host.
        wait_for(lambda: waiting(host) >= len(lost) * len("<0>"),
                 "input for the host")
        os.kill(host, signal.SIGKILL)
        codes = []
        for number in lost:
            try:
                codes.append(stream.answer(number)["status"])
            except Refused as refused:
                codes.append(refused.code)
        assert "unknown" in codes and set(codes) <= {"unknown", "written"}, \
            codes
        assert stream.type(1, "END")["status"] == "written"
        wait_for(lambda: keys.read_bytes().endswith(b"END"), "END")
        typed = keys.read_bytes()
        for n, code in enumerate(codes):
            count = typed.count(b"<%d>" % n)
            assert count <= 1 and (code == "unknown" or count == 1), typed


def waiting(pid):
    """The bytes that sockets of a process have received and it has not read."""
    pidfd, count = os.pidfd_open(pid), 0
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        if not os.readlink(link).startswith("socket:"):
            continue
        fd = LIBC.syscall(PIDFD_GETFD, pidfd, int(link.name), 0)
        assert fd >= 0, os.strerror(ctypes.get_errno())
        unread = array.array("i", [0])
        with contextlib.suppress(OSError):  # it listens
            fcntl.ioctl(fd, termios.FIONREAD, unread)
        os.close(fd)
        count += unread[0]
    os.close(pidfd)
    return count


def fds(hub):
    return len(os.listdir(f"/proc/{hub.process.pid}/fd"))


def test_clients_vanish_at_any_moment(home, hub, session):
    """Cut while output floods: nothing is leaked, and nobody else notices."""
    rng = random.Random(7)
    token = hub.call("token/create", {})["secret"]
    with Stream(hub) as warm:
        warm.subscribe(1, session=session, want="output")
        warm.event(1, "opened")
    before = fds(hub)
    endless = home.start("sh", "-c", "while :; do seq 1 3000; sleep 0.01; done")
    reader = Reader(hub, session)
    want = flood.stream(LINES)
    reader.open()
    start_flood(home, session)
    for n in range(CUTS):
        # A client that reads nothing for 30 seconds is closed.
        reader.read(len(want) * n // CUTS)
        stream = Stream(hub, token=token if n % 2 else None)
        for sub in range(1, rng.randrange(1, 6)):
            stream.send(type="subscribe", id=sub, sub=sub, session=endless,
                        want=rng.choice(["output", "screen", "thumbnail"]),
                        access="readwrite", interval=16,
                        behind=rng.choice(["screen", "lossless"]))
        stream.send(type="call", id=99, op="session.wait",
                    args={"session": endless, "text": "never"})
        stream.send(type="input", id=100, sub=1, kind="focus", focused=True)
        left = rng.randrange(200_000)
        stream.sock.settimeout(0.05)
        with contextlib.suppress(TimeoutError):
            while left > 0:
                left -= len(stream.sock.recv(min(left, 65536)))
        if rng.random() < 0.5:  # a reset instead of an end
            stream.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        stream.sock.close()
    reader.read_rest()
    assert bytes(reader.data) == want
    wait_for(lambda: fds(hub) <= before,
             lambda: f"{fds(hub)} descriptors to be {before}")
    wait_for(lambda: home.info(endless)["observers"] == 0,
             lambda: f"no observers: {home.info(endless)['observers']}")


# ---------------------------------------------------------------- rights

def test_an_ended_credential_closes_its_streams(home, hub, session):
    made = hub.call("token/create", {})
    with Stream(hub, token=made["secret"]) as stream, Stream(hub) as other:
        stream.subscribe(1, session=session, want="output")
        other.subscribe(1, session=session, want="output")
        hub.call("token/revoke", {"id": made["id"]})
        assert stream.until_closed(5) == 4401
        assert other.ask("ping") == {}


def test_a_token_that_expires_closes_its_streams(hub, session):
    made = hub.call("token/create", {"expires": "2s"})
    with Stream(hub, token=made["secret"]) as stream:
        stream.subscribe(1, session=session, want="output")
        assert stream.until_closed(10) == 4401


def write_policy(home, actions):
    """user:ann may do this to all sessions."""
    path = home.path / "policy.json"
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"targets": {} if not actions else {
        "**": {"allowances": [{"actions": actions,
                               "actors": ["user:ann"]}]}}}))
    new.rename(path)


def test_a_policy_change_downgrades_and_then_ends(home, hub, session):
    """B-42: within a second, with a message."""
    write_policy(home, ["observe", "observe/read-write"])
    token = hub.call("token/create", {"principal": "user:ann"})["secret"]
    wait_for(lambda: hub.get("/api/v1/session/list", unix=False, headers={
        "Authorization": f"Bearer {token}"}).json["sessions"], "the session")
    with Stream(hub, token=token) as stream:
        got = stream.subscribe(1, session=session, want="output",
                               access="readwrite")
        assert got["granted"] == "readwrite", got
        stream.subscribe(2, session=session, want="screen",
                         access="readwrite")
        stream.event(1, "opened"), stream.event(2, "screen")
        write_policy(home, ["observe"])
        for sub in 1, 2:
            assert stream.event(sub, "granted")["granted"] == "readonly"
            with pytest.raises(Refused) as refused:
                stream.type(sub, "x")
            assert refused.value.code == "denied"
        start_flood(home, session)
        stream.until(lambda: stream.subs[1].data, "output")
        write_policy(home, [])
        for sub in 1, 2:
            assert stream.event(sub, "closed")["code"] == "denied"
        with pytest.raises(Refused) as refused:
            stream.subscribe(3, session=session, want="output")
        assert refused.value.code == "not_found"
    uses = [e for e in hub.call("audit/list", {})["entries"]
            if e["what"] == "observe"]
    assert sorted(e["outcome"] for e in uses) == [
        "denied", "revoked", "revoked"], uses
    assert {e["principal"] for e in uses} == {"user:ann"}, uses


@pytest.mark.parametrize("want", ["output", "screen", "events"])
def test_a_name_that_one_may_not_see_is_not_told(home, hub, want):
    """A rename takes the session out of sight, and the host tells its name."""
    path = home.path / "policy.json"
    path.with_suffix(".new").write_text(json.dumps({"targets": {
        "open/*": {"allowances": [{"actions": ["observe"],
                                   "actors": ["user:ann"]}]}}}))
    path.with_suffix(".new").rename(path)
    sid = home.start("cat", options=("--name", "open/one"))
    token = hub.call("token/create", {"principal": "user:ann"})["secret"]
    wait_for(lambda: hub.get("/api/v1/session/list", unix=False, headers={
        "Authorization": f"Bearer {token}"}).json["sessions"], "the session")
    with Stream(hub, token=token) as stream:
        stream.subscribe(1, session=sid, want=want)
        stream.event(1, "opened")
        home.ok("rename", sid, "open/two")
        if want != "screen":
            assert stream.event(1, "renamed")["name"] == "open/two"
        # The hub sees the file and the host's notice in the same turn.
        hub.process.send_signal(signal.SIGSTOP)
        home.ok("rename", sid, "hidden/three")
        hub.process.send_signal(signal.SIGCONT)
        # A reading of the log may be the first to find nothing.
        assert stream.event(1, "closed")["code"] in ("denied", "not_found")
        assert "hidden" not in json.dumps(stream.subs[1].events)


def test_a_downgrade_does_not_forget_where_to_continue(home, hub, session):
    """Nothing has been sent yet: the client has given no credit."""
    write_policy(home, ["observe", "observe/read-write"])
    token = hub.call("token/create", {"principal": "user:ann"})["secret"]
    wait_for(lambda: hub.get("/api/v1/session/list", unix=False, headers={
        "Authorization": f"Bearer {token}"}).json["sessions"], "the session")
    with Stream(hub, token=token) as stream:
        stream.subscribe(1, session=session, want="output", access="readwrite",
                         behind="lossless", credit=0, **{"from": 2})
        write_policy(home, ["observe"])
        stream.event(1, "granted")
        stream.send(type="credit", sub=1, bytes=1 << 20)
        start_flood(home, session)
        stream.until(lambda: stream.subs[1].data, "output")
        assert stream.subs[1].data.startswith(b"ady"), stream.subs[1].data[:9]
        assert stream.subs[1].gaps == []


# --------------------------------------------------------------- browsers

def log_in(hub):
    """A browser's cookie and the key of its page."""
    link = hub.call("login/create", {})["url"]
    code = link.rpartition("#")[2].rpartition("=")[2]
    reply = hub.post("/api/v1/login", {"code": code}, unix=False, headers={
        "Origin": hub.url})
    assert reply.status == 200, reply
    return reply.headers["Set-Cookie"].split(";")[0], reply.json["key"]


def test_a_cookie_needs_the_key_of_its_page(home, hub, session):
    cookie, key = log_in(hub)
    headers = {"Cookie": cookie, "Origin": hub.url}
    with Stream(hub, headers=headers, key=key) as stream:
        assert stream.hello["verified"] == "cookie", stream.hello
        stream.subscribe(1, session=session, want="output")
        stream.event(1, "opened")
    for wrong in None, "x", key[:-1], key + "A":
        with pytest.raises(Closed) as closed:
            Stream(hub, headers=headers, key=wrong)
        assert closed.value.code in (4401, 1008), closed.value
    with Stream(hub, headers={"Cookie": cookie, "Origin": "http://evil"},
                key=key, hello=False) as stream:
        assert stream.status == 403


def test_a_revoked_browser_is_logged_out(home, hub, session):
    """The owner ends it from elsewhere; another one goes on."""
    browsers = [log_in(hub), log_in(hub)]
    listed = [t for t in hub.call("token/list")["tokens"]
              if t["label"] == "browser"]
    assert len(listed) == 2, listed
    streams = [Stream(hub, headers={"Cookie": cookie, "Origin": hub.url},
                      key=key) for cookie, key in browsers]
    mine = streams[0].hello["principal"].removeprefix("owner:browser/")
    home.ok("token", "revoke", mine)
    assert streams[0].until_closed(5) == 4401
    assert streams[1].ask("ping") == {}
    cookie, key = browsers[0]
    reply = hub.get("/api/v1/session/list", unix=False, headers={
        "Cookie": cookie, "X-Tend-Key": key})
    assert reply.status == 401, reply
    for stream in streams:
        stream.sock.close()


def test_guessing_does_not_end_the_streams_of_a_browser(home, hub, session):
    """Somebody at the same address has no valid cookie; this browser has one,
    and comes back.  Wrong keys are in the audit."""
    cookie, key = log_in(hub)
    headers = {"Cookie": cookie, "Origin": hub.url}
    with Stream(hub, headers=headers, key=key):
        pass
    codes = []
    for _ in range(11):
        with pytest.raises(Closed) as closed:
            Stream(hub, headers=headers, key="wrong")
        codes.append(closed.value.code)
    assert codes[-1] == 4429, codes
    with Stream(hub, headers=headers, key=key) as stream:
        assert stream.hello["verified"] == "cookie", stream.hello
    entries = hub.call("audit/list", {"limit": 100})["entries"]
    assert any(e["what"] == "credential" and e["outcome"] == "denied"
               for e in entries), entries
