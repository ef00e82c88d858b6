"""The stream (docs/stream.md): output, screens, input and calls over one
WebSocket.  The client is written from the document alone.
"""

import json
import os
import struct
import time

import pytest

import flood
import lib
from hub import Hub
from lib import Home, wait_for
from stream_client import Refused, Stream

CAT = "stty raw -echo; printf 'ready\\r\\n'; exec cat"
LINES = 300_000 if "TEND_TEST_FULL" in os.environ else 30_000


@pytest.fixture(scope="module")
def home():
    with Home() as made:
        yield made


@pytest.fixture(scope="module")
def hub(home):
    with Hub(home) as started:
        yield started


@pytest.fixture
def stream(hub):
    with Stream(hub) as made:
        yield made


@pytest.fixture
def cat(home):
    sid = home.start("sh", "-c", CAT)
    home.wait_text(sid, "ready")
    yield sid
    home.run("kill", sid)


def start_flood(home, lines=LINES):
    """A session that prints many lines after the first input."""
    sid = home.start(*flood.program(lines))
    home.wait_text(sid, "ready")
    return sid


def until_output(stream, sub, text, seconds=60):
    stream.until(lambda: stream.subs[sub].data.endswith(text),
                 f"{text} of {sub}", seconds)


# ------------------------------------------------------------------ hello

def test_hello_names_the_version_the_client_and_the_limits(stream):
    hello = stream.hello
    assert hello["version"] == 1 and hello["features"] == [], hello
    assert hello["principal"] == "" and hello["verified"] == "peer", hello
    assert hello["limits"] == {"message": 1 << 20, "subscriptions": 256,
                               "calls": 64}, hello


def test_other_versions_and_features_are_no_reason_to_close(hub):
    with Stream(hub, hello=False) as stream:
        stream.send(type="hello", versions=[7, 9], features=["x"], more={})
        stream.until(lambda: stream.messages, "hello")
        assert stream.messages[0]["version"] == 1
        assert stream.ask("ping") == {}


def test_a_token_names_its_principal_to_the_session(home, hub, cat):
    token = hub.call("token/create", {"principal": "user:ann",
                                      "scope": ["observe"]})["secret"]
    del token  # a principal without a policy sees nothing
    token = hub.call("token/create", {})["secret"]
    with Stream(hub, token=token) as stream:
        assert stream.hello["verified"] == "token", stream.hello
        stream.subscribe(1, session=cat, want="output", access="readwrite")
        stream.type(1, "who")
        until_output(stream, 1, b"who")
        principal = stream.hello["principal"]
    typed = home.events(cat, "input")
    assert [(e["by"], e["verified"]) for e in typed] == [
        (principal, "token")], typed


# ----------------------------------------------------------------- output

def test_a_picture_and_the_bytes_after_it(stream, cat):
    answer = stream.subscribe(1, session=cat, want="output",
                              access="readwrite")
    assert answer == {"sub": 1, "session": cat, "name": "sh",
                      "granted": "readwrite"}
    opened = stream.event(1, "opened")
    assert (opened["id"], opened["offset"]) == (cat, 7), opened
    stream.until(lambda: stream.subs[1].pictures, "a picture")
    offset, _, cols, rows, picture = stream.subs[1].pictures[0]
    assert (offset, cols, rows) == (7, 80, 24) and b"ready" in picture
    assert stream.type(1, "more")["status"] == "written"
    until_output(stream, 1, b"more")
    assert stream.subs[1].at == 11


def test_raw_output_from_any_offset(home, stream):
    sid = start_flood(home)
    home.ok("send", sid, "--keys", "Enter")
    home.wait_text(sid, "done", 60)
    want = flood.stream(LINES)
    stream.subscribe(1, session=sid, want="output", replay="raw",
                     history=len(want))
    stream.subscribe(2, session=sid, want="output", behind="lossless",
                     **{"from": 12345})
    until_output(stream, 1, b"done")
    until_output(stream, 2, b"done")
    assert bytes(stream.subs[1].data) == want
    assert bytes(stream.subs[2].data) == want[12345:]
    home.run("kill", sid)
    stream.event(1, "ended"), stream.event(2, "ended")
    # Now from its log.
    stream.subscribe(3, session=sid, want="output", **{"from": 999})
    assert stream.event(3, "ended")["exit_signal"] == 9
    assert bytes(stream.subs[3].data) == want[999:]
    assert not stream.subs[3].gaps


