"""The events of the hub (docs/hub-http.md): server-sent events of the home
and of one session."""

import json
import os
import signal
import socket
import threading

import pytest

from hub import Hub, bearer, wait_ready
from lib import Home, wait_for


class Events:
    """A client of server-sent events."""

    def __init__(self, hub, path="/api/v1/events", last=None, **kwargs):
        headers = dict(kwargs.pop("headers", {}))
        if last is not None:
            headers["Last-Event-ID"] = last
        self.link = hub.connection(**kwargs)
        self.link.request("GET", path, headers=headers)
        self.sock = self.link.sock
        self.answer = self.link.getresponse()
        self.headers = self.answer.headers
        self.last = last
        self.seen = []
        self.sessions = {}
        if self.answer.status == 200:
            self.thread = threading.Thread(target=self.read, daemon=True)
            self.ended = False
            self.thread.start()

    def __enter__(self):
        assert self.answer.status == 200, self.answer.read()
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.thread.join(30)
        self.answer.close()
        self.link.close()

    def read(self):
        event = {}
        try:
            for line in self.answer:
                line = line.decode().rstrip("\n")
                name, _, value = line.partition(": ")
                if line == "":
                    if "event" in event:
                        self.take(event)
                    event = {}
                else:
                    event[name] = value
        except (OSError, ValueError, AttributeError):
            pass
        self.ended = True

    def take(self, event):
        if event.get("id") is not None or event.get("id:") is not None:
            self.last = event.get("id", "")
        data = json.loads(event["data"])
        kind = event["event"]
        if kind == "reset":
            self.sessions = {}
        elif kind == "removed":
            self.sessions.pop(data["id"], None)
        elif "session" in data:
            self.sessions[data["session"]["id"]] = data["session"]
        self.seen.append((kind, data))

    def kinds(self, sid=None):
        return [kind for kind, data in self.seen
                if sid is None or sid in (data.get("id"), data.get(
                    "session", {}).get("id"))]

    def wait(self, kind, sid=None, seconds=30, **fields):
        """The data of the first such event."""
        def look():
            for seen, data in list(self.seen):
                session = data.get("session", data)
                if seen == kind and (sid is None or session.get("id") == sid) \
                        and all(session.get(k) == v
                                for k, v in fields.items()):
                    return [data]
            return None
        return wait_for(look, lambda: f"{kind} of {sid} {fields} in "
                        f"{self.seen}", seconds)[0]


@pytest.fixture
def home():
    with Home() as made:
        yield made


@pytest.fixture
def hub(home):
    with Hub(home) as made:
        wait_ready(made)
        yield made


def is_equal(home, events):
    """A follower knows exactly the sessions of `tend ls --json`."""
    def look():
        told = {s["id"]: s for s in home.json("ls", "--all")}
        return told == events.sessions
    wait_for(look, lambda: f"{events.sessions}\n"
             f"to be {home.json('ls', '--all')}")


# Repeats lines, and can call for its user.
TELLER = """
stty -echo
while read -r line; do
    case $line in
    notify) printf '\\033]9;done\\007' ;;
    *) echo "$line" ;;
    esac
done"""


def enter(hub, sid, text):
    hub.call("session/send", {"session": sid, "input": [
        {"text": text}, {"keys": ["Enter"]}]})


# -------------------------------------------------------------------- the home

def test_a_client_first_gets_all_sessions(home, hub):
    first = home.start("cat", options=["-n", "one"])
    ended = home.start("true")
    home.wait_status(ended, "exited")
    with Events(hub) as events:
        events.wait("current")
        assert events.headers["Content-Type"] == "text/event-stream"
        assert events.headers["Cache-Control"] == "no-store"
        assert events.kinds()[0] == "reset", events.seen
        assert set(events.sessions) == {first, ended}
        is_equal(home, events)


