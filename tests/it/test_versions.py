"""Different versions: a real build of a tend from before hosts could be
replaced.

tests/it/old describes it.  Common features must work both ways; features that
the older one lacks must be reported.
"""

import os
import shutil
import subprocess

import pytest

import declared
import lib
import wire
from lib import BUILD, Home, is_running, wait_for
from terminal import Terminal

declared.older_hosts = True

OLD = BUILD / "tests" / "it" / "old-tend" / "src"
OLD_TEND = OLD / "tend"


@pytest.fixture
def home():
    with Home() as made:
        yield made


def old(home, *args):
    """Run the old tend in this home; it must succeed."""
    done = subprocess.run([OLD_TEND, *map(str, args)], env=home.env,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120,
                              check=False)
    assert done.returncode == 0, (args, done.stdout, done.stderr)
    return done.stdout.decode()


def runs_old(pid):
    return os.readlink(f"/proc/{pid}/exe").startswith(str(OLD))


def test_the_old_tend_has_another_version():
    with Home() as made:
        assert old(made, "version").strip() == "tend 0.0.9"
        assert lib.shows("version").strip() != "tend 0.0.9"


def shows(home, sid, text):
    """Wait until the screen does, with a host that has no session.wait."""
    wait_for(lambda: text in "\n".join(home.screen(sid)["lines"]),
             lambda: home.screen(sid))


def test_a_new_client_drives_an_old_session(home):
    """Everything older than the difference works; upgrade explains."""
    sid = old(home, "run", "-d", "--name", "aged", "--", "sh", "-c",
              "stty -echo; echo ready; while read x; do echo \"got $x\"; "
              "done").strip()
    shows(home, sid, "ready")
    session = home.info(sid)
    assert runs_old(session["host_pid"]) and runs_old(session["keeper_pid"])
    assert [s["name"] for s in home.json("ls")] == ["aged"]
    home.ok("send", sid, "--text", "one\r")
    shows(home, sid, "got one")
    home.ok("mark", sid, "here")
    home.ok("resize", sid, "70x20")
    assert home.screen(sid)["cols"] == 70
    # It shows output before its log has it.
    wait_for(lambda: b"got one" in home.raw(sid), lambda: home.raw(sid))
    with Terminal(70, 20) as term:
        term.run(lib.TEND, "attach", sid, env=home.env)
        term.wait_text("got one")
        term.type("two\r")
        term.wait_text("got two")
        term.type("\x1dd")
        assert term.ended() == 0
    for command in ("upgrade", "revive"):
        error = home.error(command, sid, status=9, code="protocol")
        assert "too old to hand over" in error["message"], error
        assert "0.0.9" in error["message"], error
    assert home.info(sid)["host_pid"] == session["host_pid"]
    answer = home.run("upgrade", "--all")
    assert answer.status == 9 and "aged: not moved" in answer.text, answer
    home.ok("stop", sid)
    assert home.info(sid)["outcome"] == "stopped"


def test_an_old_client_drives_a_new_session(home):
    """It stays attached while the hosts of the session change."""
    sid = home.start("sh", "-c", "stty -echo; echo ready; "
                     "while read x; do echo \"got $x\"; done",
                     options=["--name", "young"])
    home.wait_text(sid, "ready")
    assert "young" in old(home, "ls")
    home.wait_saved(sid, status="running")
    assert "running" in old(home, "info", sid)
    old(home, "send", sid, "--text", "one\r")
    home.wait_text(sid, "got one")
    assert "got one" in old(home, "snapshot", sid)
    assert "got one" in old(home, "log", "--text", sid)
    with Terminal() as term:
        term.run(OLD_TEND, "attach", sid, env=home.env)
        term.wait_text("got one")
        for number in range(5):
            home.ok("upgrade", sid)
            # It cannot ask for its input to be kept: it types after it has
            # reconnected.
            wait_for(lambda: home.info(sid)["observers"] == 1,
                     lambda: home.info(sid))
            term.type(f"after {number}\r")
            term.wait_text(f"got after {number}")
        assert term.program.poll() is None
        assert term.screen()["lines"] == home.screen(sid)["lines"]
        term.type("\x1dd")
        assert term.ended() == 0
    old(home, "stop", sid)
    assert home.info(sid)["outcome"] == "stopped"


def test_a_new_host_serves_under_an_old_keeper(home):
    """It serves, and explains why no other host can replace it."""
    place = home.path / "mixed"
    place.mkdir()
    for path in (OLD_TEND, OLD / "tend-keeper", BUILD / "src" / "tend-host"):
        shutil.copy2(path, place)
    done = subprocess.run([place / "tend", "run", "-d", "--", "cat"],
                              env=home.env, stdout=subprocess.PIPE,
                              check=True)
    sid = done.stdout.decode().strip()
    home.ok("send", sid, "--text", "typed\r")
    home.wait_text(sid, "typed")
    host = home.info(sid)["host_pid"]
    error = home.error("upgrade", sid, status=9, code="protocol")
    assert "its keeper is of an older tend" in error["message"], error
    os.kill(host, 9)
    wait_for(lambda: home.info(sid)["host_pid"] not in (None, host),
             lambda: home.info(sid))
    home.wait_text(sid, "typed")
    home.ok("kill", sid)


def test_an_old_host_cannot_replace_a_new_one(home):
    """It knows no trial, and waits for the log in vain; nothing is harmed."""
    sid = home.start("sh", "-c", "echo ready; cat")
    home.wait_text(sid, "ready")
    host = home.info(sid)["host_pid"]
    with wire.Wire(home.dir(sid), mode="control") as control, \
            open(OLD / "tend-host", "rb") as file, \
            pytest.raises(wire.Refused) as refused:
        control.call("session.upgrade", give=file.fileno())
    assert "the old one goes on" in refused.value.message, refused.value
    assert home.info(sid)["host_pid"] == host and is_running(host)
    home.ok("send", sid, "--text", "on\r")
    home.wait_text(sid, "on")
    home.ok("upgrade", sid)
    home.wait_text(sid, "ready")