def test_an_ended_session_is_read_with_credit(home, stream):
    sid = start_flood(home)
    home.ok("send", sid, "--keys", "Enter")
    home.wait_text(sid, "done", 60)
    home.run("kill", sid)
    want, got = flood.stream(LINES), 0
    stream.subscribe(1, session=sid, want="output", credit=1, **{"from": 0})
    while got < len(want):
        stream.until(lambda: len(stream.subs[1].data) > got, "a piece")
        got = len(stream.subs[1].data)
        stream.send(type="credit", sub=1, bytes=300_000)
        stream.ask("ping")
    stream.event(1, "ended")
    assert bytes(stream.subs[1].data) == want


def test_resized_comes_with_a_new_picture(home, stream, cat):
    stream.subscribe(1, session=cat, want="output", access="readwrite",
                     cols=90, rows=20)
    assert stream.event(1, "resized")["cols"] == 90
    stream.until(lambda: stream.subs[1].pictures[-1:]
                 and stream.subs[1].pictures[-1][2] == 90, "a picture")
    stream.ask("resize", sub=1, cols=100, rows=30)
    assert stream.event(1, "resized")["rows"] == 30
    stream.ask("visible", sub=1, visible=False)
    with Stream(stream.hub) as other:
        other.subscribe(1, session=cat, want="output", access="readwrite",
                        cols=70, rows=10)
        assert stream.event(1, "resized")["cols"] == 70


def test_the_session_and_its_end(home, stream):
    sid = home.start("sh", "-c", "printf x; read y; exit 3")
    stream.subscribe(1, session=sid, want="output", access="readwrite")
    stream.type(1, "\r")
    ended = stream.event(1, "ended")
    assert (ended["exit_code"], ended["outcome"]) == (3, "failed"), ended
    with pytest.raises(Refused) as refused:
        stream.type(1, "x")
    assert refused.value.code == "not_found"


def test_notices_have_no_control_characters(stream, cat):
    """C1 bytes in titles never leave for a client."""
    stream.subscribe(1, session=cat, want="output", access="readwrite")
    stream.type(1, "\x1b]2;a\u009bb\u0085c\x1b\\")
    stream.type(1, "\x1b]9;hey\u009b31mred\x1b\\\a")
    title = stream.event(1, "title")["title"]
    note = stream.event(1, "notify")
    stream.event(1, "bell")
    for text in title, note["text"], note["title"] or "":
        assert not any(ord(c) < 32 or 0x7f <= ord(c) < 0xa0 for c in text), \
            repr(text)


# -------------------------------------------------- credit and thin links

def test_credit_stops_one_subscription_and_no_other(home, stream, cat):
    sid = start_flood(home)
    stream.subscribe(1, session=sid, want="output", behind="lossless",
                     access="readwrite", credit=50_000)
    stream.subscribe(2, session=sid, want="output", behind="lossless")
    stream.subscribe(3, session=cat, want="output", access="readwrite")
    stream.type(1, "\r")
    until_output(stream, 2, b"done")
    stream.type(3, "echo")
    until_output(stream, 3, b"echo")
    stream.ask("ping")
    assert 50_000 <= len(stream.subs[1].data) < 50_000 + (64 << 10)
    # Lossless: the rest comes from where it stopped.
    stream.send(type="credit", sub=1, bytes=1 << 30)
    until_output(stream, 1, b"done")
    assert stream.subs[1].at == len(flood.stream(LINES))
    assert not stream.subs[1].gaps
    home.run("kill", sid)


def test_without_credit_the_newest_picture_follows(home, stream):
    """A-11: a slow client gets the newest screen instead of a backlog."""
    sid = start_flood(home, 10 * LINES)
    stream.subscribe(1, session=sid, want="output", access="readwrite",
                     credit=5000)
    stream.type(1, "\r")
    home.wait_text(sid, "done", 60)
    end = len(flood.stream(10 * LINES))
    assert stream.subs[1].at < end

    def caught_up():
        stream.send(type="credit", sub=1, bytes=20_000)
        stream.ask("ping")
        return stream.subs[1].at == end

    wait_for(caught_up, lambda: f"{stream.subs[1].at} to be {end}")
    sub = stream.subs[1]
    assert sub.gaps and sub.gaps[0][2] == "slow", sub.gaps
    assert b"done" in sub.pictures[-1][4], sub.pictures[-1]
    assert len(sub.data) < end / 2
    home.run("kill", sid)


