"""The attach client on a real terminal, which xterm.js reads."""

import os
import signal
import sys

import pytest

import lib
import wire
from lib import Home, wait_for
from terminal import Terminal
from wire import Wire

PREFIX = "\x1d"
DETACH = PREFIX + "d"

# Shows its input byte by byte, after setting the given modes.
TYPED = """
import os, sys, termios, tty
tty.setraw(0)
sys.stdout.write(sys.argv[1].encode().decode("unicode_escape") + "ready\\r\\n")
sys.stdout.flush()
while True:
    os.write(1, repr(os.read(0, 1000)).encode() + b"\\r\\n")
"""

# Asks every question, and prints the number of answers. After the last one,
# there was time for wrong answers too.
ASKS = """
import os, re, select, tty
tty.setraw(0)
for question in (b"[c", b"[>c", b"[6n", b"[?6n", b"[5n", b"[?2026$p",
                 b"[>q", b"[?u", b"]11;?\\x07", b"P+q544e\\x1b\\\\", b"[18t"):
    os.write(1, b"\\x1b" + question)
os.write(1, b"\\r\\nasked\\r\\n")
got = b""
while not re.search(rb"\\[8;\\d+;\\d+t", got) \\
        or select.select([0], [], [], 0.5)[0]:
    got += os.read(0, 1000)
os.write(1, repr(got).encode() + b"\\r\\nDA1 came %d times\\r\\n"
         % got.count(b"\\x1b[?6"))
os.read(0, 1)
"""


@pytest.fixture
def home():
    with Home() as home:
        yield home


def client(home, term, sid, *options):
    return term.run(lib.TEND, "attach", *options, sid, env=home.env)


def attached(home, term, sid, text, *options):
    """Attach and wait until the terminal shows the text."""
    before = term.settings()
    client(home, term, sid, *options)
    term.wait_text(text)
    return before


def restored(term, before, how):
    wait_for(lambda: term.settings() == before,
             lambda: f"the terminal as before, after {how}\n"
             f"before: {before}\nafter:  {term.settings()}")


def passing(term):
    """Wait until the program's own bytes pass through: SGR mouse positions are
    requested last, when everything is drawn."""
    wait_for(lambda: b"\x1b[?1005;1015l\x1b[?1006h" in term.raw,
             lambda: f"pass-through: {bytes(term.raw[-300:])!r}")


def painted(term):
    """Wait until a whole picture was painted: the modes of the terminal come
    last, and this one is the last of them."""
    wait_for(lambda: b"\x1b[?1004l" in term.raw,
             lambda: f"a picture: {bytes(term.raw[-300:])!r}")


# ------------------------------------------------- every size, every program


def window(screen, dump):
    """The position of the terminal's window on the session: follows the
    cursor."""
    cursor = screen["cursor"]
    return (max(0, min(cursor["row"] - dump["cursor"][0],
                       screen["rows"] - dump["rows"])),
            max(0, min(cursor["col"] - dump["cursor"][1],
                       screen["cols"] - dump["cols"])))


def windows(screen, dump):
    """Its possible positions.  A hidden cursor is in it, at an unknown
    place."""
    cursor = screen["cursor"]
    if cursor["visible"]:
        return [window(screen, dump)]
    return [(top, left)
            for top in range(max(1, screen["rows"] - dump["rows"] + 1))
            for left in range(max(1, screen["cols"] - dump["cols"] + 1))
            if top <= cursor["row"] < top + dump["rows"]
            and left <= cursor["col"] < left + dump["cols"]]


def clipped(screen, dump, top, left):
    """The lines of the session that a terminal of this size must show."""
    rows, cols = dump["rows"], dump["cols"]
    want = []
    for y in range(rows):
        if y < screen["rows"]:
            line = screen["lines"][top + y][left:left + cols]
            if screen["cols"] < cols:
                line = line.ljust(screen["cols"]) + "\u2502"
        elif y == screen["rows"]:
            line = "\u2500" * min(cols, screen["cols"])
            if screen["cols"] < cols:
                line += "\u2518"
        else:
            line = ""
        want.append(line.rstrip())
    return want


