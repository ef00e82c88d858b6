"""Faults at the one instruction that matters: builds with failpoints.

Every failpoint of the host is made to kill it, and the session must come out
the same; a failpoint that was never reached fails the test.
"""

import collections
import json
import os
import pathlib
import re
import signal
import struct
import time

import pytest

import oracle_stream
from disks import quick
from lib import BUILD, ROOT, wait_for
from stayer import Stayer

BURST = BUILD / "tests" / "it" / "burst"
BYTES = 9_000_000  # more than two segments


@pytest.fixture
def home(quick):
    quick.hits = quick.path / "hits"
    quick.hits.touch()
    quick.env["TEND_FAILPOINT_HITS"] = str(quick.hits)
    return quick


def hits(home):
    return collections.Counter(home.hits.read_text().split())


def named(*folders):
    """The failpoints in the sources."""
    found = set()
    for folder in folders:
        for path in (ROOT / "src" / folder).glob("*.c"):
            found |= set(re.findall(r'failpoint(?:_error)?\("([a-z-]+)"\)',
                                    path.read_text()))
    return found


# The place where a host is killed, and the hit in its life.
KILLS = [
    ("ready", 1), ("pump-take", 3), ("pump-taken", 5), ("pump-fed", 3),
    ("answers", 3), ("log-write", 4),
    ("log-written", 4), ("log-released", 4), ("before-manifest", 1),
    ("after-manifest", 1), ("before-manifest", 2), ("exit-logged", 1),
    ("exit-saved", 1), ("exit-acked", 1), ("before-done", 1),
    ("segment-written", 1), ("segment-written", 2), ("segment-renamed", 1),
    ("segment-renamed", 2), ("compress-written", 1), ("compress-renamed", 1),
]


def ended_whole(home, sid):
    """The session has ended as if nothing had happened."""
    ended = home.wait_status(sid, "exited", seconds=120)
    assert ended["exit_code"] == 0, ended
    raw = home.raw(sid)
    assert len(raw) == BYTES
    where = oracle_stream.difference(raw, 9)
    assert where is None, where
    wait_for(lambda: home.processes() == [], lambda: home.processes())
    events = home.events(sid)
    assert len([e for e in events if e["type"] == "exit"]) == 1
    assert [e for e in events if e["type"] == "gap"] == []


# Segments are compressed while nothing happens.
def quiet_until(home, name):
    """Let the program end once the host has reached the place."""
    wait_for(lambda: hits(home)[name], lambda: hits(home), seconds=120)
    (home.path / "go").touch()


def waiting_program(home):
    return ["sh", "-c", f"{BURST} 9 {BYTES}; "
            "until [ -e \"$0\" ]; do sleep 0.01; done", home.path / "go"]


@pytest.mark.parametrize("name, hit", KILLS)
def test_a_host_killed_at_a_failpoint_loses_nothing(home, name, hit):
    home.env["TEND_FAILPOINTS"] = f"{name}=kill@{hit}!"
    if name.startswith("compress"):
        sid = home.start(*waiting_program(home))
        quiet_until(home, name)
    else:
        sid = home.start(BURST, "9", str(BYTES))
    ended_whole(home, sid)
    # Made by the killed host.
    assert home.hits.with_name(f"hits.{name}").exists(), hits(home)


def test_a_host_killed_while_resizing_does_not_lose_the_size(home):
    """The terminal's size counts: the next host records it."""
    home.env["TEND_FAILPOINTS"] = "resized=kill@1!"
    sid = home.start("sh", "-c", "echo ready; cat")
    home.wait_text(sid, "ready")
    home.run("resize", sid, "70x20")
    screen = wait_for(lambda: (s := home.screen(sid))["cols"] == 70 and s,
                      lambda: home.screen(sid))
    assert screen["rows"] == 20 and screen["lines"][0] == "ready"
    resized = home.events(sid, "resize")
    assert [(e["cols"], e["rows"]) for e in resized] == [(70, 20)]


def test_a_write_that_hangs_stops_no_program(home):
    """A stalling disk: the program continues, and the log has it all in the
    end."""
    home.env["TEND_FAILPOINTS"] = "log-write=delay:2000@6!"
    sid = home.start("sh", "-c", f"read x; {BURST} 9 {BYTES}")
    home.ok("send", sid, "--text", "go\r")
    log = home.dir(sid) / "host.log"
    wait_for(lambda: "the log is behind" in log.read_text(), log.read_text)
    home.wait_status(sid, "exited", seconds=120)
    wait_for(lambda: home.processes() == [], lambda: home.processes())
    events = home.events(sid)
    missing = sum(e["bytes"] for e in events if e["type"] == "gap")
    raw = home.run("log", "--raw", sid).out
    assert len(raw) + missing == home.info(sid)["offset"]
    assert "the log goes on" in log.read_text()


