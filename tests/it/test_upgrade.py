"""Another host for a running session: `tend upgrade`, `tend revive`.

The program prints a reproducible stream and records its input; clients stay
attached all the while.  No byte and no key may be lost or repeated, and if
anything is wrong with the new host, the old one must continue.
"""

import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import lib
from disks import fill, free, small  # noqa: F401 (a fixture)
from lib import BUILD, Home, is_running, wait_for
from stayer import Stayer
from terminal import Terminal
from wire import RESIZE, TAKEN, TEXT, WRITTEN, Refused, Wire

FULL = "TEND_TEST_FULL" in os.environ
TIMES = 200 if FULL else 10
BURST = BUILD / "tests" / "it" / "burst"
KEEPER_HOST = BUILD / "tests" / "it" / "keeper_host"
OTHER_RING = BUILD / "tests" / "it" / "other_ring"
SEED, ENDLESS = "77", str(10**15)

# Prints BURST's stream, PAUSE seconds between two pieces, and writes its input
# to KEYS.  Once that has a Q in it, it prints FINAL and no more.
PRINTS = """
import os, select, subprocess, sys, tty
burst, keys, pause = sys.argv[1], sys.argv[2], float(sys.argv[3])
tty.setraw(0)
typed = os.open(keys, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
stream = subprocess.Popen([burst, "77", str(10**15)], stdout=subprocess.PIPE)
while True:
    if select.select([0], [], [], pause)[0]:
        got = os.read(0, 1 << 16)
        os.write(typed, got)
        if b"Q" in got:
            break
    rest = stream.stdout.read(8000)
    while rest:
        rest = rest[os.write(1, rest):]
stream.kill()
os.write(1, b"\\r\\nFINAL\\r\\n")
while (got := os.read(0, 1 << 16)):
    os.write(typed, got)
"""


@pytest.fixture
def home():
    with Home() as made:
        yield made


def start(home, pause="0.002"):
    """A session of PRINTS that has begun to print."""
    sid = home.start(sys.executable, "-c", PRINTS, BURST, home.path / "keys",
                     pause, options=["--max-log", "64G"])
    wait_for(lambda: home.info(sid)["offset"] > 0, lambda: home.info(sid))
    return sid


def stream_is_whole(home, sid):
    """The log is the stream, up to FINAL."""
    raw = home.raw(sid)
    end = raw.find(b"\r\nFINAL\r\n")
    end = len(raw) if end < 0 else end
    want = subprocess.run([BURST, SEED, str(end)], stdout=subprocess.PIPE,
                          check=True).stdout
    if raw[:end] != want:
        i = next(i for i, (a, b) in enumerate(zip(raw, want)) if a != b)
        raise AssertionError(f"byte {i}: {raw[i - 40:i + 80]!r} for "
                             f"{want[i - 40:i + 80]!r}")
    assert home.events(sid, "gap") == []
    return end


def upgrade_to(home, sid, program):
    """Upgrade by the wire alone, to any file."""
    with Wire(home.dir(sid), mode="control", features=["handover"]) as wire, \
            open(program, "rb") as file:
        return wire.call("session.upgrade", give=file.fileno())


def serves(home, sid):
    """The session answers, and takes input."""
    assert home.info(sid)["status"] == "running"
    with Wire(home.dir(sid), replay="none") as wire:
        wire.sync()


def typed_exactly(home, typer, extra=b""):
    """The program got every number that was sent, once and in order."""
    want = b"".join(b"%07d." % n for n in range(1, typer.typed + 1)) + extra
    keys = home.path / "keys"
    wait_for(lambda: len(keys.read_bytes()) >= len(want),
             lambda: f"{len(want)} bytes typed: {keys.read_bytes()[-80:]!r}")
    got = keys.read_bytes()
    if got != want:
        i = next(i for i in range(len(want) + 1)
                 if got[i:i + 1] != want[i:i + 1])
        raise AssertionError(f"typed byte {i}: {got[max(0, i - 24):i + 40]!r}"
                             f" for {want[max(0, i - 24):i + 40]!r}")


def say_times(name, seconds):
    ms = sorted(s * 1000 for s in seconds)
    print(f"{name}: {len(ms)}, median {statistics.median(ms):.0f} ms, "
          f"worst {ms[-1]:.0f} ms")