def test_a_rate_limits_the_bytes(home, stream):
    """A-11."""
    sid = start_flood(home)
    rate = 20_000
    stream.subscribe(1, session=sid, want="output", access="readwrite",
                     rate=rate)
    began = time.monotonic()
    stream.type(1, "\r")
    end = len(flood.stream(LINES))
    stream.until(lambda: stream.subs[1].at == end, "the end")
    took = time.monotonic() - began
    sub = stream.subs[1]
    sent = len(sub.data) + sum(len(p[4]) for p in sub.pictures)
    # A burst of a second, and one message more than allowed.
    assert sent <= rate * (took + 1) + (64 << 10), (sent, took)
    assert sub.gaps, "nothing was skipped"
    home.run("kill", sid)


# ---------------------------------------------------------------- screens

class Screen:
    """A client's copy of a screen, from updates alone."""

    def __init__(self):
        self.lines, self.last = [], None

    def take(self, event):
        if event["full"]:
            self.lines = [""] * event["rows"]
        self.lines = (self.lines + [""] * event["rows"])[:event["rows"]]
        for row in event["changed"]:
            self.lines[row["row"]] = row["text"]
        self.last = event


def follow_screen(stream, sub, screen, done, seconds=30):
    def look():
        for event in stream.subs[sub].named("screen"):
            screen.take(event)
            stream.subs[sub].events.remove(event)
        return screen.last and done(screen)

    stream.until(look, lambda: f"{screen.lines}", seconds)


def test_a_screen_and_then_the_rows_that_changed(home, stream, cat):
    stream.subscribe(1, session=cat, want="screen", access="readwrite")
    first = stream.event(1, "screen")
    assert first["full"] and len(first["changed"]) == 24
    assert first["changed"][0]["text"] == "ready"
    stream.type(1, "\x1b[31mred\r\n")
    update = stream.event(1, "screen")
    assert not update["full"], update
    assert [(r["row"], r["text"]) for r in update["changed"]] == [(1, "red")]
    assert update["changed"][0]["cells"][0]["fg"] == 1, update
    screen = Screen()
    screen.take(first), screen.take(update)
    for text in "\x1b[2J\x1b[5Habc", "\x1b[?1049hother", "\x1b[?1049l":
        stream.type(1, text)
    # The same rows and the same hash as a snapshot.
    want = stream.call("session.snapshot", session=cat)
    follow_screen(stream, 1, screen,
                  lambda s: s.last["hash"] == want["hash"])
    assert screen.lines == want["lines"]
    stream.call("session.resize", session=cat, cols=60, rows=10)
    follow_screen(stream, 1, screen, lambda s: s.last["cols"] == 60)
    assert screen.lines == home.screen(cat)["lines"]


def test_thumbnails_come_seldom_and_without_cells(home, stream):
    sid = start_flood(home)
    stream.subscribe(1, session=sid, want="thumbnail", interval=300)
    stream.subscribe(2, session=sid, want="screen", cells=False,
                     access="readwrite")
    began = time.monotonic()
    stream.type(2, "\r")
    small = Screen()
    follow_screen(stream, 1, small, lambda s: "done" in s.lines[-1], 60)
    took = time.monotonic() - began
    assert "cells" not in small.last["changed"][0], small.last
    n = len(stream.subs[1].named("screen")) + 1
    assert n <= took / 0.3 + 2, (n, took)
    assert small.lines == home.screen(sid)["lines"]
    home.run("kill", sid)
    stream.event(1, "ended")


def test_an_ended_session_has_a_last_screen(home, stream):
    sid = home.start("sh", "-c", "echo last words; exit 4")
    home.wait_gone(sid)
    stream.subscribe(1, session=sid, want="screen")
    screen = stream.event(1, "screen")
    assert screen["changed"][0]["text"] == "last words", screen
    assert stream.event(1, "ended")["exit_code"] == 4


# ------------------------------------------------------------------ input

