"""R1, R14: the hub is killed at any moment, again and again.

Nothing that matters is in the hub: sessions, logs and inputs must come through,
and the next hub must serve at once.
"""

import ctypes
import itertools
import os
import signal
import socket
import threading
import time

import pytest

from hub import Hub
from hub_load import GONE, Load, Writers, launcher_of, moments, nothing_is_left
from lib import Home, Stopwatch, is_running, wait_for

FULL = "TEND_TEST_FULL" in os.environ
KILLS = 1000 if FULL else 25
INPUTS = 1000 if FULL else 30
SESSIONS = 20
READY = 1.0  # seconds
PIDFD_GETFD, LAUNCHER_FD = 438, 3


@pytest.fixture
def home():
    with Home() as made:
        # Sessions come as fast as they can.
        made.env["TEND_MAX_RATE"] = "0"
        yield made


def kill_again_and_again(hub, kills, seed):
    """Returns the seconds until each hub was ready, without those in which the
    machine stalled."""
    took = []
    for pause in itertools.islice(moments(seed), kills):
        with Stopwatch() as watch:
            hub.launch()
        took.append(watch.seconds)
        time.sleep(pause)  # a crash comes at any moment
        hub.kill()
    return sorted(took)


def test_a_storm_of_kills_loses_nothing(home):
    """R1: twenty sessions write while hubs are killed and clients list, type and
    create."""
    hub = Hub(home)
    hub.launch()
    with Writers(home, SESSIONS) as writers, Load(hub, writers.sids) as load:
        hub.kill()
        took = kill_again_and_again(hub, KILLS, 1)
        hub.launch()
        load.check()
        hub.stop()
        nothing_is_left(hub)
        total = writers.check()
    print(f"{KILLS} kills: ready in {took[len(took) // 2] * 1000:.1f} ms, at "
          f"most {took[-1] * 1000:.1f}; {total} bytes; "
          f"{load.sender.number} inputs, {len(load.creator.names)} sessions, "
          f"{load.creator.unanswered} answers lost; "
          f"{load.lister.done} lists; "
          f"{sum(len(v.data) for v in load.viewers)} bytes viewed")
    assert took[-1] <= READY, took[-5:]
    assert load.sender.unknown == 0


class Typist:
    """Types a number, kills the hub meanwhile, and asks the next one with the
    same key."""

    def __init__(self, hub, sid):
        self.hub, self.sid = hub, sid
        self.cut = 0

    def post(self, number):
        return self.hub.post("/api/v1/session/send", {
            "session": self.sid, "key": f"k{number}",
            "input": [{"text": f"<{number}>"}]})

    def attempt(self, number, answer):
        try:
            answer.append(self.post(number))
        except GONE:
            self.cut += 1

    def type(self, number, pause):
        answer = []
        client = threading.Thread(target=self.attempt, args=(number, answer))
        client.start()
        time.sleep(pause)  # a crash comes at any moment
        self.hub.kill()
        client.join(60)
        self.hub.launch()
        again = self.post(number)
        assert again.status == 200, again
        if answer:
            assert answer[0].json == again.json, (answer, again)


def test_an_input_is_typed_once_whatever_the_hub_lives_to_see(home):
    """R14: the hub is killed between the input and its confirmation, and the
    client repeats it with its key."""
    hub = Hub(home)
    hub.launch()
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat >$0",
                     home.path / "read")
    home.wait_text(sid, "ready")
    typist = Typist(hub, sid)
    for number, pause in zip(range(INPUTS), moments(2)):
        typist.type(number, pause / 25)
    want = b"".join(b"<%d>" % n for n in range(INPUTS))
    wait_for(lambda: (home.path / "read").read_bytes() == want,
             lambda: (home.path / "read").read_bytes()[-200:])
    inputs = [e["key"] for e in home.events(sid, "input")]
    assert inputs == [f"k{n}" for n in range(INPUTS)]
    print(f"{typist.cut} of {INPUTS} requests were cut off")
    assert typist.cut > 0
    hub.stop()
    nothing_is_left(hub)


