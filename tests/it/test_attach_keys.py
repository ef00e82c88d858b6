"""Commands after the prefix key in an attached session, on a real terminal."""

import os
import re
import signal

import pytest

import lib
import wire
from lib import Home, wait_for
from terminal import Terminal
from wire import Wire

PREFIX = "\x1d"


@pytest.fixture
def home():
    with Home() as home:
        yield home


def attached(home, term, sid, text, *options):
    """Attach and wait until the terminal shows the text."""
    term.run(lib.TEND, "attach", *options, sid, env=home.env)
    term.wait_text(text)


def ready(home, *options):
    """A session that repeats its input."""
    sid = home.start("sh", "-c", "echo ready; exec cat", options=options)
    home.wait_text(sid, "ready")
    return sid


def bar(screen):
    return screen["lines"][-1].rstrip()


def says(term, text):
    return term.wait(lambda s: text in bar(s), f"{text!r} in the last row")


def test_a_session_is_renamed(home):
    """The line can be edited, and a refusal gives its reason."""
    sid = ready(home, "-n", "old")
    home.start("cat", options=["-n", "taken"])
    with Terminal() as term:
        attached(home, term, sid, "ready")
        term.type(PREFIX + "$")
        screen = says(term, " rename to: old")
        assert screen["cursor"] == [23, 15] and screen["visible"], screen
        term.type("\x15nevv\x7f\x7fw \x7f\u00e9")
        says(term, " rename to: new\u00e9")
        term.type("\x7f\r")
        says(term, " now called new")
        assert home.info(sid)["name"] == "new"
        term.type(PREFIX + ",")
        says(term, " rename to: new")
        term.type("\x15taken\r")
        says(term, "not renamed: ")
        term.type(PREFIX + ",")
        says(term, " rename to: new")
        term.type("\x15no//name\r")
        screen = says(term, "not renamed: ")
        assert "session.rename" not in bar(screen), screen
        term.type(PREFIX + ",\x15other\x1b")
        term.wait(lambda s: "rename" not in bar(s), "no line any more")
        term.type("typed\r")  # goes to the program again
        term.wait_text("typed\ntyped")
        assert home.info(sid)["name"] == "new"
        term.type(PREFIX + "d")
        assert term.ended() == 0
        term.wait_text("detached from new")


@pytest.mark.parametrize("name, why", [
    ("my work", "a name has no blanks"),
    ("caf\u00e9", "use letters, digits, ._-/"),
    ("no//name", "a / has nothing beside it"),
    ("name/", "a / has nothing beside it"),
    ("a/-b", "it begins with . or -"),
    ("n" * 65, "it is too long, or an id"),
    ("/name", "a / has nothing beside it"),
    ("taken", "the name taken is taken by")])
def test_the_reason_for_no_new_name_fits_into_a_row(home, name, why):
    sid = ready(home, "-n", "old")
    home.start("cat", options=["-n", "taken"])
    with Terminal(40, 10) as term:
        attached(home, term, sid, "ready")
        term.type(PREFIX + "$\x15" + name + "\r")
        term.wait(lambda s: bar(s) == f" not renamed: {why}", why)
        assert home.info(sid)["name"] == "old"


def test_a_rename_by_another_client_is_shown(home):
    """The farewell names the way back, with the present name."""
    sid = ready(home, "-n", "work")
    with Terminal() as term:
        attached(home, term, sid, "ready")
        home.ok("rename", "work", "newwork")
        says(term, " now called newwork")
        term.type(PREFIX + "d")
        assert term.ended() == 0
        term.wait_text("[detached from newwork \u00b7 tend attach newwork]")
    with Terminal() as term:
        attached(home, term, "newwork", "ready")
        home.ok("rename", "newwork", "last")
        says(term, " now called last")
        term.type("\x04")
        assert term.ended() == 0
        term.wait_text("[last exited 0 \u00b7 tend log last]")


