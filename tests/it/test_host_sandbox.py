"""The files and processes that a host can reach.  The tests take over a running
host and make the calls that an attacker would.
"""

import errno
import os

import pytest

from lib import Home
from takeover import Takeover

AT_FDCWD = -100


def opened(taken, path, flags=os.O_RDONLY):
    """0, or the errno of the attempt to open it."""
    fd = taken.call("openat", AT_FDCWD, os.fsencode(path), flags, 0o600)
    if fd >= 0:
        assert taken.call("close", fd) == 0
    return -min(fd, 0)


def test_a_host_that_was_taken_over_reaches_only_its_home(tmp_path):
    with Home() as home:
        other = home.start("cat")
        sid = home.start("sh", "-c", "echo ready; exec cat")
        home.wait_text(sid, "ready")
        session = home.info(sid)
        outside = tmp_path / "outside"
        outside.write_text("secret\n")
        create = os.O_WRONLY | os.O_CREAT
        with Takeover(session["host_pid"]) as taken:
            for path in (outside, "/etc/passwd", "/", f"/proc/{os.getpid()}/mem",
                         f"/proc/{session['child_pid']}/mem",
                         f"/proc/{session['keeper_pid']}/mem"):
                assert opened(taken, path) == errno.EACCES, path
            for path in (outside, tmp_path / "new", home.path / "new",
                         home.dir(other) / "session.json", "/proc/self/mem"):
                assert opened(taken, path, create) == errno.EACCES, path
            for path in (home.dir(sid) / "session.json",
                         f"/proc/{session['child_pid']}/stat"):
                assert opened(taken, path) == 0, path
            assert opened(taken, home.dir(sid) / "new", create) == 0
            assert taken.call("kill", session["child_pid"], 0) == 0
        home.ok("rename", sid, "later")
        home.wait_saved(sid, name="later")
        home.ok("send", "later", "--text", "typed\r")
        home.wait_text("later", "typed")
        home.ok("stop", "later")


def test_a_host_of_a_confined_session_recognises_programs():
    """So it has no fence: /proc/PID/exe of other keepers decides which sessions
    outlive it (docs/hardening.md)."""
    with Home() as home:
        sid = home.start("cat", options=["--confined"])
        session = home.wait_status(sid, "running")
        with Takeover(session["host_pid"]) as taken:
            assert opened(taken, f"/proc/{session['keeper_pid']}/exe") == 0


@pytest.mark.parametrize("how", ["kill", "upgrade"])
def test_the_next_host_has_the_same_limits(how):
    """The keeper starts it, which has none to pass on."""
    with Home() as home:
        sid = home.start("cat")
        old = home.wait_status(sid, "running")["host_pid"]
        if how == "upgrade":
            home.ok("upgrade", sid)
        else:
            os.kill(old, 9)
        home.ok("send", sid, "--text", "typed\r")
        home.wait_text(sid, "typed")
        host = home.info(sid)["host_pid"]
        assert host != old
        with Takeover(host) as taken:
            assert opened(taken, "/etc/passwd") == errno.EACCES
            assert opened(taken, home.dir(sid) / "session.json") == 0
