"""session.prompt: delivered means that the program read it and answered."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

from lib import TEND, Home, wait_for

AGENT = pathlib.Path(__file__).parents[1] / "record/programs/agent.py"
FIELDS = ["result", "code", "reason", "evidence", "seq", "offset"]


@pytest.fixture
def home():
    with Home() as made:
        made.env["PS1"] = "$ "
        made.env["HISTFILE"] = "/dev/null"
        yield made


def prompt(home, sid, *args):
    """The result, whatever it is."""
    answer = home.run("prompt", "--json", sid, *args)
    assert answer.status in (0, 11, 12), answer
    got = json.loads(answer.out)["result"]
    assert list(got) == FIELDS, got
    status = {"delivered": 0, "unconfirmed": 11, "refused": 12}
    assert answer.status == status[got["result"]], answer
    return got


def typed(home, sid):
    return [e["data"] for e in home.events(sid) if e["type"] == "input"]


def python(home, code, *args, options=()):
    sid = home.start(sys.executable, "-uc", code, *args, options=options)
    home.wait_text(sid, "ready")
    return sid


def refuses_to_believe(got, code, read):
    assert got["result"] == "unconfirmed", got
    assert got["code"] == code, got
    assert got["evidence"]["read"] is read, got


# ---------------------------------------------------- unread prompts

def test_a_drivers_echo_for_a_sleeping_program_is_not_delivery(
        home):
    sid = home.start("sh", "-c", "echo ready; exec sleep 600")
    home.wait_text(sid, "ready")
    got = prompt(home, sid, "hello")
    refuses_to_believe(got, "unread", False)
    assert got["evidence"]["unread"] == len("hello\n"), got
    assert "not read" in got["reason"], got
    assert typed(home, sid) == ["hello", "\r"]


def test_an_interpreter_that_sleeps_has_read_nothing(home):
    sid = python(home, "import time; print('ready'); time.sleep(600)")
    refuses_to_believe(prompt(home, sid, "hello"), "unread", False)


def test_a_stopped_program_has_read_nothing(home):
    sid = home.start("cat")
    home.wait_status(sid, "running")
    pid = home.info(sid)["child_pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        refuses_to_believe(prompt(home, sid, "hello"), "unread", False)
    finally:
        os.kill(pid, signal.SIGCONT)
    home.wait_text(sid, "hello\nhello")
    assert prompt(home, sid, "again")["result"] == "delivered"


RAW = ("import os, select, signal, sys, tty\n"
       "tty.setraw(0); os.write(1, b'ready> ')\n")


def test_an_unread_key_is_not_pressed_again(home):
    """A raw program that echoes nothing and reads nothing."""
    sid = python(home, RAW + "signal.pause()")
    got = prompt(home, sid, "abc")
    refuses_to_believe(got, "unread", False)
    assert got["evidence"]["unread"] == 4, got
    assert typed(home, sid) == ["abc", "\r"]


def test_reading_the_text_but_not_the_key_is_not_delivery(home):
    sid = python(home, RAW + """
left = 3
while left > 0:
    got = os.read(0, left)
    os.write(1, got)
    left -= len(got)
while True:
    os.write(1, b'.')
    select.select([], [], [], 0.1)
""")
    got = prompt(home, sid, "abc")
    refuses_to_believe(got, "unread", False)
    assert got["evidence"]["unread"] == 1, got
    assert typed(home, sid) == ["abc", "\r"]


def test_a_line_that_the_terminal_does_not_end_is_not_taken(home):
    """In a canonical terminal unfinished lines are not counted as unread."""
    sid = home.start("sh", "-c", "stty -icrnl; echo ready; "
                     "exec sleep 600")
    home.wait_text(sid, "ready")
    refuses_to_believe(prompt(home, sid, "hello"), "no-line", None)


# ---------------------------------------------------- read prompts

def test_reading_without_drawing_is_not_delivery(home):
    """The terminal driver echoes, the program is silent."""
    sid = home.start("sh", "-c", "echo ready; exec cat >/dev/null")
    home.wait_text(sid, "ready")
    got = prompt(home, sid, "hello")
    refuses_to_believe(got, "no-answer", True)
    assert got["evidence"]["unread"] == 0, got
    assert got["evidence"]["answered"] is False, got


def test_raw_reading_without_drawing_is_not_delivery(home):
    sid = python(home, RAW + "while True: os.read(0, 100)")
    got = prompt(home, sid, "abc")
    refuses_to_believe(got, "no-answer", True)
    assert typed(home, sid) == ["abc", "\r", "\r"]


@pytest.mark.parametrize("text", ["hello", "grüße 解析"])
def test_reading_lines_and_answering_is_delivery(home, text):
    sid = home.start("cat")
    home.wait_status(sid, "running")
    got = prompt(home, sid, text)
    assert got["result"] == "delivered" and got["code"] == "answered", got
    assert got["evidence"] == {"submitted": True, "read": True, "unread": 0,
                               "answered": True, "command": False,
                               "standing": None, "question": None}, got
    assert got["reason"] == \
        "the program has read it and has answered", got


READER = "echo ready; while read -r x; do echo \"[$x]\"; done"


@pytest.mark.parametrize("command, ready, text, shown", [
    (["bash", "--norc", "--noprofile"], "$", "echo $((6*7))", "42"),
    (["sh", "-c", READER], "ready", "hello", "[hello]"),
    ([sys.executable, "-q"], ">>>", "6*7", "42"),
    (["vim", "-u", "NONE", "-nN", "-i", "NONE"], "~", "ihello", "hello"),
], ids=["bash", "sh", "python", "vim"])
def test_real_programs_take_prompts(home, command, ready, text, shown):
    sid = home.start(*command, options=["--size", "60x10"])
    home.wait_text(sid, ready)
    home.ok("wait", sid, "--stable", "100ms", "--timeout", "60s")
    got = prompt(home, sid, text, "--timeout", "60s")
    if command[0] == "vim":  # It shows keys elsewhere than before the cursor.
        assert got["evidence"]["read"] is True, got
    else:
        assert got["result"] == "delivered", got
    home.wait_text(sid, shown)


def test_a_late_reader_confirms_delivery_once_it_has_read(home, tmp_path):
    go = tmp_path / "go"
    os.mkfifo(go)
    sid = python(home, RAW + """
