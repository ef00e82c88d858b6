"""session.prompt: a message does not answer an open question."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from lib import TEND, Home, wait_for

AGENT = pathlib.Path(__file__).parents[1] / "record/programs/agent.py"


@pytest.fixture
def home():
    with Home() as made:
        made.env["PS1"] = "$ "
        made.env["HISTFILE"] = "/dev/null"
        made.env["LC_ALL"] = "C.UTF-8"
        yield made


def prompt(home, sid, *args):
    answer = home.run("prompt", "--json", sid, *args)
    assert answer.status in (0, 11, 12), answer
    return json.loads(answer.out)["result"]


def typed(home, sid):
    return [e["data"] for e in home.events(sid) if e["type"] == "input"]


# The box and the dialog of an agent: a line is a command that it asks to run;
# "!" in a line asks at once; Enter takes the marked option.
ASKING = r"""
import os, sys, tty
tty.setraw(0)
done = open(sys.argv[1], "a", buffering=1)
rule = "\u2500" * 40
line, asks = "", len(sys.argv) > 2

def draw():
    text = "\x1b[?25l\x1b[H\x1b[2J"
    if asks:
        text += f"{rule}\r\n May this run?\r\n \u276f 1. Yes, run it\r\n"
        text += "   2. No\r\n\r\n Esc to cancel"
    else:
        text += f"\u25cf Ready.\r\n\r\n{rule}\r\n> {line}\r\n{rule}\r\n  ? for help"
    os.write(1, text.encode())

draw()
while True:
    for key in os.read(0, 4096).decode():
        if asks:
            if key == "\r":
                done.write("ran\n")
            asks = asks and key not in "\r\x1b"
        elif key == "\r":
            done.write(line + "\n")
            line = ""
        else:
            line += key
            asks = key == "!"
    draw()
