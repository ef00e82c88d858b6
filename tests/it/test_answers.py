"""Programs get all answers to their terminal queries, once and in order.

The program asks far faster than it is answered, reads late, slowly or never;
hosts die and are replaced meanwhile (asker.py checks every byte it reads).
"""

import json
import os
import random
import signal
import time

import pytest

from lib import ROOT, Home, is_running, wait_for

FULL = "TEND_TEST_FULL" in os.environ
ASKER = ROOT / "tests" / "it" / "asker.py"
PYTHON = "/usr/bin/python3"


@pytest.fixture
def home():
    with Home() as made:
        yield made


class Asker:
    """A session with asker.py in it."""

    def __init__(self, home, count, how):
        self.home = home
        self.path = home.path / f"report-{how}-{count}"
        self.sid = home.start(PYTHON, str(ASKER), str(count), how,
                              str(self.path),
                              options=("--size", "80x24"))
        if count == 0:  # the test will type: it must read key by key then
            home.wait_text(self.sid, "words")

    def screen(self):
        return self.home.ok("snapshot", self.sid)

    def report(self, seconds=120):
        wait_for(self.path.exists,
                 lambda: f"all answers: {self.screen()}", seconds)
        return json.loads(self.path.read_text())


@pytest.mark.parametrize("how", ["eager", "late", "slowly"])
def test_every_question_is_answered_in_order(home, how):
    count = 10_000 if FULL or how != "slowly" else 2_000
    report = Asker(home, count, how).report()
    assert report == {"answers": count, "keys": 0, "wrong": None}, report


# notcurses does this when it begins: it asks for every colour of the palette
# and for more, then for the attributes, and continues when those have come.
NOTCURSES = r"""
import os, re, sys, tty
tty.setraw(0)
questions = b"\033[>q\033[>c\033P+q544e;524742;687061\033\\"
questions += b"\033]10;?\033\\\033]11;?\033\\\033[?2026$p\033[14t\033[18t"
questions += b"".join(b"\033]4;%d;?\033\\" % n for n in range(256))
os.write(1, questions + b"\033[c")
got = b""
while not re.search(rb"\033\[\?[0-9;]*c", got):
    got += os.read(0, 65536)
colours = re.findall(rb"\033\]4;([0-9]+);rgb:", got)
assert colours == [b"%d" % n for n in range(256)], colours
os.write(1, b"256 colours\r\n")
os.read(0, 1)
"""


def test_a_program_may_ask_for_256_colours_at_once(home):
    sid = home.start(PYTHON, "-c", NOTCURSES)
    home.wait_text(sid, "256 colours")


LIST = r"""
import os, tty
tty.setraw(0)
n = 4000
os.write(1, b"\033]4" + b"".join(b";%d;?" % (i % 256) for i in range(n)) +
         b"\033\\\033[5n")
got = b""
while not got.endswith(b"\033[0n"):
    got += os.read(0, 65536)
asked = [int(part.split(b";")[0]) for part in got.split(b"\033]4;")[1:]]
assert asked == [i % 256 for i in range(n)], len(asked)
os.write(1, b"all of the list\r\n")
os.read(0, 1)
"""


def test_one_sequence_may_ask_for_thousands_of_colours(home):
    sid = home.start(PYTHON, "-c", LIST)
    home.wait_text(sid, "all of the list")


CHECKSUM = r"""
import os, tty
tty.setraw(0)
os.write(1, b"A\033[7;1;1;1;1;1*y\033[5n")
got = b""
while not got.endswith(b"\033[0n"):
    got += os.read(0, 65536)
os.write(1, b"\r\n" + repr(got[:-4]).encode() + b"\r\n")
os.read(0, 1)
"""


def test_checksums_of_the_screen_are_answered_only_on_request(home):
    sid = home.start(PYTHON, "-c", CHECKSUM)
    home.wait_text(sid, "b''")
    sid = home.start(PYTHON, "-c", CHECKSUM,
                     env={**home.env, "TEND_CHECKSUMS": "1"})
    home.wait_text(sid, r"b'\x1bP7!~FFBF\x1b\\'")


def next_host(home, sid, old):
    def look():
        pid = next(m for m in home.manifests() if m["id"] == sid)["host_pid"]
        return pid if pid not in (0, old) and is_running(pid) else None

    return wait_for(look, f"a host after {old}", 10)


