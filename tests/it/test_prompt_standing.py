"""session.prompt: a text that was typed and not submitted is not forgotten."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from lib import TEND, Home, wait_for

FULL = "TEND_TEST_FULL" in os.environ


@pytest.fixture
def home():
    with Home() as made:
        made.env["PS1"] = "$ "
        made.env["HISTFILE"] = "/dev/null"
        yield made


def prompt(home, sid, *args):
    """The result, or None if its host has ended."""
    answer = home.run("prompt", "--json", sid, *args)
    if answer.status not in (0, 11, 12):
        return None
    whole = json.loads(answer.out)
    return whole["result"] if whole["ok"] else None


def typed(home, sid):
    return [e["data"] for e in home.events(sid) if e["type"] == "input"]


def kill_host(home, sid, old=None):
    """Wait until there is another one."""
    old = old or home.info(sid)["host_pid"]
    os.kill(old, signal.SIGKILL)
    wait_for(lambda: next_host(home, sid, old), "another host")


def next_host(home, sid, old):
    pid = home.info(sid)["host_pid"]
    return pid if pid not in (None, old) else None


# Shows its input, keeps lines in a file, and the unfinished line in another.
# The text "stay" is not shown, nor a text's second word: a prompt waits two
# seconds for it.
READER = r"""
import os, sys, tty
tty.setraw(0)
out = open(sys.argv[1], "ab", buffering=0)
os.write(1, b"ready> ")
line = b""
while True:
    for c in os.read(0, 4096):
        if c == 0x15:
            line = b""
            os.write(1, b"\r\x1b[Kready> ")
        elif c != 13:
            line += bytes([c])
            if b"stay" not in line and b" " not in line:
                os.write(1, bytes([c]))
        else:
            out.write(line + b"\n")
            os.write(1, b"\r\ntaken\r\nready> ")
            line = b""
    with open(sys.argv[1] + ".now", "wb") as now:
        now.write(line)
