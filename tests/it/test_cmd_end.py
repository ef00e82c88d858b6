"""Ending sessions: stop, kill, signal, destroy."""

import json
import os
import signal
import time

import pytest

import lib
from lib import Home, is_running, wait_for
from terminal import Terminal


@pytest.fixture
def home():
    with Home() as made:
        yield made


def pids(session):
    return [session[k] for k in ("keeper_pid", "host_pid", "child_pid")]


def test_stop_ends_a_session(home):
    """O-22: SIGTERM is enough for most; the outcome says that a stop was
    requested."""
    sid = home.start("cat", options=["-n", "one"])
    live = home.wait_status(sid, "running")
    assert home.ok("stop", "one") == ""
    ended = home.info(sid)
    assert ended["status"] == "exited" and ended["outcome"] == "stopped"
    wait_for(lambda: not any(map(is_running, pids(live))),
             lambda: f"no process left of {pids(live)}")


def test_stop_waits_for_the_grace_then_kills(home):
    sid = home.start("sh", "-c", "trap '' TERM HUP; echo ready; "
                     "while :; do sleep 60 & wait; done")
    home.wait_text(sid, "ready")
    began = time.monotonic()
    session = home.json("stop", sid, "--grace", "500ms")
    assert time.monotonic() - began >= 0.5
    assert session["status"] == "exited" and session["outcome"] == "stopped"
    assert session["exit_signal"] == signal.SIGKILL


def test_the_outcome_of_stop_is_stopped_whatever_the_exit_code(home):
    """O-22: a requested stop is `stopped`, also with another exit code."""
    sid = home.start("sh", "-c", "trap '' HUP; trap 'exit 9' TERM; echo ready; "
                     "while :; do sleep 60 & wait; done")
    home.wait_text(sid, "ready")
    session = home.json("stop", sid)
    assert session["outcome"] == "stopped" and session["exit_code"] == 9


def test_stop_with_interrupt_presses_ctrl_c_first(home):
    """It has 300 ms to react; a program that takes longer must survive the
    next signals."""
    sid = home.start("sh", "-c", "trap '' TERM HUP; "
                     "trap 'echo interrupted; exit 3' INT; echo ready; "
                     "while :; do sleep 60 & wait; done")
    home.wait_text(sid, "ready")
    session = home.json("stop", sid, "--interrupt")
    assert session["exit_code"] == 3, session
    assert b"interrupted" in home.raw(sid)


def test_kill_ends_a_program_that_ignores_sigterm(home):
    sid = home.start("sh", "-c", "trap '' TERM HUP; echo ready; "
                     "while :; do sleep 60 & wait; done")
    home.wait_text(sid, "ready")
    session = home.json("kill", sid)
    assert session["status"] == "exited" and session["outcome"] == "killed"
    assert session["exit_signal"] == signal.SIGKILL


def test_background_processes_end_with_their_session(home):
    """A background job has left the group of its program."""
    sid = home.start("bash", "-ic", "sleep 300 & echo pid $! ready; wait")
    screen = home.wait_text(sid, "ready")
    words = next(x for x in screen["lines"] if x.endswith("ready")).split()
    pid = int(words[words.index("pid") + 1])
    assert is_running(pid)
    home.ok("kill", sid)
    wait_for(lambda: not is_running(pid), f"the end of {pid}")


@pytest.mark.parametrize("command", [
    ["stop"], ["kill"], ["signal", "INT"], ["resize", "90x30"],
    ["send", "--text", "x"], ["mark", "m"]])
def test_an_ended_session_takes_no_commands(home, command):
    """K-06: exit 4, and a hint to the data that is still there."""
    sid = home.start("true", options=["-n", "done"])
    home.wait_status(sid, "exited")
    name, *rest = command
    error = home.error(name, "done", *rest, status=4, code="not_running")
    assert error["message"] == (
        "session done exited with 0; 'tend log done' and 'tend snapshot done' "
        "still show it"), error


