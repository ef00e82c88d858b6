"""The history of an attached session: all its output, on a real terminal."""

import base64
import os
import re
import signal

import pytest

import lib
from lib import Home, Stopwatch, wait_for
from terminal import Terminal

PREFIX = "\x1d"
DETACH = PREFIX + "d"
HISTORY = PREFIX + "["
PAGE_UP, PAGE_DOWN, HOME, END = "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F"
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"


@pytest.fixture
def home():
    with Home() as home:
        yield home


def attached(home, term, sid, text):
    """Attach and wait until the terminal shows the text."""
    term.run(lib.TEND, "attach", sid, env=home.env)
    term.wait_text(text)


def bar(screen):
    return screen["lines"][-1].rstrip()


def opened(term):
    """Open the history, and wait for it."""
    term.type(HISTORY)
    return term.wait(lambda s: "% \u00b7 q leave" in bar(s), "the history")


def search(term, key, text):
    """Search for a text, and wait until the search is done."""
    term.type(key)
    term.wait(lambda s: bar(s).startswith(" search"), "the line to type")
    term.type(text)
    term.wait(lambda s: bar(s).endswith(": " + text), "what was typed")
    term.type("\r")
    return term.wait(lambda s: not bar(s).startswith(" search")
                     and "searching" not in bar(s), "an answer")


def cursor_line(screen):
    return screen["lines"][screen["cursor"][0]]


def number_on_top(screen):
    """The first visible line number, of output with numbered lines."""
    return int(screen["lines"][0].partition(" ")[0] or 0)


def copied(term):
    """The text last sent to the terminal's clipboard."""
    def look():
        all_of_it = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x1b\\",
                               bytes(term.raw))
        return all_of_it and base64.b64decode(all_of_it[-1]).decode()

    return wait_for(look, lambda: f"OSC 52: {bytes(term.raw[-300:])!r}")


# ----------------------------------------------------------------- scrolling


def test_history_can_be_scrolled(home):
    sid = home.start("sh", "-c", "seq 1 500; exec cat")
    with Terminal() as term:
        attached(home, term, sid, "500")
        screen = opened(term)
        assert screen["lines"][0] == "478" and screen["lines"][-2] == "500"
        assert "100%" in bar(screen), screen
        term.type(PAGE_UP)
        term.wait(lambda s: s["lines"][0] == "455", "a page back")
        term.type("g")
        screen = term.wait(lambda s: s["lines"][0] == "1", "the first line")
        assert " 0%" in bar(screen) and screen["cursor"] == [0, 0], screen
        term.type(UP + DOWN + DOWN)
        term.wait(lambda s: s["cursor"] == [2, 0], "the cursor moved")
        term.type("G")
        term.wait(lambda s: s["lines"][-2] == "500", "the last line")
        term.type(HOME)
        term.wait(lambda s: s["lines"][0] == "1", "the first line again")
        term.type("\r")  # stays, and says what would have been copied
        term.wait(lambda s: "nothing selected" in bar(s), "no selection")
        term.type("q")
        term.wait(lambda s: s["lines"][-2] == "500", "the end again")
        term.type("typed\r")
        term.wait_text("typed\ntyped")


def test_the_wheel_scrolls(home):
    sid = home.start("sh", "-c", "seq 1 100; exec cat")
    with Terminal() as term:
        attached(home, term, sid, "100")
        opened(term)
        term.type("\x1b[<64;5;5M" * 4)
        screen = term.wait(lambda s: s["lines"][0] == "66", "12 rows back")
        assert cursor_line(screen) == "88", screen
        term.type("\x1b[<65;5;5M")
        term.wait(lambda s: s["lines"][0] == "69", "3 rows on")
        term.type("\x1b[<65;5;5M" * 9)
        term.wait(lambda s: s["lines"][-2] == "100", "no further than the end")


