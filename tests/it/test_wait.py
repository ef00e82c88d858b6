"""Waiting for a screen: nothing is missed, nothing matches too early.

The program inside writes on the test's orders (puppet.py), one write at a
time, so that the test knows every frame.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import time

import pytest

import lib
import puppet
from faults import Delay, Faults
from lib import TEND, Home, wait_for
from wire import BYE, PING, PONG, RESPONSE, Refused, Wire

FULL = "TEND_TEST_FULL" in os.environ
ROUNDS = 1000 if FULL else 50
BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"
CLEAR = b"\x1b[H\x1b[2J"


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        yield home


@pytest.fixture
def sid(home):
    return puppet.start(home)


@pytest.fixture
def pull(home, sid):
    with puppet.strings(home, sid) as pull:
        yield pull


@pytest.fixture
def w(home, sid):
    with Wire(home.dir(sid), mode="control") as w:
        yield w


def replayed(home, sid, seq):
    """The screen at an event, from the log alone."""
    return home.json("snapshot", sid, "--at", str(seq))


def is_waiting(waiter):
    """It sleeps until a host answers: all its requests were sent."""
    path = f"/proc/{waiter.pid}/wchan"
    return open(path).read().startswith(("ep_poll", "do_epoll"))


def refused(w, **args):
    with pytest.raises(Refused) as why:
        w.call("session.wait", **args)
    return why.value


# ------------------------------------------------------- nothing is missed

def test_text_of_one_synchronized_frame_is_caught(home, sid, pull, w):
    """Shown by one update and erased by the next, all in one write."""
    for i in range(ROUNDS):
        number = puppet.ask(w, text=f"flash {i}!")
        typed = pull(CLEAR + BEGIN + b"\x1b[3;5Hflash %d!" % i + END + BEGIN
                     + CLEAR + END + b"after %d" % i)
        got = w.answer(number)
        assert got["matched"] and not got["timed_out"], (i, got)
        assert (got["row"], got["col"]) == (2, 4), (i, got)
        assert got["text"] == f"flash {i}!" and got["seq"] > typed, (i, got)
        assert got["condition"] == "text", got
        if i % (ROUNDS // 10) == 0:
            screen = replayed(home, sid, got["seq"])
            assert screen["hash"] == got["hash"], (i, got, screen)
            assert screen["lines"][2] == f"    flash {i}!", (i, screen)


def test_text_that_flashes_outside_of_a_frame_is_seen(sid, pull, w):
    """Written and overwritten, erased or on another screen, in one write."""
    ways = [b"%s\r\x1b[K", CLEAR + b"%s" + CLEAR, b"\x1b[?1049h%s\x1b[?1049l",
            b"\r%s" + b"\b" * 12 + b"xxxxxxxxxxxxxx", b"\x1b[5;70H%s\x1b[5;1H\x1b[M",
            BEGIN + b"\x1b[H%s" + CLEAR + END]
    for i in range(ROUNDS):
        flash = b"seen %d!" % i
        number = puppet.ask(w, text=flash.decode(), seen=True)
        pull(ways[i % len(ways)] % flash + b"never mind")
        got = w.answer(number)
        assert got["matched"] and got["text"] == flash.decode(), (i, got)


def test_text_that_scrolls_past_is_seen(sid, pull, w):
    """One line among hundreds that leave the screen within one write."""
    rng = random.Random(3)
    for i in range(ROUNDS):
        before, after = rng.randrange(200), rng.randrange(24, 200)
        number = puppet.ask(w, regex=rf"^past {i}=\d+$", seen=True)
        pull(b"\r\n" + puppet.lines(before, 6) + b"past %d=%d\r\n" % (i, i * 7)
             + puppet.lines(after, 6))
        got = w.answer(number)
        assert got["matched"], (i, before, after, got)
        assert got["text"] == f"past {i}={i * 7}" and got["col"] == 0, got


def test_a_wait_after_an_input_never_sees_the_screen_before(sid, pull, w):
    """K-09: a match is there already, and is shown again, changed."""
    pull(CLEAR + b"count -1.")
    assert w.call("session.wait", text="count -1.")["matched"]
    for i in range(ROUNDS):
        seq = pull(CLEAR + b"count %d." % i)
        got = w.call("session.wait", regex=r"count -?\d+\.", after=seq)
        assert got["matched"] and got["seq"] > seq, (i, seq, got)
        assert got["text"] == f"count {i}.", (i, got)


def test_frames_between_the_event_and_the_wait_count(home, sid, pull, w):
    """K-09: after an event means any frame since, not only future ones."""
    for i in range(ROUNDS):
        seq = pull(BEGIN + b"\x1b[Hbrief %d!" % i + END + BEGIN + CLEAR + END)
        pull(b"\r\x1b[Kgone!" + b"\r\x1b[Kdone %d." % i)
        assert w.call("session.wait", text=f"done {i}.")["matched"]
        got = w.call("session.wait", text=f"brief {i}!", after=seq)
        assert got["matched"] and got["row"] == 0 and got["col"] == 0, (i, got)
        if i % (ROUNDS // 10) == 0:
            assert replayed(home, sid, got["seq"])["hash"] == got["hash"]
        got = w.call("session.wait", text="gone!", seen=True, after=seq)
        assert got["matched"] and got["text"] == "gone!", (i, got)
        got = w.call("session.wait", text="gone!", after=seq, timeout_ms=1)
        assert not got["matched"] and got["timed_out"], (i, got)


@contextlib.contextmanager
def cats(home, n):
    """Sessions that show their input once, and a connection to each."""
    sids = [home.start("sh", "-c", "stty -echo; echo ready; exec cat")
            for _ in range(n)]
    with contextlib.ExitStack() as stack:
        wires = {sid: stack.enter_context(Wire(home.dir(sid), mode="control"))
                 for sid in sids}
        for w in wires.values():
            assert w.call("session.wait", text="ready")["matched"]
        yield wires
    for sid in sids:
        home.ok("kill", sid)


def hit(w, text):
    """Let it show the text."""
    seq = w.call("session.send", input=[{"text": f"{text}\n"}])["seq"]
    assert w.call("session.wait", text=text, after=seq)["matched"]
    w.sync()  # all messages of that turn have been sent


def test_any_reports_the_first_match_of_fifty_sessions(home):
    """Also if others follow before the waiter could look."""
    rng = random.Random(1)
    with cats(home, 50) as wires:
        for i in range(ROUNDS if FULL else 10):
            sids = rng.sample(list(wires), 50)
            hits = rng.sample(sids, 3)
            waiter = subprocess.Popen(
                [TEND, "wait", *sids, "--any", "--text", f"hit {i}!",
                 "--json"], env=home.env, stdout=subprocess.PIPE)
            late = i % 2 == 0
            if late:
                wait_for(lambda: is_waiting(waiter), "the requests")
                waiter.send_signal(signal.SIGSTOP)
                for sid in hits:
                    hit(wires[sid], f"hit {i}!")
                waiter.send_signal(signal.SIGCONT)
            else:
                hit(wires[hits[0]], f"hit {i}!")
            out, _ = waiter.communicate(timeout=60)
            got = json.loads(out)["result"]
            assert waiter.returncode == 0 and got["matched"], got
            assert [one["session"] for one in got["sessions"]] == hits[:1], \
                (i, sids, hits, got)
            assert got["sessions"][0]["text"] == f"hit {i}!"


def printer(home, path):
    """A session that prints the content of a pipe."""
    os.mkfifo(path)
    sid = home.start("sh", "-c", f"echo ready; exec cat 0<>{path}")
    home.wait_text(sid, "ready")
    return sid


def wait_any_now(home, sids, *conditions):
    return subprocess.Popen([TEND, "wait", *sids, "--any", *conditions,
                             "--json"], env=home.env, stdout=subprocess.PIPE)


def wait_any(home, sids, *conditions):
    """A `wait --any`, once all its requests were sent."""
    waiter = wait_any_now(home, sids, *conditions)
    wait_for(lambda: is_waiting(waiter), "the requests")
    return waiter


def named(waiter):
    """The session it names, and the result for it."""
    out, _ = waiter.communicate(timeout=60)
    got = json.loads(out)["result"]
    assert waiter.returncode == 0 and got["matched"], got
    assert len(got["sessions"]) == 1, got
    return got["sessions"][0]["session"], got


def test_any_reports_the_first_match_even_if_its_answer_is_late(
        home, tmp_path):
    """The disk delays the answer of one, but not that of the other."""
    slow = printer(home, tmp_path / "slow")
    quick = printer(home, tmp_path / "quick")
    waiter = wait_any(home, [quick, slow], "--text", "hit!")
    waiter.send_signal(signal.SIGSTOP)
    with Wire(home.dir(slow)) as seen, Wire(home.dir(slow), mode="control") \
            as w, Faults(home.info(slow)["host_pid"], [Delay("pwritev", 2)],
                         tmp_path / "trace"):
        (tmp_path / "slow").write_text("hit!")
        seen.until_output(b"hit!")
        (tmp_path / "quick").write_text("hit!")
        home.wait_text(quick, "hit!")
        # Of those who wait for the same, the first is answered first.
        assert w.call("session.wait", text="hit!")["matched"]
    waiter.send_signal(signal.SIGCONT)
    sid, got = named(waiter)
    assert sid == slow, (slow, quick, got)
    home.ok("kill", slow)
    home.ok("kill", quick)


def test_a_pong_comes_after_answers_decided_before(home, tmp_path):
    """Also if an answer waits for the log."""
    sid = printer(home, tmp_path / "pipe")
    with Wire(home.dir(sid)) as seen, Wire(home.dir(sid), mode="control") \
            as w, Faults(home.info(sid)["host_pid"], [Delay("pwritev", 0.5)],
                         tmp_path / "trace"):
        number = puppet.ask(w, text="hit!")
        (tmp_path / "pipe").write_text("hit!")
        seen.until_output(b"hit!")
        for i in range(3):
            w.send(PING, b"%d" % i)
        w.until(lambda: [k for k, _ in w.frames].count(PONG) == 3, "PONG")
        assert [kind for kind, _ in w.frames] == [RESPONSE] + 3 * [PONG]
        assert [p for k, p in w.frames if k == PONG] == [b"0", b"1", b"2"]
        assert w.answer(number)["matched"]
    home.ok("kill", sid)


def test_a_stopped_host_does_not_delay_the_others(home):
    with cats(home, 3) as wires:
        stopped, first, other = wires
        pid = home.info(stopped)["host_pid"]
        waiter = wait_any(home, wires, "--text", "hit!")
        os.kill(pid, signal.SIGSTOP)
        try:
            with lib.Stopwatch() as watch:
                hit(wires[first], "hit!")
                sid, got = named(waiter)
        finally:
            os.kill(pid, signal.SIGCONT)
        assert sid == first, (wires, got)
        assert watch.seconds < 5, watch.seconds


def test_any_reports_the_first_match_of_ended_sessions(home):
    """Their logs have the times; running ones take part with their screens."""
    def shows():
        sid = home.start("sh", "-c", "echo done; exec cat")
        home.wait_text(sid, "done")
        return sid

    def ends():
        sid = shows()
        home.ok("kill", sid)
        return sid

    running, first, second, last = shows(), ends(), ends(), shows()
    for sids, want in (([second, first], first), ([last, second], second),
                       ([second, last, running, first], running)):
        sid, got = named(wait_any_now(home, sids, "--text", "done"))
        assert sid == want, (running, first, second, last, got)
    sid, got = named(wait_any_now(home, [second, last, first], "--exit"))
    assert sid == first, (first, second, got)
    home.ok("kill", last)
    home.ok("kill", running)
    sid, got = named(wait_any_now(home, [running, last], "--exit"))
    assert sid == last, (running, last, got)


def test_a_match_says_when_it_was_seen(home, tmp_path):
    """On the same clock as the log's times."""
    sid = printer(home, tmp_path / "pipe")
    began = json.loads((home.dir(sid) / "session.json").read_text())["began_ns"]

    def logged(kind, text=""):
        return [began + e["time"] * 1e9 for e in home.events(sid, kind)
                if text in e.get("data", "")][0]

    before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    with Wire(home.dir(sid), mode="control") as w:
        number = puppet.ask(w, text="hit!")
        (tmp_path / "pipe").write_text("hit!")
        live = w.answer(number)["time_ns"]
        later = w.call("session.wait", text="hit!")["time_ns"]
        past = w.call("session.wait", text="hit!", after=1)["time_ns"]
        got = w.call("session.wait", text="nowhere", timeout_ms=0)
        assert got["time_ns"] is None, got
    assert before < live < time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    assert later == live, (later, live)
    assert abs(past - logged("output", "hit!")) < 1e6, past
    assert 0 <= live - past < 5e9, (live, past)
    home.ok("kill", sid)
    got = home.json("wait", sid, "--exit")
    assert abs(got["time_ns"] - logged("exit")) < 1e6, got