@pytest.mark.parametrize("spelling", ["USR1", "SIGUSR1", "usr1",
                                      str(int(signal.SIGUSR1))])
def test_a_signal_is_sent_by_name_or_number(home, spelling):
    sid = home.start("sh", "-c", "trap 'echo got it' USR1; echo ready; "
                     "while :; do sleep 0.05; done")
    home.wait_text(sid, "ready")
    assert home.ok("signal", sid, spelling) == ""
    home.wait_text(sid, "got it")


@pytest.mark.parametrize("wrong", ["FROB", "0", "999", "-1", "SIG", ""])
def test_an_unknown_signal_is_refused(home, wrong):
    sid = home.start("cat")
    answer = home.run("signal", "--", sid, wrong)
    assert answer.status == 2 and "unknown signal" in answer.err, answer
    assert home.info(sid)["status"] == "running"


def test_a_signal_is_logged_with_its_sender(home):
    sid = home.start("cat")
    home.wait_status(sid, "running")
    seq = home.json("signal", sid, "WINCH")["seq"]
    events = home.events(sid, "signal")
    assert [e["seq"] for e in events] == [seq]
    assert events[0]["signal"] == "SIGWINCH"
    assert events[0]["by"] == f"uid:{os.getuid()}"


def test_destroy_stops_frees_the_name_and_hides(home):
    sid = home.start("cat", options=["-n", "one"])
    session = home.json("destroy", "one")
    assert session["status"] == "destroyed", session
    assert home.json("ls") == []
    assert home.run("info", "one").status == 3
    assert home.start("cat", options=["-n", "one"]) != sid
    assert home.info(sid)["status"] == "destroyed"
    assert "was destroyed" in home.ok("info", sid)
    assert (home.dir(sid) / "log").is_dir()


def test_an_ended_session_can_be_destroyed(home):
    sid = home.start("sh", "-c", "echo x", options=["-n", "one"])
    home.wait_status(sid, "exited")
    home.ok("destroy", sid)
    assert home.info(sid)["status"] == "destroyed"
    home.ok("destroy", sid)
    assert home.raw(sid) == b"x\r\n"


