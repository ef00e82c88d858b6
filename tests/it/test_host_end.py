"""The ends of sessions: status, the data kept, and ways to end them."""

import json
import os
import signal

import pytest

import lib
from lib import Home, is_running, wait_for


@pytest.fixture
def home():
    with Home() as made:
        yield made


def gone(home):
    wait_for(lambda: home.processes() == [], lambda: home.processes())


@pytest.mark.parametrize("script, code, signo, outcome", [
    ("exit 0", 0, None, "exited"),
    ("exit 1", 1, None, "failed"),
    ("exit 255", 255, None, "failed"),
    ("kill -SEGV $$", None, signal.SIGSEGV, "failed"),
    ("kill -KILL $$", None, signal.SIGKILL, "failed"),
])
def test_exit_is_recorded(home, script, code, signo, outcome):
    """O-02, O-21: the status, once, in the log and in session.json."""
    sid = home.start("sh", "-c", "echo out; " + script)
    ended = home.wait_status(sid, "exited")
    assert ended["exit_code"] == code and ended["exit_signal"] == signo, ended
    assert ended["outcome"] == outcome
    gone(home)
    exits = home.events(sid, "exit")
    assert len(exits) == 1, exits
    assert home.raw(sid) == b"out\r\n"


def test_nothing_is_left_of_a_session(home):
    for _ in range(20):
        sid = home.start("true")
        home.wait_status(sid, "exited")
    gone(home)
    assert list(home.path.glob("sessions/*/sock")) == []


def test_a_failure_leaves_a_post_mortem(home):
    """B-44, C-18: the final screen, and the last 50 and 500 lines."""
    sid = home.start("sh", "-c", "seq 1 699; printf '%079d blank\\n' 7; "
                     "printf '\\033[31mfatal'; exit 3")
    home.wait_status(sid, "exited")
    session = json.loads((home.dir(sid) / "session.json").read_text())
    assert session["post_mortem"] == "artifacts/post-mortem.txt"
    assert home.info(sid)["post_mortem"] == "artifacts/post-mortem.txt"
    kept = home.dir(sid) / "artifacts"
    broken = "7".rjust(79, "0")
    want = [*map(str, range(1, 700)), broken + " blank", "fatal"]
    lines = (kept / "post-mortem.txt").read_text().splitlines()
    assert lines == want[-500:]
    few = (kept / "post-mortem-50.txt").read_text().splitlines()
    assert few == want[-50:]
    screen = (kept / "final-screen.txt").read_text().splitlines()
    assert screen == [*want[-23:-2], broken, "blank", "fatal"]
    assert b"31mfatal" in (kept / "final-screen.ansi").read_bytes()
    assert {oct(p.stat().st_mode & 0o777) for p in kept.iterdir()} == {"0o600"}


def test_a_success_leaves_no_post_mortem(home):
    sid = home.start("sh", "-c", "seq 1 100")
    home.wait_status(sid, "exited")
    assert home.info(sid)["post_mortem"] is None
    assert not list(home.dir(sid).glob("artifacts/*"))


def test_output_after_the_exit_is_logged(home):
    """Remaining processes may print until the linger time is over."""
    go = home.path / "go"
    sid = home.start("sh", "-c", "trap '' HUP; (until [ -e \"$0\" ]; do "
                     "sleep 0.01; done; echo late) & echo early; exit 5", go,
                     options=["--linger-output", "60s"])
    ended = home.wait_status(sid, "exited")
    assert ended["exit_code"] == 5
    go.touch()
    gone(home)
    assert home.raw(sid) == b"early\r\nlate\r\n"
    kinds = [e["type"] for e in home.events(sid)]
    assert "output" in kinds[kinds.index("exit"):], kinds


def test_lingering_ends_by_itself(home):
    sid = home.start("sh", "-c", "trap '' HUP; sleep 1000 & exit 0",
                     options=["--linger-output", "300ms"])
    home.wait_status(sid, "exited")
    wait_for(lambda: not any(m["host_pid"] for m in home.manifests()),
             lambda: home.manifests())