def test_all_reports_every_session(home):
    with cats(home, 3) as wires:
        answer = home.run("wait", *wires, "--all", "--text", "nowhere",
                          "--timeout", "1ms", "--json")
        got = json.loads(answer.out)["result"]
        assert answer.status == 11 and got["timed_out"], answer
        assert [one["session"] for one in got["sessions"]] == list(wires), got
        for w in wires.values():
            hit(w, "everywhere")
        got = home.json("wait", *wires, "--all", "--text", "everywhere")
        assert got["matched"] and len(got["sessions"]) == 3, got


# --------------------------------------------------------------- conditions

def test_cursor_text_absence_and_change_each_end_a_wait(sid, pull, w):
    pull(CLEAR + b"one two" + b"\x1b[4;9H")
    got = w.call("session.wait", cursor="3,8")
    assert got["matched"] and (got["row"], got["col"]) == (3, 8), got
    assert got["text"] is None and got["condition"] == "cursor"
    got = w.call("session.wait", text="two", absent="three", cursor="*,8")
    assert got["matched"] and (got["row"], got["col"]) == (0, 4), got
    assert got["condition"] == "text,absent,cursor"

    number = puppet.ask(w, absent="one")
    pull(CLEAR + b"two")
    assert w.answer(number)["matched"]

    before = w.call("session.snapshot")["hash"]
    number = puppet.ask(w, changed_since=before)
    pull(b"\x1b[1mX")
    got = w.answer(number)
    assert got["matched"] and got["hash"] != before and puppet.is_hash(
        got["hash"])