def test_every_kind_of_input(stream, cat):
    stream.subscribe(1, session=cat, want="output", access="readwrite")
    stream.until(lambda: stream.subs[1].pictures, "a picture")

    def type_(want, **fields):
        answer = stream.ask("input", sub=1, **fields)
        assert answer["status"] == "written", answer
        until_output(stream, 1, want)

    type_(b"h\xc3\xa9", kind="text", text="h\u00e9")
    type_(b"\x03", kind="key", key="C-c")
    type_(b"\x1b[A", kind="key", key="Up")
    type_(b"pasted", kind="paste", text="pasted")
    type_(b"\x00\xff", kind="bytes", base64="AP8=")
    assert stream.type_binary(1, b"binary")["status"] == "written"
    until_output(stream, 1, b"binary")
    # The echo enables mouse reports and focus events.
    type_(b"\x1b[?1000h\x1b[?1006h\x1b[?1004h", kind="text",
          text="\x1b[?1000h\x1b[?1006h\x1b[?1004h")
    type_(b"\x1b[<0;5;3M", kind="mouse", action="press", button="left",
          row=2, col=4)
    type_(b"\x1b[I", kind="focus", focused=True)
    answer = stream.ask("input", sub=1, kind="key", key="a", event="release")
    assert answer["status"] == "nothing", answer


@pytest.mark.parametrize("wrong", [
    {"kind": "text"}, {"kind": "key", "key": "NoSuchKey"}, {"kind": "no"},
    {"kind": "bytes", "base64": "!"}, {}, {"kind": "text", "text": 7},
    {"kind": "mouse", "action": "x"}, {"kind": "text", "text": "x",
                                       "key_once": "x" * 200},
])
def test_a_wrong_input_is_refused(stream, cat, wrong):
    stream.subscribe(1, session=cat, want="output", access="readwrite")
    with pytest.raises(Refused) as refused:
        stream.ask("input", sub=1, **wrong)
    assert refused.value.code == "usage"


def test_a_viewer_cannot_type(stream, cat):
    assert stream.subscribe(1, session=cat, want="output")["granted"] == \
        "readonly"
    with pytest.raises(Refused) as refused:
        stream.type(1, "x")
    assert refused.value.code == "denied"


def test_readwrite_is_downgraded_without_the_permission(hub, cat):
    """B-39."""
    token = hub.call("token/create", {"scope": ["observe"]})["secret"]
    with Stream(hub, token=token) as stream:
        got = stream.subscribe(1, session=cat, want="output",
                               access="readwrite")
        assert got["granted"] == "readonly", got
        for fields in {}, {"key_once": "k"}:
            with pytest.raises(Refused) as refused:
                stream.ask("input", sub=1, kind="text", text="x", **fields)
            assert refused.value.code == "denied"


def test_inputs_are_typed_in_order(stream, cat):
    stream.subscribe(1, session=cat, want="output", access="readwrite")
    stream.until(lambda: stream.subs[1].pictures, "a picture")
    ids = [stream.post("input", sub=1, kind="text", text=f"{n} ")
           for n in range(500)]
    seqs = [stream.answer(i)["seq"] for i in ids]
    assert seqs == sorted(seqs)
    want = "".join(f"{n} " for n in range(500)).encode()
    until_output(stream, 1, want)


def test_an_input_with_a_key_is_typed_once(home, stream, cat):
    stream.subscribe(1, session=cat, want="output", access="readwrite")
    first = stream.ask("input", sub=1, kind="text", text="once",
                       key_once="k1")
    again = stream.ask("input", sub=1, kind="text", text="once",
                       key_once="k1")
    assert first == again and first["status"] == "written", (first, again)
    stream.type(1, "END")
    until_output(stream, 1, b"END")
    assert home.raw(cat).count(b"once") == 1


def test_a_lease_is_kept_stolen_and_reported(home, hub):
    sid = home.start("sh", "-c", CAT, options=["--input", "lease"])
    home.wait_text(sid, "ready")
    with Stream(hub) as one, Stream(hub) as two:
        one.subscribe(1, session=sid, want="output", access="readwrite")
        two.subscribe(1, session=sid, want="output", access="readwrite")
        one.type(1, "mine")
        with pytest.raises(Refused) as refused:
            two.type(1, "x")
        assert refused.value.code == "busy"
        two.subscribe(2, session=sid, want="output", access="readwrite",
                      steal=True)
        one.event(1, "replaced")
        assert two.type(2, "stolen")["status"] == "written"
    home.run("kill", sid)


