"""Making room: removed sessions, kept ones, and events meanwhile."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

import lib
from lib import Home, wait_for
from terminal import Terminal

HOUR = 3600 * 1000
DAY = 24 * HOUR


@pytest.fixture
def home():
    with Home() as made:
        yield made


def ended(home, *command, options=()):
    """A session that has ended, and its host too; returns its id."""
    sid = home.start(*(command or ("true",)), options=options)
    home.wait_gone(sid)
    return sid


def edit(home, sid, **changes):
    """Change its session.json."""
    path = home.dir(sid) / "session.json"
    edited = {**json.loads(path.read_text()), **changes}
    edited.pop("crc", None)
    path.write_text(json.dumps(edited))


def age(home, sid, ms):
    """Make it look as if it had ended so long ago."""
    edit(home, sid, ended_ms=int(time.time() * 1000) - ms)


def ids(home):
    return {path.name for path in (home.path / "sessions").iterdir()}


def times(home, *sids):
    """The time at which each of these files was written."""
    return {path: path.stat().st_mtime_ns for sid in sids
            for path in home.dir(sid).rglob("*") if path.is_file()}


def removed(answer):
    return {each["id"] for each in answer["removed"]}


# -------------------------------------------------------------------- removed

def test_nothing_is_removed_without_a_request(home):
    """It reports the possible savings, and the options to use."""
    sid = ended(home)
    for args in ([], ["--dry-run"]):
        error = home.error("gc", *args, status=2, code="usage")
        for word in ("--older-than 30d", "--budget 5G", "--all",
                     "1 ended sessions take", str(home.path)):
            assert word in error["message"], error
    assert ids(home) == {sid}
    home.error("gc", "--all", "--older-than", "1d", status=2, code="usage")
    home.error("gc", "--older-than", "soon", status=2, code="usage")
    home.error("gc", "--budget", "much", status=2, code="usage")
    home.error("gc", "--all", "word", status=2, code="usage")


def test_a_budget_needs_a_unit(home):
    """A plain 1 does not mean one byte."""
    ended(home)
    error = home.error("gc", "--budget", "1", status=2, code="usage")
    assert error["message"] == ("--budget: 1 has no unit: give one, as "
                                "in 64K, 256M or 5G"), error
    assert len(home.json("ls", "-a")) == 1


def on_terminal(home, answer, *args):
    """The status of tend on a terminal, its output, and its question."""
    with Terminal() as term:
        term.run(lib.TEND, *args, env=home.env)
        if answer is not None:
            term.wait_text("[y/N]")
            term.type(answer + "\r")
        status = term.ended()
        os.write(term.slave, b"\x1b[24Hthat is all")
        return status, "\n".join(term.wait_text("that is all")["lines"])


def test_a_person_is_asked_and_a_script_is_not(home):
    first, second = ended(home), ended(home)
    status, text = on_terminal(home, "n", "gc", "--all")
    assert status == 12 and "nothing was done" in text, text
    assert first in text and second in text, text
    assert len(home.json("ls", "-a")) == 2
    status, text = on_terminal(home, "yes", "gc", "--all")
    assert status == 0 and "removed 2 ended sessions" in text, text
    assert home.json("ls", "-a") == []
    third = ended(home)
    status, text = on_terminal(home, None, "gc", "--all", "-y")
    assert status == 0 and "removed 1 ended session," in text, text
    status, text = on_terminal(home, None, "gc", "--all")
    assert status == 0 and "removed 0 ended sessions" in text, (third, text)


def test_all_ended_sessions_are_removed_and_nothing_else(home):
    """K-01, K-04: never an active session, never the home."""
    live = home.start("cat", options=["-n", "live"])
    gone = ended(home, options=["-n", "gone"])
    dead = home.start("cat", options=["-n", "dead"])
    home.ok("destroy", dead)
    before = times(home, gone, dead)
    plan = home.json("gc", "--all", "--dry-run")
    assert plan["dry_run"] is True and removed(plan) == {gone, dead}
    assert ids(home) == {live, gone, dead}
    assert times(home, gone, dead) == before
    done = home.json("gc", "--all")
    assert removed(done) == {gone, dead} and done["dry_run"] is False
    assert done["freed_bytes"] == plan["freed_bytes"] > 0
    assert done["active"] == 1 and done["ended"] == 0
    assert [list(each) for each in done["removed"]] == [
        ["id", "name", "status", "ended_at", "bytes"]] * 2
    assert ids(home) == {live}
    assert len(list((home.path / "names").iterdir())) == 1
    assert home.info("live")["status"] == "running"
    again = home.json("gc", "--all")
    assert again["removed"] == [] and again["freed_bytes"] == 0
    text = home.ok("gc", "--all")
    assert text.startswith("removed 0 ended sessions, 0 B\n"), text
    assert "kept 1 active and 0 ended" in text, text


def test_old_sessions_are_removed_by_age(home):
    young, old, older = ended(home), ended(home), ended(home)
    age(home, young, HOUR)
    age(home, old, 3 * DAY)
    age(home, older, 40 * DAY)
    assert removed(home.json("gc", "-n", "--older-than", "50d")) == set()
    assert removed(home.json("gc", "--older-than", "30d")) == {older}
    assert removed(home.json("gc", "--older-than", "71h")) == {old}
    text = home.ok("gc", "-n", "--older-than", "10m")
    assert young in text and "would remove 1 ended session," in text, text
    assert ids(home) == {young}
    # A session that ended in the future, because of a wrong clock, is not old.
    age(home, young, -DAY)
    assert removed(home.json("gc", "--older-than", "0s")) == set()


def test_a_lost_session_is_as_old_as_its_files(home):
    """No end was recorded."""
    sid = home.start("cat")
    home.lose(sid)
    assert home.info(sid)["outcome"] == "lost"
    assert removed(home.json("gc", "-n", "--older-than", "1h")) == set()
    past = time.time() - 2 * 3600
    for path in [*home.dir(sid).rglob("*"), home.dir(sid)]:
        os.utime(path, (past, past), follow_symlinks=False)
    assert removed(home.json("gc", "--older-than", "1h")) == {sid}


def test_a_budget_removes_the_oldest_first(home):
    """DESIGN 4: the oldest ended ones are removed until the budget is kept."""
    made = [ended(home, "head", "-c", "300000", "/dev/zero")
            for _ in range(4)]
    live = home.start("cat")
    for number, sid in enumerate(made):
        age(home, sid, (10 - number) * DAY)
        # Data that cannot be compressed.
        (home.dir(sid) / "files" / "noise").write_bytes(os.urandom(500_000))
    total = home.json("gc", "--budget", "1T")
    assert removed(total) == set() and total["home_bytes"] > 2_000_000
    budget = total["home_bytes"] - 600_000
    plan = home.json("gc", "-n", "--budget", f"{budget}B")
    assert removed(plan) == set(made[:2])
    done = home.json("gc", "--budget", f"{budget}B")
    assert removed(done) == set(made[:2])
    assert done["home_bytes"] <= budget
    assert ids(home) == {*made[2:], live}
    # However small the budget, active sessions stay.
    assert removed(home.json("gc", "--budget", "0")) == set(made[2:])
    assert ids(home) == {live}
    both = ended(home)
    age(home, both, 5 * DAY)
    assert removed(home.json("gc", "--older-than", "30d",
                             "--budget", "0")) == {both}


# ----------------------------------------------------------------------- kept

def test_a_session_being_destroyed_stays(home):
    """K-04: gc refuses `destroying`; destroy completes it."""
    sid = ended(home)
    edit(home, sid, status="destroying", outcome=None)
    done = home.json("gc", "--all")
    assert done["removed"] == [] and done["active"] == 1, done
    home.ok("destroy", sid)
    assert removed(home.json("gc", "--all")) == {sid}


def test_a_session_that_takes_late_output_stays(home):
    """The program has ended, the host has not."""
    sid = home.start("sh", "-c", "trap '' HUP; sleep 1000 & exit 0",
                     options=["--linger-output", "10m"])
    home.wait_status(sid, "exited")
    assert home.info(sid)["host_pid"] is not None
    assert home.json("gc", "--all")["removed"] == []
    assert ids(home) == {sid}


def test_unreadable_sessions_stay(home):
    damaged, newer = ended(home), ended(home)
    (home.dir(damaged) / "session.json").write_text("{")
    edit(home, newer, version=2)
    done = home.json("gc", "--all")
    assert done["removed"] == []
    assert {each["id"]: each["why"] for each in done["skipped"]} == {
        damaged: "its session.json cannot be read",
        newer: "it was written by a newer tend"}
    answer = home.run("gc", "--all")
    assert answer.status == 0 and damaged in answer.err, answer


def test_removing_a_copy_leaves_the_original_running(home):
    """The copy of a running session is only files; the original is not
    touched."""
    sid = home.start("cat")
    home.wait_status(sid, "running")
    with Home(str(home.path) + "-copy") as copy:
        lib.copy_tree(home.path, copy.path)
        try:
            assert removed(copy.json("gc", "--all")) == {sid}
            assert ids(copy) == set()
        finally:
            shutil.rmtree(copy.path)
    home.ok("send", sid, "--text", "alive", "--keys", "Enter")
    home.wait_text(sid, "alive")


def test_no_link_is_followed(home, tmp_path):
    """S11: planted links lead nowhere."""
    outside = tmp_path / "outside"
    (outside / "log").mkdir(parents=True)
    (outside / "precious").write_text("kept")
    sid = ended(home)
    (home.dir(sid) / "files" / "link").symlink_to(outside)
    shutil.rmtree(home.dir(sid) / "log")
    (home.dir(sid) / "log").symlink_to(outside / "log")
    planted = "01J00000000000000000000000"
    (home.path / "sessions" / planted).symlink_to(outside)
    other = ended(home)
    done = home.json("gc", "--all")
    # A log that is a link was not made by tend: a person must decide.
    assert removed(done) == {other}
    assert {each["id"] for each in done["skipped"]} == {sid, planted}, done
    assert (outside / "precious").read_text() == "kept"
    assert (outside / "log").is_dir()
    (home.dir(sid) / "log").unlink()
    assert removed(home.json("gc", "--all")) == {sid}
    assert (outside / "precious").read_text() == "kept"


def test_leftovers_of_a_crash_are_removed(home):
    """Half removed, or not completely created."""
    home.start("cat")
    sessions = home.path / "sessions"
    (sessions / "gone-01J00000000000000000000000" / "log").mkdir(parents=True)
    never = "01J00000000000000000000001"
    (sessions / never / "log").mkdir(parents=True)
    assert removed(home.json("gc", "--all")) == {never}
    assert len(ids(home)) == 1
    fresh = ended(home)
    (home.dir(fresh) / "session.json").unlink()
    # By its id it may be about to start.
    assert home.json("gc", "--all")["removed"] == []


def test_gc_removes_nothing_from_a_home_without_sessions(home):
    assert home.json("gc", "--all")["removed"] == []
    home.env["TEND_HOME"] = str(home.path / "none")
    assert home.json("gc", "--all")["removed"] == []
    assert not (home.path / "none").exists()


# ------------------------------------------------------------------- meanwhile

def test_simultaneous_gcs_remove_each_session_once(home):
    """One of them removes each session; the other waits, or skips it."""
    made = {ended(home) for _ in range(12)}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda _: home.json("gc", "--all"), range(4)))
    seen = [each["id"] for answer in answers for each in answer["removed"]]
    assert sorted(seen) == sorted(made)
    assert ids(home) == set()


def test_a_stuck_gc_is_reported(home):
    import fcntl
    ended(home)
    fd = os.open(home.path / "sessions", os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        error = home.error("gc", "--all", status=12, code="busy")
        assert "another gc is running" in error["message"]
        assert home.json("gc", "--all", "--dry-run")["removed"] != []
    finally:
        os.close(fd)


def test_sessions_that_begin_during_gc_stay(home):
    """Every session that is active at any moment stays whole."""
    rounds = 8 if os.environ.get("TEND_TEST_FULL") else 2

    def live(number):
        lived = []
        for turn in range(rounds):
            sid = home.start("cat", options=["-n", f"s{number}-{turn}"])
            home.ok("send", sid, "--text", "mine", "--keys", "Enter")
            home.wait_text(sid, "mine")
            home.ok("kill", sid)
            rerun = home.run("rerun", "-d", sid)
            # The old one may have been collected; then it is missing.
            assert rerun.status in (0, 125), rerun
            lived.append(rerun.text.strip() if rerun.status == 0 else None)
        return lived

    with concurrent.futures.ThreadPoolExecutor() as pool:
        jobs = [pool.submit(live, number) for number in range(3)]
        turns = 0
        while not all(job.done() for job in jobs) or turns < 3:
            home.json("gc", "--all")
            turns += 1
        reran = {sid for job in jobs for sid in job.result() if sid}
    active = {s["id"] for s in home.json("ls")}
    assert active == reran
    for sid in active:
        home.ok("send", sid, "--text", "still", "--keys", "Enter")
        home.wait_text(sid, "still")


@pytest.mark.parametrize("how", [["stop"], ["destroy"],
                                 ["destroy", "--purge"]])
def test_ending_a_session_that_gc_removes_succeeds(home, tmp_path, how):
    """It has ended; that nothing is left of it is no failure."""
    sid = home.start("sh", "-c", "trap '' HUP TERM; echo ready; "
                     "until [ -e \"$0\" ]; do sleep 0.01; done",
                     tmp_path / "go")
    home.wait_text(sid, "ready")
    waiting = subprocess.Popen([lib.TEND, *how, "--json", "--grace", "5m",
                                sid], env=home.env, stdout=subprocess.PIPE)
    try:
        wait_for(lambda: home.events(sid, "signal"), lambda: home.events(sid))
        waiting.send_signal(signal.SIGSTOP)
        (tmp_path / "go").touch()
        wait_for(lambda: home.processes() == [waiting.pid], home.processes)
        assert removed(home.json("gc", "--all")) == {sid}
        waiting.send_signal(signal.SIGCONT)
        out, _ = waiting.communicate(timeout=60)
    finally:
        waiting.kill()
        waiting.wait()
    assert waiting.returncode == 0, out
    session = json.loads(out)["result"]
    assert session["id"] == sid and session["status"] == "destroyed", session


@pytest.mark.parametrize("how", [["--raw", "-f"], ["--raw"]])
def test_a_reader_of_a_removed_log_reports_the_loss(home, how):
    """It ends, shows only logged output, and reports that the rest is
    missing."""
    sid = ended(home, "sh", "-c",
                "i=0; while [ $i -lt 120000 ]; do echo line $i of many more "
                "that are to be read; i=$((i+1)); done")
    whole = home.raw(sid)
    reader = subprocess.Popen([lib.TEND, "log", *how, sid],
                              env=home.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    try:
        first = os.read(reader.stdout.fileno(), 1000)
        assert removed(home.json("gc", "--all")) == {sid}
        out, err = reader.communicate(timeout=60)
    finally:
        reader.kill()
        reader.wait()
    assert whole.startswith(first + out) and whole != first + out
    assert reader.returncode == 10, (reader.returncode, err)
    assert b"removed while tend read its log" in err, err
    answer = home.run("log", sid)
    assert answer.status == 3, answer


# ----------------------------------------------------------------- compression

def plain(home, sid):
    return sorted(path.name for path in (home.dir(sid) / "log").glob("*.seg"))


def numbers(lines, seed):
    """A program whose output can be compressed, but varies."""
    return ("awk", f"BEGIN {{ srand({seed}); for (i = 0; i < {lines}; i++) "
            "print i, rand(), rand() }")


def test_logs_of_ended_sessions_are_compressed(home):
    """The log gives the same before and after."""
    sid = ended(home, *numbers(400_000, 1))
    left = plain(home, sid)
    assert left, list((home.dir(sid) / "log").iterdir())
    before = (home.raw(sid), home.screen(sid), home.ok("log", "--events", sid),
              home.json("snapshot", sid, "--at", "@5000"))
    assert "compressed_segments" in home.json("gc", "-n", "--older-than", "1d")
    assert plain(home, sid) == left
    done = home.json("gc", "--older-than", "1d")
    assert done["removed"] == []
    assert done["compressed_segments"] == len(left)
    assert done["compressed_bytes"] > 0
    assert plain(home, sid) == []
    after = (home.raw(sid), home.screen(sid), home.ok("log", "--events", sid),
             home.json("snapshot", sid, "--at", "@5000"))
    assert before == after
    assert home.json("gc", "--older-than", "1d")["compressed_segments"] == 0
    sid = ended(home, *numbers(20_000, 2))
    assert "compressed 1 part of logs" in home.ok("gc", "--older-than", "1d")


def test_a_torn_log_is_compressed_unchanged(home):
    """The torn part is cut neither more nor less."""
    sid = ended(home, *numbers(5_000, 3))
    last = home.dir(sid) / "log" / plain(home, sid)[-1]
    data = last.read_bytes()
    last.write_bytes(data[:-100])
    before = home.run("log", "--raw", sid)
    assert before.status == 10 and len(before.out) > 100_000, before.err
    answer = home.run("gc", "--older-than", "1d", "--json")
    assert answer.status == 10, answer
    assert json.loads(answer.out)["result"]["compressed_segments"] == 1
    after = home.run("log", "--raw", sid)
    assert (after.status, after.out) == (10, before.out), after.err


def test_a_running_session_is_not_compressed(home):
    sid = home.start(*numbers(20_000, 4)[:1], numbers(20_000, 4)[1]
                     + " END { while (1) system(\"sleep 100\") }")
    wait_for(lambda: b"19999 " in home.raw(sid), "all of its output")
    assert home.json("gc", "--all")["compressed_segments"] == 0
    assert plain(home, sid) != []


# ------------------------------------------------------------------ odd places

@pytest.mark.parametrize("mask", [0o000, 0o777])
def test_every_file_is_private_whatever_the_umask(mask, tmp_path):
    """K-01: 0700 and 0600 whatever the umask and the writer."""
    place = pathlib.Path(tmp_path / "p")
    place.mkdir()
    for name in ("tend", "tend-host", "tend-keeper"):
        shutil.copy(lib.BUILD / "src" / name, place)
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == 0 and str(path).startswith("/tmp/"):
            path.chmod(path.stat().st_mode | 0o755)
    own = place / "own"
    own.mkdir(mode=0o700)
    os.chown(own, 65533, 65533)
    with Home(own / "home") as home:
        home.env["XDG_STATE_HOME"] = str(own / "state")

        def tend(*args):
            done = subprocess.run(
                [place / "tend", *args], env=home.env, cwd="/", user=65533,
                group=65533, extra_groups=[], umask=mask, timeout=60,
                capture_output=True, text=True)
            assert done.returncode == 0, done
            return done.stdout

        sid = tend("run", "-d", "--", *numbers(20_000, 5)).strip()
        wait_for(lambda: not home.processes(), home.processes)
        live = tend("run", "-d", "cat").strip()
        tend("send", live, "--text", "x")
        tend("gc", "--older-than", "1d")
        tend("homes", "-a")
        assert list((home.dir(sid) / "log").glob("*.zseg")), sid
        for path in [*own.rglob("*")]:
            try:
                mode = path.lstat().st_mode & 0o7777
            except FileNotFoundError:  # it has its right name by now
                continue
            if path.is_symlink():
                continue
            assert mode == (0o700 if path.is_dir() else 0o600), (
                path, oct(mode))
        tend("kill", live)
