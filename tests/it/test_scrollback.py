"""The scrollback limit of a session: run --scrollback, config.ini."""

import os
import signal

import pytest

from lib import Home, wait_for


@pytest.fixture
def home():
    with Home() as made:
        yield made


def lines_kept(home, sid):
    """The numbers of the lines on the screen and in the scrollback."""
    shown = home.ok("snapshot", sid, "--scrollback").split()
    return [int(word) for word in shown if word.isdigit()]


def printed(home, n, *options):
    sid = home.start("sh", "-c", f"seq {n}; echo done; exec cat",
                     options=options)
    home.wait_text(sid, "done")
    return sid


# The screen of 24 rows shows the last 22 of them, "done" and the cursor's row.
@pytest.mark.parametrize("n, kept, options", [
    (3000, 2022, []), (300, 72, ["--scrollback", "50"]),
    (15000, 15000, ["--scrollback", "20000"])])
def test_the_scrollback_keeps_as_many_lines_as_requested(
        home, n, kept, options):
    sid = printed(home, n, *options)
    assert lines_kept(home, sid) == list(range(n - kept + 1, n + 1))
    assert home.raw(sid).count(b"\n") == n + 1, "the log has all of them"


def test_a_new_host_keeps_the_same_scrollback(home):
    sid = printed(home, 300, "--scrollback", "50")
    before = home.info(sid)
    os.kill(before["host_pid"], signal.SIGKILL)
    wait_for(lambda: home.info(sid)["host_pid"] not in
             (None, before["host_pid"]), lambda: f"a new host, {before}")
    assert lines_kept(home, sid) == list(range(229, 301))
    assert home.info(sid)["scrollback"] == 50
    home.ok("send", sid, "--text", "\n".join(map(str, range(301, 401))) + "\n")
    home.wait_text(sid, "400")
    assert len(lines_kept(home, sid)) <= 50 + 24, lines_kept(home, sid)


def test_an_ended_session_shows_the_same_scrollback(home):
    sid = printed(home, 300, "--scrollback", "50")
    home.ok("kill", sid)
    home.wait_gone(sid)
    assert lines_kept(home, sid) == list(range(229, 301))