def test_a_line_that_the_margin_broke_is_found_whole(sid, pull, w):
    url = "http://localhost:8080/" + "abcde/" * 20
    number = puppet.ask(w, regex=r"http://\S+")
    pull(CLEAR + b"\x1b[3;60Hserving " + url.encode() + b" now")
    got = w.answer(number)
    assert got["matched"] and got["text"] == url, got
    assert (got["row"], got["col"]) == (2, 67), got
    assert w.call("session.wait", text=url + " now")["matched"]
    got = w.call("session.wait", absent=url, timeout_ms=0)
    assert got["timed_out"] and got["condition"] == "absent", got
    # Rows are still lines as well.
    last = w.call("session.snapshot")["lines"][4]
    assert w.call("session.wait", regex=f"^{last}$")["row"] == 4
    # The same for text that is gone by the next frame, or long ago.
    number = puppet.ask(w, text="x" * 200 + "end", seen=True)
    seq = pull(b"\r\n" + b"x" * 200 + b"end\r\n" + puppet.lines(60))
    got = w.answer(number)
    assert got["matched"] and got["col"] == 0, got
    pull(CLEAR + b"over")
    assert w.call("session.wait", text="over", absent="xend")["matched"]
    got = w.call("session.wait", text="x" * 200 + "end", seen=True, after=seq)
    assert got["matched"] and got["col"] == 0, got