def ring_of(keeper):
    """Head and tail: the end of the output, and the beginning of the part that
    the ring must keep (src/keep/ring.h)."""
    for fd in pathlib.Path(f"/proc/{keeper}/fd").iterdir():
        if os.readlink(fd).startswith("/memfd:tend-ring"):
            return struct.unpack("=QQ", fd.read_bytes()[16:32])
    raise AssertionError(f"{keeper} has no ring")


def killed_with_a_full_ring(home, hit):
    """A host that dies after its write number `hit`, before it makes room for
    it: the keeper, and the end of the output.  None if there was no output in
    that write."""
    home.env["TEND_FAILPOINTS"] = (f"log-written=delay:60000@{hit}!,"
                                   "restore-replay=delay:60000@1!")
    for name in ("log-written", "restore-replay"):
        home.hits.with_name(f"hits.{name}").unlink(missing_ok=True)
    sid = home.start("sh", "-c", f"read x; exec {BURST} 9 {10 ** 15}")
    session = home.info(sid)
    keeper, host = session["keeper_pid"], session["host_pid"]
    home.ok("send", sid, "--text", "go\r")

    def acts(name):
        path = home.hits.with_name(f"hits.{name}")
        wait_for(path.exists, lambda: hits(home))

    def rests():
        """The keeper itself checks once more, a second after much output."""
        before = ring_of(keeper)
        time.sleep(2)
        return ring_of(keeper) == before

    acts("log-written")
    os.kill(host, signal.SIGSTOP)
    wait_for(rests, lambda: ring_of(keeper))
    head, tail = ring_of(keeper)
    os.kill(host, signal.SIGKILL)
    acts("restore-replay")
    return (keeper, head) if ring_of(keeper)[1] > tail else None


def test_a_new_host_makes_room_before_it_has_its_screen(home):
    """The ring is full, but the log has some of it: only the new host would
    wake the keeper before it serves.  A client would too, so none connects."""
    keeper, head = next(filter(None, (killed_with_a_full_ring(home, hit)
                                      for hit in range(20, 30))))
    wait_for(lambda: ring_of(keeper)[0] > head, lambda: ring_of(keeper),
             seconds=20)


def poison(home, times, then, options=()):
    """A session whose program prints bytes that crash the engine so often.

    Each time the host that skips the earlier bytes serves already.
    """
    gate = home.path / "gate"
    home.env["TEND_FAILPOINTS"] = "engine-poison=abort@1+"
    home.env["ASAN_OPTIONS"] = "handle_abort=0"
    prints = "".join(f"until [ -e \"$0{n}\" ]; do sleep 0.01; done; "
                     "echo TEND-POISON; " for n in range(times))
    sid = home.start("sh", "-c", f"stty -echo; echo before; {prints}{then}",
                     gate, options=options)
    home.wait_text(sid, "before")
    said = None

    def says_more():
        why = home.info(sid)["degraded"]
        return why if why and why != said and "crashed" in why else None

    for n in range(times):
        gate.with_name(f"gate{n}").touch()
        said = wait_for(says_more, lambda: home.info(sid))
    return sid


def degraded(home, sid, why):
    """Wait until the session reports it; then let its program continue."""
    def look():
        return why in (home.info(sid)["degraded"] or "")

    wait_for(look, lambda: home.info(sid))
    assert home.info(sid)["status"] == "running"
    home.ok("send", sid, "--text", "on\r")


def test_bytes_that_crash_the_engine_are_skipped(home):
    """Two deaths at one place: logged, not shown; the session is degraded."""
    sid = poison(home, 1, "read x; echo after; cat")
    degraded(home, sid, "crashed on it twice")
    home.wait_text(sid, "after")
    wait_for(lambda: home.raw(sid) == b"before\r\nTEND-POISON\r\nafter\r\n",
             lambda: home.raw(sid))
    gap = home.events(sid, "engine-gap")
    assert gap and gap[0]["from"] <= 8 and gap[0]["to"] >= 19, gap
    assert hits(home)["engine-poison"] == 2