def lease(stream, verb, sub=1, **args):
    return stream.ask("call", sub=sub, op=f"lease.{verb}", args=args)


def refusal(stream, what, **fields):
    """The code with which a message is refused."""
    with pytest.raises(Refused) as refused:
        stream.ask(what, **fields)
    return refused.value.code


@pytest.fixture
def leased(home):
    sid = home.start("sh", "-c", CAT, options=["--input", "lease"])
    home.wait_text(sid, "ready")
    yield sid
    home.run("kill", sid)


def test_a_lease_is_taken_released_and_stolen(hub, leased):
    with Stream(hub) as one, Stream(hub) as two:
        for stream in one, two:
            stream.subscribe(1, session=leased, want="output",
                             access="readwrite")
            stream.event(1, "opened")
        holder = lease(one, "acquire")["holder"]
        assert two.event(1, "lease")["holder"] == holder
        assert refusal(two, "input", sub=1, kind="text", text="x") == "busy"
        assert refusal(two, "call", sub=1, op="lease.acquire") == "busy"
        assert lease(one, "release") == {"holder": None, "mine": False,
                                         "idle_ms": 60000}
        assert lease(two, "acquire")["mine"] is True
        assert lease(one, "steal")["mine"] is True
        two.event(1, "replaced")
        assert one.type(1, "typed")["status"] == "written"
        until_output(two, 1, b"typed")
    used = hub.call("audit/list", {"session": leased})["entries"]
    assert sorted(e["what"] for e in used if e["outcome"] == "allowed") == [
        "lease.acquire", "lease.acquire", "lease.release", "lease.steal",
        "observe", "observe"], used


def test_a_lease_ends_with_its_subscription(hub, leased):
    def acquire(stream):
        try:
            return lease(stream, "acquire")["mine"]
        except Refused as refused:
            assert refused.code == "busy"
            return False

    with Stream(hub) as two:
        two.subscribe(1, session=leased, want="screen", access="readwrite")
        with Stream(hub) as one:
            one.subscribe(7, session=leased, want="output",
                          access="readwrite", who=77)
            lease(one, "acquire", 7)
            two.event(1, "opened")
            one.ask("unsubscribe", sub=7)
            two.until(lambda: home_has_no_holder(hub, leased), "no holder")
            assert acquire(two) and lease(two, "release")["mine"] is False
            one.subscribe(7, session=leased, want="output",
                          access="readwrite", who=77)
            lease(one, "acquire", 7)
        # A lost connection: the client may come back.
        two.until(lambda: home_has_no_holder(hub, leased), "no holder")
        assert not acquire(two)
        with Stream(hub) as again:
            again.subscribe(7, session=leased, want="output",
                            access="readwrite", who=77)
            again.event(7, "opened")
            assert lease(again, "acquire", 7)["mine"] is True
        wait_for(lambda: acquire(two), "the lease of a client that is gone")


def home_has_no_holder(hub, sid):
    return hub.call("session/get",
                    {"session": sid})["lease_holder"] is None


def test_only_operations_of_a_connection_take_a_subscription(
        home, stream, cat, leased):
    stream.subscribe(1, session=leased, want="output")
    stream.subscribe(2, session=cat, want="screen", access="readwrite")
    stream.subscribe(3, want="home")
    for code, fields in [
            ("usage", {"op": "lease.acquire"}),
            ("usage", {"op": "session.list", "sub": 2}),
            ("usage", {"op": "lease.no", "sub": 2}),
            ("usage", {"op": "lease.acquire", "sub": 2}),  # it is shared
            ("usage", {"op": "session.colours", "sub": 2}),
            ("usage", {"op": "lease.release", "sub": 2, "args": {"x": 1}}),
            ("not_found", {"op": "lease.acquire", "sub": 9}),
            ("denied", {"op": "lease.acquire", "sub": 1}),
            ("denied", {"op": "lease.acquire", "sub": 3})]:
        assert refusal(stream, "call", **fields) == code, fields
    assert stream.ask("call", sub=2, op="session.colours", args={
        "fg": "ffffff", "bg": "000000"}) is not None