def test_the_end_of_a_command_ends_a_wait(sid, pull, w):
    number = puppet.ask(w, command_done=True)
    seq = pull(b"\x1b]133;C\x07output")
    pull(b"\x1b]133;D;0\x07")
    got = w.answer(number)
    assert got["matched"] and got["seq"] > seq
    assert w.call("session.wait", command_done=True, after=seq)["matched"]
    got = w.call("session.wait", command_done=True, timeout_ms=1)
    assert got["timed_out"] and got["condition"] == "command_done", got


def test_stable_is_about_text_and_idle_about_bytes(sid, pull, w, home):
    """A clock that is redrawn unchanged does not disturb stability."""
    assert w.call("session.wait", stable_ms=1)["matched"]
    assert w.call("session.wait", idle_ms=1)["matched"]
    busy = home.start("sh", "-c", "while :; do printf '\\rsame'; done")
    with Wire(home.dir(busy), mode="control") as b:
        got = b.call("session.wait", text="same", stable_ms=3000)
        assert got["matched"] and got["condition"] == "text,stable", got
        got = b.call("session.wait", idle_ms=3000, timeout_ms=0)
        assert got["timed_out"] and got["condition"] == "idle", got
    home.ok("kill", busy)
    # It counts from the last change: three writes delay it.
    number = puppet.ask(w, text="third", stable_ms=150)
    begun = [pull(b"first"), pull(b"second"), pull(b"third")]
    got = w.answer(number)
    assert got["matched"] and got["seq"] > begun[-1]


def test_a_timeout_reports_the_screen(sid, pull, w):
    pull(CLEAR + b"something else")
    assert w.call("session.wait", text="something else")["matched"]
    got = w.call("session.wait", text="nothing", absent="else", timeout_ms=20)
    assert not got["matched"] and got["timed_out"], got
    assert got["condition"] == "text,absent" and got["text"] is None
    assert got["screen"][0] == "something else" and len(got["screen"]) == 24
    assert got["hash"] == w.call("session.snapshot")["hash"]


def test_an_unfinished_update_is_not_a_frame(sid, pull, w):
    half = CLEAR + BEGIN + b"half a frame"
    given_up = True
    while given_up:  # as it is if the machine stalls for a second
        begun = time.monotonic()
        end = w.call("session.get")["offset"] + len(half)
        pull(half)
        wait_for(lambda: w.call("session.get")["offset"] == end, "the half")
        got = w.call("session.wait", text="half", timeout_ms=0)
        given_up = time.monotonic() - begun >= 1
    assert got["timed_out"]
    number = puppet.ask(w, text="half a frame and all of it")
    pull(b" and all of it" + END)
    got = w.answer(number)
    assert got["matched"]
    # An update that changes nothing and never ends is given up.
    end = w.call("session.get")["offset"] + len(BEGIN)
    pull(BEGIN)
    wait_for(lambda: w.call("session.get")["offset"] == end, "an update")
    got = w.call("session.wait", text="half", timeout_ms=20000)
    assert got["matched"]
    assert "all of it" in w.call("session.snapshot", format="text")["data"]


def test_a_resize_is_a_frame(home, sid, pull, w):
    pull(CLEAR + b"x" * 60 + b"end")
    assert w.call("session.wait", text="xend")["matched"]
    number = puppet.ask(w, regex="^end$", cursor="1,3")
    with Wire(home.dir(sid), mode="control") as other:
        other.call("session.resize", cols=60, rows=10)
    got = w.answer(number)
    assert got["matched"] and got["row"] == 1, got
    assert replayed(home, sid, got["seq"])["hash"] == got["hash"]


# ----------------------------------------------------- refusals, and the end

def test_bad_arguments_are_named_and_nothing_happens(sid, w):
    before = w.call("session.get")["seq"]
    for args, why in [
            ({}, "no condition; give"),
            ({"text": ""}, "'text'"),
            ({"text": "x" * 5000}, "4096"),
            ({"regex": "(a"}, "'regex' must be a regular expression"),
            ({"regex": "(" * 99 + ")" * 99}, "nested"),
            ({"cursor": "here"}, "ROW,COL"),
            ({"changed_since": "12"}, "hexadecimal"),
            ({"stable_ms": 0}, "'stable_ms'"),
            ({"text": "x", "timeout_ms": 10**12}, "'timeout_ms'"),
            ({"exit": True, "seen": True}, "'seen'"),
            ({"text": 5}, "'text' must be a string"),
            ({"texts": "x"}, "'texts'")]:
        error = refused(w, **args)
        assert error.code == "usage" and why in error.message, (args, error)
    assert w.call("session.get")["seq"] == before


@pytest.mark.parametrize("regex", ["(a+)+[bc]", "(.*)*[bc]", "[^b]*[bc]",
                                   "(?:a?){60}a{60}b*[bc]"])
