"""The activity of the agent in a session, from its terminal to its readers:
`tend ls`, `info`, `wait`, events, the log, and replaced hosts.

The programs here are small ones with an agent's name that report their status
(OSC 7501).  The agents' own screens are in test_agent_screens.py.
"""

import base64
import os
import signal
import time

import pytest

import puppet
from lib import Home, is_running, wait_for
from wire import Refused, Wire

CLEAR = b"\x1b[2J\x1b[H"
DIALOG = CLEAR + (b"Do you want to proceed?\r\n\xe2\x9d\xaf 1. Yes\r\n  2. No\r\n"
                  b"\r\nEsc to cancel\x1b[?25l")


@pytest.fixture
def home():
    with Home() as made:
        yield made


def says(state, text=None, **pairs):
    """The bytes of a report."""
    if text is not None:
        pairs["msg"] = base64.b64encode(text.encode()).decode()
    body = ":".join(f"{k}={v}" for k, v in {"state": state, **pairs}.items())
    return f"\x1b]7501;{body}\a".encode()


def wait_activity(home, sid, activity):
    """Wait for it; the session."""
    def look():
        now = home.info(sid)
        return now if now["activity"] == activity else None

    return wait_for(look, lambda: f"{activity}: {home.info(sid)} "
                    f"{home.json('agent', 'explain', sid)}")


def noted(home, sid):
    """The activities of the log."""
    return [e["data"]["activity"] for e in home.events(sid, "activity")]


def test_a_program_that_is_no_agent_has_no_activity(home):
    sid = puppet.start(home)
    with puppet.strings(home, sid) as pull:
        pull(says("working", app="something"))
        wait_for(lambda: home.info(sid)["program_status"], "its status")
    session = home.info(sid)
    assert session["agent"] is None and session["evidence"] is None, session
    assert session["activity"] == "unknown", session
    assert "ACTIVITY" not in home.ok("ls")
    assert home.json("agent", "explain", sid)["sources"] == []
    assert noted(home, sid) == []


def test_each_change_is_shown_sent_and_logged(home):
    """C-02, A-02, C-20: with its evidence."""
    sid = puppet.start(home, name="claude")
    with puppet.strings(home, sid) as pull, Wire(home.dir(sid)) as viewer:
        assert viewer.metadata()["activity"] in ("unknown", "idle")
        for state, activity in (("working", "working"),
                                ("blocked", "waiting_permission"),
                                ("done", "done"), ("error", "error"),
                                ("idle", "idle")):
            pull(says(state, kind="permission"))
            session = wait_activity(home, sid, activity)
            assert session["agent"]["name"] == "claude", session
            assert session["evidence"]["source"] == "status", session
            assert session["evidence"]["why"], session
            told = viewer.event("activity", activity=activity)
            assert told["agent"] == session["agent"], told
            assert told["evidence"]["since"] == session["evidence"]["since"]
        assert "claude, idle since" in home.ok("info", sid)
        home.wait_saved(sid, activity="idle")
        listed = home.ok("ls")
        assert "ACTIVITY" in listed and "idle" in listed, listed
    wait_for(lambda: noted(home, sid)[-5:] == [
        "working", "waiting_permission", "done", "error", "idle"],
        lambda: noted(home, sid))


def test_an_agent_behind_ssh_is_known_by_its_report(home):
    sid = puppet.start(home)
    with puppet.strings(home, sid) as pull:
        pull(says("working", app="claude-code"))
        session = wait_activity(home, sid, "working")
    assert session["agent"]["name"] == "claude", session


def test_an_agent_in_a_shell_comes_and_goes(home):
    """Typed by a person, and not started by tend run."""
    sid = home.start("/bin/bash", "--norc", "-i")
    name, program = puppet.command("claude")[-2:]
    home.wait_text(sid, "bash-")
    script = home.path / "program.py"
    script.write_text(program)
    home.ok("send", sid, "--text",
            f"(exec -a {name} /usr/bin/python3 -u {script})", "--keys",
            "Enter")
    home.wait_text(sid, "ready")
    with puppet.strings(home, sid) as pull:
        pull(says("working"))
        wait_activity(home, sid, "working")
    home.ok("signal", sid, "KILL")
    session = wait_activity(home, sid, "unknown")
    assert session["agent"] is None, session
    assert noted(home, sid)[-1] == "unknown"


@pytest.mark.parametrize("state", ["idle", "done"])
def test_no_agent_is_idle_while_it_shows_a_dialog(home, state):
    """Agents report idle while a login or a trust dialog is open."""
    sid = puppet.start(home, name="claude")
    with puppet.strings(home, sid) as pull:
        pull(says("working"))
        wait_activity(home, sid, "working")
        pull(DIALOG + says(state))
        session = wait_activity(home, sid, "waiting_question")
        assert session["evidence"]["source"] == "screen", session
        pull(CLEAR + b"over\r\n\x1b[?25h")
        wait_activity(home, sid, state)
    assert noted(home, sid)[-3:] == ["working", "waiting_question", state]


def test_a_wait_ends_with_the_activity(home):
    sid = puppet.start(home, name="claude")
    with puppet.strings(home, sid) as pull, \
            Wire(home.dir(sid), mode="control") as w:
        pull(says("working"))
        wait_activity(home, sid, "working")
        number = puppet.ask(w, activity="idle,done,waiting_permission")
        pull(says("blocked", kind="permission"))
        got = w.answer(number)
        assert got["matched"] and got["condition"] == "activity", got
    got = home.ok("wait", sid, "--activity", "waiting_permission")
    assert got == "", got
    late = home.run("wait", sid, "--activity", "idle", "--timeout", "50ms")
    assert late.status == 11, late
    wrong = home.error("wait", sid, "--activity", "busy", status=2,
                       code="usage")
    assert "needs_setup" in wrong["message"], wrong