def test_an_input_is_answered_although_the_screen_rests(stream, cat):
    stream.subscribe(1, session=cat, want="screen", access="readwrite",
                     interval=60000)
    stream.event(1, "screen")
    for text in "one", "two":
        assert stream.type(1, text)["status"] == "written"


# ----------------------------------------------------------------- events

def logged(stream, sub):
    return [e["entry"] for e in stream.subs[sub].named("logged")]


def log_of(home, sid, after=0):
    """The part of the log that the stream shows."""
    kept = []
    for event in home.events(sid):
        if event["type"] not in ("output", "keyframe", "clock") \
                and event["seq"] > after:
            for name in "data", "data_base64", "at":
                event.pop(name, None)
            kept.append(event)
    return kept


def test_events_of_the_log_come_once_and_in_order(home, hub, cat):
    with Stream(hub) as stream:
        stream.subscribe(1, session=cat, want="events", **{"from": 0})
        stream.subscribe(2, session=cat, want="output", access="readwrite")
        stream.event(1, "opened")
        for n in range(5):
            stream.type(2, "secret")
            stream.call("session.mark", session=cat, name=f"m{n}")
        stream.call("session.resize", session=cat, cols=90, rows=30)
        stream.type(2, "\x1b]2;a title\x1b\\\a")
        assert stream.event(1, "title")["title"] == "a title"
        assert stream.event(1, "resized")["cols"] == 90
        stream.event(1, "bell")
        stream.until(lambda: logged(stream, 1) and logged(stream, 1)[-1][
            "type"] == "input" and len([
                e for e in logged(stream, 1) if e["type"] == "mark"]) == 5
            and len(logged(stream, 1)) == len(log_of(home, cat)), "the log")
        seen = logged(stream, 1)
    assert seen == log_of(home, cat)
    assert not any("secret" in str(e) for e in seen), seen
    # A client that comes back gets what it does not have.
    home.wait_saved(cat, bells=1)
    with Stream(hub) as stream:
        cursor = seen[2]["seq"]
        stream.subscribe(1, session=cat, want="events", **{"from": cursor})
        assert stream.event(1, "opened")["bells"] == 1
        stream.subscribe(2, session=cat, want="events")
        stream.event(2, "opened")
        stream.call("session.mark", session=cat, name="last")
        for sub in 1, 2:
            stream.until(lambda: logged(stream, sub) and logged(
                stream, sub)[-1].get("name") == "last", "the mark")
        assert logged(stream, 1) == log_of(home, cat, cursor)
        assert len(logged(stream, 2)) == 1, logged(stream, 2)


def test_events_reach_to_the_end_of_a_session(home, hub):
    sid = start_flood(home)
    with Stream(hub) as stream:
        stream.subscribe(1, session=sid, want="events", **{"from": 0})
        home.ok("send", sid, "--keys", "Enter")
        home.wait_text(sid, "done", 60)
        home.ok("send", sid, "--keys", "Enter")
        assert stream.event(1, "ended")["exit_code"] == 0
        assert logged(stream, 1)[-1]["type"] == "exit"
        assert logged(stream, 1) == log_of(home, sid)
        stream.subscribe(2, session=sid, want="events", **{"from": 0})
        stream.event(2, "ended")
        assert stream.subs[2].events[0]["event"] == "opened"
        assert logged(stream, 2) == logged(stream, 1)
        stream.subscribe(3, session=sid, want="events")
        stream.event(3, "ended")
        assert not logged(stream, 3)


def test_the_home_and_its_changes(home, hub, cat):
    with Stream(hub) as stream:
        stream.subscribe(1, want="home")
        current = stream.event(1, "current")
        assert cat in [e["session"]["id"]
                       for e in stream.subs[1].named("session")]
        sid = home.start("sh", "-c", "read x")
        stream.until(lambda: any(
            e["session"]["id"] == sid and e["session"]["status"] == "running"
            for name in ("created", "changed", "activity")
            for e in stream.subs[1].named(name)), "the new session")
    home.ok("rename", sid, "other-name")
    home.run("kill", sid)
    with Stream(hub) as stream:
        stream.subscribe(1, want="home", cursor=current["cursor"])
        ended = stream.event(1, "ended")
        assert ended["session"]["id"] == sid, ended
        assert stream.event(1, "renamed")["session"]["name"] == "other-name"
        assert not stream.subs[1].named("reset")


