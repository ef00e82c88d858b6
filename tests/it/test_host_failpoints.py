"""Bad luck at the one instruction that matters: builds with failpoints.

Every failpoint of the host is made to kill it, and the session must come out
the same; one that was never reached fails the test.
"""

import collections
import re

import pytest

from lib import BUILD, ROOT, Home, wait_for
import oracle_stream

BURST = BUILD / "tests" / "it" / "burst"
BYTES = 9_000_000  # more than two segments


@pytest.fixture
def home():
    with Home() as made:
        made.hits = made.path / "hits"
        made.hits.touch()
        made.env["TEND_FAILPOINT_HITS"] = str(made.hits)
        yield made


def hits(home):
    return collections.Counter(home.hits.read_text().split())


def named(*folders):
    """The failpoints that the sources have."""
    found = set()
    for folder in folders:
        for path in (ROOT / "src" / folder).glob("*.c"):
            found |= set(re.findall(r'failpoint(?:_error)?\("([a-z-]+)"\)',
                                    path.read_text()))
    return found


# Where a host is killed, and at which hit in its life.
KILLS = [
    ("ready", 1), ("pump-take", 3), ("pump-taken", 5), ("scribe-write", 4),
    ("scribe-written", 4), ("scribe-released", 4), ("before-manifest", 1),
    ("after-manifest", 1), ("before-manifest", 2), ("exit-logged", 1),
    ("exit-saved", 1), ("exit-acked", 1), ("before-done", 1),
    ("segment-written", 1), ("segment-written", 2), ("segment-renamed", 1),
    ("segment-renamed", 2), ("compress-written", 1), ("compress-renamed", 1),
]


def ended_whole(home, sid):
    """The session has ended as if nothing had been."""
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
    """Let the program end once the host has been there."""
    wait_for(lambda: hits(home)[name], lambda: hits(home))
    (home.path / "go").touch()


def waiting_program(home):
    return ["sh", "-c", f"{BURST} 9 {BYTES}; "
            "until [ -e \"$0\" ]; do sleep 0.01; done", home.path / "go"]


@pytest.mark.parametrize("name, hit", KILLS)
def test_host_killed_there_loses_nothing(home, name, hit):
    home.env["TEND_FAILPOINTS"] = f"{name}=kill@{hit}!"
    if name.startswith("compress"):
        sid = home.start(*waiting_program(home))
        quiet_until(home, name)
    else:
        sid = home.start(BURST, "9", str(BYTES))
    ended_whole(home, sid)
    # Made by the one that was killed.
    assert home.hits.with_name(f"hits.{name}").exists(), hits(home)


def test_host_killed_while_resizing(home):
    """The terminal's size is the truth: the next host writes it down."""
    home.env["TEND_FAILPOINTS"] = "resized=kill@1!"
    sid = home.start("sh", "-c", "echo ready; cat")
    home.wait_text(sid, "ready")
    home.run("resize", sid, "70x20")
    screen = wait_for(lambda: (s := home.screen(sid))["cols"] == 70 and s,
                      lambda: home.screen(sid))
    assert screen["rows"] == 20 and screen["lines"][0] == "ready"
    resized = [e for e in home.events(sid) if e["type"] == "resize"]
    assert [(e["cols"], e["rows"]) for e in resized] == [(70, 20)]


def test_write_that_hangs_stops_nobody(home):
    """A stalling disk: the program runs on, the log has it all in the end."""
    home.env["TEND_FAILPOINTS"] = "scribe-write=delay:2000@6!"
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


def poison(home, deaths):
    """A session whose program prints what crashes the engine so often."""
    home.env["TEND_FAILPOINTS"] = "engine-poison=abort@1+"
    home.env["ASAN_OPTIONS"] = "handle_abort=0"
    sid = home.start("sh", "-c", "stty -echo; echo before; read x; "
                     + "echo TEND-POISON; sleep 0.1; " * deaths
                     + "read x; echo after; cat")
    home.wait_text(sid, "before")
    home.run("send", sid, "--text", "go\r")  # the answer may die with the host
    return sid


def degraded(home, sid, why):
    """Wait until the session says so; then let its program go on."""
    def look():
        return why in (home.info(sid)["degraded"] or "")

    wait_for(look, lambda: home.info(sid))
    assert home.info(sid)["status"] == "running"
    home.ok("send", sid, "--text", "on\r")


def test_bytes_that_crash_the_engine_are_skipped(home):
    """Two deaths at one place: logged, not shown; the session is degraded."""
    sid = poison(home, 1)
    degraded(home, sid, "crashed on it twice")
    home.wait_text(sid, "after")
    assert home.raw(sid) == b"before\r\nTEND-POISON\r\nafter\r\n"
    gap = [e for e in home.events(sid) if e["type"] == "engine-gap"]
    assert gap and gap[0]["from"] <= 8 and gap[0]["to"] >= 19, gap
    assert hits(home)["engine-poison"] == 2


def test_engine_that_crashes_again_and_again_is_left_out(home):
    """Four deaths: raw mode; everything goes on but the screen."""
    sid = poison(home, 4)
    degraded(home, sid, "no screen")
    wait_for(lambda: b"after" in home.raw(sid), lambda: home.raw(sid))
    assert hits(home)["engine-poison"] == 4
    home.ok("send", sid, "--text", "typed\r")
    wait_for(lambda: b"typed" in home.raw(sid), lambda: home.raw(sid))
    assert home.json("kill", sid)["outcome"] == "killed"


def test_every_failpoint_is_reached(home):
    """One that nobody reaches proves nothing."""
    home.env["TEND_FAILPOINTS"] = "scribe-write=kill@40!,engine-poison=delay:0"
    sid = home.start("sh", "-c", "stty -echo; echo ready; read x; "
                     f"echo TEND-POISON; {BURST} 9 {BYTES}; "
                     "until [ -e \"$0\" ]; do sleep 0.01; done",
                     home.path / "go")
    home.wait_text(sid, "ready")
    home.ok("resize", sid, "90x30")
    home.ok("send", sid, "--text", "go\r")
    quiet_until(home, "compress-renamed")
    home.wait_status(sid, "exited", seconds=120)
    wait_for(lambda: home.processes() == [], lambda: home.processes())
    seen = hits(home)
    for name in sorted(named("host", "log")):
        print(f"{name:20} {seen[name]}")
    assert named("host", "log") - set(seen) == set()
