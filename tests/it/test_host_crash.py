"""Hosts that die: under flood, at the end, under a running editor.

Every byte of the program's output can be computed again (burst.c), so the log
is compared from the first byte to the last.
"""

import os
import random
import signal
import subprocess
import time

import pytest

from faults import Delay, Faults
from lib import BUILD, TEND, Home, is_running, wait_for

FULL = "TEND_TEST_FULL" in os.environ
BURST = BUILD / "tests" / "it" / "burst"
ENDLESS = 10**15
STEP = 1 << 20


@pytest.fixture
def home():
    with Home() as made:
        yield made


def manifest(home, sid):
    return next(m for m in home.manifests() if m["id"] == sid)


def next_host(home, sid, old):
    """The pid of a host that serves and is not `old`."""
    def look():
        pid = manifest(home, sid)["host_pid"]
        return pid if pid not in (0, old) and is_running(pid) else None

    return wait_for(look, lambda: f"a host after {old}: {manifest(home, sid)}")


def kill_hosts(home, sid, kills, rng):
    """kill -9 each host soon after it serves; returns the seconds until the
    next one, the shortest first."""
    gone, pid = [], None
    for _ in range(kills):
        pid = next_host(home, sid, pid)
        time.sleep(rng.random() * 0.02)  # a crash comes at any moment
        os.kill(pid, signal.SIGKILL)
        began = time.monotonic()
        next_host(home, sid, pid)
        gone.append(time.monotonic() - began)
    return sorted(gone)


def difference(home, sid, seed):
    """The place where the log differs from the stream; (None, bytes) if
    nowhere."""
    log = subprocess.Popen([TEND, "log", "--raw", sid], env=home.env,
                           stdout=subprocess.PIPE)
    want = subprocess.Popen([BURST, str(seed), str(ENDLESS)],
                            stdout=subprocess.PIPE)
    at, where = 0, None
    while where is None and (part := log.stdout.read(STEP)):
        expected = want.stdout.read(len(part))
        if part != expected:
            i = next(i for i, (a, b) in enumerate(zip(part, expected))
                     if a != b)
            where = (f"byte {at + i}: {part[max(0, i - 40):i + 80]!r} for "
                     f"{expected[max(0, i - 40):i + 80]!r}")
        at += len(part)
    for process in (log, want):
        process.kill()
        process.wait()
        process.stdout.close()
    return where, at


KILLS = 100 if FULL else 40


@pytest.fixture(scope="module")
def away():
    """The time without a host, each time one was killed."""
    return []


@pytest.mark.parametrize("number", range(20 if FULL else 1))
def test_killed_hosts_lose_and_repeat_nothing(home, number, away):
    """A-28, O-06: 2,000 times in a full run."""
    seed = 1000 + number
    sid = home.start(BURST, str(seed), str(ENDLESS),
                     options=["--max-log", "64G"])
    away += kill_hosts(home, sid, KILLS, random.Random(number))
    home.ok("kill", sid)
    ended = home.wait_status(sid, "exited")
    where, length = difference(home, sid, seed)
    assert where is None, where
    assert length == ended["offset"] > 0
    notable = [e["type"] for e in home.events(sid, "trouble", "gap")]
    assert 0 < notable.count("trouble") <= KILLS and "gap" not in notable


