"""Many viewers, slow and frozen ones: each gets its own output, and none waits
for another."""

import contextlib
import os
import select
import statistics
import subprocess
import sys
import threading
import time

import pytest

import flood
import wire
from lib import BUILD, ROOT, Home, wait_for
from wire import Wire

FULL = "TEND_TEST_FULL" in os.environ


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        yield home


def start(home, lines):
    """A session that prints so many lines on request."""
    sid = home.start(*flood.program(lines))
    driver = Wire(home.dir(sid), replay="raw", behind="lossless",
                  **{"from": 0})
    driver.until_output(b"ready")
    return home.dir(sid), driver


# A sanitizer keeps freed memory for a while.
SLACK = 30 if b"__asan" in (BUILD / "src" / "tend-host").read_bytes() else 1


def memory_kib(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
        for line in f:
            if line.startswith("Private_Dirty:"):
                return int(line.split()[1])
    raise AssertionError("no Private_Dirty")


def test_a_frozen_viewer_gets_a_gap_and_the_newest_screen(home):
    """O-17, C-06: and the driver's stream stays complete."""
    lines = 200000
    whole = flood.stream(lines)
    directory, driver = start(home, lines)
    with Wire(directory) as frozen:
        frozen.until(lambda: frozen.screens, "the first picture")
        driver.data(b"\n")
        driver.until_output(b"done")
        assert bytes(driver.output) == whole
        frozen.until(lambda: frozen.at == len(whole) and len(frozen.screens)
                     == 1 + len(frozen.gaps), "the end")
        assert frozen.gaps, frozen
        for begin, end, why in frozen.gaps:
            assert begin < end and why == 1
        last = frozen.screens[-1]
        after = whole[last["offset"]:]
        assert bytes(frozen.output).endswith(after)
        shown = driver.call("session.snapshot", format="text")["data"]
        assert shown.rstrip("\n").endswith("done")
    driver.close()


def test_a_frozen_viewer_that_wants_everything_gets_it(home):
    """From the log, long after it has left the memory."""
    lines = 200000
    whole = flood.stream(lines)
    directory, driver = start(home, lines)
    with Wire(directory, behind="lossless", replay="none") as frozen:
        frozen.at = frozen.metadata()["offset"]
        driver.data(b"\n")
        driver.until_output(b"done")
        frozen.until_output(b"done")
        assert frozen.gaps == [] and bytes(frozen.output) == whole[5:]
    driver.close()


def test_a_viewer_without_offsets_gets_a_picture_as_data(home):
    directory, driver = start(home, 200000)
    with Wire(directory, features=(), replay="none") as frozen:
        frozen.take(wire.HISTORY)
        driver.data(b"\n")
        driver.until_output(b"done")
        frozen.until_output(b"done")
        assert b"line 00200000" in frozen.output
        assert len(frozen.output) < len(flood.stream(200000))
    driver.close()


class Reader(threading.Thread):
    """Reads a viewer to the end of a flood, as fast as possible."""

    def __init__(self, viewer):
        super().__init__(daemon=True)
        self.viewer = viewer
        self.start()

    def run(self):
        self.viewer.until(lambda: self.viewer.output[-4:] == b"done",
                          "the end", seconds=100)


def test_ten_viewers_get_every_byte(home):
    """B-48, O-16: all see the same."""
    lines = 100000
    whole = flood.stream(lines)
    directory, driver = start(home, lines)
    viewers = [Wire(directory, replay="none", behind="lossless")
               for _ in range(10)]
    readers = [Reader(w) for w in viewers]
    driver.data(b"\n")
    driver.until_output(b"done")
    for reader in readers:
        reader.join(100)
        assert bytes(reader.viewer.output) == whole[5:], reader.viewer
        reader.viewer.close()
    driver.close()


def test_two_hundred_viewers_cost_constant_memory(home):
    """50 slow and 50 frozen ones: the host's memory stays flat.

    All fits into a segment of the log, so that none is compressed meanwhile.
    """
    lines = 250000
    directory, driver = start(home, lines)
    pid = driver.call("session.get")["host_pid"]
    viewers = [Wire(directory) for _ in range(199)]
    quick, slow = viewers[:99], viewers[99:149]
    stop = threading.Event()

    def drain(group, pause):
        socks = {w.sock: w for w in group}
        while not stop.is_set():
            for sock in select.select(list(socks), [], [], 0.1)[0]:
                sock.recv(1 << 18 if pause == 0 else 4096)
            stop.wait(pause)

    threads = [threading.Thread(target=drain, args=args, daemon=True)
               for args in ((quick, 0), (slow, 0.05))]
    for thread in threads:
        thread.start()
    driver.data(b"\n")
    seen = []
    end = len(flood.stream(lines))
    while len(driver.output) < end:
        driver.until(lambda: len(driver.output) >= min(
            end, (len(seen) + 1) * end // 10), "more", seconds=120)
        seen.append(memory_kib(pid))
    stop.set()
    for thread in threads:
        thread.join()
    assert driver.call("session.get")["observers"] == 200
    assert max(seen) < SLACK * (12 << 10), seen
    assert max(seen[5:]) <= max(seen[:5]) + SLACK * 1024, seen
    for w in viewers:
        w.close()
    wait_for(lambda: driver.call("session.get")["observers"] == 1,
             "all are gone")
    driver.close()


# Prints so many bytes, so many in a second (0: as fast as it can), once it
# gets a key; then writes to a file how many seconds that took.
PRINTER = """
import os, sys, time, tty
size, rate = int(sys.argv[1]), int(sys.argv[2])
block = b"".join(b"%078d\\r\\n" % i for i in range(50))
tty.setraw(0)
os.write(1, b"ready")
os.read(0, 1)
begin = time.monotonic()
for at in range(0, size, len(block)):
    due = begin + at / rate if rate else 0
    while (now := time.monotonic()) < due:
        time.sleep(due - now)
    left = block
    while left:
        left = left[os.write(1, left):]
took = time.monotonic() - begin
with open(sys.argv[3] + "~", "w") as out:
    out.write(str(took))
os.rename(sys.argv[3] + "~", sys.argv[3])
os.read(0, 1)
"""


@contextlib.contextmanager
def crowd(directory, counts):
    """Quick, slow and frozen viewers of a session, while the block runs."""
    reader = subprocess.Popen(
        [sys.executable, ROOT / "tests" / "it" / "crowd.py", directory,
         *map(str, counts)], stdout=subprocess.PIPE)
    try:
        assert reader.stdout.readline() == b"here\n"
        yield
        assert reader.poll() is None, "the crowd has gone"
    finally:
        reader.kill()
        reader.wait()
        reader.stdout.close()


def program_rate(home, path, size, rate, counts):
    """Bytes in a second that the program could write, before such a crowd."""
    sid = home.start(sys.executable, "-c", PRINTER, str(size), str(rate),
                     str(path))
    home.wait_text(sid, "ready")
    with crowd(home.dir(sid), counts):
        home.ok("send", sid, "--text", "x")
        wait_for(path.exists, lambda: home.info(sid), seconds=120)
        wait_for(lambda: home.info(sid)["observers"] == sum(counts),
                 lambda: home.info(sid))
    took = float(path.read_text())
    path.unlink()
    home.ok("kill", sid)
    return size / took


def compare_rates(home, tmp_path, size, rate, counts):
    """The rate before a crowd as a part of that without viewers: rounds
    alternate, so that both see the same machine.  There are a few more of them
    if it was busy with something else."""
    alone, crowded, part = [], [], 0
    while len(alone) < 3 or (part < 0.9 and len(alone) < 24):
        for rates, who in ((alone, (0, 0, 0)), (crowded, counts)):
            rates.append(program_rate(home, tmp_path / "took", size, rate,
                                      who))
        part = statistics.median(crowded) / statistics.median(alone)
    told = (f"{sum(counts)} viewers: {part:.2f} of the rate; alone "
            f"{[f'{r / 1e6:.1f}' for r in alone]}, with them "
            f"{[f'{r / 1e6:.1f}' for r in crowded]} MB/s")
    print(told)
    assert part >= 0.9, told


def test_a_crowd_does_not_slow_the_program(home, tmp_path):
    """200 viewers in a full run, a quarter slow, a quarter frozen.

    Those who read get every byte, at the cost of the machine's processors: so
    the program prints as much as two of them can give to a hundred readers, 1
    MB/s, far more than anybody reads.  It must not have to wait for that.
    """
    part, size = (50, 4_000_000) if FULL else (5, 1_000_000)
    compare_rates(home, tmp_path, size, 1_000_000, (2 * part, part, part))


def test_slow_viewers_do_not_slow_a_flood(home, tmp_path):
    """As fast as it can, with slow and frozen viewers only: they are skipped."""
    part = 50 if FULL else 5
    compare_rates(home, tmp_path, 40_000_000, 0, (0, part, part))


def test_the_program_never_waits_for_a_frozen_viewer(home):
    """The same flood takes about as long with 50 frozen viewers as alone."""
    def seconds(n_frozen):
        directory, driver = start(home, 60000)
        frozen = [Wire(directory) for _ in range(n_frozen)]
        begin = time.monotonic()
        driver.data(b"\n")
        driver.until_output(b"done")
        took = time.monotonic() - begin
        for w in frozen:
            w.close()
        driver.close()
        return took

    rounds = [(seconds(0), seconds(50)) for _ in range(3)]
    alone, crowded = map(min, zip(*rounds))
    assert crowded < 3 * alone + 0.5, (alone, crowded)


def test_flow_block_makes_the_program_wait_within_bounds(home):
    """B-10, C-06: opt-in, and not for longer than flow_ms at a time."""
    lines = 300000  # more than the ring and a turn of a busy host hold
    whole = flood.stream(lines)
    directory, driver = start(home, lines)
    with Wire(directory, replay="none", flow="block",
              flow_ms=10000) as blocker:
        driver.data(b"\n")
        driver.until(lambda: len(driver.output) > 100000, "some output")
        while driver.frame(0.3) is not None:
            pass
        held = len(driver.output)
        assert held < len(whole), "the program did not wait"
        blocker.until_output(b"done")
        assert blocker.gaps == [] and bytes(blocker.output) == whole[5:]
        driver.until_output(b"done")
    driver.close()


def test_flow_block_gives_up_on_a_viewer_that_never_reads(home):
    directory, driver = start(home, 100000)
    with Wire(directory, replay="none", flow="block", flow_ms=200):
        driver.data(b"\n")
        driver.until_output(b"done")
    driver.close()


def test_the_end_of_the_program_ends_the_wait_for_a_viewer(home):
    """A program that has ended has nothing to wait for."""
    directory, driver = start(home, 100000)
    with Wire(directory, replay="none", flow="block", flow_ms=10000):
        driver.data(b"\n")
        driver.until(lambda: len(driver.output) > 100000, "some output")
        while driver.frame(0.3) is not None:
            pass
        begin = time.monotonic()
        home.ok("kill", directory.name)
        assert time.monotonic() - begin < 7, "it waited for the viewer"
    driver.close()


def test_the_program_does_not_wait_for_a_read_only_viewer(home):
    """A client that may only observe cannot hold the program."""
    directory, driver = start(home, 100000)
    with Wire(directory, replay="none", flow="block", flow_ms=10000,
              access="readonly"):
        begin = time.monotonic()
        driver.data(b"\n")
        driver.until_output(b"done")
        assert time.monotonic() - begin < 9, "it waited for the viewer"
    driver.close()


def test_flow_counts_shown_output(home):
    """SEEN: reading is not enough if the client reports what it has shown."""
    lines = 50000
    directory, driver = start(home, lines)
    with Wire(directory, replay="none", flow="block", flow_ms=10000) as w:
        w.send(wire.SEEN, (5).to_bytes(8, "big"))
        w.sync()
        driver.data(b"\n")
        w.until(lambda: len(w.output) > 60000, "a window of it")
        while w.frame(0.5) is not None:
            pass
        assert len(w.output) < 300000, len(w.output)
        w.send(wire.SEEN, (1 << 40).to_bytes(8, "big"))
        w.until_output(b"done")
    driver.close()


def test_a_viewer_that_leaves_harms_nothing(home):
    """O-23, O-28: killed in the middle of a frame, again and again."""
    directory, driver = start(home, 100000)
    driver.data(b"\n")
    for _ in range(50):
        w = Wire(directory)
        w.sock.recv(10)
        w.close()
    driver.until_output(b"done")
    wait_for(lambda: driver.call("session.get")["observers"] == 1,
             "all are gone")
    driver.close()


def test_the_end_comes_after_all_output(home):
    """O-14: exit code, outcome and final offset; then the host closes."""
    sid = home.start("sh", "-c", "stty -echo; printf ready; read x; "
                     "seq 1 20000; exit 7")
    whole = b"ready" + b"".join(b"%d\r\n" % i for i in range(1, 20001))
    with Wire(home.dir(sid), replay="raw", behind="lossless",
              **{"from": 0}) as w, \
            Wire(home.dir(sid), mode="control") as control, \
            Wire(home.dir(sid)) as person:
        w.until_output(b"ready")
        w.data(b"\n")
        ended = w.ended()
        assert bytes(w.output) == whole
        assert ended["exit_code"] == 7 and ended["exit_signal"] is None
        assert ended["outcome"] == "failed", ended
        assert ended["offset"] == len(whole)
        w.until_closed()
        assert person.ended()["exit_code"] == 7
        person.until_closed()
        control.until_closed()
        assert control.frames == []


def test_events_report_changes(home):
    """O-08, O-09: modes, title, bell, notices, in order and once each."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat")
    with Wire(home.dir(sid), replay="raw", **{"from": 0}) as w, \
            Wire(home.dir(sid), features=("offset",)) as deaf:
        w.until_output(b"ready")
        assert w.metadata()["modes"] == {"app_cursor_keys": False,
                                         "bracketed_paste": False}
        w.type(wire.TEXT, b"\033[?1h")
        w.event("modes", app_cursor_keys=True, bracketed_paste=False)
        w.type(wire.TEXT, b"\033[?1;2004h")
        w.event("modes", app_cursor_keys=True, bracketed_paste=True)
        w.type(wire.TEXT, b"\033[?1;2004l")
        w.event("modes", app_cursor_keys=False, bracketed_paste=False)
        w.type(wire.TEXT, b"\033]0;a <title>\a")
        w.event("title", title="a <title>")
        w.type(wire.TEXT, b"\a")
        w.event("bell")
        w.type(wire.TEXT, b"\033]777;notify;build;it is done\a")
        w.event("notify", title="build", text="it is done")
        with Wire(home.dir(sid)) as late:
            assert late.metadata()["title"] == "a <title>"
        deaf.sync()
        assert [kind for kind, _ in deaf.frames
                if kind == wire.EVENT] == [], deaf


def test_events_of_a_frozen_viewer_are_limited_and_replaced(home):
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat")
    with Wire(home.dir(sid), replay="raw", **{"from": 0}) as w, \
            Wire(home.dir(sid)) as frozen:
        w.until_output(b"ready")
        pid = w.call("session.get")["host_pid"]
        before = memory_kib(pid)
        for i in range(200):
            w.type(wire.TEXT, b"\033]0;title %05d %s\a" % (i, b"x" * 2000))
            w.event("title")
        w.type(wire.TEXT, b"\033]0;last\a")
        w.event("title", title="last")
        assert memory_kib(pid) < before + SLACK * 2048
        frozen.event("title", title="last")