"""


@pytest.fixture
def reader(home, tmp_path):
    """A session that reads lines into a file, and that file."""
    lines = tmp_path / "lines"
    lines.touch()
    sid = home.start(sys.executable, "-uc", READER, lines,
                     options=["--size", "80x40"])
    home.wait_text(sid, "ready>")
    return sid, lines


def leave_standing(home, reader, text):
    """The host dies while it waits for the text to appear.  It knows that it has
    typed all of it, once the log says so: the program may be quicker."""
    sid, lines = reader
    now = lines.with_name("lines.now")
    before = len(typed(home, sid))
    host = home.info(sid)["host_pid"]
    caller = subprocess.Popen([TEND, "prompt", "--json", sid, text],
                              env=home.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    wait_for(lambda: now.exists() and now.read_text() == text, "the text")
    wait_for(lambda: len(typed(home, sid)) > before, "the text in the log")
    kill_host(home, sid, host)
    caller.communicate(timeout=60)


def test_after_a_crash_only_the_same_text_is_accepted_and_submitted(
        home, reader):
    sid, lines = reader
    leave_standing(home, reader, "stay one")
    before = typed(home, sid)
    got = prompt(home, sid, "two")
    assert got["result"] == "refused" and got["code"] == "unsubmitted", got
    assert got["evidence"]["standing"] == "stay one", got
    for word in ("not submitted", "Enter", "clear", "force"):
        assert word in got["reason"], got
    assert typed(home, sid) == before
    got = prompt(home, sid, "stay one")
    assert got["evidence"]["submitted"] is True, got
    assert got["evidence"]["standing"] is None, got
    wait_for(lambda: lines.read_text() == "stay one\n", lines.read_text)
    assert typed(home, sid) == [*before, "\r"]
    got = prompt(home, sid, "three")
    assert got["result"] == "delivered", got
    assert lines.read_text() == "stay one\nthree\n"


def test_an_upgrade_and_a_second_crash_forget_nothing(home, reader):
    sid, lines = reader
    leave_standing(home, reader, "stay here")
    kill_host(home, sid)
    home.ok("upgrade", sid)
    got = prompt(home, sid, "other")
    assert got["code"] == "unsubmitted", got
    assert lines.read_text() == ""


def test_a_timeout_before_the_key_leaves_the_text_unsubmitted(home, reader):
    """No crash is needed: the text has been typed, the key has not."""
    sid, lines = reader
    got = prompt(home, sid, "stay long", "--timeout", "300ms")
    assert got["result"] == "unconfirmed", got
    assert got["code"] == "not-submitted", got
    assert got["evidence"]["standing"] == "stay long", got
    got = prompt(home, sid, "other")
    assert got["code"] == "unsubmitted", got
    assert lines.read_text() == ""


def test_a_text_is_not_submitted_while_only_its_beginning_is_shown(
        home, reader):
    """Even close to the margin: the program may be slow to show the rest."""
    sid, lines = reader
    got = prompt(home, sid, "a text that", "--timeout", "300ms")
    assert got["code"] == "not-submitted", got
    assert lines.read_text() == ""


@pytest.mark.parametrize("keys, read", [
    (["Enter"], "stay put\nnext\n"), (["C-u"], "next\n")])
def test_typing_by_hand_clears_an_unsubmitted_text(home, reader, keys, read):
    sid, lines = reader
    leave_standing(home, reader, "stay put")
    home.ok("send", sid, "--keys", *keys)
    got = prompt(home, sid, "next")
    assert got["result"] == "delivered", got
    assert lines.read_text() == read


def test_force_types_after_an_unsubmitted_text(home, reader):
    sid, lines = reader
    leave_standing(home, reader, "stay")
    got = prompt(home, sid, "!", "--force")
    assert got["result"] != "refused", got
    wait_for(lambda: lines.read_text() == "stay!\n", lines.read_text)
    assert prompt(home, sid, "on")["result"] == "delivered"


def test_a_restarted_program_has_no_unsubmitted_text(
        home, tmp_path):
    flag = tmp_path / "flag"
    sid = home.start("sh", "-c", f"test -e {flag} && echo second && exec cat;"
                     f"touch {flag}; stty -echo; echo ready; "
                     "read a; exit 1",
                     options=["--restart", "on-failure"])
    home.wait_text(sid, "ready")
    home.wait_no_echo(sid)
    child = home.info(sid)["child_pid"]
    got = prompt(home, sid, "x" * 20, "--timeout", "1ms")
    assert got["result"] in ("unconfirmed", "refused"), got
    os.kill(child, signal.SIGKILL)
    home.wait_text(sid, "second")
    assert prompt(home, sid, "hello")["result"] == "delivered"


def test_a_prompt_ends_with_its_program_even_if_it_restarts(
        home, tmp_path):
    flag, go = tmp_path / "flag", tmp_path / "go"
    os.mkfifo(go)
    sid = home.start("sh", "-c", f"test -e {flag} && echo second && exec cat;"
                     f"touch {flag}; echo ready; read a <{go}; exit 1",
                     options=["--restart", "on-failure"])
    home.wait_text(sid, "ready")
    caller = subprocess.Popen([TEND, "prompt", "--json", sid, "abc"],
                              env=home.env, stdout=subprocess.PIPE)
    wait_for(lambda: typed(home, sid) == ["abc", "\r"], "the key")
    go.write_bytes(b"\n")
    out, _ = caller.communicate(timeout=60)
    got = json.loads(out)["result"]
    assert got["result"] == "unconfirmed", got
    assert got["code"] in ("ended", "unread"), got


# ---------------------------------------------------- crashes at any moment

class Caller(threading.Thread):
    """Sends prompts one after the other, and finishes those of its own that a
    crash has left unsubmitted."""

    def __init__(self, home, sid, name, count):
        super().__init__()
        self.home, self.sid, self.me, self.count = home, sid, name, count
        self.delivered, self.seen, self.trouble = [], [], None

    def give(self, text):
        got = prompt(self.home, self.sid, text)
        self.seen.append((text, got))
        if got is not None and got["result"] == "delivered":
            self.delivered.append(text)
        return got

    def one(self, text):
        """Repeat until it was typed, or its fate is unknown."""
        while True:
            got = self.give(text)
            if got is None or got["result"] != "refused":
                return got
            standing = got["evidence"]["standing"]
            if got["code"] == "part-typed":
                self.home.run("send", self.sid, "--keys", "C-u")
            elif standing is not None and standing.startswith(self.me):
                self.give(standing)

    def run(self):
        try:
            for n in range(self.count):
                self.one(f"{self.me}-{n}.")
            n = 0
            while self.one(f"{self.me}-end-{n}.") is None:
                n += 1
        except Exception as e:  # Shown by the test.
            self.trouble = e


def kill_at_any_moment(home, sid, rng, callers):
    kills = 0
    while any(c.is_alive() for c in callers):
        time.sleep(rng.uniform(0, 0.25))
        pid = home.info(sid)["host_pid"]
        if pid is None:
            continue
        try:
            os.kill(pid, signal.SIGKILL)
            kills += 1
        except ProcessLookupError:
            pass
    return kills


# As the terminal driver edits lines: canonical, with its echo.
LINES = r"""
import sys
out = open(sys.argv[1], "a", buffering=1)
print("ready>", flush=True)
for line in sys.stdin:
    out.write(line)
    print("taken", flush=True)
"""


@pytest.mark.parametrize("program", [READER, LINES], ids=["raw", "lines"])
def test_crashes_at_any_moment_join_and_repeat_no_text(
        home, tmp_path, program):
    """Two callers, and a host that is killed again and again."""
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    lines = tmp_path / "lines"
    lines.touch()
    sid = home.start(sys.executable, "-uc", program, lines,
                     options=["--size", "80x40"])
    home.wait_text(sid, "ready>")
    count = 120 if FULL else 12
    callers = [Caller(home, sid, f"tok{n}", count) for n in range(2)]
    for caller in callers:
        caller.start()
    kills = kill_at_any_moment(home, sid, rng, callers)
    for caller in callers:
        caller.join()
    read = lines.read_text().split("\n")[:-1]
    told = {"seed": seed, "kills": kills, "read": read,
            "callers": [c.seen for c in callers]}
    assert all(c.trouble is None for c in callers), \
        [c.trouble for c in callers]
    assert kills > 0
    asked = {text for c in callers for text, _ in c.seen}
    full = [line for line in read if line]
    assert set(full) <= asked, told
    assert len(full) == len(set(full)), told
    for caller in callers:
        for text in caller.delivered:
            assert full.count(text) == 1, (text, told)
    print(f"{len(asked)} prompts, {kills} kills, {len(full)} read, "
          f"{sum(len(c.delivered) for c in callers)} delivered")