def test_history_reaches_past_clear(home):
    """Everything that was shown, also erased text, in its colours."""
    sid = home.start("sh", "-c", "echo before; printf '\\033[31mred\\033[m\\n'; "
                     "seq 1 30; clear; seq 31 60; clear; echo after; exec cat",
                     env={**home.env, "TERM": "xterm-256color"})
    with Terminal() as term:
        attached(home, term, sid, "after")
        opened(term)
        term.type("g")
        screen = term.wait(lambda s: s["lines"][0] == "before", "the first")
        assert screen["lines"][1:4] == ["red", "1", "2"], screen
        seen = bytes(term.raw)
        assert b"\x1b[31mred" in seen or b"\x1b[0;31mred" in seen, seen[-900:]
        term.type("G")
        screen = term.wait(lambda s: s["lines"][-2] == "after", "the last")
        assert screen["lines"][-3] == "60", screen


def test_history_goes_back_to_the_first_line_of_the_log(home):
    """Beyond the host's memory, and across keyframes and resizes, every line
    once; and back to the newest."""
    last = 120000  # 2 MiB: keyframes are written every 512 KiB
    sid = home.start("sh", "-c", f"seq -f '%.0f of the log' 1 {last // 2}; "
                     f"echo half; read x; seq -f '%.0f of the log' "
                     f"{last // 2 + 1} {last}; printf end; exec cat")
    with Terminal() as term:
        attached(home, term, sid, "half")
        term.resize(90, 20)
        wait_for(lambda: home.info(sid)["cols"] == 90, "the other size")
        term.type("\r")
        term.wait_text("end")
        seen = [number_on_top(opened(term))]
        while seen[-1] > last - 40000:
            term.type(PAGE_UP * 100)
            term.wait(lambda s: number_on_top(s) == seen[-1] - 1900,
                      f"a hundred pages of 19 rows above {seen}")
            seen.append(seen[-1] - 1900)
        term.type(HOME)
        term.wait(lambda s: number_on_top(s) == 1, "the first line")
        for top in (20, 39, 58):
            term.type(PAGE_DOWN)
            term.wait(lambda s: number_on_top(s) == top, f"line {top} on top")
        term.type(END)
        term.wait(lambda s: s["lines"][-2] == "end", "the newest")
        term.type("q")
        term.wait(lambda s: s["lines"][-1] == "end", "the end again")
        opened(term)
        term.type(DETACH)
        assert term.ended() == 0


@pytest.mark.parametrize("cols, rows", [(40, 10), (80, 24), (20, 3)])
def test_the_bar_fits_whatever_the_size(home, cols, rows):
    sid = home.start("sh", "-c", "seq 1 100; exec cat")
    with Terminal(cols, rows) as term:
        attached(home, term, sid, "100")
        screen = opened(term) if cols >= 40 else None
        if screen is None:
            term.type(HISTORY)
            screen = term.wait(lambda s: "100%" in bar(s), "the history")
        assert len(bar(screen)) <= cols and screen["lines"][-2] == "100"
        if cols == 40:
            assert bar(screen) == \
                " 100% \u00b7 q leave \u00b7 / search \u00b7 v select"
        term.resize(cols + 20, rows + 4)
        term.wait(lambda s: s["lines"][-2] == "100" and "100%" in bar(s)
                  and s["lines"][0] == str(100 - rows - 2), "the other size")


def test_wide_rows_are_panned(home):
    """A row that is wider than the terminal follows the cursor."""
    line = "".join(f"<{i:03}>" for i in range(40))  # 200 columns
    sid = home.start("sh", "-c", f"echo '{line}'; exec cat",
                     options=["--size=210x10", "--resize", "fixed"])
    home.wait_text(sid, "<039>")
    with Terminal(40, 10) as term:
        attached(home, term, sid, "<001>")
        opened(term)
        term.type("g$")
        screen = term.wait(lambda s: "<039>" in s["lines"][0], "its end")
        assert "<031>" not in screen["lines"][0], screen
        term.type(LEFT * 41)
        screen = term.wait(lambda s: "<039>" not in s["lines"][0], "left of it")
        assert cursor_line(screen)[screen["cursor"][1]] == "1", screen
        term.type("0")
        term.wait(lambda s: s["lines"][0].startswith("<000>"), "its beginning")


