"""The maximum that a session and a home may use."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from disks import mount
from lib import Home, is_running, wait_for


@pytest.fixture
def home():
    with Home() as made:
        yield made


# ------------------------------------------------------------- number and rate

def test_the_number_of_active_sessions_is_limited(home):
    """A-26."""
    home.env["TEND_MAX_SESSIONS"] = "3"
    first = home.start("cat")
    home.start("cat")
    # The third is the last: there is a warning, and the session is created.
    answer = home.run("run", "-d", "--", "cat")
    assert answer.status == 0, answer
    assert "this is active session 3 of at most 3" in answer.err, answer
    error = home.error("run", "-d", "--", "cat", status=125, code="busy")
    assert "there are 3 active sessions, and the limit is 3" in error["message"]
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
    """They still have their names, until the name is needed."""
    home.env["TEND_MAX_SESSIONS"] = "2"
    home.lose(home.start("cat"), home.start("cat"))
    assert len(os.listdir(home.path / "names")) == 2
    sid = home.start("cat", options=["-n", "new"])
    assert len(os.listdir(home.path / "names")) == 1
    assert home.info("new")["id"] == sid


def test_warning_comes_at_nine_tenths(home):
    home.env["TEND_MAX_SESSIONS"] = "20"
    said = [home.run("run", "-d", "--", "cat").err for _ in range(18)]
    assert said[:17] == [""] * 17, said
    assert "active session 18 of at most 20" in said[17], said


def test_the_rate_of_new_sessions_is_limited(home):
    """The burst is used up, then creation is refused, and soon allowed
    again."""
    home.env["TEND_MAX_RATE"] = "1"
    home.ok("run", "-d", "--", "true")

    def run_at_once():
        """None if it was too late: the burst is used up for two seconds."""
        began = time.monotonic()
        ahead = time.time_ns() + 1_000_900_000_000
        os.utime(home.path / "rate", ns=(ahead, ahead))
        answer = home.run("run", "--json", "-d", "--", "true")
        return answer if time.monotonic() - began < 1.5 else None

    answer = wait_for(run_at_once, "a run at once")
    assert answer.status == 125, answer
    error = json.loads(answer.out)["error"]
    assert error["code"] == "busy", error
    assert "1000 at once and 1 per second" in error["message"], error
    assert "TEND_MAX_RATE" in error["message"], error
    home.ok("run", "-d", "--", "true", env={**home.env, "TEND_MAX_RATE": "0"})
    wait_for(lambda: home.run("run", "-d", "--", "true").status == 0,
             "a session")


@pytest.mark.parametrize("name", ["TEND_MAX_SESSIONS", "TEND_MAX_RATE",
                                  "TEND_MIN_FREE"])
def test_a_limit_that_is_not_a_number_is_reported(home, name):
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


def test_a_small_disk_gets_a_warning_and_a_full_one_is_refused(disk):
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


# ------------------------------------------------------------------ the scope

@pytest.fixture
def cgroup(tmp_path):
    """A cgroup2 of our own, with the controllers that the machine has left."""
    place = tmp_path / "cgroup"
    place.mkdir()
    mount("-t", "cgroup2", "none", place)
    mine = place / f"tend-test-{os.getpid()}"
    mine.mkdir()
    try:
        yield mine
    finally:
        mine.rmdir()
        subprocess.run(["umount", "-l", place], check=True)


def controllers(cgroup):
    for name in (cgroup.parent / "cgroup.controllers").read_text().split():
        (cgroup.parent / "cgroup.subtree_control").write_text(f"+{name}")
    return (cgroup / "cgroup.controllers").read_text().split()


def scope_of(pid):
    text = Path(f"/proc/{pid}/cgroup").read_text()
    return next(line for line in text.splitlines()
                if line.startswith("0::")).rpartition("/")[2]


def test_program_has_a_scope_and_its_keeper_and_host_have_not(home, cgroup):
    home.env["TEND_CGROUP"] = str(cgroup)
    sid = home.start("sh", "-c", "setsid sleep 1000 & echo on; wait",
                     options=["--pids", "500"])
    home.wait_text(sid, "on")
    session = home.info(sid)
    scope = cgroup / f"tend-{sid}.scope"
    assert session["cgroup"] == str(scope)
    assert scope_of(session["child_pid"]) == scope.name
    assert scope_of(session["keeper_pid"]) != scope.name
    assert scope_of(session["host_pid"]) != scope.name
    wait_for(lambda: len((scope / "cgroup.procs").read_text().split()) == 2,
             "the program and its daemon")
    pids = (scope / "cgroup.procs").read_text().split()
    home.ok("kill", sid)
    wait_for(lambda: not any(map(is_running, pids)), f"the end of {pids}")
    wait_for(lambda: not scope.exists(), "the end of the scope")


LIMITS = {"memory": ("memory.max", "1073741824", "--memory", "1G"),
          "pids": ("pids.max", "500", "--pids", "500"),
          "cpu": ("cpu.weight", "50", "--cpu-weight", "50")}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_is_set_or_reported_as_not_set(home, cgroup, name):
    """The result depends on the machine; both must be reported."""
    file, value, *options = LIMITS[name]
    home.env["TEND_CGROUP"] = str(cgroup)
    answer = home.run("run", "-d", *options, "--", "cat")
    assert answer.status == 0, answer
    sid = answer.text.strip()
    session = home.wait_status(sid, "running")
    if name in controllers(cgroup):
        assert answer.err == "" and session["unenforced"] is None, answer
        set_to = (cgroup / f"tend-{sid}.scope" / file).read_text().strip()
        assert set_to == value
    else:
        why = f"{name}: this cgroup2 does not have the controller"
        assert session["unenforced"] == why
        assert f"limits not enforced: {why}" in answer.err, answer
        assert f"limits       not enforced: {why}" in home.ok("info", sid)
    home.ok("kill", sid)
    wait_for(lambda: not (cgroup / f"tend-{sid}.scope").exists(),
             "the end of the scope")


def test_without_cgroups_a_session_runs_with_a_notice(home, tmp_path):
    home.env["TEND_CGROUP"] = str(tmp_path)
    answer = home.run("run", "-d", "--memory", "64M", "--", "cat")
    assert answer.status == 0, answer
    assert "limits not enforced" in answer.err, answer
    session = home.wait_status(answer.text.strip(), "running")
    assert session["memory_max"] == 64 << 20 and session["cgroup"] is None
    assert session["unenforced"] == (f"TEND_CGROUP={tmp_path}: not a "
                                     "cgroup2")
    text = home.ok("info", session["id"])
    assert "memory limit 64.0 MiB" in text and "not enforced: " in text, text


def test_a_session_without_limits_has_no_scope(home, cgroup):
    home.env["TEND_CGROUP"] = str(cgroup)
    session = home.wait_status(home.start("cat"), "running")
    assert session["cgroup"] is None and session["unenforced"] is None
    assert not list(cgroup.glob("tend-*.scope"))


@pytest.mark.parametrize("option,value", [
    ("memory", "much"), ("memory", "4K"), ("pids", "0"), ("pids", "-1"),
    ("cpu-weight", "10001"), ("cpu-weight", "x")])
def test_an_impossible_limit_is_reported(home, option, value):
    error = home.error("run", "-d", f"--{option}={value}", "--", "cat",
                       status=125, code="usage")
    assert f"--{option}" in error["message"], error
    assert value in error["message"], error


def test_the_kernel_ends_the_program_before_its_host(home):
    session = home.wait_status(home.start("cat"), "running")
    score = {who: int(Path(f"/proc/{session[who]}/oom_score_adj").read_text())
             for who in ("keeper_pid", "host_pid", "child_pid")}
    assert score["child_pid"] > score["host_pid"] >= score["keeper_pid"], score
