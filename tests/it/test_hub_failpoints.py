"""R1, R14: the hub, or its launcher, is killed at one instruction: builds with
failpoints.

A client makes its requests one after the other.  If the hub has ended, the client
starts the next one, which has no failpoint, and repeats the request.
"""

import collections
import os
import re

import pytest

from hub import Hub
from hub_load import GONE, nothing_is_left, start_of
from lib import ROOT, Home, wait_for
from stream_client import Closed, Stream

FULL = "TEND_TEST_FULL" in os.environ
POINT = re.compile(r'failpoint\("([a-z-]+)"\)')


def named():
    return sorted(set(POINT.findall("".join(
        path.read_text() for folder in ("hub", "home")
        for path in (ROOT / "src" / folder).glob("*.c")))))


# When the hub starts; the hits of others count the requests of a client.
CODE = "login-code-taken"
AT_START = ("hub-locked", "hub-listening")
HITS = range(1, 6) if FULL else (2,)
MANY = 6 if FULL else 2
PLACES = [(name, hit) for name in named()
          for hit in ((1,) if name in AT_START else HITS) if name != CODE]


@pytest.fixture
def home():
    with Home() as made:
        made.hits = made.path / "hits"
        yield made


def hits(home):
    return collections.Counter(home.hits.read_text().split())


class Patient:
    """A client that starts the next hub and asks again."""

    def __init__(self, home, env):
        self.home, self.ends = home, 0
        self.hub = Hub(home, env=env)
        try:
            self.hub.launch()
        except AssertionError:
            self.next_hub()

    def next_hub(self):
        self.hub.process.wait(60)
        self.ends += 1
        assert self.ends == 1, self.hub.log()
        self.hub = Hub(self.home)
        self.hub.launch()

    def ask(self, operation, *codes, **args):
        """The result; None for an error with one of the codes, if an earlier
        attempt may have succeeded."""
        first = True
        while True:
            try:
                reply = self.hub.post(f"/api/v1/{operation}", args)
            except GONE:
                self.next_hub()
                first = False
                continue
            if reply.status == 200:
                return reply.json
            code = reply.json["code"]
            if code in codes and not first:
                return None
            # Its launcher has ended, so the hub is about to.
            assert code in ("unknown", "unreachable"), reply
            if self.ends == 0:
                self.next_hub()
            first = False

    def view(self, sid, text):
        while True:
            try:
                with Stream(self.hub) as stream:
                    stream.subscribe(1, session=sid, want="output",
                                     replay="raw", history=1 << 20)
                    stream.until(lambda: text in stream.subs[1].data, text)
                    return bytes(stream.subs[1].data)
            except (Closed, *GONE):
                self.next_hub()


@pytest.mark.parametrize("name, hit", PLACES)
def test_a_hub_killed_at_a_failpoint_loses_nothing(home, name, hit):
    client = Patient(home, {"TEND_FAILPOINTS": f"{name}=kill@{hit}!",
                            "TEND_FAILPOINT_HITS": str(home.hits)})
    client.ask("session/create", "exists", name="reader",
               command=["sh", "-c", "stty raw -echo; printf ready; exec cat"])
    sid = client.ask("session/get", session="reader")["id"]
    client.ask("session/wait", session="reader", text="ready")
    before = processes(home, sid)
    for number in range(MANY):
        client.ask("session/send", session="reader", key=f"k{number}",
                   input=[{"text": f"<{number}>"}])
    want = b"".join(b"<%d>" % n for n in range(MANY))
    assert client.view(sid, want).endswith(want)
    for number in range(MANY):
        client.ask("token/create", label=f"t{number}")
    labels = {t["label"] for t in client.ask("token/list")["tokens"]}
    assert {f"t{n}" for n in range(MANY)} <= labels, labels
    for number in range(MANY):
        client.ask("session/create", "exists", name=f"n{number}",
                   command=["cat"])
        client.ask("session/stop", "not_running", session=f"n{number}")
    assert client.ends == 1, hits(home)
    assert home.hits.with_name(f"hits.{name}").exists(), hits(home)
    # The next hub had no failpoint; nothing was typed twice.
    assert processes(home, sid) == before
    assert home.raw(sid) == b"ready" + want, home.raw(sid)
    listed = home.json("ls", "--all")
    assert sorted(s["name"] for s in listed) == \
        [*(f"n{n}" for n in range(MANY)), "reader"], listed
    for number in range(MANY):
        home.wait_gone(f"n{number}")
    folders = {p.name for p in (home.path / "sessions").iterdir()}
    assert folders == {s["id"] for s in listed}
    client.hub.stop()
    nothing_is_left(client.hub)


def processes(home, sid):
    session = home.info(sid)
    return [(pid, start_of(pid)) for pid in (
        session["keeper_pid"], session["host_pid"], session["child_pid"])]


def code_of(link):
    return link["url"].partition("#code=")[2]


def test_a_code_taken_by_a_killed_hub_is_used_up(home):
    """It never logs in twice; the client asks for another."""
    client = Patient(home, {
        "TEND_FAILPOINTS": f"{CODE}=kill@1!",
        "TEND_FAILPOINT_HITS": str(home.hits)})
    code = code_of(client.ask("login/create"))
    with pytest.raises(GONE):
        client.hub.post("/api/v1/login", {"code": code})
    client.next_hub()
    assert client.hub.post("/api/v1/login", {"code": code}).status == 401
    again = code_of(client.ask("login/create"))
    assert client.hub.post("/api/v1/login", {"code": again}).status == 200
    assert client.hub.post("/api/v1/login", {"code": again}).status == 401
    client.hub.stop()
