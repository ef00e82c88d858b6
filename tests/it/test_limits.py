"""What a session, and a home, may take at most."""

import os
import signal
import subprocess
import time

import pytest

from disks import mount
from lib import Home, wait_for


@pytest.fixture
def home():
    with Home() as made:
        yield made


# ------------------------------------------------------------- how many, how fast

def test_sessions_are_counted(home):
    """A-26."""
    home.env["TEND_MAX_SESSIONS"] = "3"
    first = home.start("cat")
    home.start("cat")
    # The third is the last: a warning, and still a session.
    answer = home.run("run", "-d", "--", "cat")
    assert answer.status == 0, answer
    assert "this is active session 3 of at most 3" in answer.err, answer
    error = home.error("run", "-d", "--", "cat", status=125, code="busy")
    assert "there are 3 active sessions, and 3 may be" in error["message"]
    assert "tend stop" in error["message"], error
    assert "TEND_MAX_SESSIONS" in error["message"], error
    assert len(home.manifests()) == 3
    home.ok("stop", first)
    home.start("cat")


def test_ended_sessions_do_not_count(home):
    home.env["TEND_MAX_SESSIONS"] = "2"
    for _ in range(4):
        home.wait_status(home.start("true"), "exited")


def test_lost_sessions_do_not_count(home):
    """They still have their names, until somebody needs the room."""
    home.env["TEND_MAX_SESSIONS"] = "2"
    for sid in home.start("cat"), home.start("cat"):
        session = home.wait_status(sid, "running")
        os.kill(session["keeper_pid"], signal.SIGKILL)
        os.kill(session["host_pid"], signal.SIGKILL)
    home.end_all()
    assert len(os.listdir(home.path / "names")) == 2
    sid = home.start("cat", options=["-n", "new"])
    assert len(os.listdir(home.path / "names")) == 1
    assert home.info("new")["id"] == sid


def test_warning_comes_at_nine_tenths(home):
    home.env["TEND_MAX_SESSIONS"] = "20"
    said = [home.run("run", "-d", "--", "cat").err for _ in range(18)]
    assert said[:17] == [""] * 17, said
    assert "active session 18 of at most 20" in said[17], said


def test_sessions_are_not_made_too_fast(home):
    """The burst is used up, then it is refused, and soon goes on."""
    home.env["TEND_MAX_RATE"] = "1"
    home.ok("run", "-d", "--", "true")
    path = home.path / "rate"
    ahead = time.time_ns() + 1_000_900_000_000
    os.utime(path, ns=(ahead, ahead))
    error = home.error("run", "-d", "--", "true", status=125, code="busy")
    assert "1000 at once and 1 a second" in error["message"], error
    assert "TEND_MAX_RATE" in error["message"], error
    home.ok("run", "-d", "--", "true", env={**home.env, "TEND_MAX_RATE": "0"})
    wait_for(lambda: home.run("run", "-d", "--", "true").status == 0,
             "a session")


@pytest.mark.parametrize("name", ["TEND_MAX_SESSIONS", "TEND_MAX_RATE",
                                  "TEND_MIN_FREE"])
def test_limit_that_is_no_number_is_told(home, name):
    home.env[name] = "many"
    error = home.error("run", "-d", "--", "true", status=125,
                       code="bad_input")
    assert name in error["message"] and "many" in error["message"], error


# ------------------------------------------------------------------- the disk

@pytest.fixture
def disk(tmp_path):
    """A home on a disk of 32 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "size=32m,mode=0700", "tmpfs", place)
    try:
        with Home(place / "home") as made:
            yield made
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def test_small_disk_is_warned_of_and_a_full_one_refused(disk):
    answer = disk.run("run", "-d", "--", "cat")
    assert answer.status == 0, answer
    assert "MiB left; when it is full" in answer.err, answer
    with open(disk.path.parent / "ballast", "wb") as out:
        out.write(bytes(20 << 20))
    error = disk.error("run", "-d", "--", "cat", status=125, code="storage")
    assert "MiB left, and 16 must be free" in error["message"], error
    assert "TEND_MIN_FREE" in error["message"], error
    assert len(disk.manifests()) == 1
    disk.env["TEND_MIN_FREE"] = "1M"
    answer = disk.run("run", "-d", "--", "cat")
    assert answer.status == 0 and answer.err == "", answer
