"""A program's own status (OSC 7501), from its terminal to its readers: the
answer, `tend info`, events, the log, and replaced hosts.
"""

import base64
import json
import os
import signal
import time

import pytest

import puppet
from lib import ROOT, TEND, Home, is_running, wait_for
from terminal import Terminal
from wire import Wire

PYTHON = "/usr/bin/python3"
RECORDING = ROOT / "tests" / "data" / "agent-status.cast"
PER_S = 10


@pytest.fixture
def home():
    with Home() as made:
        yield made


def report(text=None, /, end=b"\a", **pairs):
    """The bytes of a report."""
    if text is not None:
        pairs["msg"] = base64.b64encode(text.encode()).decode()
    body = ":".join(f"{key}={value}" for key, value in pairs.items())
    return b"\x1b]7501;" + body.encode() + end


def status(home, sid):
    return home.info(sid)["program_status"]


def wait_state(home, sid, state):
    """Wait until info has this state; returns the whole status."""
    def look():
        now = status(home, sid)
        return now if now is not None and now["state"] == state else None

    return wait_for(look, lambda: f"{state}: {home.info(sid)}")


def wait_none(home, sid):
    wait_for(lambda: status(home, sid) is None,
             lambda: f"no status: {home.info(sid)}")


def logged(home, sid):
    """The log's events of it, without their dates."""
    return [e["data"] for e in home.events(sid, "program-status")]


def host_of(home, sid):
    return next(m for m in home.manifests() if m["id"] == sid)["host_pid"]


def kill_host(home, sid):
    """Kill its host, and wait for the next."""
    old = host_of(home, sid)
    os.kill(old, signal.SIGKILL)
    wait_for(lambda: host_of(home, sid) not in (0, old)
             and is_running(host_of(home, sid)), f"a host after {old}")
    home.wait_text(sid, "ready")


ASKS = r"""
import os, tty
tty.setraw(0)
for end in (b"\a", b"\033\\"):
    os.write(1, b"\033]7501;?" + end)
os.write(1, b"\033[5n")
got = b""
while not got.endswith(b"\033[0n"):
    got += os.read(0, 65536)
os.write(1, b"ready " + got.hex().encode() + b"\r\n")
while True:
    os.write(1, b"more " + os.read(0, 65536).hex().encode() + b"\r\n")
"""
ANSWERS = b"\x1b]7501;?\a\x1b]7501;?\x1b\\\x1b[0n".hex()


def test_the_query_is_answered_once_with_its_own_terminator(home):
    """Before and with viewers, whose own terminals answer as well."""
    sid = home.start(PYTHON, "-c", ASKS)
    home.wait_text(sid, ANSWERS)
    with Wire(home.dir(sid), replay="raw") as viewer:
        viewer.until_output(b"ready")
        viewer.data(b"\x1b]7501;?\x1b\\x")
        home.wait_text(sid, "more 78")
    kill_host(home, sid)
    home.ok("send", sid, "--text", "y")
    shown = "\n".join(home.wait_text(sid, "more 79")["lines"])
    assert shown.count("more") == 2, shown


def test_a_replay_asks_and_answers_nothing(home):
    sid = home.start(PYTHON, "-c", ASKS)
    home.wait_text(sid, ANSWERS)
    seq = home.info(sid)["seq"]
    home.ok("snapshot", sid, "--at", str(seq))
    home.ok("snapshot", sid)
    home.ok("log", sid)
    home.ok("send", sid, "--text", "y")
    shown = "\n".join(home.wait_text(sid, "more 79")["lines"])
    assert shown.count("more") == 1, shown


