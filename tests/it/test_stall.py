"""A disk that hangs, and one that takes no more: what a session's users see."""

import resource
import subprocess
import time

import pytest

import lib
from disks import stalling  # noqa: F401
from lib import Home, wait_for
from terminal import Terminal

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
    """And the terminal is free again although the visit is not written."""
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


# Each with the status it ends with, while the disk hangs.
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
    """Run tend where no file may be longer than so many KiB."""
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


def test_a_limit_too_low_for_a_session_is_told(home):
    status, out, err = limited(home, 20, "run", "-d", "--", "cat")
    assert status == 125 and out == "", (status, out, err)
    assert "ulimit -f" in err, err
