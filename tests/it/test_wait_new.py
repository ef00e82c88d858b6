"""The lines that a wait counts: new ones, without the echo of input.

The table has what programs do to a line that was on the screen before.  Each
case is checked in every way: while it happens, afterwards, for flashing text,
in a batch, and in the log of the ended session.  Every write is a frame.
"""

import contextlib
import json
import os
import subprocess
import tempfile

import pytest

import puppet
from lib import TEND, Home, wait_for
from wire import Wire

BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"
CLEAR = b"\x1b[H\x1b[2J"
OLD = b"3 passed in 2s"
AT_5 = b"\x1b[5;1H"
ALT, BACK = b"\x1b[?1049h", b"\x1b[?1049l"
ASKED = r"\d+ passed|over and out"
OVER = b"\x1b[24;1Hover and out"
FULL_ROW = b"x" * 90 + b" " + OLD

DRAWN_AGAIN = {
    "in place": [AT_5 + b"\x1b[K" + OLD],
    "in place and in colour":
        [AT_5 + b"\x1b[K\x1b[32m3 passed\x1b[0m in \x1b[1m2s\x1b[0m"],
    "over itself": [AT_5 + b"\x1b[1;31m" + OLD + b"\x1b[0m"],
    "on another row": [AT_5 + b"\x1b[K\x1b[9;1H" + OLD],
    "on another column": [AT_5 + b"\x1b[K\x1b[9;31H" + OLD],
    "by a scroll": [b"\x1b[24;1H\r\nmore\r\n", b"and more\r\n"],
    "by the scroll of a region":
        [b"\x1b[2;20r\x1b[20;1H\r\nin a region\r\n\x1b[r"],
    "by a scroll down": [b"\x1b[1;20r\x1b[1;1H\x1bM\x1bM\x1b[r"],
    "by inserted lines": [b"\x1b[2;1H\x1b[3L", b"\x1b[2;1H\x1b[1M"],
    "after a clear in one write": [CLEAR + b"title\r\n\r\n" + OLD],
    "in a synchronized update":
        [BEGIN + CLEAR, b"\x1b[3;1H" + OLD + END],
    "by an agent": [b"\x1b[6;1H" + b"\x1b[2K\x1b[1A" * 3
                    + b"\x1b[2K\x1b[Gone more line\r\n\r\n" + OLD + b"\r\n> "],
    "behind the alternate screen": [ALT + CLEAR + b"full", BACK],
    "behind it in one write": [ALT + CLEAR + b"full" + BACK],
}
NEW = {
    "once more": [b"\r\n" + OLD],
    "once more above": [b"\x1b[1;1H" + OLD],
    "after a clear": [CLEAR, OLD],
    "after a reset": [b"\x1bc", OLD],
    "after the alternate screen": [ALT + b"full", BACK, b"\r\n" + OLD],
    "after it was overwritten": [AT_5 + b"\x1b[Kother", AT_5 + OLD],
    "with another number": [AT_5 + b"\x1b[K4 passed in 2s"],
    "while the old one scrolls off":
        [b"\x1b[24;1H\r\n" + puppet.lines(30) + OLD + b"\r\n"
         + puppet.lines(3)],
    "on the alternate screen": [ALT + CLEAR + OLD],
    "twice, and one is gone":
        [b"\x1b[8;1H" + OLD + b"\x1b[9;1H" + OLD, b"\x1b[9;1H\x1b[K"],
}
CASES = [pytest.param(writes, new, id=f"{'new' if new else 'old'}: {name}")
         for table, new in ((DRAWN_AGAIN, False), (NEW, True))
         for name, writes in table.items()]


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        yield home


def show(w, pull, data):
    """Let it be written, and wait until it is shown: a frame."""
    end = w.call("session.get")["offset"] + len(data)
    pull(data)
    wait_for(lambda: w.call("session.get")["offset"] == end, "the output")


@contextlib.contextmanager
def stage(home, before):
    """A program that has shown this; returns it, and the last event."""
    sid = puppet.start(home)
    with puppet.strings(home, sid) as pull, \
            Wire(home.dir(sid), mode="control") as w:
        show(w, pull, CLEAR + before)
        yield sid, lambda data: show(w, pull, data), \
            w.call("session.get")["seq"]