# ------------------------------------------------------------------ calls

def test_calls_are_answered_as_over_http(home, stream, cat):
    screen = stream.call("session.snapshot", session=cat)
    assert screen["lines"] == home.screen(cat)["lines"]
    assert cat in [s["id"] for s in stream.call("session.list")["sessions"]]
    made = stream.call("session.create", command=["sh", "-c", "exit 0"])
    home.wait_gone(made["id"])
    for op, args, code in [
            ("session.get", {"session": "nosuch"}, "not_found"),
            ("session.no", {}, "usage"),
            ("session.send", {"session": cat}, "usage"),
            ("lease.steal", {}, "usage")]:
        with pytest.raises(Refused) as refused:
            stream.call(op, **args)
        assert refused.value.code == code, (op, refused.value)


def test_a_call_is_cancelled(stream, cat):
    waits = [stream.post("call", op="session.wait",
                         args={"session": cat, "text": "never"})
             for _ in range(64)]
    with pytest.raises(Refused) as refused:
        stream.call("session.get", session=cat)
    assert refused.value.code == "busy"
    for number in waits[:40]:
        stream.send(type="cancel", call=number)
    assert stream.call("session.get", session=cat)["id"] == cat
    assert not set(waits) & set(stream.answers)


def test_a_wait_delays_nothing(stream, cat):
    waiting = stream.post("call", op="session.wait",
                          args={"session": cat, "text": "sesame",
                                "echo": True})
    stream.subscribe(1, session=cat, want="output", access="readwrite")
    assert stream.call("session.get", session=cat)["id"] == cat
    stream.type(1, "open sesame")
    assert stream.answer(waiting)["matched"]


# ----------------------------------------------------- one session for all

def test_one_log_and_one_screen_for_all_surfaces(home, hub, stream):
    """A session driven at once by `tend attach`, the socket, the stream and
    HTTP keeps one log and one screen; no byte is lost or doubled."""
    from terminal import Terminal
    from wire import TEXT, Wire

    sid = home.start("sh", "-c", CAT)
    home.wait_text(sid, "ready")
    rounds = 100
    stream.subscribe(1, session=sid, want="output", access="readwrite",
                     behind="lossless")
    stream.until(lambda: stream.subs[1].pictures, "a picture")
    with Wire(home.dir(sid), behind="lossless") as wire, \
            Stream(hub) as other, Terminal(80, 24) as term:
        term.run(lib.TEND, "attach", sid, env=home.env)
        term.wait_text("ready")
        other.subscribe(9, session=sid, want="screen")
        wire.until(lambda: wire.screens, "a picture")
        ids = []
        for n in range(rounds):
            ids.append(stream.post("input", sub=1, kind="text",
                                   text=f"<s{n}>"))
            wire.input(TEXT, f"<w{n}>".encode())
            term.type("@")
            if n % 10 == 0:
                hub.call("session/send", {
                    "session": sid, "input": [{"text": f"<h{n}>"}]})
        for number in ids:
            assert stream.answer(number)["status"] == "written"
        wait_for(lambda: home.raw(sid).count(b"@") == rounds,
                 lambda: f"what the terminal typed: {home.raw(sid)!r}")
        stream.type(1, "\r\nEND")
        until_output(stream, 1, b"END")
        wire.until_output(b"END")
        want = stream.call("session.snapshot", session=sid)
        screen = Screen()
        follow_screen(other, 9, screen,
                      lambda s: s.last["hash"] == want["hash"])
        log = home.raw(sid)
        assert log[7:] == bytes(stream.subs[1].data)
        assert log[-len(wire.output):] == bytes(wire.output)
        for n in range(rounds):
            assert log.count(b"<s%d>" % n) == 1, n
            assert log.count(b"<w%d>" % n) == 1, n
            assert log.count(b"<h%d>" % n) == (n % 10 == 0), n
        assert hub.call("session/snapshot", {"session": sid})["hash"] == \
            home.screen(sid)["hash"] == want["hash"]
        assert screen.lines == want["lines"]
        assert log.count(b"@") == rounds, log
        term.wait(lambda s: [line.rstrip() for line in s["lines"]] ==
                  want["lines"], want["lines"])
    home.run("kill", sid)
