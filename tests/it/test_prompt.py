"""session.prompt: a message is typed, submitted and confirmed (C-10)."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

import wire
from lib import TEND, Home, wait_for
from wire import Refused, Wire


@pytest.fixture
def home():
    with Home() as made:
        made.env["PS1"] = "$ "
        made.env["HISTFILE"] = "/dev/null"
        yield made


def prompt(home, sid, *args, status=0, **kwargs):
    """The result of a prompt whose exit status must be this."""
    answer = home.run("prompt", "--json", sid, *args, **kwargs)
    assert answer.status == status, answer
    whole = json.loads(answer.out)
    assert whole["ok"] is True and whole["command"] == "prompt", answer
    assert list(whole["result"]) == ["result", "code", "reason", "evidence",
                                     "seq", "offset"], answer
    return whole["result"]


def typed(home, sid):
    return [e["data"] for e in home.events(sid) if e["type"] == "input"]


def lines_of(home, sid):
    return [line for line in home.screen(sid)["lines"] if line]


READER = ("echo ready; while read -r x; do echo \"[$x]\"; done")


def test_a_line_is_delivered(home):
    sid = home.start("sh", "-c", READER)
    home.wait_text(sid, "ready")
    got = prompt(home, sid, "hello world")
    assert got["result"] == "delivered", got
    assert got["reason"] == "the program has read it and has answered", got
    home.wait_text(sid, "[hello world]")
    events = [e for e in home.events(sid) if e["type"] == "input"]
    assert [e["data"] for e in events] == ["hello world", "\r"], events
    assert events[-1]["seq"] == got["seq"], (events, got)
    answer = home.run("prompt", sid, "-", input=b"from a pipe\n")
    assert answer.status == 0, answer
    assert answer.text == \
        "delivered: the program has read it and has answered\n"
    home.wait_text(sid, "[from a pipe]")


# Reads a line when something has been written to `go`.
WAITER = """
import os, pathlib, sys, tty
entered, go = map(pathlib.Path, sys.argv[1:])
tty.setraw(0)
os.write(1, b"ready> ")
while key := os.read(0, 1):
    if key != b"\\r":
        os.write(1, key)
        continue
    entered.touch()
    go.read_bytes()
    os.write(1, b"\\r\\ntaken\\r\\n> ")
"""


def test_a_host_that_was_late_presses_nothing_again(home, tmp_path):
    """Output of the time in which it was stopped is read before its clock
    counts."""
    entered, go = tmp_path / "entered", tmp_path / "go"
    os.mkfifo(go)
    sid = home.start(sys.executable, "-c", WAITER, entered, go)
    home.wait_text(sid, "ready>")
    host = home.info(sid)["host_pid"]
    caller = subprocess.Popen([TEND, "prompt", sid, "once"], env=home.env,
                              stdout=subprocess.PIPE)
    wait_for(entered.exists, "the key")
    os.kill(host, signal.SIGSTOP)
    end = time.monotonic() + 3
    go.write_bytes(b"")
    wait_for(lambda: time.monotonic() > end, "more than a try may take")
    os.kill(host, signal.SIGCONT)
    out, _ = caller.communicate(timeout=60)
    assert caller.returncode == 0 and out.startswith(b"delivered"), out
    assert typed(home, sid) == ["once", "\r"]


@pytest.mark.parametrize("size", ["40x3", "40x10"])
def test_prompts_in_a_row_are_delivered_on_a_scrolling_screen(home, size):
    """The cursor returns to its place, and answers come in between."""
    sid = home.start("sh", "-c", READER, options=["--size", size])
    home.wait_text(sid, "ready")
    with Wire(home.dir(sid), mode="control") as w:
        for n in range(40):
            got = w.call("session.prompt", text=f"m{n}")
            assert got["result"] == "delivered", (n, got)
    wait_for(lambda: b"[m39]" in home.raw(sid), "the last answer")
    assert typed(home, sid) == [x for n in range(40) for x in (f"m{n}", "\r")]


@pytest.mark.parametrize("options", [[], ["--no-integration"]])
@pytest.mark.parametrize("shell", [
    ["bash", "--norc", "--noprofile"], ["zsh", "-f"], ["fish", "-N"],
    ["dash"], ["busybox", "ash"]], ids=lambda words: words[-1])
def test_every_shell_takes_commands(home, shell, options):
    sid = home.start(*shell, options=["--size", "60x10", *options])
    home.ok("wait", sid, "--regex", "[#$%>] *$", "--timeout", "60s")
    for n in range(5):
        got = prompt(home, sid, f"printf %s-%s {n} {n}", "-p", "shell")
        assert got["result"] == "delivered", got
        home.ok("wait", sid, "--text", f"{n}-{n}", "--after",
                str(got["seq"]), "--timeout", "60s")
        home.ok("wait", sid, "--regex", "[#$%>] *$", "--stable", "50ms",
                "--timeout", "60s")


def test_several_lines_are_one_message(home):
    sid = home.start("bash", "--norc", "--noprofile", "-i",
                     options=["--size", "60x10"])
    home.wait_text(sid, "$")
    got = prompt(home, sid, "echo a\necho b", "-p", "shell")
    assert got["result"] == "delivered", got
    home.wait_text(sid, "\na\nb\n")
    assert typed(home, sid)[-1] == "\r"


# Shows its input; a line without "(" is a command that begins.
MARKING = r"""
import os, tty
tty.setraw(0)
os.write(1, b"\x1b]133;A\a$ \x1b]133;B\a")
line = b""
while True:
    for c in os.read(0, 4096):
        if c != 13:
            line += bytes([c])
            os.write(1, bytes([c]))
            continue
        os.write(1, b"\r\n")
        if line == b"(":
            os.write(1, b"> ")
        elif line == b"done":
            os.write(1, b"\x1b]133;D;0\a\x1b]133;A\a$ \x1b]133;B\a")
        else:
            os.write(1, b"\x1b]133;C\a")
        line = b""