def test_upgrades_lose_and_repeat_nothing(home):
    """O-06: 200 times in a full run, with three attached clients."""
    sid = start(home)
    typer = Stayer(home.dir(sid), types=True)
    watcher = Stayer(home.dir(sid), want=[BURST, SEED, ENDLESS])
    rng, took = random.Random(1), []
    with Terminal() as term:
        term.run(lib.TEND, "attach", sid, env=home.env)
        wait_for(lambda: home.info(sid)["observers"] == 3,
                 lambda: home.info(sid))
        typer.start()
        watcher.start()
        hosts = {home.info(sid)["host_pid"]}
        for n in range(TIMES):
            done = home.json("upgrade", sid)
            took.append(done["ms"] / 1000)
            hosts.add(done["host_pid"])
            # A client that is slow to reconnect would meet the host after this
            # one.
            typer.wait_for_host(n + 2)
            watcher.wait_for_host(n + 2)
            time.sleep(rng.random() * 0.05)  # at any moment of the stream
        assert len(hosts) == TIMES + 1
        typer.stop()
        watcher.stop()
        home.ok("send", sid, "--text", "Q")
        term.wait_text("FINAL")
        lines = home.screen(sid)["lines"]
        term.wait(lambda s: s["lines"] == lines, lines)
        assert term.program.poll() is None, "the attach client has ended"
        assert b"reconnecting" not in term.raw
    typed_exactly(home, typer, b"Q")
    end = stream_is_whole(home, sid)
    assert typer.hosts == watcher.hosts == TIMES + 1
    assert watcher.compared > 0 and typer.typed > TIMES
    print(f"{TIMES} upgrades, {end} bytes, {watcher.compared} compared by a "
          f"viewer, {typer.typed} numbers typed")
    say_times("the command", took)
    say_times("without a host, as a viewer sees it", watcher.away)
    say_times("without a host, as who types sees it", typer.away)
    said = home.events(sid, "meta")
    assert len(said) == TIMES, said[-3:]
    assert home.events(sid, "trouble") == []