def test_each_change_of_a_session_is_an_event(home, hub):
    """created, activity, changed, renamed, notification, ended, removed."""
    with Events(hub) as events:
        events.wait("current")
        sid = home.start("sh", "-c", TELLER, options=["-n", "web"])
        events.wait("created", sid)
        enter(hub, sid, "hello")
        events.wait("activity", sid, last_line="hello")
        home.ok("label", sid, "team=a")
        events.wait("changed", sid, labels={"team": "a"})
        home.ok("rename", sid, "api")
        assert events.wait("renamed", sid)["from"] == "web"
        enter(hub, sid, "notify")
        events.wait("notification", sid)
        home.ok("stop", sid)
        events.wait("ended", sid, outcome="stopped")
        is_equal(home, events)
        home.ok("gc", "--all")
        gone = events.wait("removed")
        assert gone == {"id": sid, "name": "api"}
        assert events.sessions == {}


def test_a_killed_session_is_an_event(home, hub):
    """Nothing writes session.json: the hub notices that nobody is there."""
    with Events(hub) as events:
        sid = home.start("cat")
        events.wait("created", sid)
        info = home.wait_status(sid, "running")
        events.wait("changed", sid, status="running", seconds=10)
        for who in ("keeper_pid", "host_pid"):
            os.kill(info[who], signal.SIGKILL)
        events.wait("ended", sid, outcome="lost")


def test_a_client_that_comes_back_misses_nothing(home, hub):
    sid = home.start("cat", options=["-n", "a"])
    with Events(hub) as events:
        events.wait("current")
        home.ok("rename", sid, "b")
        events.wait("renamed", sid)
    last = events.last
    assert last, events.seen
    home.ok("rename", sid, "c")
    home.ok("rename", sid, "d")
    with Events(hub, last=last) as again:
        again.wait("renamed", sid, name="d")
        assert [data["from"] for kind, data in again.seen
                if kind == "renamed"] == ["b", "c"], again.seen
        assert "reset" not in again.kinds()


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_after_a_restart_of_the_hub_the_state_comes_again(home, hub, how):
    sid = home.start("cat", options=["-n", "a"])
    with Events(hub) as events:
        events.wait("current")
        getattr(hub, how)()
        wait_for(lambda: events.ended, "the end of the stream")
    home.ok("rename", sid, "b")
    hub.start()
    wait_ready(hub)
    with Events(hub, last=events.last) as again:
        again.wait("current")
        assert again.seen[0] == ("reset", {"why": "restarted"})
        assert again.sessions[sid]["name"] == "b"


@pytest.mark.parametrize("last", ["x", "-", "01J0000000000000000000000A-1",
                                  "../..", "9" * 400])
def test_a_wrong_cursor_gets_the_state(hub, last):
    with Events(hub, last=last) as events:
        events.wait("current")
        assert events.seen[0] == ("reset", {"why": "restarted"})


def test_a_cursor_of_the_future_gets_the_state(hub):
    with Events(hub) as events:
        events.wait("current")
    start = events.last.rpartition("-")[0]
    for number in ("1000", str(2**64 - 1), "", "1x"):
        with Events(hub, last=f"{start}-{number}") as again:
            again.wait("current")
            assert again.kinds()[0] == "reset", again.seen


def test_a_slow_client_gets_the_state_and_costs_no_memory(home, hub):
    """It reads nothing while more happens than the hub keeps."""
    sid = home.start("cat", options=["-n", "a"])
    link = socket.socket(socket.AF_UNIX)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    link.connect(str(home.path / "hub.sock"))
    link.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: hub\r\n\r\n")
    with link, Events(hub) as other:
        text = (home.dir(sid) / "session.json").read_text()
        name = home.dir(sid) / "session.json"
        info = json.loads(text)
        info.pop("crc", None)
        other.wait("current")
        # Changes as a host writes them, but faster.
        for i in range(1600):
            info["last_line"] = f"{i:04}" + "x" * 190
            new = home.dir(sid) / "session.json.new"
            new.write_text(json.dumps(info, separators=(",", ":")))
            new.rename(name)
            if i % 100 == 99:
                wait_for(lambda n=i: other.sessions[sid]["last_line"]
                         .startswith(f"{n:04}"), f"change {i}")
        link.settimeout(30)
        got = b""
        while b"1599" + b"x" * 20 not in got:
            part = link.recv(65536)
            assert part, got[-2000:]
            got += part
        assert got.count(b"event: reset") >= 1
        assert b"\"why\":\"behind\"" in got, got[:300]