def is_right(got, new, how):
    """The new line and not the old one, or neither."""
    assert got["matched"], (how, got)
    assert got["text"].endswith("passed") == new, (how, got)


@pytest.mark.parametrize("writes, new", CASES)
def test_a_line_is_new_when_there_is_one_more(home, writes, new):
    with stage(home, AT_5 + OLD + b"\r\n") as (sid, write, seq):
        asked = {"regex": ASKED, "after": seq}
        with Wire(home.dir(sid), mode="control") as live, \
                Wire(home.dir(sid), mode="control") as seeing, \
                Wire(home.dir(sid), mode="control") as late:
            numbers = (puppet.ask(live, **asked),
                       puppet.ask(seeing, seen=True, **asked))
            for data in writes:
                write(data)
            if not new:
                got = late.call("session.wait", regex=r"\d passed",
                                after=seq, timeout_ms=0)
                assert got["timed_out"] and got["seen"] == "before", got
            write(OVER)
            is_right(live.answer(numbers[0]), new, "live")
            is_right(seeing.answer(numbers[1]), new, "seen")
            is_right(late.call("session.wait", **asked), new, "late")
            is_right(late.call("session.wait", seen=True, **asked), new,
                     "late, seen")
        steps = json.dumps([{"wait": asked}, {"wait": {**asked, "seen": True}}])
        for step in home.json("batch", sid, "--steps", steps)["steps"]:
            is_right(step["result"], new, "batch")
        home.ok("kill", sid)
        home.wait_gone(sid)
    for how in ((), ("--seen",)):
        is_right(home.json("wait", sid, "--regex", ASKED, "--after", str(seq),
                           *how), new, ("ended", *how))


def test_a_line_that_leaves_by_its_beginning_is_not_new(home):
    """The tail of a broken line reads like no earlier line."""
    with stage(home, FULL_ROW + b"\r\n") as (sid, write, seq):
        with Wire(home.dir(sid), mode="control") as live:
            number = puppet.ask(live, regex=ASKED, after=seq)
            write(b"\x1b[24;1H\r\n")
            write(b"\r\n\x1b[1;60H")
            write(OVER)
            is_right(live.answer(number), False, "a tail")


def test_a_resize_makes_nothing_new(home):
    with stage(home, FULL_ROW + b"\r\n" + OLD + b"\r\n") as (sid, write, seq):
        with Wire(home.dir(sid), mode="control") as live, \
                Wire(home.dir(sid), mode="control") as other:
            number = puppet.ask(live, regex=ASKED, after=seq)
            for cols, rows in ((40, 24), (100, 5), (80, 24)):
                other.call("session.resize", cols=cols, rows=rows)
                got = other.call("session.wait", regex=r"\d passed",
                                 after=seq, timeout_ms=0)
                assert got["timed_out"], (cols, rows, got)
            write(OVER)
            is_right(live.answer(number), False, "a resize")
        with Wire(home.dir(sid), mode="control") as late:
            is_right(late.call("session.wait", regex=ASKED, after=seq), False,
                     "late")


def test_a_replacing_host_knows_the_old_lines(home):
    """Before its start: an event in the memory of its predecessor."""
    with stage(home, AT_5 + OLD + b"\r\n") as (sid, write, seq):
        write(AT_5 + b"\x1b[K\x1b[9;1H" + OLD)
        home.ok("revive", sid)
        with Wire(home.dir(sid), mode="control") as w:
            got = w.call("session.wait", regex=r"\d passed", after=seq,
                         timeout_ms=200)
            assert got["timed_out"] and got["seen"] == "before", got
    with stage(home, AT_5 + OLD + b"\r\n") as (sid, write, seq):
        write(b"\x1b[9;1H" + OLD)
        home.ok("revive", sid)
        with Wire(home.dir(sid), mode="control") as w:
            got = w.call("session.wait", regex=r"\d passed", after=seq)
            assert got["matched"], got
            got = w.call("session.wait", regex=r"\d passed", after=seq,
                         stable_ms=1)
            assert got["matched"], got