def test_purge_removes_the_files_and_follows_no_link(home, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("keep me")
    sid = home.start("cat", options=["-n", "one"])
    home.wait_status(sid, "running")
    (home.dir(sid) / "artifacts").mkdir(exist_ok=True)
    (home.dir(sid) / "artifacts" / "link").symlink_to(precious)
    (home.dir(sid) / "link").symlink_to(precious / "file")
    (home.dir(sid) / "a" / "b" / "c").mkdir(parents=True)
    (home.dir(sid) / "a" / "b" / "c" / "x").write_text("x")
    home.ok("destroy", "--purge", "one")
    assert list((home.path / "sessions").iterdir()) == []
    assert (precious / "file").read_text() == "keep me"
    assert home.run("info", sid).status == 3
    assert home.json("ls", "-a") == []


def test_stop_refuses_an_invalid_grace(home):
    sid = home.start("cat")
    for grace in ("5", "-1s", "forever", "25h"):
        answer = home.run("stop", sid, f"--grace={grace}")
        assert answer.status == 2 and "--grace" in answer.err, answer
    assert home.info(sid)["status"] == "running"


@pytest.mark.parametrize("command, outcome", [
    ("stop", "was stopped"), ("kill", "was killed"),
    ("destroy", "was destroyed")])
def test_several_sessions_are_ended_and_each_is_reported(
        home, command, outcome):
    """The status is the worst; a missing session delays no other."""
    for name in ("one", "two", "three"):
        home.start("cat", options=["-n", name])
    answer = home.run(command, "one", "nobody", "two")
    assert answer.status == 3, answer
    told = sorted(answer.text.splitlines())
    assert [line.split(" (")[0] for line in told] == [
        f"one {outcome}", f"two {outcome}"], answer
    assert 'no session named "nobody"' in answer.err, answer
    assert [s["name"] for s in home.json("ls")] == ["three"]


def test_json_has_an_answer_for_each_session(home):
    one = home.start("cat", options=["-n", "one"])
    two = home.start("cat", options=["-n", "two"])
    answer = home.run("stop", "--json", "one", "nobody", two)
    assert answer.status == 3 and answer.err == "", answer
    whole = json.loads(answer.out)
    assert whole["ok"] is True and whole["command"] == "stop", whole
    first, none, second = whole["result"]
    assert first["ok"] and first["result"]["id"] == one, first
    assert second["ok"] and second["result"]["outcome"] == "stopped", second
    assert not none["ok"] and none["error"]["code"] == "not_found", none


def test_several_sessions_are_stopped_at_once(home):
    """Each takes its grace of two seconds; one after another, 16."""
    names = [f"s{i}" for i in range(8)]
    for name in names:
        home.start("sh", "-c", "trap '' TERM HUP; echo ready; "
                   "while :; do sleep 60 & wait; done", options=["-n", name])
    for name in names:
        home.wait_text(name, "ready")
    began = time.monotonic()
    home.ok("stop", "--grace", "2s", *names)
    took = time.monotonic() - began
    assert 2 <= took < 15, took
    assert home.json("ls") == []


def asked(home, answer, *args):
    """The status of tend on a terminal where it asks, and its question."""
    with Terminal() as term:
        term.run(lib.TEND, *args, env=home.env)
        text = "\n".join(term.wait_text("[y/N]")["lines"])
        term.type(answer + "\r")
        return term.ended(), text


def test_a_person_is_asked_before_anything_is_removed_for_good(home):
    one = home.start("cat", options=["-n", "one"])
    home.start("cat", options=["-n", "two"])
    status, text = asked(home, "", "kill", "one", "two")
    assert status == 12 and "kill one, two?" in text, text
    status, text = asked(home, "no", "destroy", "--purge", "one")
    assert status == 12 and "permanently remove, including logs: one?" in text, text
    assert len(home.json("ls")) == 2 and home.dir(one).is_dir()
    status, text = asked(home, "y", "destroy", "--purge", "one")
    assert status == 0 and not home.dir(one).exists(), text
    home.start("cat", options=["-n", "one"])
    with Terminal() as term:
        term.run(lib.TEND, "kill", "-y", "one", "two", env=home.env)
        assert term.ended() == 0, term.text()
    assert home.json("ls") == []


def test_destroyed_sessions_are_listed_with_all_and_found_by_id(home):
    sid = home.start("cat", options=["-n", "one"])
    home.ok("destroy", "one")
    assert home.ok("ls") == ""
    (listed,) = home.json("ls", "-a")
    assert listed["id"] == sid and listed["status"] == "destroyed", listed
    assert home.run("log", "one").status == 3
    assert home.run("log", sid).status == 0
    home.ok("gc", "--all")
    assert home.json("ls", "-a") == []


def test_marks_are_listed(home):
    sid = home.start("cat", options=["-n", "one"])
    assert home.ok("mark", "one") == "" and home.json("mark", "one") == []
    first = home.json("mark", "one", "before")["seq"]
    home.ok("mark", "one", "with blanks and \x1b[31m")
    lines = home.ok("mark", "one").splitlines()
    assert lines[0].split()[0] == str(first), lines
    assert lines[0].endswith("s  before"), lines
    assert lines[1].endswith("  with blanks and \\x1b[31m"), lines
    marks = home.json("mark", "one")
    assert [m["name"] for m in marks] == [
        "before", "with blanks and \x1b[31m"], marks
    assert marks[0]["seq"] == first and marks[0]["time_ns"] > 0, marks
    assert marks[0]["by"] == f"uid:{os.getuid()}", marks
    home.ok("kill", "one")
    assert home.json("mark", sid) == marks