def test_an_input_that_may_have_been_typed_is_unknown(home):
    """R14: no key, and the host dies while it types."""
    with Hub(home) as hub:
        sid = home.start("sh", "-c", "stty raw -echo; printf ready; read go; "
                         "exec cat >/dev/null")
        home.wait_text(sid, "ready")
        session = home.info(sid)
        os.kill(session["child_pid"], signal.SIGSTOP)
        replies = []
        client = threading.Thread(target=lambda: replies.append(hub.post(
            "/api/v1/session/send", {"session": sid, "input": [
                {"text": "x" * 60_000}]})))
        client.start()
        wait_for(lambda: home.events(sid, "input"), "the first bytes")
        os.kill(session["host_pid"], signal.SIGKILL)
        client.join(60)
        assert replies[0].json["code"] == "unknown", replies
        assert not replies[0].json["retryable"], replies


def test_a_hub_starts_while_the_old_launcher_is_at_work(home):
    """A creation goes on after its hub was killed; the session is whole."""
    hub = Hub(home)
    hub.launch()
    launcher = launcher_of(hub)
    os.kill(launcher, signal.SIGSTOP)
    client = threading.Thread(target=attempt_create, args=(hub,))
    client.start()
    # It is in the launcher's socket.
    wait_for(lambda: b"late" in waiting_for(launcher), "the request")
    hub.kill()
    client.join(60)
    with Stopwatch() as watch:
        hub.start()
    assert watch.seconds <= READY
    assert is_running(launcher)
    assert hub.call("session/list", method="GET")["sessions"] == []
    os.kill(launcher, signal.SIGCONT)
    wait_for(lambda: not is_running(launcher), "the old launcher's end")
    session = home.info("late")
    assert session["status"] == "running", session
    listed = hub.call("session/list", method="GET")["sessions"]
    assert [s["name"] for s in listed] == ["late"], listed
    hub.stop()
    nothing_is_left(hub)


def attempt_create(hub):
    try:
        hub.post("/api/v1/session/create", {"command": ["cat"],
                                            "name": "late"})
    except GONE:
        pass


def waiting_for(launcher):
    """The bytes in the launcher's socket, which it has not read."""
    pidfd = os.pidfd_open(launcher)
    fd = ctypes.CDLL(None).syscall(PIDFD_GETFD, pidfd, LAUNCHER_FD, 0)
    os.close(pidfd)
    with socket.socket(fileno=fd) as end:
        try:
            return end.recv(65536, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return b""


@pytest.mark.parametrize("when", ["idle", "at work"])
def test_a_hub_without_its_launcher_ends_and_the_next_one_serves(home, when):
    hub = Hub(home)
    hub.launch()
    launcher = launcher_of(hub)
    client = threading.Thread(target=attempt_create, args=(hub,))
    if when == "at work":
        os.kill(launcher, signal.SIGSTOP)
        client.start()
    os.kill(launcher, signal.SIGKILL)
    assert hub.process.wait(60) == 1, hub.log()
    if when == "at work":
        client.join(60)
    assert "the launcher has ended" in hub.log(), hub.log()
    hub.launch()
    hub.stop()
    nothing_is_left(hub)


def test_sessions_do_not_notice_a_stopped_hub(home):
    """R11: SIGSTOP."""
    with Writers(home, 5) as writers, Hub(home) as hub, \
            Load(hub, writers.sids) as load:
        wait_for(lambda: all(c.done for c in load.clients), "all clients")
        os.kill(hub.process.pid, signal.SIGSTOP)
        begin = time.monotonic()
        while time.monotonic() < begin + (10 if FULL else 2):
            writers.wait_output(2)
            home.ok("send", load.sid, "--text", "")
        os.kill(hub.process.pid, signal.SIGCONT)
        load.check()
        writers.check()