def test_old_text_still_counts_for_absence(home):
    with stage(home, AT_5 + OLD + b"\r\n") as (sid, write, seq):
        write(b"more")
        with Wire(home.dir(sid), mode="control") as w:
            got = w.call("session.wait", absent="3 passed", after=seq,
                         timeout_ms=0)
            assert got["timed_out"], got
            write(AT_5 + b"\x1b[K")
            assert w.call("session.wait", absent="3 passed", after=seq)[
                "matched"]


# -------------------------------------------------------------------- echo

class Gate:
    """A pipe that a command in the session waits for."""

    def __init__(self, directory):
        self.path = f"{directory}/gate"
        os.mkfifo(self.path)

    def open(self):
        with open(self.path, "w") as f:
            f.write("")


@pytest.fixture
def gate():
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        yield Gate(directory)


PROMPT = r"[#$%>] *$"
SHELLS = {
    "bash": (["bash"], []),
    "bash without marks": (["bash", "--norc"], ["--no-integration"]),
    "zsh": (["zsh", "-f"], []),
    "fish": (["fish"], []),
    "dash": (["dash", "-i"], []),
}


def typed(home, sid, text):
    return home.json("send", sid, "--text", text, "--keys", "Enter")["seq"]


@pytest.mark.parametrize("name", SHELLS)
def test_the_echo_of_a_command_is_not_its_output(home, gate, name):
    argv, options = SHELLS[name]
    sid = home.start(*argv, options=options)
    home.ok("wait", sid, "--regex", PROMPT, "--stable", "100ms")
    seq = typed(home, sid, f"cat {gate.path}; echo DONE")
    home.ok("wait", sid, "--echo", "--text", "echo DONE")
    for how in (("--after", str(seq)), (), ("--after", str(seq), "--seen")):
        answer = home.run("wait", sid, "--text", "DONE", "--timeout", "100ms",
                          "--json", *how)
        got = json.loads(answer.out)["result"]
        assert answer.status == 11 and got["seen"] == "echo", (how, got)
    answer = home.run("wait", sid, "--text", "DONE", "--timeout", "10ms")
    assert "only the echo of typed text matched" in answer.err, answer
    waiter = subprocess.Popen([TEND, "wait", sid, "--text", "DONE", "--json"],
                              env=home.env, stdout=subprocess.PIPE)
    gate.open()
    got = json.loads(waiter.communicate(timeout=60)[0])["result"]
    lines = home.json("snapshot", sid, "--at", str(got["seq"]))["lines"]
    assert lines[got["row"]] == "DONE", (got, lines)
    for how in (("--after", str(seq)), ("--after", str(seq), "--seen")):
        got = home.json("wait", sid, "--text", "DONE", *how)
        assert got["matched"] and got["col"] == 0, (how, got)
    # The next prompt is new as well.
    home.ok("wait", sid, "--regex", PROMPT, "--after", str(seq))
    home.ok("kill", sid)


@pytest.mark.parametrize("name", SHELLS)
def test_a_command_of_several_rows_is_echo_to_its_end(home, gate, name):
    """Line editors break it at the margin in their own ways."""
    argv, options = SHELLS[name]
    sid = home.start(*argv, options=[*options, "--size", "40x20"])
    home.ok("wait", sid, "--regex", PROMPT, "--stable", "100ms")
    seq = typed(home, sid, f"cat {gate.path}; : {'long ' * 14}; echo DONE")
    home.ok("wait", sid, "--echo", "--text", "DONE")
    for how in ((), ("--seen",), ("--after", str(seq), "--seen")):
        answer = home.run("wait", sid, "--text", "DONE", "--timeout", "100ms",
                          "--json", *how)
        got = json.loads(answer.out)["result"]
        assert answer.status == 11 and got["seen"] == "echo", (how, got)
    gate.open()
    got = home.json("wait", sid, "--text", "DONE")
    lines = home.json("snapshot", sid, "--at", str(got["seq"]))["lines"]
    assert lines[got["row"]] == "DONE", (got, lines)
    home.ok("kill", sid)