def test_a_rename_while_the_connection_is_lost_is_shown(home):
    sid = ready(home, "-n", "work")
    with Terminal() as term:
        attached(home, term, sid, "ready")
        os.kill(term.program.pid, signal.SIGSTOP)
        pid = home.info(sid)["host_pid"]
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: home.info(sid)["host_pid"] != pid, "a host")
        home.ok("rename", "work", "newwork")
        os.kill(term.program.pid, signal.SIGCONT)
        says(term, " now called newwork")


def test_a_moment_is_marked(home):
    sid = ready(home)
    with Terminal(40, 10) as term:
        attached(home, term, sid, "ready")
        term.type(PREFIX + "m")
        says(term, " mark this moment as:")
        name = "a name that is longer than the row"
        term.type(name)
        says(term, name[-8:])
        term.type("\r")
        says(term, "marked this moment as")
        marks = [event["name"] for event in home.events(sid, "mark")]
        assert marks == [name], marks


def test_the_right_to_type_is_taken(home):
    sid = ready(home, "--input=lease")
    with Terminal() as term, Wire(home.dir(sid)) as other:
        assert other.type(wire.TEXT, b"other\r")[0] == wire.WRITTEN
        holder = home.info(sid)["lease_holder"]
        assert holder.startswith("uid:"), holder
        assert ", held by " in home.ok("info", sid)
        attached(home, term, sid, "other")
        term.type("mine\r")
        says(term, "C-] t takes it")
        term.type(PREFIX + "t")
        says(term, "you now have the right to type")
        assert other.type(wire.TEXT, b"no\r")[0] == wire.LEASED
        assert home.info(sid)["lease_holder"] not in (None, holder)
        term.type("mine\r")
        term.wait_text("mine\nmine")


def test_in_a_shared_session_there_is_no_lease_to_take(home):
    sid = ready(home)
    assert home.info(sid)["lease_holder"] is None
    assert "held by" not in home.ok("info", sid)
    with Terminal() as term:
        attached(home, term, sid, "ready")
        term.type(PREFIX + "t")
        says(term, "anybody may type")


def test_all_other_clients_are_detached(home):
    sid = ready(home, "-n", "it")
    with Terminal() as term, Terminal() as other:
        attached(home, term, sid, "ready")
        attached(home, other, sid, "ready")
        term.type(PREFIX + "D")
        says(term, "1 other client was detached")
        assert other.ended() == 0
        other.wait_text("[detached from it by another of your terminals]")
        term.type(PREFIX + "D")
        says(term, "no other client is attached")


def test_another_session_is_picked(home):
    """Leaving the list leads back to the same session."""
    for name in ("first", "second"):
        sid = home.start("sh", "-c", f"echo this is {name}; exec cat",
                         options=["-n", name])
        home.wait_text(sid, f"this is {name}")
    with Terminal() as term:
        attached(home, term, "first", "this is first")
        term.type(PREFIX + "w")
        term.wait(lambda s: "second" in "\n".join(s["lines"])
                  and s["lines"][0] != "this is first", "the list")
        term.type("q")
        term.wait(lambda s: s["lines"][0] == "this is first", "the same one")
        term.type("typed\r")
        term.wait_text("typed\ntyped")
        term.type(PREFIX + "w")
        screen = term.wait(lambda s: "second" in "\n".join(s["lines"])
                           and s["lines"][0] != "this is first", "the list")
        rows = [line for line in screen["lines"] if "exec cat" in line]
        first = min(i for i, line in enumerate(rows) if "first" in line)
        second = min(i for i, line in enumerate(rows) if "second" in line)
        term.type(("\x1b[B" if second > first else "") + "\r")
        term.wait(lambda s: s["lines"][0] == "this is second", "the other")
        term.type("here\r")
        term.wait_text("here\nhere")
        term.type(PREFIX + "d")
        assert term.ended() == 0
        term.wait_text("[detached from second \u00b7 tend attach second]")
    assert "here" not in "".join(home.screen("first")["lines"])


