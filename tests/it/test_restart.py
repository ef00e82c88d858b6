"""`tend run --restart`: run the program again in the same session."""

import os
import signal

import pytest

import lib
from lib import Home, is_running, wait_for
from terminal import Terminal


@pytest.fixture
def home():
    with Home() as made:
        yield made


def of_kind(home, sid, kind):
    return [e.get("data", e) for e in home.events(sid) if e["type"] == kind]


def wait_restarts(home, sid, n):
    """The session once the program runs again for the n-th time."""
    def look():
        session = home.info(sid)
        return session if session["restarts"] >= n \
            and session["child_pid"] is not None else None

    return wait_for(look, lambda: f"{n} restarts: {home.info(sid)}", 60)


def test_a_failed_program_restarts_in_the_same_session(home, tmp_path):
    """Same log, terminal, environment, directory; another process."""
    script = ("echo $COLOUR in $(pwd); stty size; "
              "test -e second && exec cat; touch second; stty raw -echo; "
              "printf '\\033[?1049h\\033[?25lfull'; exit 3")
    sid = home.start("sh", "-c", script, options=[
        "--restart", "on-failure", "-e", "COLOUR=blue", "-C", str(tmp_path),
        "--size", "90x20"])
    home.wait_text(sid, "blue in")
    session = wait_restarts(home, sid, 1)
    home.wait_text(sid, f"blue in {tmp_path}")
    assert session["status"] == "running" and session["outcome"] is None
    assert session["restart"] == "on-failure" and session["gave_up"] is None
    said = f"blue in {tmp_path}\r\n20 90\r\n".encode()
    wait_for(lambda: home.raw(sid).count(said) == 2, lambda: home.raw(sid))
    # The screen and the terminal modes of the first run are cleared.
    screen = home.screen(sid)
    assert "full" not in "\n".join(screen["lines"]), screen
    home.ok("send", sid, "--text", "typed\n")
    wait_for(lambda: home.raw(sid).endswith(b"typed\r\ntyped\r\n"),
             lambda: home.raw(sid))
    event, = of_kind(home, sid, "restart")
    assert event["exit_code"] == 3 and event["exit_signal"] == 0, event
    assert event["delay_ms"] == 1000 and event["count"] == 1, event
    assert of_kind(home, sid, "exit") == []
    wait_for(lambda: "restarts     on-failure, 1 so far\n"
             in home.ok("info", sid), lambda: home.ok("info", sid))
    home.ok("kill", sid)
    assert home.info(sid)["outcome"] == "killed"
    assert len(of_kind(home, sid, "exit")) == 1


def test_a_successful_program_restarts_only_with_always(home):
    once = home.start("true", options=["--restart", "on-failure"])
    ended = home.wait_status(once, "exited")
    assert ended["outcome"] == "exited" and ended["restarts"] == 0, ended
    twice = home.start("true", options=["--restart=always"])
    wait_for(lambda: home.info(twice)["restarts"] >= 2, "two restarts")
    delays = [e["delay_ms"] for e in of_kind(home, twice, "restart")]
    assert delays[:2] == [1000, 2000], delays
    home.ok("stop", twice)
    assert home.info(twice)["outcome"] == "stopped"


def test_a_crash_loop_ends_and_is_reported(home):
    sid = home.start("sh", "-c", "echo try; exit 7",
                     options=["--restart", "always", "-n", "loop"])
    ended = home.wait_status(sid, "exited", seconds=90)
    assert ended["outcome"] == "failed" and ended["exit_code"] == 7, ended
    assert ended["restarts"] == 4, ended
    assert home.raw(sid).count(b"try\r\n") == 5
    assert [e["delay_ms"] for e in of_kind(home, sid, "restart")] == \
        [1000, 2000, 4000, 8000]
    assert "failed 5 times in a row" in ended["gave_up"], ended
    text = home.ok("info", "loop")
    assert "stays down   it failed 5 times" in text, text
    assert f"tend rerun {sid}" in text and f"tend log {sid}" in text, text
    new = home.json("rerun", "loop", "-d")
    assert new["restart"] == "always" and new["restarts"] == 0, new
    assert new["gave_up"] is None


@pytest.mark.parametrize("how,outcome", [
    ("stop", "stopped"), ("kill", "killed"), ("destroy", None)])
@pytest.mark.parametrize("when", ["running", "waiting"])
def test_a_session_ended_by_request_is_not_restarted(home, how, outcome, when):
    program = "exec sleep 1000" if when == "running" else "exit 1"
    sid = home.start("sh", "-c", program, options=["--restart", "always"])
    if when == "waiting":
        wait_for(lambda: home.info(sid)["restarts"] >= 2
                 and "waiting to restart" in home.ok("info", sid),
                 lambda: f"a wait of 2 s: {home.ok('info', sid)}")
    else:
        home.wait_status(sid, "running")
    home.ok(how, sid)
    if how == "destroy":
        assert home.info(sid)["status"] == "destroyed"
    else:
        ended = home.info(sid)
        assert ended["status"] == "exited", ended
        assert ended["outcome"] == outcome, ended
    wait_for(lambda: not home.processes(), lambda: f"{home.processes()}")