"""


def test_the_marks_of_a_shell_confirm_a_prompt(home):
    sid = home.start(sys.executable, "-uc", MARKING)
    home.wait_text(sid, "$")
    # Before the first mark of a command, the cursor may be faster.
    home.ok("send", sid, "--text", "first\rdone\r")
    home.wait_text(sid, "done\n$")
    got = prompt(home, sid, "make", "--profile", "shell")
    assert got == {**got, "result": "delivered",
                   "reason": "the shell has begun a command"}, got
    before = typed(home, sid)
    got = prompt(home, sid, "more", "--profile", "shell", status=12)
    assert got["result"] == "refused", got
    assert got["reason"] == "the shell is running a command", got
    assert typed(home, sid) == before
    home.ok("send", sid, "--text", "done\r")
    home.wait_text(sid, "$ make\ndone\n$")
    got = prompt(home, sid, "(", "--profile", "shell", status=11)
    assert "is the text a whole one?" in got["reason"], got
    assert typed(home, sid)[-2:] == ["(", "\r"]


def test_an_unsuitable_prompt_is_refused(home):
    sid = home.start("sh", "-c", "printf '\\033[?1049hfull'; exec cat")
    home.wait_text(sid, "full")
    got = prompt(home, sid, "ls", "--profile", "shell", status=12)
    assert got["reason"] == "a full-screen program is running, no shell", got
    for profile in ("line", "shell"):
        got = prompt(home, sid, "a\nb", "-p", profile, status=12)
        assert "several lines" in got["reason"], got
    assert typed(home, sid) == []


def test_a_prompt_that_is_not_taken_is_unconfirmed(home):
    """The key is pressed again, the text never."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; "
                     "exec tr -d '\\r'")
    home.wait_text(sid, "ready")
    got = prompt(home, sid, "abc", "--profile", "nudge", status=11)
    assert got["result"] == "unconfirmed", got
    assert got["reason"] == "nothing has happened at the cursor", got
    assert typed(home, sid) == ["abc", "\x1b", "\r", "\r", "\r"]


def test_text_that_was_never_seen_is_unconfirmed(home):
    """Without an echo, a later change proves nothing."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; dd bs=1 "
                     "count=4 2>/dev/null >/dev/null; printf later; exec cat")
    home.wait_text(sid, "ready")
    got = prompt(home, sid, "abc", "--timeout", "30s", status=11)
    assert got["result"] == "unconfirmed", got
    assert got["reason"] == "the text was not seen before it was submitted"
    assert typed(home, sid) == ["abc", "\r"]


# Begins an update with the text, and ends it with the key.
HOLDING = r"""
import os, tty
tty.setraw(0)
os.write(1, b"ready> ")
while True:
    got = os.read(0, 4096)
    if got == b"\r":
        os.write(1, b"\x1b[?2026l\r\nready> ")
    else:
        os.write(1, b"\x1b[?2026h" + got)