def test_without_another_session_the_client_stays_attached(home):
    """The client stays attached and gives the reason; an ended session does
    not count."""
    home.ok("stop", home.start("cat"))
    sid = ready(home)
    with Terminal() as term:
        attached(home, term, sid, "ready")
        term.type("typed\r")
        term.wait_text("typed\ntyped")  # and the greeting has disappeared
        begun = len(term.raw)
        term.type(PREFIX + "w")
        says(term, " there is no other session")
        assert b"detaches" not in term.raw[begun:]
        term.type("again\r")
        term.wait_text("again\nagain")


def test_killing_asks_first(home):
    sid = ready(home, "-n", "it")
    with Terminal() as term:
        attached(home, term, sid, "ready")
        term.type(PREFIX + "x")
        says(term, " kill it? (y/n)")
        term.type("n")
        term.wait(lambda s: "kill" not in bar(s), "no question any more")
        term.type("alive\r")
        term.wait_text("alive\nalive")
        term.type(PREFIX + "x")
        says(term, " kill it? (y/n)")
        term.type("y")
        assert term.ended() == 137
        home.wait_status(sid, "exited", "killed", "stopped")


def test_a_read_only_client_changes_nothing(home):
    sid = ready(home, "-n", "it")
    cannot = {"x": "kill it", "$": "rename it", "m": "mark this moment",
              "t": "take over typing", "D": "detach others"}
    with Terminal(40, 10) as term:
        attached(home, term, sid, "ready", "--read-only")
        for key, what in cannot.items():
            term.type(PREFIX + key)
            term.wait(lambda s, what=what: bar(s) ==
                      f" view only: you cannot {what}", what)
        term.type("y")  # not an answer: nothing was asked
        says(term, "your keys are not typed")
        assert home.info(sid)["name"] == "it"
        assert home.info(sid)["status"] == "running"


@pytest.mark.parametrize("cols, rows", [(80, 24), (40, 10)])
def test_help_shows_every_key(home, cols, rows):
    """At 40x10 the page scrolls; q closes it at any size."""
    sid = ready(home)
    with Terminal(cols, rows) as term:
        attached(home, term, sid, "ready")
        term.type(PREFIX + "?")
        seen = term.wait_text("detach; the session stays")["lines"]
        if rows == 10:
            assert "q closes" in seen[-1] and len(seen[-1].rstrip()) <= 40
            term.type("\x1b[6~")
            seen += term.wait_text("In the history")["lines"]
            term.type("\x1b[6~" * 3)
            seen += term.wait_text("q, Escape")["lines"]
        text = "\n".join(seen)
        for line in ("rename the session", "take the right to type",
                     "kill the session", "search down, up", "copy to clip"):
            assert line in text, text
        term.type("q")
        term.wait(lambda s: s["lines"][0] == "ready", "the session again")


def test_the_manual_has_every_key():
    table = (lib.ROOT / "src/client/keys.def").read_text()
    manual = (lib.ROOT / "docs/man/tend-attach.scd").read_text()
    listed = re.findall(r'^COMMAND\(\w+, "[^"]+", "([^"]+)"', table, re.M)
    assert len(listed) >= 9, table
    for keys in listed:
        for key in keys.split():
            assert re.search(r"^\S*.*\*" + re.escape(key) + r"\*", manual,
                             re.M), f"{key} is not in the manual"


def test_a_command_while_the_host_is_away_is_dropped(home):
    """A question that could not be asked is not asked later."""
    sid = ready(home, "-n", "it")
    with Terminal() as term:
        attached(home, term, sid, "ready")
        info = home.info(sid)
        os.kill(info["keeper_pid"], signal.SIGSTOP)
        try:
            os.kill(info["host_pid"], signal.SIGKILL)
            says(term, "reconnecting")
            term.type(PREFIX + "m" + "name\r")
            says(term, "host is away")
        finally:
            os.kill(info["keeper_pid"], signal.SIGCONT)
        wait_for(lambda: home.info(sid)["host_pid"] != info["host_pid"],
                 "a host")
        term.type("typed\r")
        term.wait_text("typed\ntyped")
        assert home.events(sid, "mark") == []