def test_clients_without_the_farewell_lose_nothing_either(home):
    """A successful write was taken; a failed one was not."""
    sid = start(home)
    typer = Stayer(home.dir(sid), types=True, handover=False)
    watcher = Stayer(home.dir(sid), want=[BURST, SEED, ENDLESS],
                     handover=False)
    typer.start()
    watcher.start()
    for _ in range(max(5, TIMES // 10)):
        home.ok("upgrade", sid)
        at = watcher.compared
        watcher.wait_for_bytes(at + 1)
    typer.stop()
    watcher.stop()
    typed_exactly(home, typer)
    assert typer.hosts > 3 and watcher.hosts > 3


def test_a_late_reader_still_gets_its_answers(home):
    """The next host can repeat output, but not the results of input."""
    sid = start(home)
    with Wire(home.dir(sid), replay="none", behind="lossless") as wire:
        wait_for(lambda: home.info(sid)["offset"] > 4 << 20,
                 lambda: home.info(sid))  # more than a socket holds
        typed = [wire.input(TEXT, b"x") for _ in range(5)]
        upgrade = subprocess.Popen([lib.TEND, "upgrade", sid], env=home.env)
        wait_for(lambda: not takes_more(wire), lambda: "it still takes frames")
        wire.until_closed()
        taken = {int.from_bytes(payload[:8], "big"): payload[8]
                 for kind, payload in wire.frames if kind == TAKEN}
        assert taken == {number: WRITTEN for number in typed}
        assert upgrade.wait(30) == 0


def takes_more(wire):
    """True if the host has not disconnected it yet."""
    try:
        wire.send(RESIZE)  # of no size: ignored
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True


def test_keys_typed_at_a_terminal_arrive_once(home):
    """`tend attach` keeps input while there is no host."""
    sid = start(home)
    count = 60 if FULL else 8
    with Terminal() as term:
        term.run(lib.TEND, "attach", sid, env=home.env)
        wait_for(lambda: home.info(sid)["observers"] == 1,
                 lambda: home.info(sid))
        typed = 0
        with ThreadPoolExecutor() as pool:
            upgrades = pool.submit(lambda: [home.ok("upgrade", sid)
                                            for _ in range(count)])
            while not upgrades.done():
                typed += 1
                term.type("%07d." % typed)
                time.sleep(0.001)  # faster than people type
        upgrades.result()
        keys = home.path / "keys"
        want = "".join("%07d." % n for n in range(1, typed + 1)).encode()
        wait_for(lambda: len(keys.read_bytes()) >= len(want),
                 lambda: keys.read_bytes()[-80:])
        assert keys.read_bytes() == want
        print(f"{typed} numbers through {count} upgrades")


def test_an_upgrade_keeps_the_lease_and_the_size(home):
    """The lease stays with its holder, and no client is resized."""
    sid = home.start("cat", options=["--input", "lease"])
    with Wire(home.dir(sid), who=99, cols=90, rows=30) as small_one, \
            Wire(home.dir(sid), who=98, cols=100, rows=40) as other:
        small_one.resize(90, 30)
        other.resize(100, 40)
        wait_for(lambda: home.info(sid)["cols"] == 90, lambda: home.info(sid))
        assert small_one.type(1, b"mine\r")[0] == 0
        upgrade = subprocess.Popen([lib.TEND, "upgrade", sid], env=home.env)
        small_one.until_closed()
        other.until_closed()
    # A client that is slow to reconnect does not count any more.
    with Wire(home.dir(sid), who=98, cols=100, rows=40) as other, \
            Wire(home.dir(sid), who=99, cols=90, rows=30) as small_one:
        assert other.type(1, b"not mine\r")[0] == 2
        assert small_one.type(1, b"still mine\r")[0] == 0
        small_one.until_output(b"still mine")
    assert upgrade.wait(60) == 0
    resized = home.events(sid, "resize")
    assert [(e["cols"], e["rows"]) for e in resized] == [(90, 30)], resized


def test_a_replacing_host_has_punctual_timers(home):
    """The keeper allows its own timers to be late; a host must not inherit
    that."""
    def slack():
        pid = home.info(sid)["host_pid"]
        return pathlib.Path(f"/proc/{pid}/timerslack_ns").read_text().strip()

    sid = home.start("cat")
    own = pathlib.Path("/proc/self/timerslack_ns").read_text().strip()
    assert slack() == own == "50000"
    for _ in range(2):
        home.ok("upgrade", sid)
        assert slack() == own
    host = home.info(sid)["host_pid"]
    os.kill(host, signal.SIGKILL)
    wait_for(lambda: home.info(sid)["host_pid"] not in (None, host),
             lambda: home.info(sid))
    assert slack() == own


def test_an_upgrade_during_a_flood_loses_nothing(home):
    """The ring is full all the time."""
    sid = home.start(BURST, SEED, ENDLESS, options=["--max-log", "64G"])
    watcher = Stayer(home.dir(sid), want=[BURST, SEED, ENDLESS])
    watcher.start()
    for _ in range(30 if FULL else 5):
        home.ok("upgrade", sid)
    home.ok("kill", sid)
    ended = home.wait_status(sid, "exited")
    watcher.wait_for_bytes(1 << 20)
    watcher.stopped.set()
    watcher.join(60)
    assert not watcher.is_alive(), f"it hangs\n{watcher.wire!r}"
    log = subprocess.Popen(["timeout", "120", lib.TEND, "log", "--raw", sid],
                           env=home.env, stdout=subprocess.PIPE)
    want = subprocess.Popen([BURST, SEED, ENDLESS], stdout=subprocess.PIPE)
    length = 0
    while (part := log.stdout.read(1 << 20)):
        assert part == want.stdout.read(len(part)), f"after byte {length}"
        length += len(part)
    for process in (log, want):
        process.kill()
        process.wait()
        process.stdout.close()
    assert length == ended["offset"]


# ------------------------------------------------------ a host that is no good

def orders(home, sid, *lines):
    (home.dir(sid) / "orders").write_text("\n".join(lines))


def no_program(home, sid):
    path = home.path / "text"
    path.write_text("this is no program\n")
    path.chmod(0o700)
    return path


def not_executable(home, sid):
    path = home.path / "copy"
    shutil.copy(BUILD / "src" / "tend-host", path)
    path.chmod(0o600)
    return path


def crashing(home, sid):
    orders(home, sid, "crash")
    return KEEPER_HOST


def hanging(home, sid):
    orders(home, sid, "hang")
    return KEEPER_HOST


BAD = [
    (no_program, "cannot be run: Exec format error"),
    (not_executable, "cannot be run: Permission denied"),
    (lambda home, sid: "/bin/false", "ended with status 1 before"),
    (lambda home, sid: OTHER_RING, "memory of another version"),
    (crashing, "crashed (SIGSEGV)"),
    (hanging, "not ready after 5 seconds"),
]


@pytest.mark.parametrize("make, why", BAD, ids=[b[1][:24] for b in BAD])
def test_a_broken_host_changes_nothing(home, make, why):
    sid = start(home)
    host = home.info(sid)["host_pid"]
    with Wire(home.dir(sid), replay="none", features=["offset", "handover"],
              behind="lossless") as viewer:
        with pytest.raises(Refused) as refused:
            upgrade_to(home, sid, make(home, sid))
        assert why in refused.value.message, refused.value
        assert "the old one goes on" in refused.value.message
        viewer.sync()  # it was not even interrupted
    assert home.info(sid)["host_pid"] == host and is_running(host)
    wait_for(lambda: len(home.processes()) == 4, lambda: home.processes())
    home.ok("upgrade", sid)
    serves(home, sid)
    stream_is_whole(home, sid)


def test_upgrade_needs_a_descriptor(home):
    sid = home.start("cat")
    with Wire(home.dir(sid), mode="control") as wire, \
            pytest.raises(Refused) as refused:
        wire.call("session.upgrade")
    assert refused.value.code == "usage"


def test_a_second_simultaneous_upgrade_is_refused(home):
    """One of them is refused; both leave the session well."""
    sid = start(home)
    orders(home, sid, "hang")
    with Wire(home.dir(sid), mode="control") as first, \
            open(KEEPER_HOST, "rb") as file:
        asked = first.ask("session.upgrade", give=file.fileno())
        keeper = home.info(sid)["keeper_pid"]
        wait_for(lambda: len(hosts_of(keeper)) == 2, lambda: hosts_of(keeper))
        error = home.error("upgrade", sid, status=12, code="busy")
        assert "another upgrade" in error["message"], error
        with pytest.raises(Refused, match="not ready after"):
            first.answer(asked)
    home.ok("upgrade", sid)
    serves(home, sid)


def hosts_of(keeper):
    """The children of a keeper that are hosts, or become one."""
    out = subprocess.run(["ps", "--ppid", str(keeper), "-o", "pid=,args="],
                         stdout=subprocess.PIPE, text=True, check=False)
    return [line for line in out.stdout.splitlines() if "tend-host" in line]


def test_an_upgrade_while_the_program_ends_loses_no_exit(home):
    """Whichever comes first: the exit is known, once, and whole."""
    for number in range(40 if FULL else 6):
        sid = home.start("sh", "-c", "echo first; read x; echo last; exit 5")
        home.wait_text(sid, "first")
        upgrade = subprocess.Popen([lib.TEND, "upgrade", sid], env=home.env,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        time.sleep(number % 6 * 0.01)  # before, during or after
        home.run("send", sid, "--text", "\r")
        out, err = upgrade.communicate(timeout=60)
        ended = home.wait_status(sid, "exited")
        assert (ended["exit_code"], ended["outcome"]) == (5, "failed"), \
            (ended, out, err)
        assert upgrade.returncode in (0, 4), (upgrade.returncode, out, err)
        exits = home.events(sid, "exit")
        assert len(exits) == 1
        assert home.raw(sid).endswith(b"last\r\n")
    wait_for(lambda: home.processes() == [], lambda: home.processes())


def test_an_ended_session_is_not_upgraded(home):
    sid = home.start("true")
    home.wait_status(sid, "exited")
    error = home.error("upgrade", sid, status=4, code="not_running")
    assert "exited" in error["message"], error
    home.error("upgrade", "nobody", status=3, code="not_found")
    home.error("upgrade", status=2, code="usage")


def test_a_program_that_does_not_read_delays_an_upgrade(home):
    """Undelivered input may exist only in the old host."""
    go = home.path / "go"
    sid = home.start("sh", "-c", "stty raw -echo; echo ready; "
                     "until [ -e \"$0\" ]; do sleep 0.02; done; "
                     "exec cat > \"$1\"", go, home.path / "keys")
    home.wait_text(sid, "ready")
    text = b"".join(b"%07d." % n for n in range(1, 20001))
    with Wire(home.dir(sid), replay="none") as typer:
        for at in range(0, len(text), 8000):
            typer.data(text[at:at + 8000])
        typer.sync()
        error = home.error("upgrade", sid, status=12, code="busy")
        assert "does not read" in error["message"], error
        typer.sync()
    go.touch()
    keys = home.path / "keys"
    wait_for(lambda: keys.exists() and len(keys.read_bytes()) >= len(text),
             lambda: keys.exists() and len(keys.read_bytes()))
    assert keys.read_bytes() == text
    home.ok("upgrade", sid)
    serves(home, sid)


def test_a_full_disk_refuses_an_upgrade(small):
    """Output that the disk has not taken is only in the old host's memory."""
    home = small
    sid = start(home, "0.01")
    fill(home)
    wait_for(lambda: home.info(sid)["unlogged"], lambda: home.info(sid))
    host = home.info(sid)["host_pid"]
    error = home.error("upgrade", sid, status=8, code="storage")
    assert "the log is behind" in error["message"], error
    words = home.ok("info", sid)
    assert "unlogged     the log is behind: No space left" in words, words
    assert "'df' shows which disk is full" in words, words
    free(home)  # so much that the log does not fill it again
    wait_for(lambda: not home.info(sid)["unlogged"], lambda: home.info(sid))
    assert home.info(sid)["host_pid"] == host
    home.ok("upgrade", sid)
    serves(home, sid)


def test_upgrade_all_reports_each_session(home):
    """--all: a line for each; a failure is reported, and its status
    returned."""
    sids = [home.start("cat", options=["--name", f"s{n}"]) for n in range(6)]
    lines = home.ok("upgrade", "--all").splitlines()
    assert sorted(line.split(":")[0] for line in lines) == \
        [f"s{n}" for n in range(6)], lines
    os.kill(home.info(sids[0])["keeper_pid"], signal.SIGKILL)
    wait_for(lambda: home.info(sids[0])["unkept"],
             lambda: home.info(sids[0]))
    answer = home.run("upgrade", "--all")
    assert answer.status == 6, answer
    assert "s0: not moved: its keeper has died" in answer.text, answer
    assert answer.text.count(": now on tend") == 5, answer
    home.error("revive", "s0", status=6, code="unreachable")


def test_a_session_being_stopped_is_not_upgraded(home):
    """A session that is being stopped keeps its host to the end."""
    go = home.path / "go"
    sid = home.start("sh", "-c", "trap '' HUP TERM; echo ready; "
                     "until [ -e \"$0\" ]; do sleep 0.1; done", go)
    home.wait_text(sid, "ready")
    stop = subprocess.Popen([lib.TEND, "stop", "--grace", "60s", sid],
                            env=home.env)
    wait_for(lambda: home.info(sid)["status"] == "exiting",
             lambda: home.info(sid))
    error = home.error("upgrade", sid, status=4, code="not_running")
    assert "it is ending" in error["message"], error
    go.touch()
    assert stop.wait(60) == 0
    assert home.wait_status(sid, "exited")["outcome"] == "stopped"


# -------------------------------------------------------------- info in words

def test_info_explains_unkept_and_lost(home):
    sid = home.start("cat", options=["--name", "mine"])
    session = home.info(sid)
    os.kill(session["keeper_pid"], signal.SIGKILL)
    wait_for(lambda: home.info(sid)["unkept"], lambda: home.info(sid))
    words = home.ok("info", sid)
    assert re.search(r"^unkept +its keeper.* was killed", words, re.M), words
    assert "cannot be upgraded" in words and "tend stop mine" in words, words
    os.kill(session["host_pid"], signal.SIGKILL)
    home.wait_status(sid, "exited")
    words = home.ok("info", sid)
    assert re.search(r"^lost +the machine went down, or", words, re.M), words
    assert "'tend rerun mine' starts it again" in words, words
    error = home.error("revive", sid, status=4, code="not_running")
    assert "tend rerun mine" in error["message"], error


def test_revive_gives_a_healthy_session_another_host(home):
    """It gets another host, and nothing else changes."""
    sid = home.start("sh", "-c", "echo here; cat")
    home.wait_text(sid, "here")
    host = home.info(sid)["host_pid"]
    assert home.json("revive", sid)["host_pid"] != host
    home.wait_text(sid, "here")
    assert "degraded" not in home.ok("info", sid)