def test_history_is_shown_even_without_a_log(home):
    """The host's memory is shown if the log cannot be written."""
    sid = home.start("sh", "-c", "echo ready; read x; seq 1 100; exec cat")
    home.wait_text(sid, "ready")
    with Terminal() as term:
        attached(home, term, sid, "ready")
        for name in os.listdir(home.dir(sid) / "log"):
            os.unlink(home.dir(sid) / "log" / name)
        term.type("\r")
        term.wait_text("100")
        opened(term)
        term.type("g")
        term.wait(lambda s: s["lines"][0] == "ready", "what the host has")


def test_history_is_shown_while_the_host_is_away(home):
    """The log is still there."""
    sid = home.start("sh", "-c", "seq 1 100; exec cat")
    with Terminal() as term:
        attached(home, term, sid, "100")
        info = home.info(sid)
        os.kill(info["keeper_pid"], signal.SIGSTOP)
        try:
            os.kill(info["host_pid"], signal.SIGKILL)
            term.wait_text("reconnecting")
            opened(term)
            term.type("g")
            term.wait(lambda s: s["lines"][0] == "1", "the first line")
        finally:
            os.kill(info["keeper_pid"], signal.SIGCONT)
        term.type("q")
        term.wait(lambda s: s["lines"][-2] == "100", "the session")
        term.type("typed\r")
        term.wait_text("typed\ntyped")


# ----------------------------------------------------------------- searching


def test_a_search_goes_through_the_whole_log(home):
    """Case, both directions, wrapping around, highlights, and missing text. 3
    MiB of output, so that most of it is in no loaded part."""
    sid = home.start("sh", "-c", "echo The Needle is here; seq -f "
                     "'%.0f some line of the log' 1 100000; "
                     "echo another needle; echo and a neEdle; exec cat")
    with Terminal() as term:
        attached(home, term, sid, "neEdle")
        opened(term)
        screen = search(term, "?", "needle")
        assert cursor_line(screen) == "and a neEdle", screen
        marks = [row["found"] for row in screen["marks"] if row["found"]]
        assert marks == ["needle", "neEdle"], screen["marks"]
        term.type("n")
        term.wait(lambda s: cursor_line(s) == "another needle", "the next")
        term.type("n")
        screen = term.wait(lambda s: cursor_line(s) == "The Needle is here",
                           "the one at the beginning")
        assert screen["cursor"][1] == 4 and " 0%" in bar(screen), screen
        term.type("n")
        screen = term.wait(lambda s: cursor_line(s) == "and a neEdle", "around")
        assert "continued from the end" in bar(screen), screen
        term.type("N")
        screen = term.wait(lambda s: cursor_line(s) == "The Needle is here",
                           "the other way, around")
        assert "continued from the beginning" in bar(screen), screen
        screen = search(term, "/", "neE")
        assert cursor_line(screen) == "and a neEdle", screen
        screen = search(term, "/", "not in there")
        assert "not found: not in there" in bar(screen), screen
        assert cursor_line(screen) == "and a neEdle", screen
        screen = search(term, "?", "50000 some")
        assert cursor_line(screen) == "50000 some line of the log", screen


def test_a_search_finds_text_broken_at_the_margin(home):
    sid = home.start("sh", "-c", "echo " + "x" * 76 + "broken; seq 1 50; "
                     "exec cat")
    with Terminal() as term:
        attached(home, term, sid, "50")
        opened(term)
        screen = search(term, "?", "broken")
        assert screen["cursor"][1] == 76, screen
        marks = [row["found"] for row in screen["marks"] if row["found"]]
        assert marks == ["brok", "en"], screen["marks"]