def test_each_state_is_shown_sent_and_logged(home):
    sid = puppet.start(home)
    assert status(home, sid) is None
    assert "says" not in home.ok("info", sid)
    with puppet.strings(home, sid) as pull, Wire(home.dir(sid)) as viewer:
        assert viewer.metadata()["program_status"] is None
        pull(report(state="idle", app="claude-code"))
        told = viewer.event("program_status")["program_status"]
        assert told == wait_state(home, sid, "idle"), told
        assert {**told, "since": None} == {
            "state": "idle", "kind": None, "app": "claude-code",
            "text": None, "since": None}, told
        pull(report(state="working", app="claude-code"))
        wait_state(home, sid, "working")
        pull(report("approve Bash: ls \u00b7 \u5b57", state="blocked",
                    app="claude-code", kind="permission"))
        told = wait_state(home, sid, "blocked")
        assert told["kind"] == "permission", told
        assert told["text"] == "approve Bash: ls \u00b7 \u5b57", told
        says = home.ok("info", sid)
        assert "blocked: permission, by claude-code, since " in says, says
        assert "approve Bash: ls \u00b7 \u5b57" in says, says
        pull(report(state="done", end=b"\x1b\\"))
        wait_state(home, sid, "done")
        pull(report(state="clear"))
        wait_none(home, sid)
        while told is not None:
            told = viewer.event("program_status")["program_status"]
    with Wire(home.dir(sid)) as late:
        assert late.metadata()["program_status"] is None
    assert [e["state"] for e in logged(home, sid)] == [
        "idle", "working", "blocked", "done", None], logged(home, sid)
    assert logged(home, sid)[2] == {
        "state": "blocked", "kind": "permission", "app": "claude-code",
        "text": "approve Bash: ls \u00b7 \u5b57"}


def test_the_event_follows_its_output(home):
    sid = puppet.start(home)
    with puppet.strings(home, sid) as pull:
        pull(report(state="idle") + b"here")
        wait_state(home, sid, "idle")
    events = home.events(sid)
    at = [e["type"] for e in events].index("program-status")
    assert events[at - 1]["type"] == "output", events
    session = home.info(sid)
    assert events[at]["at"] == session["program_status"]["since"], session


def test_an_attached_terminal_gets_no_report(home):
    """Neither the question nor a report reaches a person's own terminal."""
    sid = puppet.start(home)
    with puppet.strings(home, sid) as pull, Terminal() as term:
        term.run(TEND, "attach", sid, env=home.env)
        term.wait_text("ready")
        pull(b"\x1b]7501;?\a" + report(state="idle", app="a") + b" steady")
        term.wait_text("steady")
        assert b"7501" not in term.raw, bytes(term.raw)
    assert wait_state(home, sid, "idle")["app"] == "a"


def test_a_picture_has_no_report(home):
    sid = puppet.start(home)
    with puppet.strings(home, sid) as pull:
        pull(report(state="working", app="a"))
        wait_state(home, sid, "working")
        with Wire(home.dir(sid)) as viewer:
            viewer.until(lambda: viewer.screens, "a picture")
            assert viewer.screens[0]["form"] == 0, viewer.screens
            assert b"7501" not in viewer.screens[0]["bytes"], viewer.screens
    assert b"7501" not in home.run("snapshot", sid, "--format", "ansi").out


def test_a_status_outlives_its_host(home):
    sid = puppet.start(home)
    with puppet.strings(home, sid) as pull:
        pull(report("which?", state="blocked", app="a", kind="question"))
    before = wait_state(home, sid, "blocked")
    home.wait_saved(sid, said_state="blocked")
    kill_host(home, sid)
    assert status(home, sid) == before
    home.ok("upgrade", sid)
    assert status(home, sid) == before
    # A resize writes a keyframe, after which there is no report any more.
    home.ok("resize", sid, "100x30")
    kill_host(home, sid)
    assert status(home, sid) == before
    assert len(logged(home, sid)) == 1, logged(home, sid)
    with puppet.strings(home, sid) as pull:
        pull(report(state="idle"))
    wait_state(home, sid, "idle")


def test_the_end_of_the_program_clears_its_status(home):
    sid = home.start("sh", "-c", "printf '\\033]7501;state=done:app=a\\a'")
    home.wait_status(sid, "exited")
    assert status(home, sid) is None
    # It is in the log, although it was sent just before the end.
    assert [e["state"] for e in logged(home, sid)] == ["done"]


def test_a_restart_clears_the_status(home):
    """Also for a host that has to find out."""
    path = home.path / "again"
    sid = home.start(
        "sh", "-c", f"echo ready; test -e {path} && exec sleep 600; "
        f"touch {path}; printf '\\033]7501;state=working\\a'; read x; exit 1",
        options=("--restart", "on-failure"))
    wait_state(home, sid, "working")
    with Wire(home.dir(sid)) as viewer:
        assert viewer.metadata()["program_status"]["state"] == "working"
        home.ok("send", sid, "--text", "\r")
        assert viewer.event("program_status")["program_status"] is None
    assert status(home, sid) is None
    wait_for(lambda: home.info(sid)["child_pid"], "the program again")
    kill_host(home, sid)
    assert status(home, sid) is None
    assert [e["state"] for e in logged(home, sid)] == ["working"]