"""


def test_text_of_an_update_is_seen_when_the_update_is_shown(home):
    """An unfinished update shows nothing for a second, then everything."""
    sid = home.start(sys.executable, "-uc", HOLDING)
    home.wait_text(sid, "ready>")
    got = prompt(home, sid, "kept back", "--timeout", "30s")
    assert got["result"] == "delivered", got
    assert typed(home, sid) == ["kept back", "\r"]


def test_a_password_needs_no_echo(home):
    sid = home.start("sh", "-c", "stty -echo; printf 'password: '; read x; "
                     "stty echo; echo; echo \"got ${#x}\"; exec cat")
    home.wait_text(sid, "password:")
    wait_for(lambda: b"password" in home.raw(sid), "the prompt")
    got = prompt(home, sid, "hunter2")
    assert got["result"] == "delivered", got
    home.wait_text(sid, "got 7")
    assert "hunter2" not in json.dumps(home.events(sid))


def test_a_prompt_to_a_program_that_ends_is_unconfirmed(home):
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; head -c 3; "
                     "head -c 1 >/dev/null")
    home.wait_text(sid, "ready")
    got = prompt(home, sid, "bye", status=11)
    assert got["result"] == "unconfirmed" and got["code"] == "ended", got
    home.wait_status(sid, "exited")
    error = home.error("prompt", sid, "more", status=4, code="not_running")
    assert "exited" in error["message"], error


def is_nudge(keys, text):
    """On a slow machine, Enter is pressed up to three times."""
    most = [text, "\x1b", "\r", "\r", "\r"]
    return len(keys) >= 3 and keys == most[:len(keys)]


NOTES = r"""
import os, re, signal, tty
tty.setraw(0)
signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b"winch\r\n"))
os.write(1, b"ready\r\n")
names = {b"\x1b": b"escape", b"\r": b"enter"}
while True:
    for part in re.findall(rb"[\x1b\r]|[^\x1b\r]+", os.read(0, 4096)):
        os.write(1, names.get(part, b"text") + b"\r\n")