def test_idle_sessions_are_stopped(home):
    sid = home.start("cat", options=["--idle-timeout", "1s"])
    ended = home.wait_status(sid, "exited")
    assert ended["outcome"] == "stopped", ended
    signals = home.events(sid, "signal")
    assert signals[0]["by"] == "idle-timeout", signals


def test_output_and_input_keep_a_session_from_being_idle(home):
    """It ends three seconds after its last output, not after its first."""
    sid = home.start("sh", "-c", "for i in $(seq 40); do echo $i; sleep 0.1; "
                     "done; cat", options=["--idle-timeout", "3s"])
    home.wait_status(sid, "exited")
    assert home.raw(sid).endswith(b"\n40\r\n")


def test_interactive_shell_is_stopped_with_its_jobs(home):
    """C-21: bash ignores SIGTERM, its background jobs have other groups."""
    sid = home.start("bash", "--norc", "-i", options=["-e", "PS1=prompt>"])
    home.wait_text(sid, "prompt>")
    home.ok("send", sid, "--text",
            "sleep 1001 & (trap '' TERM HUP; sleep 1002) & setsid -f "
            "sleep 1003; jobs -p; echo r''eady\r")
    home.wait_text(sid, "ready")
    # A process in the middle of an exec has no environment.
    wait_for(lambda: len(home.processes()) >= 6, home.processes)
    ended = home.json("stop", sid, "--grace", "500ms")
    assert ended["outcome"] == "stopped", ended
    gone(home)
    sent = home.events(sid, "signal")
    assert [e["number"] for e in sent][:1] == [signal.SIGTERM], sent


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_session_begun_from_within_outlives_the_outer_one(home, end):
    """An agent that starts sessions may be stopped without them."""
    outer = home.start("sh", "-c", f"'{lib.TEND}' run -d -n inner -- cat; "
                       "setsid -f sleep 1004; echo ready; exec cat")
    home.wait_text(outer, "ready")
    inner = home.wait_status("inner", "running")
    home.ok(end, outer)
    wait_for(lambda: len(home.processes()) == 3, home.processes)
    after = home.info("inner")
    assert {k: after[k] for k in ("keeper_pid", "host_pid", "child_pid")} == {
        k: inner[k] for k in ("keeper_pid", "host_pid", "child_pid")}
    home.ok("send", "inner", "--text", "still here\r")
    home.wait_text("inner", "still here\nstill here")
    home.ok("stop", "inner")
    gone(home)


def test_kill_after_the_grace_is_in_the_log(home):
    sid = home.start("sh", "-c", "trap '' TERM HUP; echo ready; cat")
    home.wait_text(sid, "ready")
    home.ok("stop", sid, "--grace", "200ms")
    sent = home.events(sid, "signal")
    assert [e["number"] for e in sent] == [signal.SIGTERM, signal.SIGKILL]
    assert sent[0]["by"] == sent[1]["by"], sent


def test_a_session_without_its_keeper_continues(home):
    """The host's own descriptor keeps the program alive; its exit status is
    unknown."""
    sid = home.start("sh", "-c", "stty -echo; echo ready; read x; "
                     "echo got $x; seq 1 20000; echo end; exit 4")
    home.wait_text(sid, "ready")
    session = home.info(sid)
    os.kill(session["keeper_pid"], signal.SIGKILL)
    wait_for(lambda: home.info(sid).get("unkept"), lambda: home.info(sid))
    assert is_running(session["child_pid"])
    home.ok("send", sid, "--text", "hello\r")
    ended = home.wait_status(sid, "exited")
    assert ended["outcome"] == "lost" and ended["exit_code"] is None, ended
    gone(home)
    numbers = b"".join(b"%d\r\n" % n for n in range(1, 20001))
    assert home.raw(sid) == b"ready\r\ngot hello\r\n" + numbers + b"end\r\n"