def test_a_hostile_pattern_is_an_error_without_a_stall(sid, pull, w, regex):
    pull(CLEAR + b"a" * 80 * 23)
    assert w.call("session.wait", text="a" * 80)["matched"]
    error = refused(w, regex=regex)
    assert error.code == "usage" and "'regex'" in error.message, error
    # And one that becomes hostile during the wait.
    pull(CLEAR + b"short")
    assert w.call("session.wait", absent="aaa")["matched"]
    number = puppet.ask(w, regex=regex)
    pull(CLEAR + b"a" * 80 * 23)
    with pytest.raises(Refused):
        w.answer(number)
    assert w.call("session.get")["status"] == "running"


def test_a_wait_ends_with_its_client(home, sid, pull, w):
    for _ in range(20):
        with Wire(home.dir(sid), mode="control") as other:
            puppet.ask(other, text="never", seen=True)
    pull(CLEAR + b"never")
    assert w.call("session.wait", text="never")["matched"]


def test_a_read_only_client_may_wait(home, sid, pull):
    with Wire(home.dir(sid), access="readonly") as viewer:
        number = puppet.ask(viewer, text="for all")
        pull(CLEAR + b"for all to see")
        assert viewer.answer(number)["matched"]


def test_the_end_of_the_session_ends_every_wait(home, sid, w):
    with Wire(home.dir(sid), mode="control") as other:
        number = puppet.ask(other, text="never")
        ended = puppet.ask(w, exit=True)
        home.ok("kill", sid)
        got = w.answer(ended)
        assert got["matched"] and got["condition"] == "exit", got
        got = other.answer(number)
        assert not got["matched"] and not got["timed_out"], got
        assert got["condition"] == "text" and got["screen"][0] == "ready"


def test_an_unfinished_update_is_the_last_frame(home):
    """A program that is killed while it draws has ended too."""
    sid = puppet.start(home)
    with (puppet.strings(home, sid) as pull,
          Wire(home.dir(sid), mode="control") as w,
          Wire(home.dir(sid), mode="control") as other):
        end = w.call("session.get")["offset"] + len(BEGIN) + 4
        ended = puppet.ask(w, exit=True)
        shown = puppet.ask(other, text="half", exit=True)
        pull(BEGIN + b"half")
        wait_for(lambda: home.info(sid)["offset"] == end, "an update")
        home.ok("kill", sid)
        got = w.answer(ended)
        assert got["matched"] and got["condition"] == "exit", got
        got = other.answer(shown)
        assert got["matched"] and got["text"] == "half", got
    home.wait_gone(sid)
    assert home.json("snapshot", sid)["hash"] == got["hash"]


# ------------------------------------------------------------ same screens

def rendered(cols, rows, data):
    """The hash of the screen that these bytes give."""
    answer = lib.tend("render", "--json", "--size", f"{cols}x{rows}",
                      "--newline", "lf", input=bytes(data))
    assert answer.status == 0, answer
    return json.loads(answer.out)["result"]["hash"]


