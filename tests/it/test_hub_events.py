"""The events of the hub (docs/hub-http.md): server-sent events of the home
and of one session."""

import json
import os
import signal
import socket

import pytest

from hub import Hub, bearer, wait_ready
from lib import wait_for
from sse import Events


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

        def collected():
            """A host that lingers keeps its session for a while."""
            home.ok("gc", "--all")
            return "removed" in events.kinds()

        wait_for(collected, lambda: f"a removal in {events.seen}", 60)
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
        # Changes as a host writes them, but faster.  A busy hub sends several
        # as one.
        i = 0
        while len(other.seen) < 1600:
            i += 1
            info["last_line"] = f"{i:06}" + "x" * 190
            new = home.dir(sid) / "session.json.new"
            new.write_text(json.dumps(info, separators=(",", ":")))
            new.rename(name)
            if i % 100 == 0:
                wait_for(lambda n=i: other.sessions[sid]["last_line"]
                         .startswith(f"{n:06}"), f"change {i}")
        wait_for(lambda: other.sessions[sid]["last_line"]
                 .startswith(f"{i:06}"), f"change {i}")
        link.settimeout(30)
        got = b""
        while b"%06d" % i + b"x" * 20 not in got:
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


# ----------------------------------------------------------------- one session

STREAM = "/api/v1/session/events/stream?session="


def seqs(events):
    return [data["seq"] for _, data in events.seen if "seq" in data]


def test_a_session_has_its_own_events(home, hub):
    """All of its log but the output, once and in order; then the end."""
    sid = home.start("sh", "-c", TELLER, options=["-n", "web"])
    home.ok("mark", sid, "before")
    with Events(hub, STREAM + "web&since=0") as events:
        events.wait("mark", name="before")
        home.ok("resize", sid, "100x30")
        events.wait("resize", cols=100)
        enter(hub, sid, "secret words")
        typed = events.wait("input")
        assert "secret" not in json.dumps(typed), typed
        home.ok("stop", sid)
        events.wait("exit")
        wait_for(lambda: events.ended, lambda: f"the end of {events.seen}")
        assert events.seen[-1] == ("end", {}), events.seen
        assert seqs(events) == sorted(set(seqs(events))), events.seen
        assert not {"output", "keyframe", "clock"} & set(events.kinds())
        told = [event["seq"] for event in hub.call(
            "session/events", {"session": sid, "no_output": True})["events"]]
        assert seqs(events) == [seq for seq in told if seq], told


def test_without_a_cursor_only_new_events_come(home, hub):
    sid = home.start("cat", options=["-n", "a"])
    home.ok("mark", sid, "old")
    with Events(hub, STREAM + sid) as events:
        def seen():
            home.ok("mark", sid, "new")
            return "mark" in events.kinds()
        wait_for(seen, lambda: f"a mark in {events.seen}")
        assert "old" not in json.dumps(events.seen)


@pytest.mark.parametrize("how", ["none", "stop", "kill"])
def test_events_of_a_session_continue_after_the_last(home, hub, how):
    """Also after a restart of the hub: an id is a place in the log."""
    sid = home.start("cat")
    with Events(hub, STREAM + sid + "&since=0") as events:
        home.ok("mark", sid, "one")
        events.wait("mark", name="one")
    if how != "none":
        getattr(hub, how)()
    home.ok("mark", sid, "two")
    if how != "none":
        hub.start()
        wait_ready(hub)
    with Events(hub, STREAM + sid, last=events.last) as again:
        home.ok("mark", sid, "three")
        again.wait("mark", name="three")
        names = [data["name"] for kind, data in again.seen if kind == "mark"]
        assert names == ["two", "three"], again.seen


@pytest.mark.parametrize("query, status", [
    ("nobody", 404), ("", 404), ("x&since=-1", 400), ("x&from=1m", 400),
    ("x&y=1", 400)])
def test_wrong_requests_for_events_are_refused(home, hub, query, status):
    home.start("cat", options=["-n", "x"])
    reply = hub.get(STREAM + query)
    assert reply.status == status, reply
    assert reply.headers["Content-Type"] == "application/problem+json"


def test_events_of_a_session_need_the_permission(home, hub):
    """B-36: an invisible session does not exist; B-42: nor does one that has
    left the client's sight."""
    secret = hub.call("token/create", {"sessions": "team/*"})["secret"]
    home.start("cat", options=["-n", "own"])
    shown = home.start("cat", options=["-n", "team/a"])
    hidden = Events(hub, STREAM + "own", unix=False, headers=bearer(secret))
    assert hidden.answer.status == 404
    with Events(hub, STREAM + shown + "&since=0", unix=False,
                headers=bearer(secret)) as events:
        wait_for(lambda: events.seen, "an event")
        home.ok("rename", shown, "mine")
        wait_for(lambda: events.ended, lambda: f"the end of {events.seen}")
        assert events.seen[-1][0] == "error", events.seen
        assert events.seen[-1][1]["code"] == "not_found", events.seen
        assert "mine" not in json.dumps(events.seen), events.seen


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