def test_engine_that_crashes_again_and_again_is_left_out(home):
    """Four deaths: raw mode; everything works except the screen."""
    sid = poison(home, 3, "read x; echo after; cat")
    degraded(home, sid, "no screen")
    wait_for(lambda: b"after" in home.raw(sid), lambda: home.raw(sid))
    assert hits(home)["engine-poison"] == 4
    home.ok("send", sid, "--text", "typed\r")
    wait_for(lambda: b"typed" in home.raw(sid), lambda: home.raw(sid))
    error = home.error("wait", sid, "--text", "typed", status=3,
                       code="not_found")
    assert "its engine is off" in error["message"], error
    assert home.json("kill", sid)["outcome"] == "killed"


def test_revive_gives_the_screen_back(home):
    """Raw mode ends, the program is asked to redraw, and the log records
    it."""
    sid = poison(home, 3, "trap 'echo drawn' WINCH; "
                 "while :; do read x && echo \"got $x\"; done",
                 options=["--name", "poor"])
    wait_for(lambda: home.info(sid)["raw"], lambda: home.info(sid))
    words = home.ok("info", sid)
    assert "degraded     no screen: the terminal engine crashed" in words, words
    assert "'tend revive poor' restarts the engine" in words, words
    home.error("snapshot", sid, status=3, code="not_found")
    home.ok("revive", sid)
    home.wait_text(sid, "drawn")
    session = home.info(sid)
    assert session["degraded"] is None and session["raw"] is False, session
    assert "degraded" not in home.ok("info", sid)
    home.ok("send", sid, "--text", "on\r")
    home.wait_text(sid, "got on")
    # The log gives the same screen as the host has.
    assert home.json("snapshot", sid, "--at", "-0s")["lines"] == \
        home.screen(sid)["lines"]


# The place where a candidate, the leaving host, or its successor is killed.
HANDOVER = [("trial-screen", False), ("trial-done", False),
            ("trial-ready", None), ("trial-go", False),
            ("leave", None), ("leave-parted", None), ("leave-written", None)]


@pytest.mark.parametrize("name, upgraded", HANDOVER)
def test_a_handover_cut_short_leaves_a_served_session(home, name, upgraded):
    """Whichever host dies at whatever step: all bytes are there, and the
    session continues.

    None: either host may serve then.
    """
    home.env["TEND_FAILPOINTS"] = f"{name}=kill@1!"
    sid = home.start("sh", "-c", f"{BURST} 9 4000000; cat")
    viewer = Stayer(home.dir(sid), want=[BURST, "9", "4000000"])
    viewer.start()
    answer = home.run("upgrade", sid)
    assert home.hits.with_name(f"hits.{name}").exists(), hits(home)
    if upgraded is False:
        assert answer.status != 0, answer
    viewer.wait_for_bytes(4_000_000)
    viewer.stop()
    home.ok("upgrade", sid)
    home.ok("send", sid, "--text", "typed\r")
    home.wait_text(sid, "typed")
    raw = home.raw(sid)
    where = oracle_stream.difference(raw[:4_000_000], 9)
    assert where is None, where
    assert home.events(sid, "gap") == []
    info = home.info(sid)
    assert info["degraded"] is None, info


def test_restart_that_only_the_log_knows_is_not_counted_twice(home):
    """The host dies after an end was reported, before the manifest has it."""
    home.env["TEND_FAILPOINTS"] = "before-manifest=delay:10000@2!"
    sid = home.start("sh", "-c", "echo go; exit 1",
                     options=["--restart", "always"])
    wait_for(lambda: home.events(sid, "restart"), lambda: home.events(sid))
    before = home.info(sid)["host_pid"]
    saved = home.manifests()[0]["restarts"]
    os.kill(before, signal.SIGKILL)
    assert saved == 0, "it was saved before it was told: no test of anything"
    wait_for(lambda: home.raw(sid).count(b"go\r\n") >= 2, "the second run")
    wait_for(lambda: len(home.events(sid, "restart")) >= 2,
             lambda: home.events(sid, "restart"))
    home.ok("kill", sid)
    counts = [e["data"]["count"] for e in home.events(sid, "restart")]
    assert counts == list(range(1, len(counts) + 1)), counts