def test_an_ended_session_has_no_agent(home):
    sid = puppet.start(home, name="claude")
    with puppet.strings(home, sid) as pull:
        pull(says("working"))
        wait_activity(home, sid, "working")
    home.ok("kill", sid)
    home.wait_status(sid, "exited")
    session = home.info(sid)
    assert session["agent"] is None, session
    assert session["activity"] == "unknown", session
    home.error("agent", "explain", sid, status=4, code="not_running")


def test_a_restarted_agent_is_found_again(home):
    """Its command line is the same."""
    sid = puppet.start(home, options=("--restart", "always"), name="claude")
    with puppet.strings(home, sid) as pull:
        pull(CLEAR + says("working"))
        wait_activity(home, sid, "working")
        home.ok("signal", sid, "KILL")
        assert wait_activity(home, sid, "unknown")["agent"] is None
        home.wait_text(sid, "ready")
        pull(says("idle"))
        assert wait_activity(home, sid, "idle")["agent"]["name"] == "claude"


def test_an_activity_outlives_its_host(home):
    sid = puppet.start(home, name="claude")
    with puppet.strings(home, sid) as pull:
        pull(says("working"))
        before = wait_activity(home, sid, "working")
    home.wait_saved(sid, activity="working")
    host = before["host_pid"]
    os.kill(host, signal.SIGKILL)
    wait_for(lambda: home.info(sid)["host_pid"] not in (None, host)
             and is_running(home.info(sid)["host_pid"]), "another host")
    home.ok("upgrade", sid)
    with puppet.strings(home, sid) as pull:
        pull(b"more")
        home.wait_text(sid, "more")
        pull(says("idle"))
        wait_activity(home, sid, "idle")
    assert noted(home, sid)[-2:] == ["working", "idle"], noted(home, sid)
    assert noted(home, sid).count("working") == 1, noted(home, sid)


def test_an_explanation_has_each_source(home):
    sid = puppet.start(home, name="claude")
    with puppet.strings(home, sid) as pull:
        pull(says("blocked", kind="question"))
        wait_activity(home, sid, "waiting_question")
    told = home.json("agent", "explain", sid)
    assert told["agent"]["name"] == "claude", told
    by = {s["source"]: s for s in told["sources"]}
    assert list(by) == ["status", "channel", "hook", "title", "screen"], by
    assert by["status"]["activity"] == "waiting_question", by
    assert by["screen"]["activity"] == "unknown", by
    assert told["box"] == "none" and "version" in told["why"], told
    shown = home.ok("agent", "explain", sid)
    assert "waiting_question" in shown and told["why"] in shown, shown


PROFILE = """
[agent]
title = My agent
program = my-agent
seen = 1.0-2.0
version = v\\K[0-9.]+
[screen busy]
activity = working
match = (?i)hard at work
"""


def test_a_profile_of_the_users_own_counts(home):
    """That of the session's start: a host reads no settings."""
    config = home.path / "config"
    (config / "tend/agents").mkdir(parents=True)
    (config / "tend/agents/mine.ini").write_text(PROFILE)
    (config / "tend/agents/bad.ini").write_text("nonsense")
    home.env["XDG_CONFIG_HOME"] = str(config)
    sid = puppet.start(home, name="my-agent")
    (config / "tend/agents/mine.ini").unlink()
    with puppet.strings(home, sid) as pull:
        pull(CLEAR + b"v1.5 is Hard at Work")
        session = wait_activity(home, sid, "working")
        assert session["agent"] == {"name": "mine", "version": "1.5"}, session
        assert session["evidence"]["source"] == "screen", session
        assert "busy" in session["evidence"]["why"], session
        pull(CLEAR)
        session = wait_activity(home, sid, "unknown")
        assert session["agent"]["version"] == "1.5", session
    sid = puppet.start(home, name="my-agent")
    with puppet.strings(home, sid) as pull:
        pull(CLEAR + b"v1.5 is hard at work")
        home.wait_text(sid, "hard at work")
        pull(CLEAR + says("idle") + b"still here")
        home.wait_text(sid, "still here")
        assert home.info(sid)["agent"] is None


def test_a_version_that_nobody_has_seen_is_unknown(home):
    config = home.path / "config"
    (config / "tend/agents").mkdir(parents=True)
    (config / "tend/agents/mine.ini").write_text(PROFILE)
    home.env["XDG_CONFIG_HOME"] = str(config)
    sid = puppet.start(home, name="my-agent")
    with puppet.strings(home, sid) as pull:
        pull(CLEAR + b"v3.0 is hard at work")
        def why():
            evidence = home.info(sid)["evidence"]
            return evidence and "3.0 has not been seen" in evidence["why"]
        wait_for(why, lambda: home.info(sid))
    session = home.info(sid)
    assert session["activity"] == "unknown", session
    assert session["evidence"]["source"] == "none", session


def test_a_flood_of_reports_costs_ten_notes_a_second(home):
    sid = puppet.start(home, name="claude")
    begin = time.monotonic()
    with puppet.strings(home, sid) as pull:
        for i in range(200):
            pull(says("working" if i % 2 else "blocked", kind="permission"))
        pull(says("idle"))
        wait_activity(home, sid, "idle")
    seconds = time.monotonic() - begin
    assert len(noted(home, sid)) <= 10 * (seconds + 1) + 1, noted(home, sid)


def test_an_unconfined_peer_may_look_and_nothing_else_is_asked(home):
    """agent.explain takes no arguments."""
    sid = puppet.start(home, name="claude")
    with Wire(home.dir(sid), mode="control") as w:
        with pytest.raises(Refused) as why:
            w.call("agent.explain", session=sid, other=1)
        assert "other" in str(why.value), why.value
