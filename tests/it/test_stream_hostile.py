"""Hostile clients of the stream (S8 at the level of messages): wrong order,
too long, no JSON, unknown numbers, floods.  Each gets a clear answer or a
documented code, a good client notices nothing, and no memory stays.
"""

import itertools
import json
import os
import pathlib
import random
import struct

import pytest

from hub import Hub
from lib import BUILD, Home
from stream_client import Closed, Refused, Stream

FULL = "TEND_TEST_FULL" in os.environ
# A sanitizer keeps freed memory for a while.
SLACK = 30 if b"__asan" in (BUILD / "src" / "tend-hub").read_bytes() else 1
CAT = "stty raw -echo; printf ready; exec cat"


@pytest.fixture(scope="module")
def place():
    with Home() as home, Hub(home) as hub:
        sid = home.start("sh", "-c", CAT)
        home.wait_text(sid, "ready")
        yield home, hub, sid


@pytest.fixture
def hub(place):
    return place[1]


@pytest.fixture
def sid(place):
    return place[2]


@pytest.fixture(autouse=True)
def others_notice_nothing(hub, sid):
    """A good client is served before, meanwhile and afterwards."""
    with Stream(hub) as good:
        good.subscribe(1, session=sid, want="output", access="readwrite")
        yield
        good.type(1, "good")
        good.until(lambda: good.subs[1].data.endswith(b"good"), "its echo")