"""


def test_a_nudge_keeps_its_times(home):
    """T-17: text, 500 ms, Escape, 100 ms, Enter (on a slow machine once more
    after 200 ms, and again), and a SIGWINCH."""
    sid = home.start(sys.executable, "-uc", NOTES)
    home.wait_text(sid, "ready")
    size = home.info(sid)
    got = prompt(home, sid, "do it", "--profile", "nudge")
    assert got["result"] == "delivered", got
    home.wait_text(sid, "winch")
    home.wait_text(sid, "enter")
    told = [line for line in lines_of(home, sid) if line != "winch"]
    assert told[:4] == ["ready", "text", "escape", "enter"], told
    events = [e for e in home.events(sid) if e["type"] == "input"]
    assert is_nudge([e["data"] for e in events], "do it"), events
    least = [0.498, 0.098, 0.198, 0.198]
    for a, b, pause in zip(events, events[1:], least):
        assert b["time"] - a["time"] >= pause, events
    now = home.info(sid)
    assert (now["cols"], now["rows"]) == (size["cols"], size["rows"])
    assert not [e for e in home.events(sid) if e["type"] == "resize"]


def test_prompts_stay_whole_while_others_type(home):
    """C-10: ten of them at once and a person at the keyboard."""
    sid = home.start("sh", "-c", READER, options=["--size", "80x100"])
    home.wait_text(sid, "ready")
    results = []

    def one(n):
        with Wire(home.dir(sid), mode="control") as w:
            results.append(w.call("session.prompt", text=f"prompt-{n}-ends",
                                  timeout_ms=60000)["result"])

    threads = [threading.Thread(target=one, args=(n,)) for n in range(10)]
    with Wire(home.dir(sid)) as person:
        person.metadata()
        for thread in threads:
            thread.start()
        for _ in range(30):
            person.data(b"typed\r")
        for thread in threads:
            thread.join()
    assert results == ["delivered"] * 10, results

    def answers():
        return sorted(re.findall(rb"\[.*?\]", home.raw(sid)))

    wanted = sorted([b"[typed]"] * 30
                    + [b"[prompt-%d-ends]" % n for n in range(10)])
    wait_for(lambda: answers() == wanted, answers)
    events = typed(home, sid)
    for n in range(10):
        at = events.index(f"prompt-{n}-ends")
        assert events[at + 1] == "\r", events


def test_a_host_that_leaves_ends_its_prompt_first(home):
    sid = home.start("sh", "-c", READER)
    home.wait_text(sid, "ready")
    host, results = home.info(sid)["host_pid"], []

    def one():
        results.append(home.run("prompt", sid, "kept whole", "-p", "nudge"))

    thread = threading.Thread(target=one)
    thread.start()
    wait_for(lambda: typed(home, sid)[:1] == ["kept whole"], "the text")
    answer = home.run("revive", sid)
    thread.join()
    assert results[0].status == 0, results
    assert is_nudge(typed(home, sid), "kept whole"), typed(home, sid)
    # A slow machine cannot finish in time, and the host stays.
    left = home.info(sid)["host_pid"] != host
    assert left == (answer.status == 0), answer


def test_a_client_that_leaves_still_sends_a_whole_message(home):
    sid = home.start("sh", "-c", READER)
    home.wait_text(sid, "ready")
    with Wire(home.dir(sid), mode="control") as w:
        w.send(wire.REQUEST, json.dumps({
            "id": 1, "op": "session.prompt",
            "args": {"text": "left alone", "profile": "nudge"}}).encode())
        wait_for(lambda: typed(home, sid)[:1] == ["left alone"], "the text")
    wait_for(lambda: is_nudge(typed(home, sid), "left alone"),
             lambda: typed(home, sid))


@pytest.mark.parametrize("args, named", [
    ({}, "'text'"),
    ({"text": ""}, "'text' must be a string of 1 to 524288 bytes"),
    ({"text": "\n"}, "'text' must not be empty"),
    ({"text": "a", "profile": "claude"}, "must be one of shell, line, nudge"),
    ({"text": "a", "timeout_ms": 0}, "'timeout_ms' must be a duration"),
    ({"text": "a", "timeout_ms": 3600001}, "'timeout_ms' must be a duration"),
    ({"text": "a" * 600000}, "'text' must be a string of 1 to 524288"),
])
def test_wrong_arguments_type_nothing(home, args, named):
    sid = home.start("cat")
    home.wait_status(sid, "running")
    with Wire(home.dir(sid), mode="control") as w:
        with pytest.raises(Refused) as why:
            w.call("session.prompt", **args)
    assert why.value.code == "usage" and named in why.value.message, why.value
    assert typed(home, sid) == []


def test_prompt_refuses_invalid_arguments(home):
    sid = home.start("cat")
    for args, word in (([], "missing argument: TEXT"),
                       (["a", "b"], "unexpected argument: b"),
                       (["a", "--timeout", "soon"], "soon is no duration"),
                       (["a", "--timeout", "2h"], "give from 1ms to 1h"),
                       ([b"\xff"], "not UTF-8"),
                       (["a", "-p", "x"], "must be one of shell, line, nudge")):
        answer = home.run("prompt", sid, *args)
        assert answer.status == 2 and word in answer.err, answer
    assert typed(home, sid) == []


def test_a_prompt_that_loses_the_lease_while_it_waits_types_nothing(home):
    """It waits for an earlier one that is never confirmed."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec sleep 99",
                     options=["--input", "lease"])
    home.wait_text(sid, "ready")
    with Wire(home.dir(sid)) as other, Wire(home.dir(sid)) as person:
        with Wire(home.dir(sid)) as first:
            first.ask("session.prompt", text="one", timeout_ms=3000)
            wait_for(lambda: typed(home, sid), "the first prompt")
        person.event("lease", holder=None)
        second = other.ask("session.prompt", text="two", timeout_ms=9000)
        other.sync()
        person.call("lease.steal")
        with pytest.raises(Refused) as refused:
            other.answer(second)
        assert refused.value.code == "busy", refused.value
    assert "two" not in "".join(typed(home, sid))


def test_a_prompt_without_the_lease_types_nothing(home):
    sid = home.start("cat", options=["--input", "lease"])
    home.wait_status(sid, "running")
    with Wire(home.dir(sid)) as person:
        person.metadata()
        person.call("lease.acquire")
        error = home.error("prompt", sid, "x", status=12, code="busy")
        assert "lease" in error["message"], error
    assert typed(home, sid) == []