def recording(path):
    """Its size, and its output in a few pieces."""
    first, *rest = path.read_text().rstrip("\n").split("\n")
    head = json.loads(first)
    events = [json.loads(line) for line in rest]
    data = b"".join(e[2].encode("utf-8", "surrogatepass") for e in events
                    if e[1] == "o")
    size = max(1, min(len(data) // 3 + 1, 60000))
    return (head["width"], head["height"],
            [data[i:i + size] for i in range(0, len(data), size)])


@pytest.mark.parametrize("path", [p for i, p in enumerate(lib.RECORDINGS)
                                  if FULL or i % 6 == 0], ids=lambda p: p.stem)
def test_wait_snapshot_and_replay_give_the_same_hash(home, path):
    """K-14: of a wait, a snapshot, a replay, and a follower."""
    cols, rows, pieces = recording(path)
    sid = puppet.start(home, ["--size", f"{cols}x{rows}"])
    with (puppet.strings(home, sid) as pull,
          Wire(home.dir(sid), mode="control") as w,
          Wire(home.dir(sid), replay="raw", **{"from": 0}) as viewer):
        offset = w.call("session.snapshot")["offset"]
        for piece in pieces:
            pull(piece)
            offset += len(piece)
            viewer.until(lambda: viewer.at is not None and viewer.at >= offset,
                         f"output up to {offset}")
            # A piece may end within an update, which is given up after a
            # second.
            got = w.call("session.wait", cursor="*,*", timeout_ms=20000)
            shot = w.call("session.snapshot")
            assert shot["offset"] == offset, (offset, shot)
            assert got["matched"] and got["hash"] == shot["hash"], got
            assert replayed(home, sid, got["seq"])["hash"] == got["hash"]
            assert rendered(cols, rows, viewer.output[:offset]) \
                == got["hash"]
    home.ok("kill", sid)


def test_wait_snapshot_and_replay_agree_during_a_flood(home, tmp_path):
    """K-14: of a wait, a snapshot, a replay, and a follower of the log."""
    rounds = 60 if FULL else 12
    sid = home.start("sh", "-c", "while :; do seq -f 'line %08.0f' 1 100000; "
                     "done", options=["--max-log", "64G"])
    seen = []
    with open(tmp_path / "followed", "w+b") as file:
        follower = subprocess.Popen([TEND, "log", "--raw", "-f", sid],
                                    env=home.env, stdout=file)
        with Wire(home.dir(sid), mode="control") as w:
            hash = w.call("session.wait", regex=r"line \d+")["hash"]
            for _ in range(rounds):
                got = w.call("session.wait", changed_since=hash)
                assert got["matched"] and got["hash"] != hash, got
                hash = got["hash"]
                seen.append(got)
                seen.append(w.call("session.snapshot"))
        home.ok("kill", sid)
        assert follower.wait(timeout=60) == 0
        followed = (tmp_path / "followed").read_bytes()
    for i, got in enumerate(seen):
        screen = replayed(home, sid, got["seq"])
        assert screen["hash"] == got["hash"], (i, got, screen)
        assert screen["offset"] == got.get("offset", screen["offset"]), got
        if i % (len(seen) // 6) == 0:
            assert rendered(80, 24, followed[:screen["offset"]]) \
                == got["hash"], (i, got, screen)


# ------------------------------------------------------------- the command

def test_the_command_prints_its_match(home, sid, pull):
    pull(CLEAR + b"see http://localhost:8080/ now")
    assert home.ok("wait", sid, "--regex", r"http://\S+") \
        == "http://localhost:8080/\n"
    assert home.ok("wait", sid, "--cursor", "0,*") == ""
    name = home.info(sid)["name"]
    assert home.ok("wait", sid, "--any", "--text", "now") == f"{name}\tnow\n"
    got = home.json("wait", sid, "--text", "now", "--absent", "later",
                    "--stable", "1ms", "--idle", "1ms")
    assert got["matched"] and got["text"] == "now" and got["col"] == 27, got
    assert list(got) == ["matched", "timed_out", "condition", "row", "col",
                         "text", "seq", "hash", "time_ns"]


def test_the_command_matches_in_time_or_times_out(home, sid, pull):
    pull(CLEAR + b"before")
    seq = home.json("send", sid, "--text", puppet.told(b"during"))["seq"]
    got = home.json("wait", sid, "--text", "during", "--after", str(seq))
    assert got["seq"] > seq
    answer = home.run("wait", sid, "--text", "nowhere", "--timeout", "50ms")
    assert answer.status == 11 and answer.text == "", answer
    assert "timed out: not met: text" in answer.err, answer
    assert "| beforeduring" in answer.err, answer
    answer = home.run("wait", sid, "--text", "nowhere", "--timeout", "1ms",
                      "--json")
    whole = json.loads(answer.out)
    assert answer.status == 11 and whole["ok"] is True, answer
    assert whole["result"]["screen"][0] == "beforeduring"


def test_a_future_event_is_refused(w):
    last = w.call("session.get")["seq"]
    why = refused(w, text="x", after=last + 1000)
    assert why.code == "usage", why.code
    assert f"'after' {last + 1000} is no event of this session yet" in \
        why.message, why.message


def test_the_command_refuses_invalid_arguments(home, sid):
    for args, why in [(("--text", ""), "--text must be 1 to"),
                      (("--text", b"\xff"), "--text must be UTF-8"),
                      (("--regex", "["), "--regex must be"),
                      (("--cursor", "x"), "--cursor must be ROW,COL"),
                      (("--stable", "soon"), "--stable"),
                      (("--timeout", "99d", "--exit"), "--timeout must"),
                      (("--changed-since", "x"), "--changed-since must"),
                      (("--exit", "--seen"), "--seen applies only to"),
                      (("--after", "x", "--exit"), "--after"),
                      (("--exit", "--any", "--all"), "--any"),
                      ((sid, "--exit"), "--any or --all")]:
        answer = home.run("wait", sid, *args)
        assert answer.status == 2 and why in answer.err, (args, answer)
    answer = home.run("wait", "nobody", "--exit")
    assert answer.status == 3, answer


def test_a_wait_outlives_the_host(home, sid, pull):
    """The host dies and is replaced; the waiting client does not notice."""
    def wait(text):
        return subprocess.Popen([TEND, "wait", sid, "--text", text, "--json"],
                                env=home.env, stdout=subprocess.PIPE)

    waiter = wait("killed")
    wait_for(lambda: is_waiting(waiter), "the request")
    host = home.info(sid)["host_pid"]
    os.kill(host, signal.SIGKILL)
    wait_for(lambda: home.info(sid)["host_pid"] not in (None, host), "a host")
    home.ok("send", sid, "--text", puppet.told(b"killed"))
    out, _ = waiter.communicate(timeout=60)
    assert json.loads(out)["result"]["matched"], out

    waiter = wait("revived")
    wait_for(lambda: is_waiting(waiter), "the request")
    home.ok("revive", sid)
    home.ok("send", sid, "--text", puppet.told(b"revived"))
    out, _ = waiter.communicate(timeout=60)
    assert json.loads(out)["result"]["matched"], out


def test_a_new_host_knows_earlier_frames(home, sid, pull, w):
    """Shown, and done, between an event and the death of the host."""
    seq = pull(CLEAR + b"$ make\r\n\x1b]133;C\x07")
    pull(b"made\r\n\x1b]133;D;0\x07$ ")
    last = w.call("session.wait", regex=r"^\$$")["seq"]
    host = home.info(sid)["host_pid"]
    os.kill(host, signal.SIGKILL)
    wait_for(lambda: home.info(sid)["host_pid"] not in (None, host), "a host")
    for args in ({"command_done": True}, {"text": "made", "stable_ms": 1},
                 {"text": "made", "idle_ms": 1, "command_done": True}):
        with Wire(home.dir(sid), mode="control") as w:
            got = w.call("session.wait", after=seq, **args)
            assert got["matched"], (args, got)
            got = w.call("session.wait", after=last, timeout_ms=200, **args)
            assert got["timed_out"], (args, got)


@pytest.mark.parametrize("look", ["wait", "snapshot"])
def test_a_seq_from_a_dead_host_stays_valid(home, sid, look):
    """Its last message may have a seq: that is still of the same frame."""
    for i in range(10):
        text = f"round {i}"
        with puppet.strings(home, sid) as pull, \
                Wire(home.dir(sid), mode="control") as w:
            host = w.call("session.get")["host_pid"]
            pull(CLEAR + text.encode())
            if look == "wait":
                told = w.call("session.wait", text=text)
            else:
                told = puppet.until(w, text)
            os.kill(host, signal.SIGKILL)
        wait_for(lambda: home.info(sid)["host_pid"] not in (None, host),
                 "a host")
        at = home.json("snapshot", sid, "--at", str(told["seq"]))
        assert at["lines"][0] == text and at["hash"] == told["hash"], told
        with Wire(home.dir(sid), mode="control") as w:
            again = w.call("session.wait", text=text, after=told["seq"],
                           timeout_ms=0)
            assert again["timed_out"], (told, again)


def test_a_leaving_host_tells_waiting_clients(home, sid):
    with Wire(home.dir(sid), mode="control",
              features=("handover",)) as leaving:
        number = puppet.ask(leaving, text="never")
        revive = subprocess.Popen([TEND, "revive", sid], env=home.env)
        leaving.take(BYE, what="BYE")
        leaving.send(BYE)
        with pytest.raises(Refused) as why:
            leaving.answer(number)
        assert why.value.code == "busy" and "ask again" in why.value.message
        assert revive.wait(timeout=60) == 0


def test_a_wait_on_an_ended_session_uses_its_log(home):
    """K-12, K-13: text, cursor and regex by replay; stability never."""
    sid = home.start("sh", "-c", "printf 'flash\\r\\033[Kfirst\\r\\nlast'; "
                     "exit 3")
    home.wait_gone(sid)
    end = home.screen(sid)
    got = home.json("wait", sid, "--text", "last")
    assert got["matched"] and (got["row"], got["col"]) == (1, 0), got
    assert got["hash"] == end["hash"] and got["seq"] == end["seq"]
    assert home.json("wait", sid, "--regex", "^fir")["matched"]
    assert home.json("wait", sid, "--cursor", "1,4", "--exit")["matched"]
    assert home.json("wait", sid, "--seen", "--text", "flash")["matched"]
    assert home.json("wait", sid, "--text", "last", "--after", "0")["matched"]
    for args, unmet in [(("--text", "never"), "text"),
                        (("--text", "last", "--stable", "1ms"), "stable"),
                        (("--idle", "1h"), "idle"),
                        (("--command-done",), "command_done"),
                        (("--command-done", "--after", "0"), "command_done"),
                        (("--text", "flash"), "text"),
                        (("--text", "last", "--after", str(end["seq"])),
                         "text")]:
        answer = home.run("wait", sid, *args, "--json")
        got = json.loads(answer.out)["result"]
        assert answer.status == 4, answer
        assert not got["matched"] and not got["timed_out"], got
        assert got["condition"] == unmet and got["hash"] == end["hash"], got
    answer = home.run("wait", sid, "--text", "never")
    assert answer.status == 4 and "it has ended" in answer.err, answer
    assert home.run("wait", sid, "--regex", "(.*)*[xyz]").status in (2, 4)


def test_a_wait_on_an_ended_session_uses_marks_and_times(home):
    """K-12: the log's commands and idle times."""
    sid = home.start("sh", "-c", "stty -echo; printf '\\033]133;C\\007one'; "
                     "read x; printf '\\033]133;D;0\\007two'; read x; "
                     "sleep 1000")
    seqs = []
    for text in ("one", "two"):
        assert home.json("wait", sid, "--text", text)["matched"]
        seqs.append(home.json("send", sid, "--keys", "Enter")["seq"])
    home.ok("wait", sid, "--idle", "500ms")
    home.ok("kill", sid)
    home.wait_gone(sid)
    got = home.json("wait", sid, "--command-done", "--after", str(seqs[0]))
    assert got["matched"] and seqs[0] < got["seq"] < seqs[1], got
    assert home.json("wait", sid, "--command-done", "--after", "0", "--text",
                     "two")["matched"]
    for args in (("--command-done", "--after", str(seqs[1])),
                 ("--command-done",), ("--idle", "10m"),
                 ("--idle", "400ms", "--after", "1000000"),
                 ("--idle", "1ms", "--stable", "1ms")):
        answer = home.run("wait", sid, *args)
        assert answer.status == 4, (args, answer)
    assert home.json("wait", sid, "--idle", "400ms", "--text", "two")["matched"]


def test_a_wait_sees_the_last_update_of_an_ended_session(home):
    sid = home.start("sh", "-c", "printf '\\033[?2026hflash\\r\\033[Klast'")
    home.wait_gone(sid)
    for text in ("flash", "last"):
        got = home.json("wait", sid, "--seen", "--text", text)
        assert got["matched"] and got["text"] == text, got
    assert home.run("wait", sid, "--text", "flash").status == 4


def test_broken_lines_are_whole_in_an_ended_session(home):
    sid = home.start("sh", "-c", "printf '%0150d=first\\r\\n' 1; seq 50; "
                     "printf '%0100d=last' 2")
    home.wait_gone(sid)
    got = home.json("wait", sid, "--regex", r"^0+2=last$")
    assert got["matched"] and (got["row"], got["col"]) == (22, 0), got
    assert home.run("wait", sid, "--text", "01=first").status == 4
    for how in (("--seen",), ("--seen", "--after", "0")):
        got = home.json("wait", sid, "--regex", r"^0+1=first", *how)
        assert got["text"] == "0" * 149 + "1=first", got


def test_a_wait_for_all_sees_sessions_that_end_meanwhile(home):
    sids = [home.start("sh", "-c", f"read x; exit {i}") for i in range(3)]
    waiter = subprocess.Popen([TEND, "wait", *sids, "--all", "--exit",
                               "--json"], env=home.env,
                              stdout=subprocess.PIPE)
    for sid in sids:
        home.ok("send", sid, "--keys", "Enter")
    out, _ = waiter.communicate(timeout=60)
    got = json.loads(out)["result"]
    assert waiter.returncode == 0 and got["matched"], got
    assert [one["session"] for one in got["sessions"]] == sids
    assert [one["exit_code"] for one in got["sessions"]] == [0, 1, 2], got
    assert home.ok("wait", "--exit") == "2\n"


def test_durations_have_one_spelling(home):
    """On the wire, in steps and on the command line."""
    sid = home.start("cat")
    with Wire(home.dir(sid), mode="control") as w:
        for timeout in (20, "20", "20ms", "0.02s"):
            got = w.call("session.wait", text="never", timeout=timeout)
            assert got["timed_out"] is True, got
            answer = home.run("wait", sid, "--text", "never", "--timeout",
                              str(timeout))
            assert answer.status == 11, answer
            got = home.run("batch", sid, "--json", "--steps", json.dumps(
                [{"wait": {"text": "never", "timeout": timeout}}]))
            assert got.status == 11 and \
                json.loads(got.out)["result"]["failed"] == [0], got
        got = w.call("session.wait", idle="1ms", stable=1)
        assert got["matched"] is True, got
    assert "has no unit: give one" in home.run("gc", "--older-than", "7").err
    assert home.info(sid)["status"] == "running"


def test_the_exit_status_is_reported(home):
    """Live and from the log, of the session and of a command."""
    sid = home.start("sh", "-c", "read x; exit 7", options=["-n", "seven"])
    waiter = subprocess.Popen([TEND, "wait", sid, "--exit", "--json"],
                              env=home.env, stdout=subprocess.PIPE)
    home.ok("send", sid, "--keys", "Enter")
    got = json.loads(waiter.communicate(timeout=60)[0])["result"]
    assert (got["exit_code"], got["exit_signal"]) == (7, None), got
    home.wait_gone(sid)
    got = home.json("wait", sid, "--exit")
    assert (got["exit_code"], got["exit_signal"]) == (7, None), got
    killed = home.start("cat", options=["-n", "killed"])
    home.ok("kill", killed)
    got = home.json("wait", killed, "--exit")
    assert (got["exit_code"], got["exit_signal"]) == (None, 9), got
    assert home.ok("wait", sid, "--exit") == "7\n"
    assert home.ok("wait", sid, killed, "--all", "--exit") == \
        "seven\t7\nkilled\t137\n"
    assert "exit_code" not in home.json("wait", sid, "--cursor", "*,*")


def test_the_status_of_a_command_is_reported(home):
    sid = home.start("bash")
    seqs = []
    for status in (3, 0, 141):
        home.ok("exec", sid, "--", "true")
        seqs.append(home.json("send", sid, "--text", f"(exit {status})",
                              "--keys", "Enter")["seq"])
        got = home.json("wait", sid, "--command-done", "--after",
                        str(seqs[-1]))
        assert (got["exit_code"], got["exit_signal"]) == (status, None), got
    got = home.json("wait", sid, "--command-done", "--after", str(seqs[0]))
    assert got["exit_code"] == 3, got  # of the first after it
    home.ok("revive", sid)  # another host, which finds it in the log
    got = home.json("wait", sid, "--command-done", "--after", str(seqs[0]))
    assert got["exit_code"] == 3, got
    home.ok("kill", sid)
    home.wait_gone(sid)
    got = home.json("wait", sid, "--command-done", "--after", str(seqs[0]))
    assert got["exit_code"] == 3, got


def test_the_status_is_passed_on_if_asked(home):
    sids = {n: home.start("sh", "-c", f"exit {n}") for n in (0, 3, 11)}

    def status(*args):
        return home.run("wait", *args, "--pass-status").status

    assert [status(sids[n], "--exit") for n in sids] == [0, 3, 11]
    assert status(*sids.values(), "--exit", "--all") == 3
    running = home.start("cat")
    assert status(running, "--exit", "--timeout", "10ms") == 11
    assert status("nobody", "--exit") == 125
    assert status(sids[0], "--command-done") == 125
    answer = home.run("wait", running, "--pass-status", "--text", "x")
    assert answer.status == 125 and "--exit" in answer.err, answer