def test_killed_hosts_serve_again_soon(away):
    """Of all that were killed above, 99 % within half a second."""
    away.sort()
    middle, late, last = (away[part * (len(away) - 1) // 100] * 1000
                          for part in (50, 99, 100))
    print(f"{len(away)} kills, served again after {middle:.0f} ms, "
          f"99 % of them after {late:.0f}, all after {last:.0f}")
    assert len(away) >= KILLS and late <= 500, away


@pytest.mark.parametrize("number", range(100 if FULL else 12))
def test_a_host_killed_at_the_end_loses_no_exit(home, number):
    """O-28: the exit is in the log once, whichever host writes it."""
    rng = random.Random(number)
    sid = home.start("sh", "-c", "read x; echo last; exit 7")
    host = next_host(home, sid, None)
    home.ok("send", "--keys", "Enter", sid)
    time.sleep(rng.random() * 0.006)  # around the exit, before or after
    try:
        os.kill(host, signal.SIGKILL)
    except ProcessLookupError:
        pass
    ended = home.wait_status(sid, "exited")
    assert (ended["exit_code"], ended["outcome"]) == (7, "failed"), ended
    wait_for(lambda: home.processes() == [], lambda: home.processes())
    exits = home.events(sid, "exit")
    assert len(exits) == 1, exits
    assert home.raw(sid).endswith(b"last\r\n")


def test_vim_does_not_notice_the_death_of_its_host(home):
    """kill -9 the host of a session running vim, then type.

    vim redraws when the answers to its queries come, with a ruler or without:
    the screen is compared once it has them.
    """
    sid = home.start("vim", "-n", "-u", "NONE", "-N")
    home.wait_text(sid, "VIM - Vi IMproved")
    home.ok("send", "--text", "ihello", sid)
    home.ok("wait", sid, "--echo", "--text", "hello", "--idle",
            "500ms")
    before = home.screen(sid)
    host = home.info(sid)["host_pid"]
    os.kill(host, signal.SIGKILL)
    next_host(home, sid, host)
    after = home.screen(sid)
    assert after["lines"] == before["lines"]
    assert after["cursor"] == before["cursor"]
    home.ok("send", "--text", " again", sid)
    home.wait_text(sid, "hello again")
    assert home.events(sid, "gap") == []


def test_history_and_size_are_there_after_a_crash(home):
    sid = home.start("sh", "-c", "seq 1 300; printf ready; read x",
                     options=["-s", "90x20"])
    home.wait_text(sid, "ready")
    home.ok("resize", sid, "70x15")
    before = home.json("snapshot", sid, "--scrollback")
    host = home.info(sid)["host_pid"]
    os.kill(host, signal.SIGKILL)
    next_host(home, sid, host)
    after = home.json("snapshot", sid, "--scrollback")
    for key in ("cols", "rows", "lines", "scrollback", "hash", "cursor"):
        assert after[key] == before[key], key
    assert (after["cols"], after["rows"]) == (70, 15)


# It asks the terminal twice, and records all that it reads.
ASKING = """
import os, sys, tty
tty.setraw(0)
heard = open(sys.argv[1], "ab", buffering=0)
os.write(1, b"ready")

def hear(end):
    while not (got := os.read(0, 1)).endswith(end):
        heard.write(got)
    heard.write(got)

for question in (b"\\x1b[6n", b"\\x1b[5n"):
    hear(b"\\n")
    os.write(1, question)
    hear(question[-2:-1] == b"6" and b"R" or b"n")
"""


def test_a_new_host_answers_no_question_twice(home, tmp_path):
    """The host dies when it has answered and before its log has the question,
    so the next one gives the question to its engine again."""
    heard = tmp_path / "heard"
    sid = home.start("/usr/bin/python3", "-c", ASKING, heard)
    home.wait_text(sid, "ready")
    pid = home.info(sid)["host_pid"]
    offset = home.info(sid)["offset"]
    with Faults(pid, [Delay("pwritev", 60)], tmp_path / "trace") as delay:
        send = subprocess.Popen([TEND, "send", sid, "--text", "\n"],
                                env=home.env, stderr=subprocess.DEVNULL)
        wait_for(lambda: heard.read_bytes() == b"\n\x1b[1;6R",
                 heard.read_bytes)
        assert len(home.run("log", "--raw", sid).out) == offset
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not is_running(pid), "the end of the host")
        delay.strace.kill()  # it would wait for the end of the delay
    send.wait(timeout=60)
    next_host(home, sid, pid)
    home.ok("send", sid, "--text", "\n")
    home.wait_status(sid, "exited")
    # One answer each: the second comes after any repeated one.
    assert heard.read_bytes() == b"\n\x1b[1;6R" + b"\n\x1b[0n"
    assert home.raw(sid) == b"ready\x1b[6n\x1b[5n"