def test_a_killed_program_restarts_without_its_old_processes(home):
    sid = home.start("sh", "-c", "setsid sleep 1000 & echo left $!; wait",
                     options=["--restart", "on-failure"])
    home.wait_text(sid, "left ")
    left = int(home.raw(sid).split()[1])
    os.kill(home.info(sid)["child_pid"], signal.SIGKILL)
    wait_restarts(home, sid, 1)
    assert not is_running(left)
    event, = of_kind(home, sid, "restart")
    assert event["exit_signal"] == signal.SIGKILL, event


def test_the_next_host_carries_out_a_pending_restart(home):
    """While it waits: the next host starts it, and counts no end twice."""
    sid = home.start("sh", "-c", "echo go; exit 1",
                     options=["--restart", "always"])
    wait_for(lambda: home.info(sid)["restarts"] >= 2, "the second wait")
    session = home.info(sid)
    before = session["host_pid"]
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: home.info(sid)["host_pid"] not in (None, before),
             "another host")
    wait_for(lambda: home.raw(sid).count(b"go\r\n") > session["restarts"],
             "the next run")
    home.ok("kill", sid)
    counts = [e["count"] for e in of_kind(home, sid, "restart")]
    assert counts == sorted(set(counts)), counts


def test_the_next_host_knows_the_restarted_program(home):
    sid = home.start("sh", "-c", "test -e $0 && exec cat; touch $0; exit 1",
                     str(home.path / "flag"),
                     options=["--restart", "on-failure"])
    child = wait_restarts(home, sid, 1)["child_pid"]
    host = home.info(sid)["host_pid"]
    os.kill(host, signal.SIGKILL)
    wait_for(lambda: home.info(sid)["host_pid"] not in (None, host),
             "another host")
    assert home.info(sid)["child_pid"] == child
    assert home.info(sid)["restarts"] == 1


def test_a_removed_directory_counts_as_a_failure(home, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    sid = home.start("sh", "-c", "rmdir \"$PWD\"; exit 1",
                     options=["-C", str(place), "--restart", "always"])
    ended = home.wait_status(sid, "exited", seconds=90)
    assert ended["exit_code"] == 1 or ended["gave_up"] is not None, ended
    trouble = [e for e in of_kind(home, sid, "trouble")
               if e.get("what") == "restart"]
    assert len(trouble) == 4, trouble
    assert all("No such file" in e["text"] for e in trouble), trouble


def test_an_attached_terminal_survives_a_restart(home):
    sid = home.start("sh", "-c",
                     "test -e $0 && echo second && exec cat; "
                     "touch $0; echo first; read x; exit 1",
                     str(home.path / "flag"), options=["--restart", "always"])
    home.wait_text(sid, "first")
    with Terminal() as term:
        term.run(lib.TEND, "attach", sid, env=home.env)
        term.wait_text("first")
        term.type(b"\r")
        term.wait_text("second")
        term.type(b"hello\r")
        term.wait_text("hello")


def test_a_restarted_program_has_the_limits_of_the_first(home):
    show = ("cat /proc/self/oom_score_adj /proc/self/timerslack_ns; "
            "ulimit -c; grep Sig[BIC] /proc/self/status; ls -l /proc/self/fd | wc -l;")
    sid = home.start("sh", "-c",
                     show + "test -e $0 && exec cat; touch $0; exit 1",
                     str(home.path / "flag"), options=["--restart", "always"])
    wait_restarts(home, sid, 1)
    wait_for(lambda: home.raw(sid).count(b"SigCgt") == 2, "both runs")
    wait_for(lambda: home.raw(sid).rpartition(b"SigCgt")[2].count(b"\n") >= 2,
             lambda: home.raw(sid))
    first, second = home.raw(sid).split(b"\x1b[!p")
    assert second.partition(b"\r\n")[2] == first


def test_the_list_shows_sessions_that_wait_for_a_restart(home):
    sid = home.start("sh", "-c", "exit 1", options=["--restart", "always"])
    wait_for(lambda: home.info(sid)["child_pid"] is None,
             lambda: home.info(sid))
    wait_for(lambda: " restarting " in home.ok("ls"), lambda: home.ok("ls"))
    assert home.info(sid)["status"] == "running", "scripts know this word"


def test_an_invalid_policy_is_reported(home):
    error = home.error("run", "-d", "--restart=maybe", "--", "cat",
                       status=125, code="usage")
    assert "--restart" in error["message"], error
    assert "on-failure" in error["message"], error