def test_a_search_in_a_long_log_is_interrupted_by_a_key(home):
    """The client stays responsive: it shows the position, and a key ends the
    search."""
    sid = home.start("sh", "-c", "yes 'some line of a log that is long' | "
                     "head -c 60000000; echo end; exec cat")
    home.wait_text(sid, "end", seconds=120)
    with Terminal() as term:
        attached(home, term, sid, "end")
        opened(term)
        term.type("?nowhere\r")
        term.wait(lambda s: "searching at" in bar(s), "the search goes on")
        with Stopwatch() as watch:
            term.type("x")
            term.wait(lambda s: "search stopped" in bar(s), "it has stopped")
        assert watch.seconds < 10
        term.type(PREFIX + "d")
        assert term.ended() == 0


# ------------------------------------------------------------------- copying


def test_a_selection_is_copied_to_the_clipboard(home):
    sid = home.start("sh", "-c", "seq -f 'line %.0f' 1 50; "
                     "echo " + "y" * 90 + "; echo last; exec cat")
    with Terminal() as term:
        attached(home, term, sid, "last")
        opened(term)
        term.type("g" + RIGHT * 5 + "v" + DOWN + LEFT)
        screen = term.wait(lambda s: "y copy" in bar(s), "a selection")
        assert [row["inverse"] for row in screen["marks"][:3]] == \
            ["1", "line ", ""], screen["marks"]
        term.type("y")
        screen = term.wait(lambda s: "sent" in bar(s), "it was copied")
        assert bar(screen).endswith(
            " \u00b7 sent 2 lines (7 bytes) to the terminal's clipboard"), screen
        assert copied(term) == "1\nline "
        term.type("GV" + UP + UP + "\r")
        term.wait(lambda s: "sent 2 lines (96 bytes) to" in bar(s), "two lines")
        assert copied(term) == "y" * 90 + "\nlast\n"
        term.type("v")
        term.wait(lambda s: "y copy" in bar(s), "a selection")
        term.type("\x1b")  # drops the selection; the second one leaves
        term.wait(lambda s: "q leave" in bar(s), "no selection")
        term.type("\x1b")
        term.wait(lambda s: "history" not in bar(s), "the session")


def test_a_copy_is_reported_in_a_narrow_terminal_too(home):
    sid = home.start("sh", "-c", "seq -f 'line %.0f' 1 50; exec cat")
    with Terminal(40, 10) as term:
        attached(home, term, sid, "line 50")
        term.type(PREFIX + "[")
        term.wait(lambda s: "q leave" in bar(s), "the history")
        term.type("Vy")
        screen = term.wait(lambda s: "sent" in bar(s), "it was copied")
        assert bar(screen).endswith(" sent 1 line to the clipboard"), screen


def test_the_mouse_selects(home):
    sid = home.start("sh", "-c", "seq -f 'line %.0f' 1 50; exec cat")
    with Terminal() as term:
        attached(home, term, sid, "line 50")
        opened(term)
        term.type("\x1b[<0;3;2M\x1b[<32;4;2M\x1b[<32;5;3M\x1b[<0;5;3m")
        term.wait(lambda s: "y copy" in bar(s), "a selection")
        term.type("y")
        term.wait(lambda s: "sent 2 lines" in bar(s), "it was copied")
        assert copied(term) == "ne 29\nline "


def test_no_more_is_copied_than_a_terminal_takes(home):
    sid = home.start("sh", "-c", "seq -f '%.0f \u754c' 1 30000; exec cat")
    with Terminal() as term:
        attached(home, term, sid, "30000")
        opened(term)
        term.type("gVGy")
        term.wait(lambda s: "sent the first 100 KiB only" in bar(s), "a part")
        text = copied(term)
        assert 102000 < len(text.encode()) <= 102400, len(text)
        whole = "".join(f"{i} \u754c\n" for i in range(1, 30001))
        assert whole.startswith(text), text[-100:]