os.write(1, os.read(0, 100))
open(sys.argv[1]).read()
os.read(0, 100)
os.write(1, b'\\r\\nlate\\r\\n')
signal.pause()
""", go)
    caller = subprocess.Popen([TEND, "prompt", "--json", sid, "abc"],
                              env=home.env, stdout=subprocess.PIPE)
    wait_for(lambda: typed(home, sid) == ["abc", "\r"], "the key")
    go.write_bytes(b"")
    out, _ = caller.communicate(timeout=60)
    got = json.loads(out)["result"]
    assert got["result"] == "delivered", got
    assert typed(home, sid) == ["abc", "\r"]


def test_an_answer_of_the_terminal_may_stay_unread(home):
    """Once it has read the prompt, the program asks for the cursor position,
    and leaves the answer unread."""
    sid = python(home, RAW + """
os.write(1, os.read(0, 3))
os.read(0, 1)
os.write(1, b'\\r\\nthank you\\r\\n\\x1b[6n')
signal.pause()
""")
    got = prompt(home, sid, "abc", "--timeout", "60s")
    assert got["result"] == "delivered" and got["code"] == "answered", got
    assert got["evidence"]["unread"] == 0, got
    assert typed(home, sid) == ["abc", "\r"]


def test_clearing_and_redrawing_is_an_answer(home):
    sid = python(home, RAW + """
line = b''
while True:
    for c in os.read(0, 100):
        line = b'' if c == 13 else line + bytes([c])
        os.write(1, b'\\x1b[H\\x1b[2Jready> ' + line)
""")
    for n in range(3):
        got = prompt(home, sid, f"text {n}")
        assert got["result"] == "delivered", got


def test_the_chat_program_takes_prompts(home):
    """It hides the cursor, draws one, and repaints its box in place."""
    sid = home.start(sys.executable, AGENT, options=["--size", "80x24"])
    home.wait_text(sid, "? for help")
    for text in ("look at the parser", "and at the screen"):
        got = prompt(home, sid, text, "--timeout", "30s")
        assert got["result"] == "delivered", got
        home.ok("wait", sid, "--text", "? for help", "--stable", "500ms",
                "--timeout", "60s")
    assert typed(home, sid)[1::2] == ["\r", "\r"], typed(home, sid)


# ---------------------------------------------------- the end

def test_the_end_of_the_program_is_not_delivery(home):
    sid = python(home, RAW + """
os.write(1, os.read(0, 3))
os.read(0, 1)
""")
    got = prompt(home, sid, "bye")
    assert got["result"] == "unconfirmed" and got["code"] == "ended", got
    home.wait_status(sid, "exited")


def test_ending_without_reading_is_not_delivery(home, tmp_path):
    """Unread input is dropped with the terminal."""
    go = tmp_path / "go"
    os.mkfifo(go)
    sid = home.start("sh", "-c", f"echo ready; read x <{go}; "
                     "echo one; echo two; echo three; echo four")
    home.wait_text(sid, "ready")
    caller = subprocess.Popen([TEND, "prompt", "--json", sid, "abc"],
                              env=home.env, stdout=subprocess.PIPE)
    wait_for(lambda: typed(home, sid) == ["abc", "\r"], "the key")
    go.write_bytes(b"\n")
    out, _ = caller.communicate(timeout=60)
    got = json.loads(out)["result"]
    assert got["result"] == "unconfirmed", got
    assert got["code"] in ("ended", "unread"), got


def test_checking_does_not_keep_the_terminal_open(home):
    """Each check of the terminal's other end is over at once."""
    sid = home.start("sh", "-c", "read x; exit 3")
    home.wait_status(sid, "running")
    got = prompt(home, sid, "hello")
    assert got["code"] == "ended", got
    home.wait_status(sid, "exited")
    assert home.info(sid)["exit_code"] == 3
    sid = home.start("sh", "-c", READER)
    home.wait_text(sid, "ready")
    host = home.info(sid)["host_pid"]
    before = len(os.listdir(f"/proc/{host}/fd"))
    for n in range(20):
        assert prompt(home, sid, f"m{n}")["result"] == "delivered"
    wait_for(lambda: len(os.listdir(f"/proc/{host}/fd")) <= before,
             lambda: os.listdir(f"/proc/{host}/fd"))
    stat = pathlib.Path(f"/proc/{host}/stat").read_text()
    tty = stat.rpartition(")")[2].split()[4]
    assert tty == "0", stat  # It is not the host's controlling terminal.
