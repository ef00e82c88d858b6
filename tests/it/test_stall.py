"""A disk that hangs, and one that takes no more: the effects on users."""

import os
import pathlib
import resource
import signal
import subprocess
import time

import pytest

import lib
import oracle_stream
from disks import stalling  # noqa: F401
from hub import Hub
from lib import Home, is_all, wait_for
from stream_client import Stream
from terminal import Terminal
from wire import Closed, Wire

BURST = lib.BUILD / "tests" / "it" / "burst"


@pytest.fixture
def home():
    with Home() as made:
        yield made


def shell(home):
    sid = home.start("bash", "--norc")
    wait_for(lambda: home.screen(sid)["cursor"]["col"] > 0,
             lambda: home.screen(sid))
    home.ok("send", sid, "--text", "echo hel''lo\r")
    home.wait_text(sid, "\nhello")
    return sid


def test_attach_shows_the_screen_while_the_disk_hangs(stalling):
    """The terminal is free again although the visit is not written."""
    sid = shell(stalling)
    stalling.disk.freeze()
    try:
        with Terminal() as terminal:
            terminal.run(lib.TEND, "attach", sid, env=stalling.env)
            terminal.wait_text("hello", seconds=10)
            terminal.type("echo typ''ed\r")
            terminal.wait_text("\ntyped", seconds=10)
            terminal.type("\x1dd")
            assert terminal.ended(10) == 0
    finally:
        stalling.disk.thaw()
    wait_for(lambda: (stalling.dir(sid) / "visit.env").exists(), "the visit")


# Each with its exit status while the disk hangs.
COMMANDS = [
    (["snapshot"], 0),
    (["info"], 0),
    (["send", "--text", "echo s''ent\r"], 0),
    (["wait", "--text", "hello", "--timeout", "20s"], 0),
    (["exec", "echo done"], 0),
    (["mark", "here"], 0),
    (["resize", "90x30"], 0),
    (["prompt", "true"], 0),
    (["label", "colour=green"], 0),
    (["signal", "SIGWINCH"], 0),
    (["log"], 0),
    (["rename", "other"], None),
    (["snapshot", "--scrollback"], 0),
]


def test_no_command_waits_for_a_disk_that_hangs(stalling):
    sid = shell(stalling)
    stalling.disk.freeze()
    seen = {}
    try:
        for (command, *args), status in COMMANDS:
            began = time.monotonic()
            answer = stalling.run(command, sid, *args)
            seen[command] = (answer.status, time.monotonic() - began)
            if status is None:
                assert answer.status != 0 and "disk" in answer.err, answer
            else:
                assert answer.status == status, answer
    finally:
        stalling.disk.thaw()
        print(seen)
    assert max(took for _, took in seen.values()) < 10, seen
    wait_for(lambda: stalling.run("rename", sid, "other").status == 0,
             "the disk to take a name")


# ---------------------------------------------------------- ulimit -f

def limited(home, kib, *args):
    """Run tend with a limit of so many KiB for each file."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (kib << 10, kib << 10))

    done = subprocess.run([lib.TEND, *args], env=home.env, preexec_fn=limit,
                          capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("kib", [200, 3000])
def test_a_limit_of_files_begins_the_next_segment(home, kib):
    """No signal ends host or keeper, and no byte is missing."""
    size = 6_000_000
    status, out, err = limited(
        home, kib, "run", "-d", "--", "sh", "-c",
        f"stty raw; {BURST} 5 {size}; printf '<end>'; exec cat")
    assert status == 0, err
    sid = out.split()[0]
    wait_for(lambda: home.raw(sid).endswith(b"<end>"),
             lambda: (home.info(sid), home.events(sid, "gap", "trouble")), 60)
    home.ok("kill", sid)
    home.wait_gone(sid)
    assert len(home.raw(sid)) == size + 5
    assert home.events(sid, "gap") == []
    assert home.events(sid, "trouble") == []
    files = [*(home.dir(sid) / "log").iterdir()]
    assert len(files) > 1 and all(f.stat().st_size <= kib << 10
                                  for f in files), files


def test_a_limit_too_low_for_a_session_is_reported(home):
    status, out, err = limited(home, 20, "run", "-d", "--", "cat")
    assert status == 125 and out == "", (status, out, err)
    assert "ulimit -f" in err, err


# ------------------------------------------- a host that dies meanwhile

LITTLE = oracle_stream.stream(7, 0, 200_000)
MUCH = oracle_stream.stream(8, 0, 4_000_000)

# Echoes every key except three: a little output, much, and the end.
PROGRAM = f"""
stty raw -echo; printf 'ready\\n'
while IFS= read -rN1 key; do
    case $key in
    l) {BURST} 7 {len(LITTLE)}; printf '<little>';;
    m) {BURST} 8 {len(MUCH)}; printf '<much>';;
    q) exit 6;;
    *) printf x;;
    esac