def test_a_burst_of_sessions_is_seen_whole(home, hub):
    with Events(hub) as events:
        events.wait("current")
        sids = {home.start("true") for _ in range(12)}
        for sid in sids:
            events.wait("ended", sid)
        is_equal(home, events)


def test_lost_events_are_made_up_for(home, hub):
    """A session.json that was written in place makes no event of the kernel;
    a round finds it."""
    sid = home.start("cat")
    with Events(hub) as events:
        events.wait("current")
        home.wait_status(sid, "running")
        text = json.loads((home.dir(sid) / "session.json").read_text())
        text.pop("crc", None)
        text["title"] = "in place"
        (home.dir(sid) / "session.json").write_text(
            json.dumps(text, separators=(",", ":")))
        events.wait("activity", sid, title="in place")


def test_the_sessions_directory_may_be_replaced(home, hub):
    sid = home.start("true")
    home.wait_status(sid, "exited")
    with Events(hub) as events:
        events.wait("current")
        (home.path / "sessions").rename(home.path / "away")
        events.wait("removed", sid)
        (home.path / "sessions").rmdir()
        (home.path / "away").rename(home.path / "sessions")
        events.wait("created", sid)
        is_equal(home, events)
        other = home.start("cat")
        events.wait("created", other)


def test_a_hub_ends_with_its_home(home, hub):
    other = home.path.with_name(home.path.name + "-moved")
    home.path.rename(other)
    try:
        assert hub.process.wait(60) == 1
        assert "the home was replaced or removed" in (
            other / "hub.log").read_text()
    finally:
        other.rename(home.path)


# ------------------------------------------------------------ who may see what

def test_events_show_only_what_the_client_may_see(home, hub):
    """B-36."""
    secret = hub.call("token/create", {"sessions": "team/*"})["secret"]
    hidden = home.start("cat", options=["-n", "own"])
    shown = home.start("cat", options=["-n", "team/a"])
    with Events(hub, unix=False, headers=bearer(secret)) as events:
        events.wait("current")
        assert set(events.sessions) == {shown}
        # Out of sight, it is gone; in sight, it is there.
        home.ok("rename", shown, "mine")
        assert events.wait("removed") == {"id": shown, "name": "team/a"}
        home.ok("rename", hidden, "team/b")
        events.wait("created", hidden)
        home.ok("rename", hidden, "team/c")
        assert events.wait("renamed", hidden)["from"] == "team/b"
        text = json.dumps(events.seen)
        assert "mine" not in text and '"own"' not in text, text


def test_events_need_a_credential(hub):
    events = Events(hub, unix=False)
    assert events.answer.status == 401
    assert events.headers["Content-Type"] == "application/problem+json"


def test_a_revoked_token_ends_its_events(home, hub):
    """B-42."""
    secret = hub.call("token/create")["secret"]
    ident = hub.call("token/list")["tokens"][0]["id"]
    with Events(hub, unix=False, headers=bearer(secret)) as events, \
            Events(hub) as owner:
        events.wait("current")
        owner.wait("current")
        hub.call("token/revoke", {"id": ident})
        wait_for(lambda: events.ended, "the end of the stream")
        # Others get the state again, since some rights have changed.
        wait_for(lambda: ("reset", {"why": "rights"}) in owner.seen,
                 lambda: f"a reset in {owner.seen}")
        assert not owner.ended


def test_a_head_request_has_no_events(hub):
    reply = hub.request("HEAD", "/api/v1/events")
    assert reply.status == 200 and reply.body == b"", reply


def test_titles_have_no_control_characters(home, hub):
    """C1 bytes never leave for a client (C-08)."""
    with Events(hub) as events:
        sid = home.start("sh", "-c",
                         "printf '\\033]2;a\\302\\233b\\302\\205c\\033\\\\'; "
                         "exec cat")
        data = events.wait("activity", sid, title="abc")
        assert data["session"]["title"] == "abc"