"""


def asking(home, tmp_path, *args):
    done = tmp_path / "done"
    done.touch()
    sid = home.start(sys.executable, "-uc", ASKING, done, *args,
                     options=["--size", "60x20"])
    home.wait_text(sid, "1. Yes" if args else "for help")
    return sid, done


@pytest.mark.parametrize("profile", ["line", "shell", "nudge"])
def test_a_dialog_is_not_answered(home, tmp_path, profile):
    sid, done = asking(home, tmp_path, "now")
    got = prompt(home, sid, "fix the parser", "-p", profile)
    assert got["result"] == "refused" and got["code"] == "question", got
    assert got["reason"].startswith("a question is open"), got
    assert got["evidence"]["question"] == "choice", got
    assert got["evidence"]["submitted"] is False, got
    assert typed(home, sid) == [] and done.read_text() == ""
    answer = home.run("prompt", sid, "fix the parser")
    assert answer.status == 12, answer
    assert answer.text.startswith("refused: a question is open"), answer


def test_a_program_takes_prompts_after_its_dialog_is_closed(home, tmp_path):
    sid, done = asking(home, tmp_path, "now")
    assert prompt(home, sid, "one")["result"] == "refused"
    home.ok("send", sid, "--keys", "Escape")
    home.wait_text(sid, "for help")
    got = prompt(home, sid, "two")
    assert got["result"] == "delivered", got
    wait_for(lambda: done.read_text() == "two\n", done.read_text)


def test_force_answers_a_dialog(home, tmp_path):
    sid, done = asking(home, tmp_path, "now")
    got = prompt(home, sid, "x", "--force")
    assert got["result"] != "refused", got
    wait_for(lambda: done.read_text().startswith("ran\n"), done.read_text)


def test_a_dialog_that_opens_after_the_text_gets_no_key(home, tmp_path):
    """The text is there, then the dialog: Enter would be its answer."""
    sid, done = asking(home, tmp_path)
    got = prompt(home, sid, "do it!")
    assert got["result"] == "unconfirmed", got
    assert got["code"] == "question-opened", got
    assert got["evidence"]["question"] == "choice", got
    assert got["evidence"]["submitted"] is False, got
    assert got["evidence"]["standing"] == "do it!", got
    assert typed(home, sid) == ["do it!"] and done.read_text() == ""


# Draws a dialog in one update, slowly; Enter takes it.
SLOW = r"""
import os, select, sys, tty
tty.setraw(0)
os.write(1, b"\x1b[?25l\x1b[?2026hready")
open(sys.argv[1]).read()
os.write(1, b"\x1b[H\x1b[2JMay this run?\r\n> 1. Yes\r\n  2. No\x1b[?2026l")
os.write(2, os.read(0, 100))
"""


def test_a_prompt_waits_while_a_dialog_is_drawn(home, tmp_path):
    """Nothing is typed into the middle of an update."""
    go = tmp_path / "go"
    os.mkfifo(go)
    sid = home.start(sys.executable, "-uc", SLOW, go)
    wait_for(lambda: b"ready" in home.raw(sid), "the update")
    caller = subprocess.Popen([TEND, "prompt", "--json", sid, "hello"],
                              env=home.env, stdout=subprocess.PIPE)
    go.write_bytes(b"")
    out, _ = caller.communicate(timeout=60)
    got = json.loads(out)["result"]
    assert got["code"] in ("question", "question-opened"), got
    assert got["evidence"]["submitted"] is False, got
    assert "\r" not in typed(home, sid)


def test_text_that_only_looks_like_a_question_is_ignored(home, tmp_path):
    sid, done = asking(home, tmp_path)
    got = prompt(home, sid, "shall we? (y/n)")
    assert got["result"] == "delivered", got
    wait_for(lambda: done.read_text() == "shall we? (y/n)\n", done.read_text)


@pytest.mark.parametrize("command, shown, kind", [
    (["sh", "-c", "printf 'Go on? [y/N] '; read x; echo \"got $x\""],
     "Go on?", "yes-no"),
    (["bash", "-c", "read -p 'Press Enter to continue...' x"],
     "Press Enter", "key"),
    (["whiptail", "--yesno", "Really?", "8", "40"], "<Yes>", "buttons"),
    (["whiptail", "--menu", "Pick", "12", "40", "3", "a", "one", "b", "two"],
     "<Ok>", "buttons"),
], ids=["yes-no", "key", "buttons", "menu"])
def test_real_questions_are_not_answered(home, command, shown, kind):
    sid = home.start(*command, options=["--size", "60x20"])
    home.wait_text(sid, shown)
    home.ok("wait", sid, "--stable", "50ms", "--timeout", "60s")
    got = prompt(home, sid, "hello")
    assert got["code"] == "question", got
    assert got["evidence"]["question"] == kind, got
    assert typed(home, sid) == []


LIST = ("printf 'Plan?\\n  1. read\\n  2. write\\n* one\\n* two? (y/n)\\n"
        "\\342\\235\\257 1. Yes\\n  2. No\\nPress Enter to continue\\n'")


@pytest.mark.parametrize("ps1", ["$ ", "> ", "❯ ", "→ "])
def test_a_shell_below_old_questions_takes_prompts(home, ps1):
    home.env["PS1"] = ps1
    sid = home.start("bash", "--norc", "--noprofile",
                     options=["--size", "60x20"])
    home.wait_text(sid, ps1.strip())
    for text in (LIST, "printf '  1. a\\n  2. b\\n'", "echo three"):
        got = prompt(home, sid, text)
        assert got["result"] == "delivered", got
        home.ok("wait", sid, "--stable", "50ms", "--timeout", "60s")


@pytest.mark.parametrize("command, shown", [
    ([sys.executable, "-q"], ">>>"),
    (["less", os.path.abspath(__file__)], "message"),
    (["vim", "-u", "NONE", "-nN", "-i", "NONE"], "~"),
    (["htop", "-d", "100"], "F10"),
    (["cat"], None),
    ([sys.executable, AGENT], "? for help"),
], ids=["python", "less", "vim", "htop", "cat", "chat"])
def test_programs_that_ask_nothing_are_typed_at(home, command, shown):
    sid = home.start(*command, options=["--size", "80x24"])
    if shown is not None:
        home.wait_text(sid, shown)
    home.wait_status(sid, "running")
    got = prompt(home, sid, "1", "--timeout", "5s")
    assert got["code"] not in ("question", "question-opened"), got
    keys = typed(home, sid)
    assert "1" in keys[0] and keys[1] == "\r", (keys, got)