@pytest.mark.parametrize("name", SHELLS)
def test_a_prompt_that_comes_again_is_new(home, name):
    """Whatever was typed at the one before it, and however fast it came."""
    argv, options = SHELLS[name]
    sid = home.start(*argv, options=options)
    home.ok("wait", sid, "--regex", PROMPT, "--stable", "100ms")
    for i in range(5):
        for keys in (["--text", "true", "--keys", "Enter"],
                     ["--keys", "Enter"],
                     ["--text", "clear", "--keys", "Enter"],
                     ["--text", "not this", "--keys", "C-c"]):
            if keys[-1] == "C-c" and name == "fish":
                continue  # which draws nothing then
            seq = home.json("send", sid, *keys)["seq"]
            got = home.json("wait", sid, "--regex", PROMPT, "--after",
                            str(seq))
            assert got["matched"], (i, keys, got)
            home.ok("wait", sid, "--stable", "20ms")
    home.ok("kill", sid)


def test_output_that_repeats_the_input_is_not_echo(home):
    """cat: the terminal shows it once, the program a second time."""
    sid = home.start("sh", "-c", "echo ready; exec cat")
    home.wait_text(sid, "ready")
    for word in ("hello", "hello", "you"):
        before = home.screen(sid)["lines"].count(word)
        seq = typed(home, sid, word)
        got = home.json("wait", sid, "--text", word, "--after", str(seq))
        lines = home.json("snapshot", sid, "--at", str(got["seq"]))["lines"]
        assert lines.count(word) == before + 2, (word, got, lines)
        assert got["row"] == max(i for i, line in enumerate(lines)
                                 if line == word), (got, lines)
    assert home.json("wait", sid, "--text", "hello")["row"] == 2


def test_seen_is_reported_for_text_conditions_only(home):
    """The text is there; the end did not come."""
    sid = home.start("cat")
    home.ok("send", sid, "--text", "hello\r")
    home.ok("wait", sid, "--text", "hello", "--timeout", "30s")
    for more in ([], ["--json"]):
        answer = home.run("wait", sid, "--text", "hello", "--exit",
                          "--timeout", "50ms", *more)
        assert answer.status == 11, answer
        assert "--echo counts" not in answer.err, answer
    result = json.loads(answer.out)["result"]
    assert result["condition"] == "exit" and "seen" not in result, result


def test_without_a_condition_a_wait_is_for_the_end(home):
    sid = home.start("sh", "-c", "read x; exit 7")
    with subprocess.Popen([TEND, "wait", sid], env=home.env,
                          stdout=subprocess.PIPE) as waits:
        home.ok("send", sid, "--keys", "Enter")
        assert waits.communicate(timeout=60)[0] == b"7\n"
        assert waits.returncode == 0
    assert home.run("wait", sid, "--pass-status").status == 7


def test_the_answer_says_that_only_later_commands_count(home):
    sid = home.start("bash")
    home.ok("exec", sid, "--", "true")
    answer = home.run("wait", sid, "--command-done", "--timeout", "50ms")
    assert answer.status == 11, answer
    assert "--after SEQ" in answer.err, answer


def test_text_in_an_editor_is_echo(home, tmp_path):
    sid = home.start("vim", "-Nu", "NONE", "-n", str(tmp_path / "text"))
    home.ok("wait", sid, "--text", "~", "--stable", "100ms")
    home.ok("send", sid, "--keys", "i")
    home.ok("wait", sid, "--text", "INSERT")
    home.ok("send", sid, "--text", "written by hand")
    home.ok("wait", sid, "--echo", "--text", "written by hand")
    answer = home.run("wait", sid, "--text", "written", "--timeout", "50ms",
                      "--json")
    assert json.loads(answer.out)["result"]["seen"] == "echo", answer
    # Another line, and the editor redraws itself: the result is the same.
    home.ok("send", sid, "--keys", "Enter", "--text", "next")
    home.ok("wait", sid, "--echo", "--text", "next")
    seq = home.json("send", sid, "--keys", "Escape", "C-l")["seq"]
    home.ok("wait", sid, "--absent", "INSERT", "--after", str(seq))
    answer = home.run("wait", sid, "--text", "written", "--after", str(seq),
                      "--echo", "--timeout", "50ms", "--json")
    assert json.loads(answer.out)["result"]["seen"] == "before", answer
    home.ok("kill", sid)