def rss(hub):
    text = pathlib.Path(f"/proc/{hub.process.pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) << 10


# ------------------------------------------------------- before the hello

@pytest.mark.parametrize("first, code", [
    (b'{"type":"ping","id":1}', 1008),
    (b'{"type":"subscribe","id":1,"sub":1,"session":"x","want":"output"}',
     1008),
    (b'{"type":"input","sub":1,"kind":"text","text":"x"}', 1008),
    (b"{}", 1008),
    (b'{"type":"no"}', 1008),
    (b'{"type":7}', 1008),
    (b"hello", 1007),
    (b"", 1007),
    (b"[]", 1007),
    (b'{"type":"hello"', 1007),
    (b'{"type":"hello","type":"hello"}', 1007),
    (b'{"a":' * 40 + b"1" + b"}" * 40, 1007),
    (b'{"type":"hello","key":"' + b"x" * 4096 + b'"}', 1009),
])
def test_the_first_message_is_hello(hub, first, code):
    with Stream(hub, hello=False) as stream:
        stream.frame(1, first)
        assert stream.until_closed() == code


def test_a_first_binary_message_closes(hub):
    with Stream(hub, hello=False) as stream:
        stream.frame(2, struct.pack(">BBHIQ", 3, 1, 0, 1, 1) + b"x")
        assert stream.until_closed() == 1008


def test_a_long_first_message_is_refused_before_it_comes(hub):
    """S8: 1009 before any memory is taken."""
    before = rss(hub)
    with Stream(hub, hello=False) as stream:
        stream.sock.sendall(struct.pack(">BBQ", 0x81, 0xff, 1 << 40)
                            + b"maskx")
        assert stream.until_closed() == 1009
    assert rss(hub) < before + SLACK * (2 << 20)


def test_a_second_hello_closes(hub):
    with Stream(hub) as stream:
        stream.send(type="hello", versions=[1])
        assert stream.until_closed() == 1008


# ------------------------------------------------------------ after it

@pytest.mark.parametrize("message, code", [
    (b"x", 1007), (b"null", 1007), (b'"ping"', 1007), (b"{}{}", 1007),
    (b'{"type":"ping","id":1,"id":1}', 1007), (b"\xff", 1007),
    (b'{"x":"\xc0\x80"}', 1007), (b'{"x":"\\u0000"}', 1007),
])
def test_what_is_no_json_object_closes(hub, message, code):
    with Stream(hub) as stream:
        stream.frame(1, message)
        assert stream.until_closed() == code


@pytest.mark.parametrize("payload", [
    b"", b"\x03", struct.pack(">BBHIQ", 1, 1, 0, 1, 1),
    struct.pack(">BBHIQ", 255, 1, 0, 1, 1)])
def test_an_unknown_binary_message_closes(hub, payload):
    with Stream(hub) as stream:
        stream.frame(2, payload)
        assert stream.until_closed() == 1003


def test_a_message_beyond_a_mebibyte_closes(hub):
    before = rss(hub)
    with Stream(hub) as stream:
        stream.sock.sendall(struct.pack(">BBQ", 0x81, 0xff, (1 << 20) + 1)
                            + b"maskx")
        assert stream.until_closed() == 1009
    assert rss(hub) < before + SLACK * (2 << 20)


@pytest.mark.parametrize("fields", [
    {"type": "no"}, {"type": ""}, {"type": None}, {},
    {"type": "subscribe"}, {"type": "subscribe", "sub": 1},
    {"type": "subscribe", "sub": 0, "session": "x", "want": "output"},
    {"type": "subscribe", "sub": -1, "session": "x", "want": "output"},
    {"type": "subscribe", "sub": 2**32, "session": "x", "want": "output"},
    {"type": "subscribe", "sub": 1, "session": "x", "want": "all"},
    {"type": "subscribe", "sub": 1, "session": "x" * 256, "want": "output"},
    {"type": "subscribe", "sub": 1, "session": "x", "want": "output",
     "rate": 5},
    {"type": "subscribe", "sub": 1, "session": "x", "want": "output",
     "from": -1},
    {"type": "subscribe", "sub": 1, "session": "x", "want": "output",
     "from": 1.5},
    {"type": "subscribe", "sub": 1, "session": "x", "want": "screen",
     "interval": 1},
    {"type": "subscribe", "sub": 1, "session": "x", "want": "output",
     "cols": 1, "rows": 1},
    {"type": "subscribe", "sub": 1, "session": "x", "want": "output",
     "credit": "all"},
    {"type": "resize", "sub": 1, "cols": 0, "rows": 5},
    {"type": "resize", "sub": 1},
    {"type": "call"}, {"type": "call", "op": "x" * 100},
    {"type": "call", "op": "session.get", "args": []},
    {"type": "call", "op": "session.get", "args": {"session": 5}},
    {"type": "call", "op": "session.get", "args": {}},
])
def test_a_wrong_field_is_usage(hub, fields):
    with Stream(hub) as stream:
        stream.send(id=5, **fields)
        with pytest.raises(Refused) as refused:
            stream.answer(5)
        assert refused.value.code == "usage", refused.value
        assert stream.ask("ping") == {}


@pytest.mark.parametrize("what, fields", [
    ("unsubscribe", {}), ("input", {"kind": "text", "text": "x"}),
    ("resize", {"cols": 80, "rows": 24}), ("visible", {"visible": True})])
def test_unknown_subscriptions_are_not_found(hub, what, fields):
    with Stream(hub) as stream:
        with pytest.raises(Refused) as refused:
            stream.ask(what, sub=77, **fields)
        assert refused.value.code == "not_found"


def test_messages_without_an_answer(hub, sid):
    """Unknown credit and cancels are ignored, and so is no id."""
    with Stream(hub) as stream:
        stream.send(type="credit", sub=9, bytes=5)
        stream.send(type="cancel", call=9)
        stream.send(type="no")
        stream.send(type="ping")
        stream.send(type="unsubscribe", sub=3)
        stream.send(type="subscribe", sub=1, session="nosuch", want="output")
        stream.send(type="subscribe", sub=1, session=sid, want="output")
        stream.event(1, "opened") if 1 in stream.subs else stream.until(
            lambda: 1 in stream.subs, "the subscription")
        assert not stream.answers


def test_a_number_is_used_once(hub, sid):
    with Stream(hub) as stream:
        stream.subscribe(1, session=sid, want="output")
        with pytest.raises(Refused) as refused:
            stream.ask("subscribe", sub=1, session=sid, want="output")
        assert refused.value.code == "usage"
        stream.ask("unsubscribe", sub=1)
        stream.subscribe(1, session=sid, want="output")
        stream.event(1, "opened")


# ------------------------------------------------------------------ floods

def test_ten_thousand_subscriptions(hub, sid):
    """The first 256 are accepted, the others refused; all end with the
    connection."""
    before = len(os.listdir(f"/proc/{hub.process.pid}/fd"))
    with Stream(hub) as stream:
        asked = 10_000 if FULL else 2_000
        refused = {}
        for sub in range(1, asked + 1):
            stream.post("subscribe", sub=sub, session=sid, want="output",
                        replay="none")
            if sub % 200 == 0:
                stream.ask("ping")
        for number in range(1, asked + 1):
            if number in stream.answers and not stream.answers[number]["ok"]:
                code = stream.answers[number]["error"]["code"]
                refused[code] = refused.get(code, 0) + 1
        # The host has a limit too, so some of the 256 may have ended again.
        assert set(refused) == {"busy"} and refused["busy"] >= asked - 600, \
            refused
    with Stream(hub) as stream:
        stream.until(lambda: stream.ask("ping") == {} and len(os.listdir(
            f"/proc/{hub.process.pid}/fd")) <= before + 8, "the end of them")


@pytest.fixture
def guest(hub, sid):
    """The secret of a link that may only look at the session."""
    return hub.call("share/create", {"session": sid})["secret"]


def test_guests_do_not_fill_a_session(place, hub, sid, guest):
    """The owner can still look at it and type, over the hub and without."""
    home = place[0]
    with Stream(hub, token=guest) as stream:
        for sub in range(1, 257):
            stream.post("subscribe", sub=sub, session=sid, want="events")
        stream.ask("ping")
        refused = [a["error"]["code"] for a in stream.answers.values()
                   if not a["ok"]]
        assert set(refused) == {"busy"} and 76 <= len(refused) <= 80, refused
        home.ok("send", sid, "--text", "x")
        home.ok("snapshot", sid)
        with Stream(hub) as mine:
            mine.subscribe(1, session=sid, want="output")
            mine.event(1, "opened")
        # All of them read the log at once, and none is too much.
        open_subs = [n for n, s in stream.subs.items() if s.named("opened")]
        stream.until(lambda: all(stream.subs[n].named("logged")
                                 for n in open_subs), "the input")
        assert not any(s.named("closed") for s in stream.subs.values())


def test_guests_do_not_use_up_the_calls_to_a_session(place, hub, sid, guest):
    """Each wait is a client of the session's host, which has 256 at most."""
    home = place[0]
    args = {"session": sid, "text": "never"}
    streams = [Stream(hub, token=guest) for _ in range(6)]
    for stream in streams:
        for number in range(1, 65):
            stream.send(type="call", id=number, op="session.wait", args=args)
    for stream in streams:
        stream.send(type="ping", id=100)
        stream.answer(100)
    refused = [a["error"]["code"] for stream in streams
               for a in stream.answers.values()]
    assert set(refused) == {"busy"} and len(refused) == 6 * 64 - 48, refused
    home.ok("snapshot", sid)
    with Stream(hub) as mine:
        mine.call("session.snapshot", session=sid)
    for stream in streams:
        stream.sock.close()


def test_guests_do_not_use_up_the_threads_of_the_hub(hub, sid, guest):
    """Each wait for several sessions takes one."""
    args = {"sessions": [sid], "text": "never"}
    with Stream(hub, token=guest) as stream, Stream(hub) as mine:
        for number in range(1, 41):
            stream.send(type="call", id=number, op="home.wait", args=args)
        stream.send(type="ping", id=100)
        stream.answer(100)
        refused = [a["error"]["code"] for a in stream.answers.values()]
        assert refused == ["busy"] * 32, refused
        mine.call("session.events", session=sid)


def test_a_flood_without_reading_ends(hub):
    """A client that reads nothing is cut off at 8 MiB."""
    rng = random.Random(1)
    before = rss(hub)
    with Stream(hub) as stream:
        part = b"".join(_masked(b'{"type":"%s","id":%d}' % (
            rng.choice([b"ping", b"no"]), n + 1))
                        for n in range(2000))
        stream.sock.settimeout(10)
        try:
            for _ in range(400 if FULL else 150):
                stream.sock.sendall(part)
        except (ConnectionError, TimeoutError):
            pass
        stream.sock.settimeout(30)
        assert stream.until_closed(60) in (1013, None)
    assert rss(hub) < before + SLACK * (24 << 20)


def test_pings_of_websockets_end_at_a_thousand(hub):
    with Stream(hub) as stream:
        try:
            for _ in range(40):
                stream.sock.sendall(_masked(b"x", 9) * 100)
        except ConnectionError:
            pass
        assert stream.until_closed() in (1008, None)


def _masked(payload, opcode=1):
    assert len(payload) < 126
    return (bytes([0x80 | opcode, 0x80 | len(payload)]) + b"\0\0\0\0"
            + payload)


def test_random_messages_break_nothing(hub, sid):
    """Well-formed JSON of random types and fields."""
    rng = random.Random(3)
    names = ["id", "sub", "session", "want", "from", "credit", "rate", "kind",
             "text", "key", "bytes", "cols", "rows", "op", "args", "call",
             "interval", "behind", "replay", "access", "who", "visible"]
    values = [0, 1, 2, 7, -1, 2**31, 2**53, 2**63 - 1, 1.5, True, None, "",
              "x", sid, "output", "screen", "events", "home", "text", "key",
              "C-c", "session.get", "lossless", "raw", "readwrite", [], {},
              {"session": sid}, "\u009b", "\U0001f600"]
    types = ["ping", "subscribe", "unsubscribe", "credit", "input", "resize",
             "visible", "call", "cancel"]
    with Stream(hub) as stream:
        stream.ids = itertools.count(1000)
        for n in range(20_000 if FULL else 1_500):
            message = {name: rng.choice(values)
                       for name in rng.sample(names, rng.randrange(8))}
            message["type"] = rng.choice(types)
            if rng.random() < 0.5:
                message.update(sub=rng.randrange(1, 5), session=sid)
            stream.frame(1, json.dumps(message).encode())
            if n % 50 == 0:
                try:
                    stream.ask("ping")
                except Closed as closed:
                    raise AssertionError(f"{message}: {closed}") from closed
        number = 2**52
        stream.send(type="ping", id=number)
        assert stream.answer(number) == {}