def test_every_failpoint_is_reached(home):
    """A failpoint that is never reached proves nothing."""
    home.env["TEND_FAILPOINTS"] = "log-write=kill@40!,engine-poison=delay:0"
    sid = home.start("sh", "-c", "stty -echo; echo ready; read x; read y; "
                     f"echo TEND-POISON; {BURST} 9 {BYTES}; "
                     "until [ -e \"$0\" ]; do sleep 0.01; done",
                     home.path / "go")
    home.wait_text(sid, "ready")
    home.ok("resize", sid, "90x30")
    home.ok("upgrade", sid)
    home.run("prompt", sid, "first")
    home.ok("send", sid, "--text", "go\r")
    quiet_until(home, "compress-renamed")
    home.wait_status(sid, "exited", seconds=120)
    wait_for(lambda: home.processes() == [], lambda: home.processes())
    seen = hits(home)
    for name in sorted(named("host", "log")):
        print(f"{name:20} {seen[name]}")
    assert named("host", "log") - set(seen) == set()


# A host that dies around a write of a prompt: the text is the first piece, the
# key that submits it the second.
@pytest.mark.parametrize("name, hit, code", [
    ("input-write", 1, "part-typed"), ("input-written", 1, "part-typed"),
    ("input-write", 2, "unsubmitted"), ("input-written", 2, "unsubmitted")])
def test_prompt_cut_short_is_known_to_the_next_host(home, name, hit, code):
    """It is unknown whether that write was done: nothing is typed after it."""
    home.env["TEND_FAILPOINTS"] = f"{name}=kill@{hit}!"
    sid = home.start("sh", "-c", "echo ready; while read -r x; do "
                     "echo \"[$x]\"; done")
    home.wait_text(sid, "ready")
    first = home.run("prompt", sid, "first")
    assert first.status not in (0, 11, 12), first
    assert home.hits.with_name(f"hits.{name}").exists(), hits(home)
    got = json.loads(home.run("prompt", "--json", sid, "second").out)["result"]
    assert got["result"] == "refused" and got["code"] == code, got
    assert got["evidence"]["standing"] == "first", got
    again = home.run("prompt", "--json", sid, "first")
    if code == "part-typed":
        got = json.loads(again.out)["result"]
        assert got["result"] == "refused" and got["code"] == code, got
        home.ok("send", sid, "--keys", "C-u")
    assert home.run("prompt", sid, "second").status == 0
    home.wait_text(sid, "[second]")
    read = re.findall(rb"\[(.*?)\]", home.raw(sid))
    assert [r for r in read if r] == \
        ([b"second"] if code == "part-typed" else [b"first", b"second"]), read


def test_prompt_without_a_witness_is_never_delivered(home):
    """The kernel does not report unread bytes, as an old one."""
    home.env["TEND_FAILPOINTS"] = "tty-unread=error:1@1+"
    sid = home.start("sh", "-c", "echo ready; while read -r x; do "
                     "echo \"[$x]\"; done")
    home.wait_text(sid, "ready")
    answer = home.run("prompt", "--json", sid, "hello")
    got = json.loads(answer.out)["result"]
    assert answer.status == 11 and got["result"] == "unconfirmed", got
    assert got["code"] == "no-witness", got
    assert got["evidence"]["read"] is None, got
    assert got["evidence"]["unread"] is None, got
    home.wait_text(sid, "[hello]")


# A host that dies around a send with a key; how often the text may arrive.
@pytest.mark.parametrize("name, counts", [
    ("key-noted", {0}), ("input-write", {0}), ("input-written", {1}),
    ("key-typed", {1})])
def test_a_send_with_a_key_cut_short_is_unknown_to_the_next_host(home, name,
                                                                 counts):
    """Nothing is typed again, however often it is asked for."""
    home.env["TEND_FAILPOINTS"] = f"{name}=kill@1!"
    read = home.path / "read"
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat >$0",
                     read)
    home.wait_text(sid, "ready")
    ask = ("send", "--json", sid, "--key", "k", "--text", "once.")
    home.run(*ask)
    assert home.hits.with_name(f"hits.{name}").exists(), hits(home)
    for _ in range(2):
        answer = json.loads(home.run(*ask).out)
        assert answer["error"]["code"] == "unknown", answer
    home.ok("send", sid, "--key", "l", "--text", "<end>")
    wait_for(lambda: b"<end>" in read.read_bytes(), read.read_bytes)
    assert read.read_bytes().count(b"once.") in counts, read.read_bytes()