def test_an_absence_does_not_see_the_echo(home, gate):
    sid = home.start("bash")
    home.ok("wait", sid, "--regex", PROMPT, "--stable", "100ms")
    seq = typed(home, sid, f"cat {gate.path}; echo DONE")
    home.ok("wait", sid, "--echo", "--text", "echo DONE")
    home.ok("wait", sid, "--absent", "DONE")
    answer = home.run("wait", sid, "--absent", "DONE", "--echo", "--timeout",
                      "10ms")
    assert answer.status == 11, answer
    gate.open()
    home.ok("wait", sid, "--text", "DONE", "--after", str(seq))
    assert home.run("wait", sid, "--absent", "DONE", "--timeout",
                    "10ms").status == 11
    home.ok("kill", sid)


def test_a_batch_gives_the_reason_and_counts_echo_on_request(home, gate):
    sid = home.start("bash")
    home.ok("wait", sid, "--regex", PROMPT, "--stable", "100ms")
    steps = [{"text": f"cat {gate.path}; echo DONE"}, {"keys": ["Enter"]},
             {"wait": {"text": "DONE", "timeout": "200ms"}}]
    answer = home.run("batch", "--json", sid, "--steps", json.dumps(steps))
    step = json.loads(answer.out)["result"]["steps"][2]
    assert answer.status == 11 and step["result"]["seen"] == "echo", step
    assert "echo" in step["error"]["message"], step
    steps = [{"text": "# again DONE"},
             {"wait": {"text": "again DONE", "echo": True}}]
    got = home.json("batch", sid, "--steps", json.dumps(steps))
    assert got["completed"] == 2, got
    gate.open()
    home.ok("kill", sid)


def test_echo_does_not_count_in_an_ended_session(home):
    sid = home.start("bash")
    home.ok("wait", sid, "--regex", PROMPT, "--stable", "100ms")
    typed(home, sid, "true echo DONE")
    home.ok("wait", sid, "--echo", "--text", "true echo DONE")
    typed(home, sid, "exit")
    home.wait_gone(sid)
    for how in ((), ("--seen",), ("--after", "0")):
        answer = home.run("wait", sid, "--text", "DONE", "--json", *how)
        got = json.loads(answer.out)["result"]
        assert answer.status == 4 and got["seen"] == "echo", (how, got)
        assert home.json("wait", sid, "--text", "DONE", "--echo", *how)[
            "matched"]


def test_a_replacing_host_knows_the_echo(home, gate):
    sid = home.start("bash", "--norc", options=["--no-integration"])
    home.ok("wait", sid, "--regex", PROMPT, "--stable", "100ms")
    typed(home, sid, f"cat {gate.path}; echo DONE")
    home.ok("wait", sid, "--echo", "--text", "echo DONE")
    home.ok("revive", sid)
    answer = home.run("wait", sid, "--text", "DONE", "--timeout", "100ms",
                      "--json")
    got = json.loads(answer.out)["result"]
    assert answer.status == 11 and got["seen"] == "echo", got
    gate.open()
    home.ok("wait", sid, "--text", "DONE")
    home.ok("kill", sid)


def test_the_pattern_of_the_readme_matches_only_new_output(home, gate):
    """The old result is on the screen, and the run fails later."""
    sid = home.start("bash")
    home.ok("wait", sid, "--regex", PROMPT, "--stable", "100ms")
    seq = typed(home, sid, "echo 3 passed")
    home.ok("wait", sid, "--regex", "^3 passed", "--after", str(seq))
    seq = typed(home, sid, f"cat {gate.path}; echo 1 failed")
    waiter = subprocess.Popen(
        [TEND, "wait", sid, "--after", str(seq), "--regex", "passed|failed",
         "--timeout", "1m", "--json"], env=home.env, stdout=subprocess.PIPE)
    home.ok("wait", sid, "--echo", "--text", "1 failed", "--stable", "300ms")
    assert waiter.poll() is None, waiter.communicate()
    gate.open()
    got = json.loads(waiter.communicate(timeout=60)[0])["result"]
    assert got["matched"] and got["text"] == "failed", got
    home.ok("kill", sid)