@pytest.mark.parametrize("how", ["eager", "slowly"])
def test_a_host_that_dies_neither_loses_nor_repeats_an_answer(home, how):
    rng, pid = random.Random(7), None
    asker = Asker(home, 0, how)
    for _ in range(60 if FULL else 8):
        pid = next_host(home, asker.sid, pid)
        time.sleep(rng.random() * 0.05)  # a crash comes at any moment
        assert not asker.path.exists(), asker.report()
        os.kill(pid, signal.SIGKILL)
    next_host(home, asker.sid, pid)
    home.ok("send", asker.sid, "--text", "q")
    report = asker.report()
    assert report["wrong"] is None and report["answers"] > 1000, report


def test_an_upgrade_neither_loses_nor_repeats_an_answer(home):
    asker = Asker(home, 0, "eager")
    for _ in range(20 if FULL else 3):
        home.ok("upgrade", asker.sid)
    home.ok("send", asker.sid, "--text", "q")
    report = asker.report()
    assert report["wrong"] is None and report["answers"] > 1000, report


def test_keys_come_between_answers_and_are_not_kept_waiting(home):
    asker = Asker(home, 0, "eager")
    keys = 500 if FULL else 50
    for _ in range(keys):
        home.ok("send", asker.sid, "--text", "K")
    home.ok("send", asker.sid, "--text", "q")
    report = asker.report()
    assert report["wrong"] is None and report["keys"] == keys, report


# --------------------------------------------- programs that read no answer

def flood(modes, rounds=400):
    """A program that asks more than the ring can hold, and never reads."""
    return ["sh", "-c", f"stty {modes}; printf 'begin\\r\\n'; "
            f"i=0; while [ $i -lt {rounds} ]; do "
            "printf '%01000d' 0 | sed 's/0/\\o033[5n/g'; "
            "i=$((i+1)); done; printf 'all asked\\r\\n'; exec tail -f"]


def test_a_program_that_reads_lines_may_ask_and_not_read(home):
    """The terminal driver drops bytes that do not fit into a line."""
    sid = home.start(*flood("-echo"))
    home.wait_text(sid, "all asked")


@pytest.mark.parametrize("modes", ["raw -echo", "-icanon -echo"])
def test_a_program_that_never_reads_blocks_no_client(home, modes):
    sid = home.start(*flood(modes))
    home.wait_text(sid, "begin")
    home.ok("wait", sid, "--idle", "300ms")
    home.ok("resize", sid, "100x30")
    assert home.screen(sid)["cols"] == 100
    home.ok("signal", sid, "WINCH")
    home.ok("kill", sid)
    home.wait_status(sid, "exited")


def test_an_upgrade_does_not_wait_for_answers_to_be_read(home):
    sid = home.start(*flood("raw -echo"))
    home.wait_text(sid, "begin")
    home.ok("wait", sid, "--idle", "300ms")
    before = home.info(sid)["host_pid"]
    home.ok("upgrade", sid)
    assert home.info(sid)["host_pid"] != before
    home.ok("kill", sid)
    home.wait_status(sid, "exited")


@pytest.mark.parametrize("modes", ["-icanon -echo", "-icanon -echo -iexten"])
def test_an_interrupt_reaches_a_program_that_reads_no_answer(home, modes):
    program = flood(modes)
    program[2] = "trap 'echo interrupted; exit 3' INT; " + program[2]
    sid = home.start(*program)
    home.wait_text(sid, "begin")
    home.ok("wait", sid, "--idle", "300ms")
    home.ok("send", sid, "--keys", "C-c")
    assert home.wait_status(sid, "exited")["exit_code"] == 3


def test_an_interrupt_overtakes_unread_answers(home):
    """More than a program can read at once, less than the terminal takes."""
    sid = home.start(*flood("-icanon -echo", rounds=2))
    home.wait_text(sid, "all asked")
    home.ok("send", sid, "--keys", "C-c")
    assert home.wait_status(sid, "exited")["exit_signal"] == 2


def test_the_end_of_a_program_does_not_wait_for_answers_to_be_read(home):
    sid = home.start("sh", "-c", "stty raw -echo; "
                     "printf '%05000d' 0 | sed 's/0/\\o033[5n/g'; "
                     "printf 'the end'; exit 4")
    ended = home.wait_status(sid, "exited")
    assert ended["exit_code"] == 4
    assert home.raw(sid).endswith(b"the end")
