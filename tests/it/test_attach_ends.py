"""Messages on attaching, and the last rows that stay when a session ends."""

import pytest

import lib
from lib import Home
from terminal import Terminal

DETACH = "\x1dd"
LINES = "for i in $(seq 40); do echo line $i; done; "


@pytest.fixture
def home():
    with Home() as home:
        yield home


def attach(home, term, *options):
    term.run(lib.TEND, "attach", *options, "mk", env=home.env)


def start(home, script):
    return home.start("sh", "-c", script, options=["--name", "mk"])


def rows(term):
    return [row.rstrip() for row in term.screen()["lines"]]


# ------------------------------------------------------------- attaching


@pytest.mark.parametrize("cols, rows_", [(80, 24), (40, 10), (100, 30)])
def test_the_greeting_shows_name_and_keys_for_a_while(home, cols, rows_):
    """The greeting covers the last row for a while; then the row is back."""
    sid = start(home, LINES + "exec cat")
    with Terminal(cols, rows_) as term:
        attach(home, term)
        # The session takes the size of the terminal meanwhile.
        term.wait(lambda s: s["lines"][-1].startswith(" mk ")
                  and "line 40" in s["lines"][-2], "the greeting below it")
        assert "C-] d detaches" in rows(term)[-1]
        assert "C-] ? help" in rows(term)[-1]
        term.wait(lambda s: "C-]" not in s["lines"][-1], "the row of before")
        assert rows(term) == [line.rstrip() for line in
                              home.screen(sid)["lines"]]


def test_typing_removes_the_greeting_at_once(home):
    start(home, LINES + "exec cat")
    with Terminal() as term:
        attach(home, term)
        term.wait_text("C-] ? help")
        term.type("hello")
        with lib.Stopwatch() as watch:
            term.wait(lambda s: s["lines"][-1].rstrip() == "hello",
                      "what was typed in the last row")
        assert watch.seconds < 2


def test_a_read_only_client_sees_that_it_cannot_type(home):
    sid = start(home, "echo ready; exec cat")
    with Terminal(40, 10) as term:
        attach(home, term, "-r")
        term.wait_text("view only")
        term.wait(lambda s: "view only" not in s["lines"][-1], "no greeting")
        term.type("x")
        term.wait_text("view only: your keys are not typed")
        term.type(DETACH)
        assert term.ended() == 0
    assert "x" not in "".join(home.screen(sid)["lines"])


def test_in_line_mode_nothing_covers_the_output(home):
    start(home, LINES + "exec cat")
    with Terminal() as term:
        attach(home, term, "--inline")
        term.wait_text("line 40")
        term.type("hello\r")
        term.wait_text("hello")
        assert b"detaches" not in term.raw


# ---------------------------------------------------------------- ending


@pytest.mark.parametrize("cols, size, kept", [(80, 24, 10), (40, 10, 5)])
def test_the_last_rows_stay_on_the_terminal(home, cols, size, kept):
    start(home, LINES + "read x; echo done; exit 2")
    with Terminal(cols, size) as term:
        attach(home, term)
        term.wait_text("line 40")
        term.type("\r")
        assert term.ended() == 2
        term.wait_text("[mk exited 2 · tend log mk]")
        shown = [row for row in rows(term) if row]
        # One is blank: Enter was typed there.
        assert shown == ([f"line {i}" for i in range(43 - kept, 41)]
                         + ["done", "[mk exited 2 · tend log mk]"])


def test_a_command_that_ends_at_once_leaves_its_last_rows(home):
    with Terminal() as term:
        term.run(lib.TEND, "run", "-n", "mk", "--", "sh", "-c",
                 "echo no such file; exit 2", env=home.env)
        assert term.ended() == 2
        term.wait_text("[mk exited 2 · tend log mk]")
        assert [row for row in rows(term) if row] == [
            "no such file", "[mk exited 2 · tend log mk]"]


@pytest.mark.parametrize("command, words, status", [
    ("stop", "[mk stopped · tend log mk]", 129),
    ("kill", "[mk killed · tend log mk]", 137),
    ("destroy", "[mk destroyed]", 129)])
def test_the_farewell_names_a_requested_end(home, command, words, status):
    start(home, "echo ready; exec sleep 1000")
    with Terminal() as term:
        attach(home, term)
        term.wait_text("ready")
        home.ok(command, "mk")
        assert term.ended() == status
        term.wait_text(words)


def test_attaching_to_an_ended_session_shows_its_last_screen(home):
    sid = start(home, LINES + "exit 3")
    home.wait_gone(sid)
    with Terminal(40, 10) as term:
        attach(home, term)
        assert term.ended() == 3
        term.wait_text("tend rerun mk]")
        shown = [row for row in rows(term) if row]
        assert shown == [f"line {i}" for i in range(36, 41)] + [
            "[mk exited 3", " tend log mk", " tend rerun mk]"], shown