def test_a_shell_prompt_ends_a_working_status(home):
    sid = puppet.start(home)
    with puppet.strings(home, sid) as pull:
        pull(report(state="working"))
        wait_state(home, sid, "working")
        pull(b"\x1b]133;A\a$ ")
        wait_none(home, sid)
        pull(report(state="error"))
        wait_state(home, sid, "error")
        pull(b"\x1b]133;A\a$ \x1b]7501;state=idle:id=part\ax")
        home.wait_text(sid, "$ $ x")
        assert status(home, sid)["state"] == "error"


HOSTILE = [
    b"\x1b]7501\a\x1b]7501;\a\x1b]7501;:::\a\x1b]7501;state\a",
    report(state="unknown"), report(app="b"), report(state="done", id="a/b"),
    report(state="done", msg="eA=x"), report(state="done", msg="/w=="),
    report("\x1b]52;c;eA==\a", state="done"), report("a\nb", state="done"),
    report("x" * 2049, state="done"), report(state="done", app="a" * 33),
    report(state="done", pad="x" * 5000), report(state="done", pad="x" * 70000),
    b"\x1b]7501;state=done\x18", b"\x1b]7501;state=done\x1b[m",
]


def test_an_invalid_report_changes_nothing(home):
    sid = puppet.start(home)
    with puppet.strings(home, sid) as pull:
        pull(report(state="idle", app="good"))
        before = wait_state(home, sid, "idle")
        for bad in HOSTILE:
            pull(bad)
        pull(b"\x1b[2J\x1b[Hstill here")
        home.wait_text(sid, "still here")
        assert status(home, sid) == before
        # Nothing that acts on a terminal reaches a person's.
        pull(report("a\u202eb\u2028c" + "d" * 2000, state="blocked"))
        assert wait_state(home, sid, "blocked")["text"] == "abc" + "d" * 2000
    assert len(logged(home, sid)) == 2, logged(home, sid)


FLOOD = r"""
import os, sys
os.write(1, b"ready\r\n")
n, text = int(sys.argv[1]), b"eHh4" * 100
for i in range(n):
    os.write(1, b"".join(
        b"\033]7501;state=working:app=a%d-%d:msg=%b\a" % (i, k, text)
        for k in range(100)))
os.write(1, b"\033]7501;state=blocked:app=last\a\r\nflooded\r\n")
os.read(0, 1)
"""


def test_a_flood_of_reports_is_bounded(home):
    """100,000 of them: few are recorded, the last one is, and no client is
    delayed."""
    began = time.monotonic()
    sid = home.start(PYTHON, "-c", FLOOD, "1000")
    home.wait_text(sid, "flooded", 120)
    assert wait_state(home, sid, "blocked")["app"] == "last"
    seconds = time.monotonic() - began
    notes = logged(home, sid)
    assert notes[-1]["app"] == "last", notes[-1]
    assert 2 <= len(notes) <= PER_S * (seconds + 2), (len(notes), seconds)


def test_the_last_of_a_burst_is_noted_before_the_end(home):
    sid = home.start("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; "
                     "do printf '\\033]7501;state=idle:app=a%s\\a' $i; "
                     "sleep 0.01; done")
    home.wait_status(sid, "exited")
    notes = logged(home, sid)
    assert notes[-1]["app"] == "a14", notes
    assert len(notes) <= PER_S + 1, notes


def test_reports_of_a_recorded_agent_are_understood(home):
    """A recording with reports as real agents send them, played in a session
    and by `tend render`, which neither answers nor shows any of them."""
    lines = RECORDING.read_text().splitlines()
    output = "".join(event[2] for event in map(json.loads, lines[1:])
                     if event[1] == "o")
    path = home.path / "played"
    path.write_bytes(output.encode())
    shown = home.run("render", str(RECORDING))
    assert shown.status == 0 and "7501" not in shown.text, shown
    sid = home.start("sh", "-c", f"echo ready; cat {path}; read x")
    assert wait_state(home, sid, "done")["app"] == "agent"
    states = [(e["state"], e["kind"], e["text"]) for e in logged(home, sid)]
    assert states[-1] == ("done", None, None), states