def same_picture(home, term, sid):
    """Wait until the terminal shows the session's screen, clipped."""
    seen = {}

    def look():
        screen, dump = home.screen(sid), term.screen()
        wants = [clipped(screen, dump, *place)
                 for place in windows(screen, dump)]
        got = [line.rstrip() for line in dump["lines"]]
        seen.update(want=wants[0], got=got)
        return got in wants

    wait_for(look, lambda: "the session's screen\nwant:\n"
             + "\n".join(seen["want"]) + "\ngot:\n" + "\n".join(seen["got"]))


SIZES = [((80, 24), (80, 24)), ((80, 24), (100, 40)), ((80, 24), (60, 20)),
         ((100, 30), (80, 40)), ((120, 40), (80, 24)), ((60, 20), (61, 20))]

PROGRAMS = {
    "vim": (["vim", "-n", "-u", "NONE", "-c", "set number ruler", "/etc/services"],
            "Internet style", ["\x1b[6~", "j" * 5 + "$", "G"]),
    "htop": (["htop", "-d", "5"], "Load average", ["\x1b[B", "t"]),
    "log": (["sh", "-c", "i=0; while read x; do n=$((i + 40)); "
             "while [ $i -lt $n ]; do i=$((i + 1)); "
             "echo \"$i some longer line of a log with its words\"; done; done"],
            "", ["\r", "\r", "\r\r"]),
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("session,terminal", SIZES,
                         ids=lambda size: "x".join(map(str, size)))
def test_a_terminal_shows_the_session_clipped(home, session, terminal, program):
    """B-02"""
    command, text, keys = PROGRAMS[program]
    sid = home.start(*command, options=[
        "--size", f"{session[0]}x{session[1]}", "--resize", "fixed"])
    if text:
        home.wait_text(sid, text)
    with Terminal(*terminal) as term:
        client(home, term, sid)
        same_picture(home, term, sid)
        for key in keys:
            term.type(key)
            same_picture(home, term, sid)
        term.type(DETACH)
        assert term.ended() == 0


def test_a_window_that_changes_its_size_is_followed(home):
    """O-19: the size is sent after the first picture."""
    sid = home.start("vim", "-n", "-u", "NONE", "/etc/services",
                     options=["--size", "80x24"])
    home.wait_text(sid, "Internet style")
    with Terminal(100, 30) as term:
        client(home, term, sid)
        for cols, rows in ((100, 30), (60, 15), (132, 50)):
            term.resize(cols, rows)
            wait_for(lambda: (home.info(sid)["cols"], home.info(sid)["rows"])
                     == (cols, rows), lambda: f"{cols}x{rows}: "
                     f"{home.info(sid)}")
            same_picture(home, term, sid)


def test_terminals_of_two_sizes_show_one_session(home):
    sid = home.start("vim", "-n", "-u", "NONE", "/etc/services")
    home.wait_text(sid, "Internet style")
    with Terminal(100, 30) as large, Terminal(70, 40) as other:
        client(home, large, sid)
        client(home, other, sid)
        wait_for(lambda: (home.info(sid)["cols"], home.info(sid)["rows"])
                 == (70, 30), lambda: f"70x30: {home.info(sid)}")
        same_picture(home, large, sid)
        same_picture(home, other, sid)


def wait_size(home, sid, cols, rows):
    wait_for(lambda: (home.info(sid)["cols"], home.info(sid)["rows"])
             == (cols, rows), lambda: f"{cols}x{rows}: {home.info(sid)}")


def echoed(term, text):
    """cat's echo and output, each on a line."""
    term.wait(lambda s: "\n".join(s["lines"]).count(text) == 2, text)


@pytest.mark.parametrize("policy, three, typed, two", [
    ("smallest", (70, 20), (70, 20), (70, 30)),
    ("latest", (90, 20), (100, 30), (100, 30)),
    ("largest", (100, 40), (100, 40), (100, 40)),
    ("fixed", (80, 24), (80, 24), (80, 24))])
def test_a_frozen_terminal_delays_no_other(home, policy, three, typed, two):
    """O-20: it has its say in the size while it is there, and the others
    notice nothing else."""
    sid = home.start("sh", "-c", "echo ready; exec cat",
                     options=["--resize", policy])
    with Terminal(100, 30) as one, Terminal(70, 40) as other, \
            Terminal(90, 20) as third:
        for window, size in ((one, (100, 30)), (other, (70, 40)),
                             (third, (90, 20))):
            attached(home, window, sid, "ready")
            if policy == "latest":
                wait_size(home, sid, *size)
        wait_size(home, sid, *three)
        third.program.send_signal(signal.SIGSTOP)
        one.type("first\r")
        wait_size(home, sid, *typed)
        for window in (one, other):
            echoed(window, "first")
            same_picture(home, window, sid)
        assert "first" not in third.text()
        third.program.send_signal(signal.SIGCONT)
        echoed(third, "first")
        same_picture(home, third, sid)
        third.program.send_signal(signal.SIGSTOP)
        third.program.kill()
        wait_size(home, sid, *two)
        one.type("second\r")
        echoed(other, "second")
        same_picture(home, other, sid)


def test_a_terminal_that_counts_columns_differently_is_painted(home):
    sid = home.start("sh", "-c", "printf 'a\U0001f469\u200d\U0001f680b"
                     "\u2764\ufe0fc end\\n'; exec cat")
    with Terminal(graphemes=False) as term:
        client(home, term, sid)
        term.wait_text("end")
        term.type("typed\r")
        term.wait_text("typed\ntyped")
        # Each stands where the session has it, however wide the terminal draws
        # emoji: it has reported its widths.
        term.wait(lambda s: "0" in s["columns"] and
                  [s["columns"]["0"][x] for x in (0, 3, 6, 8, 9, 10)]
                  == list("abcend"), "the emoji")


def test_a_terminal_that_answers_nothing_still_works(home):
    sid = home.start("sh", "-c", "echo ready; exec cat")
    with Terminal(answers=False) as term:
        client(home, term, sid)
        term.wait_text("ready")
        passing(term)
        term.type("typed\r")
        term.wait_text("typed\ntyped")


# ------------------------------------------------------ the terminal restored

# Modes that a program may leave switched on.
LEFT_ON = (r"printf '\033[?1000h\033[?1004h\033[?2004h\033[?1h\033='; "
           r"printf '\033[?25l\033[?1049h\033[5;10r\033[?6h\033]2;t\a'; "
           "echo ready; exec cat")


def test_detach_restores_the_terminal(home):
    sid = home.start("sh", "-c", LEFT_ON, options=["-n", "left"])
    with Terminal() as term:
        before = attached(home, term, sid, "ready")
        term.wait(lambda s: s["modes"]["bracketedPasteMode"], "paste mode")
        term.type(DETACH)
        assert term.ended() == 0
        term.wait_text("[detached from left \u00b7 tend attach left]")
        restored(term, before, "detach")
    assert home.info(sid)["status"] == "running"


@pytest.mark.parametrize("how,status,words", [
    ("exit 3", 3, " exited 3 "), ("kill -9 $$", 137, " killed by SIGKILL ")])
def test_the_end_of_the_program_restores_the_terminal(home, how, status,
                                                      words):
    sid = home.start("sh", "-c", f"echo ready; read x; {how}")
    with Terminal() as term:
        before = attached(home, term, sid, "ready")
        term.type("\r")
        assert term.ended() == status
        term.wait_text(words)
        restored(term, before, "exit")
    with Terminal() as term:
        client(home, term, sid)
        assert term.ended() == status
        term.wait_text(words)


def test_kill_9_of_the_client_restores_the_terminal(home):
    sid = home.start("sh", "-c", LEFT_ON)
    with Terminal() as term:
        before = attached(home, term, sid, "ready")
        term.wait(lambda s: s["modes"]["bracketedPasteMode"], "paste mode")
        term.program.kill()
        term.ended()
        restored(term, before, "kill -9")
    assert home.info(sid)["status"] == "running"


def test_a_signal_detaches_and_restores_the_terminal(home):
    sid = home.start("sh", "-c", LEFT_ON)
    with Terminal() as term:
        before = attached(home, term, sid, "ready")
        term.program.terminate()
        assert term.ended() == 128 + signal.SIGTERM
        restored(term, before, "SIGTERM")


def test_a_closed_window_detaches(home):
    sid = home.start("sh", "-c", LEFT_ON)
    with Terminal() as term:
        attached(home, term, sid, "ready")
        os.close(term.slave)
        term.slave = None
        term.close()
        term.ended()
        wait_for(lambda: home.info(sid)["observers"] == 0,
                 lambda: f"nobody watching: {home.info(sid)}")
    assert home.info(sid)["status"] == "running"


@pytest.mark.parametrize("how", ["prefix", "signal"])
def test_a_suspended_client_continues(home, how):
    sid = home.start("sh", "-c", LEFT_ON)
    with Terminal() as term:
        before = attached(home, term, sid, "ready")
        if how == "prefix":
            term.type(PREFIX + "\x1a")
        else:
            term.program.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(term.program.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), status
        restored(term, before, "suspend")
        term.program.send_signal(signal.SIGCONT)
        term.wait_text("ready")
        term.type("typed\r")
        term.wait_text("typed\ntyped")
        term.type(DETACH)
        assert term.ended() == 0
        restored(term, before, "suspend, continue and detach")


def test_no_process_stays_behind(home):
    sid = home.start("cat")
    with Terminal() as term:
        client(home, term, sid)
        pid = term.program.pid
        children = wait_for(lambda: open(
            f"/proc/{pid}/task/{pid}/children").read().split(), "the guard")
        term.wait(lambda s: s["alt"], "the alternate screen")
        term.type(DETACH)
        assert term.ended() == 0
        wait_for(lambda: not any(map(lib.is_running, children)),
                 f"the guard gone: {children}")


# -------------------------------------------------------------- a lost host


def host_of(home, sid):
    return home.info(sid)["host_pid"]


def kill_host(home, sid):
    """kill -9, and wait for the next."""
    old = host_of(home, sid)
    os.kill(old, signal.SIGKILL)
    return wait_for(lambda: (new := host_of(home, sid)) != old and new,
                    lambda: f"another host: {home.info(sid)}")


def test_the_host_is_killed_and_nothing_is_missing_or_repeated(home):
    sid = home.start("sh", "-c", "echo ready; read x; i=0; "
                     "while [ $i -lt 2000 ]; do i=$((i + 1)); echo line $i; "
                     "[ $((i % 20)) = 0 ] && sleep 0.02; done; "
                     "echo done; exec cat")
    with Terminal() as term:
        attached(home, term, sid, "ready", "--inline")
        passing(term)
        term.type("\r")
        # Input that a host had not written to the terminal when it died is
        # lost.
        term.wait_text("line 1")
        for _ in range(5):
            kill_host(home, sid)
        term.wait_text("done")
        screen = term.screen()
        lines = [line for line in screen["scrollback"] + screen["lines"]
                 if line.startswith("line ")]
        assert lines == [f"line {i}" for i in range(1, 2001)]
        term.type("after\r")
        term.wait_text("after\nafter")


def test_a_missing_host_is_reported_and_awaited(home):
    sid = home.start("sh", "-c", "echo ready; exec cat")
    with Terminal() as term:
        before = attached(home, term, sid, "ready")
        passing(term)
        keeper, host = home.info(sid)["keeper_pid"], host_of(home, sid)
        os.kill(keeper, signal.SIGSTOP)
        try:
            os.kill(host, signal.SIGKILL)
            screen = term.wait_text("reconnecting")
            assert screen["lines"][-1].startswith(
                "tend: lost the session's host, reconnecting \u2026"), screen
            assert screen["lines"][0] == "ready", screen
        finally:
            os.kill(keeper, signal.SIGCONT)
        term.wait(lambda s: "reconnecting" not in "\n".join(s["lines"]),
                  "the notice gone")
        term.type("typed\r")
        term.wait_text("ready\ntyped\ntyped")
        term.type(DETACH)
        assert term.ended() == 0
        restored(term, before, "a lost host")


def test_in_line_mode_no_line_is_missing_after_a_host_was_away(home):
    """Output of that time goes into the scrollback, not over it."""
    go = home.path / "go"
    sid = home.start("sh", "-c", "echo ready; until [ -e $0 ]; do sleep 0.01; "
                     "done; for i in $(seq 300); do echo line $i; done; "
                     "printf done; exec cat", go)
    with Terminal() as term:
        attached(home, term, sid, "ready", "--inline")
        passing(term)
        keeper, host = home.info(sid)["keeper_pid"], host_of(home, sid)
        os.kill(keeper, signal.SIGSTOP)
        try:
            os.kill(host, signal.SIGKILL)
            term.wait_text("reconnecting")
            go.touch()
        finally:
            os.kill(keeper, signal.SIGCONT)
        term.wait_text("done")
        screen = term.wait(lambda s: "reconnecting" not in
                           "\n".join(s["lines"]), "the notice gone")
        lines = [line for line in screen["scrollback"] + screen["lines"]
                 if line.startswith("line ")]
        assert lines == [f"line {i}" for i in range(1, 301)]


def test_a_lease_survives_the_death_of_the_host(home):
    """A-16: also if another client is there first."""
    sid = home.start("sh", "-c", "echo ready; exec cat",
                     options=["--input=lease"])
    with Terminal() as term:
        attached(home, term, sid, "ready")
        passing(term)
        term.type("one\r")
        term.wait_text("one\none")
        host = host_of(home, sid)
        term.program.send_signal(signal.SIGSTOP)
        os.kill(host, signal.SIGKILL)
        with Wire(home.dir(sid)) as other:
            assert other.type(wire.TEXT, b"other\r")[0] == wire.LEASED
            term.program.send_signal(signal.SIGCONT)
            other.event("lease")
            term.type("two\r")
            term.wait_text("two\ntwo")
            assert other.type(wire.TEXT, b"other\r")[0] == wire.LEASED
            term.type(DETACH)
            assert term.ended() == 0
            other.event("lease", holder=None)
            assert other.type(wire.TEXT, b"three\r")[0] == wire.WRITTEN
        home.wait_text(sid, "one\none\ntwo\ntwo\nthree\nthree")


# -------------------------------------------------------------------- typing

CLASSES = [
    ("", "a", b'a'),
    ("", "\x03", b'\x03'),
    ("", "\x1b[A", b'\x1b[A'),
    (r"\x1b[?1h", "\x1b[A", b'\x1bOA'),
    ("", "\x1b[15~", b'\x1b[15~'),
    ("", "\x1b[1;5C", b'\x1b[1;5C'),
    ("", "\x1bx", b'\x1bx'),
    ("", "\u00fc", b'\xc3\xbc'),
    ("", "\x1b", b'\x1b'),
    (r"\x1b[>1u", "\x1b", b'\x1b[27u'),
    (r"\x1b[>1u", "\x03", b'\x1b[99;5u'),
    (r"\x1b[?2004h", "\x1b[200~two\rlines\x1b[201~",
     b'\x1b[200~two\rlines\x1b[201~'),
    ("", "\x1b[200~two\rlines\x1b[201~", b'two\rlines'),
    (r"\x1b[?1000h\x1b[?1006h", "\x1b[<0;3;2M", b'\x1b[<0;3;2M'),
    (r"\x1b[?1000h", "\x1b[<0;3;2M", b'\x1b[M #"'),
    (r"\x1b[?1004h", "\x1b[I", b'\x1b[I'),
]


@pytest.mark.parametrize("modes,typed,want", CLASSES,
                         ids=[repr(c[0] + " " + c[1]) for c in CLASSES])
def test_keys_reach_the_program_as_its_modes_want(home, modes, typed, want):
    """B-31, B-32"""
    sid = home.start(sys.executable, "-c", TYPED, modes)
    with Terminal() as term:
        attached(home, term, sid, "ready")
        term.type(typed)
        term.wait_text(repr(want))


def test_the_prefix_starts_commands_and_can_be_changed(home):
    """B-31"""
    sid = home.start(sys.executable, "-c", TYPED, "")
    with Terminal() as term:
        attached(home, term, sid, "ready")
        term.type(PREFIX + PREFIX)
        term.wait_text(r"b'\x1d'")
        term.type(PREFIX + "?")
        term.wait_text("detach; the session stays")
        term.type("q")
        term.type(PREFIX + "Z")
        term.wait_text("no such command; C-] ? shows")
        term.type(DETACH)
        assert term.ended() == 0
    with Terminal() as term:
        attached(home, term, sid, "ready", "--prefix", "C-a")
        term.type(DETACH)
        term.wait_text("\\x1d")
        term.type("\x01d")
        assert term.ended() == 0
    with Terminal() as term:
        term.run(lib.TEND, "attach", sid,
                 env={**home.env, "TEND_PREFIX": "C-b"})
        term.wait_text("ready")
        term.type("\x02d")
        assert term.ended() == 0


def test_only_the_host_answers_questions(home):
    """O-11"""
    sid = home.start("sh", "-c", "echo ready; read x; exec \"$@\"", "sh",
                     sys.executable, "-c", ASKS)
    with Terminal() as term:
        attached(home, term, sid, "ready")
        passing(term)
        term.type("\r")
        term.wait_text("DA1 came 1 times")


@pytest.mark.parametrize("options", [[], ["--read-only"]])
def test_programs_get_the_terminals_own_colours(home, options):
    """O-10: those of a client that types, not those of a read-only one."""
    sid = home.start("sh", "-c", "echo ready; read x; exec \"$@\"", "sh",
                     sys.executable, "-c", ASKS)
    with Terminal() as term:
        attached(home, term, sid, "ready", *options)
        passing(term)
        term.type("\x1b]10;rgb:1212/3434/5656\x1b\\"
                  "\x1b]11;rgb:fefe/dcdc/baba\x07")
        if options:
            home.ok("send", sid, "--keys", "Enter")
        else:
            term.type("\r")
        text = term.wait_text("DA1 came 1 times")["lines"]
        told = "]11;rgb:fefe/dcdc/baba" in "".join(text)
        assert told == (not options), text


def test_a_programs_colours_are_shown_and_undone(home):
    """At any size; the old colours come back."""
    red, back = b"]4;1;rgb:12/34/56", b"]11;rgb:65/43/21"
    sid = home.start("sh", "-c", r"printf '\033]4;1;#123456\007"
                     r"\033]11;#654321\007ready'; read x; "
                     r"printf '\033]104;1\007gone'; exec cat",
                     options=["--size=60x10"])
    with Wire(home.dir(sid), cols=60, rows=10), Terminal() as term:
        attached(home, term, sid, "ready")
        wait_for(lambda: red in term.raw and back in term.raw,
                 lambda: f"the colours: {bytes(term.raw)!r}")
        seen = len(term.raw)
        term.type("\r")
        term.wait_text("gone")
        assert b"]104" in term.raw[seen:] and back in term.raw[seen:]
        assert red not in term.raw[seen:], bytes(term.raw[seen:])
        seen = len(term.raw)
        term.type(DETACH)
        assert term.ended() == 0
        wait_for(lambda: b"]104" in term.raw[seen:]
                 and b"]111" in term.raw[seen:],
                 lambda: f"them undone: {bytes(term.raw[seen:])!r}")


def test_a_read_only_client_types_nothing(home):
    sid = home.start("sh", "-c", "echo ready; exec cat")
    with Terminal(60, 20) as term, Terminal(80, 24) as other:
        attached(home, term, sid, "ready", "--read-only")
        attached(home, other, sid, "ready")
        term.type("not this\r")
        other.type("but this\r")
        other.wait_text("but this\nbut this")
        term.wait_text("but this\nbut this")
        assert "not this" not in "\n".join(home.screen(sid)["lines"])
        assert home.info(sid)["cols"] == 80
        term.type(DETACH)
        assert term.ended() == 0


def test_in_line_mode_the_history_is_in_the_scrollback(home):
    """B-33"""
    sid = home.start("sh", "-c", "seq 1 500; exec cat")
    home.wait_text(sid, "500")
    with Terminal() as term:
        before = attached(home, term, sid, "500", "--inline")
        assert not term.screen()["alt"]
        for i in range(501, 560):
            term.type(f"{i}\r")
        term.wait(lambda s: s["lines"][-2] == "559", "559")
        screen = term.screen()
        lines = screen["scrollback"] + screen["lines"]
        numbers = [line for line in lines if line.isdigit()]
        assert numbers[:500] == [str(i) for i in range(1, 501)]
        term.type(DETACH)
        assert term.ended() == 0
        term.wait_text("[detached from")
        restored(term, before, "detach in line")


@pytest.mark.parametrize("replay", ["raw", "none"])
def test_replay_may_be_raw_or_none(home, replay):
    sid = home.start("sh", "-c", "echo first; exec cat")
    home.wait_text(sid, "first")
    with Terminal() as term:
        client(home, term, sid, f"--replay={replay}")
        term.wait(lambda s: s["alt"], "the alternate screen")
        term.type("typed\r")
        text = term.wait_text("typed\ntyped")
        assert ("first" in "\n".join(text["lines"])) == (replay == "raw")


# ------------------------------------------------------------------ notices

# A full screen of everything that a repaint could get wrong.
FULL_SCREEN = """
import os, sys, tty
tty.setraw(0)
out = "\\x1b[?1049h\\x1b[2J"
for y in range(24):
    out += f"\\x1b[{y + 1};1H\\x1b[{31 + y % 7};{40 + y % 8}m"
    out += (f"{y:2} \u754c\u754c e\u0301 \u2500\u2502 " * 8)[:70]
    out += f"\\x1b[0;1;4m{y}\\x1b[m"
sys.stdout.write(out + "\\x1b[3;20r\\x1b[12;34H\\x1b[35m")
sys.stdout.flush()
while True:
    os.read(0, 100)
"""


def picture(term):
    """The visible content; a cell that was never written looks like a blank
    one."""
    dump = term.screen()
    dump.pop("dump", None)
    dump["columns"] = {y: [cell or " " for cell in row]
                       for y, row in dump["columns"].items()}
    return dump


@pytest.mark.parametrize("cols, rows", [(80, 24), (60, 20), (100, 30)])
def test_a_notice_leaves_the_screen_as_it_was(home, cols, rows):
    """Passing through (80x24) as well as painted, smaller and larger."""
    sid = home.start(sys.executable, "-c", FULL_SCREEN,
                     options=["--resize", "fixed"])
    wait_for(lambda: home.screen(sid)["cursor"]["col"] == 33, "all of it")
    with Terminal(cols=cols, rows=rows) as term:
        attached(home, term, sid, "12 ")
        if (cols, rows) == (80, 24):
            passing(term)
            same_picture(home, term, sid)
        else:
            painted(term)
        term.wait(lambda s: all(
            line.startswith(f"{y:2} ")
            for y, line in enumerate(s["lines"][:min(rows, 24)]))
            and "C-]" not in s["lines"][-1], "all rows")
        before = picture(term)
        term.type(PREFIX + "Z")
        shown = term.wait_text("no such command")
        assert shown["lines"][-1].startswith(" no such command"), shown
        assert shown["lines"][:-1] == before["lines"][:-1]
        wait_for(lambda: picture(term) == before,
                 lambda: f"the screen as before\n{before}\n{picture(term)}")
        term.type(PREFIX + "?")
        shown = term.wait_text("detach; the session stays")["lines"]
        assert "12 " not in shown[11], shown
        term.type("q")
        wait_for(lambda: picture(term) == before,
                 lambda: f"the screen as before\n{before}\n{picture(term)}")


# ----------------------------------------------------------------- refusals


def test_a_session_does_not_attach_to_itself(home):
    sid = home.start("sh", "-c", "echo ready; exec sh")
    with Terminal() as term:
        attached(home, term, sid, "ready")
        term.type(f"{lib.TEND} attach $TEND_SESSION; echo status $?\r")
        term.wait_text("status 125")
        term.wait_text("itself")


def test_attach_without_a_terminal_is_refused(home):
    sid = home.start("cat")
    answer = home.run("attach", sid)
    assert answer.status == 125, answer
    assert "must be a terminal" in answer.err, answer


def test_an_invalid_prefix_is_refused(home):
    sid = home.start("cat")
    with Terminal() as term:
        client(home, term, sid, "--prefix", "no-such-key")
        term.wait_text("no-such-key")
        assert term.ended() == 125