done"""
READY = b"ready\n"


def kill_host(home, sid, host):
    """Another one serves, however long the first takes to end."""
    os.kill(host, signal.SIGKILL)

    def look():
        try:
            with Wire(home.dir(sid)) as viewer:
                viewer.sync()
            return True
        except (Closed, OSError):
            return False

    wait_for(look, "a host that serves", 20)


def press(viewer, want, key, prints):
    want += prints
    viewer.data(key)
    viewer.until(lambda: (viewer.at or 0) >= len(want), f"what {key} prints",
                 seconds=60)


@pytest.mark.parametrize("kills", [1, 2])
@pytest.mark.parametrize("much", [False, True])
@pytest.mark.parametrize("when", ["idle", "writing"])
def test_a_host_killed_while_the_disk_hangs_is_replaced(stalling, when, much,
                                                        kills):
    """The program continues, viewers see it, and the log has it in the end."""
    sid = stalling.start("bash", "-c", PROGRAM)
    stalling.wait_text(sid, "ready")
    want = bytearray(READY)
    with Wire(stalling.dir(sid)) as viewer:
        viewer.sync()
        press(viewer, want, b"x", b"x")
        stalling.ok("mark", sid, "logged")
        stalling.disk.freeze()
        try:
            if when == "writing":
                press(viewer, want, b"x", b"x")
                viewer.event("unlogged")
            for _ in range(kills):
                hosts = host_pids(stalling, sid)
                kill_host(stalling, sid, hosts[-1])
            with Wire(stalling.dir(sid)) as other:
                other.sync()
                screen = stalling.screen(sid)
                assert screen["lines"][1].strip().startswith("x"), screen
                press(other, want, b"x", b"x")
                press(other, want, b"l", LITTLE + b"<little>")
                if much:
                    press(other, want, b"m", MUCH + b"<much>")
                shown = stalling.screen(sid)["lines"]
                assert "disk is slow" in stalling.info(sid)["degraded"]
                # A host that could open its log lets it wait with the rest.
                status = stalling.run("mark", sid, "here").status
                assert when == "idle" or status != 0, status
                stalling.disk.thaw()
                other.event("logged")
                press(other, want, b"x", b"x")
                other.data(b"q")
                assert other.ended()["exit_code"] == 6
        finally:
            subprocess.run(["fsfreeze", "-u", stalling.disk.place],
                           stderr=subprocess.DEVNULL)
    assert any(shown), "nothing was shown"
    wait_for(lambda: stalling.processes() == [], stalling.processes)
    gaps = is_all(stalling, sid, bytes(want))
    assert (gaps != []) == much, gaps


def host_pids(home, sid):
    """The living hosts of the session, the newest last."""
    keeper = home.info(sid)["keeper_pid"]
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = path.read_text().split("(", 1)[1].rsplit(") ", 1)
        except (OSError, ValueError):
            continue
        state, parent = rest.split()[:2]
        if name == "tend-host" and int(parent) == keeper and state != "Z":
            found.append(int(path.parent.name))
    return sorted(found)


def test_a_hub_serves_while_the_disk_hangs(stalling):
    """The hub serves every client that it knows; only its own writes wait."""
    sid = shell(stalling)
    with Hub(stalling) as hub, Stream(hub) as stream:
        stream.subscribe(1, session=sid, want="output", access="readwrite")
        stream.event(1, "opened")
        stalling.disk.freeze()
        try:
            began = time.monotonic()
            made = stream.post("call", op="session.create",
                               args={"command": ["true"]})
            token = stream.post("call", op="token.create",
                                args={"label": "late"})
            stream.type(1, "echo typ''ed\r")
            stream.until(lambda: b"\rtyped" in stream.subs[1].data, "typed")
            assert sid in str(stream.call("session.list"))
            assert sid in str(stream.call("session.get", session=sid))
            assert "typed" in str(stream.call("session.snapshot", session=sid))
            with Stream(hub) as other:
                other.subscribe(1, session=sid, want="screen")
                assert "typed" in str(other.event(1, "screen"))
                other.subscribe(2, session=sid, want="events", **{"from": 0})
                other.event(2, "opened")
                other.subscribe(3, want="home")
                other.event(3, "current")
            took = time.monotonic() - began
            assert took < 10, took
            assert not {made, token} & set(stream.answers), stream.answers
        finally:
            stalling.disk.thaw()
        assert stream.answer(token)["secret"]
        stalling.wait_gone(stream.answer(made)["id"])
