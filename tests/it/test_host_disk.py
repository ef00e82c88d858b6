"""A disk that is full, or hangs: the program continues, viewers stay live, and
the loss in the log is known to the byte.

The output of the programs can be computed again, so the log and its gaps are
compared with all of it.
"""

import dataclasses
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

import pytest

import oracle_stream
import repaint
from disks import fill, fill_names, free, mount, quick, small, stalling
from lib import BUILD, ROOT, is_all, is_running, wait_for
from wire import REQUEST, Closed, Wire

FULL = "TEND_TEST_FULL" in os.environ
BURST = BUILD / "tests" / "it" / "burst"
REPAINT = ROOT / "tests" / "it" / "repaint.py"
READY = b"ready\n"

# A program and all its output: more than fits into memory, or less.
PROGRAMS = {
    "flood": (f"{BURST} 5 6000000", lambda: oracle_stream.stream(5, 0, 6000000)),
    "agent": (f"{sys.executable} {REPAINT} 4000", lambda: repaint.stream(4000)),
    "quiet": (f"{BURST} 6 40000", lambda: oracle_stream.stream(6, 0, 40000)),
}


@dataclasses.dataclass
class Case:
    """An event in a session on a full disk."""

    program: str = "flood"
    viewers: int = 0
    fills: str = "before"   # before the output, or by itself in the middle
    options: tuple = ()
    meanwhile: str = ""     # actions while it is full
    times: int = 1          # that it is full
    ends: bool = False      # the program does, while it is full
    always: bool = False    # also in a small run

    def __str__(self):
        said = [self.program, f"{self.viewers} viewers", self.fills,
                *self.options, self.meanwhile, "ends" if self.ends else "",
                "twice" if self.times == 2 else ""]
        return " ".join(word for word in said if word)


CASES = [
    Case("flood", 0, always=True), Case("flood", 1), Case("agent", 0),
    Case("agent", 1, always=True), Case("quiet", 0), Case("quiet", 1),
    Case("flood", 0, "itself"), Case("flood", 1, "itself"),
    Case("agent", 0, "itself"), Case("agent", 1, "itself"),
    Case("flood", 1, options=("--durable",)),
    Case("quiet", 1, options=("--durable",)),
    Case("agent", 0, "itself", options=("--durable",)),
    Case("flood", 1, times=2, always=True), Case("agent", 0, times=2),
    Case("quiet", 1, times=2),
    Case("flood", 0, meanwhile="kill"), Case("agent", 0, meanwhile="kill"),
    Case("quiet", 0, meanwhile="kill", always=True),
    Case("flood", 0, ends=True), Case("quiet", 1, ends=True, always=True),
    Case("agent", 1, meanwhile="resize"), Case("quiet", 0, meanwhile="resize"),
    Case("quiet", 1, meanwhile="mark"), Case("flood", 0, meanwhile="mark"),
    Case("quiet", 0, meanwhile="send"), Case("agent", 1, meanwhile="send"),
]


def script(case):
    rounds = f"read x; {PROGRAMS[case.program][0]}; " * case.times
    last = "" if case.ends else "read y; "
    return f"stty -echo -opost; printf '{READY.decode()}'; {rounds}{last}exit 6"


def behind(home, sid):
    """The session's notice about it, or None."""
    why = home.info(sid)["degraded"]
    return why if why and "the log is behind" in why else None


def kill_host(home, sid):
    host = home.info(sid)["host_pid"]
    os.kill(host, signal.SIGKILL)
    wait_for(lambda: (pid := home.info(sid)["host_pid"]) not in (None, host)
             and is_running(pid), lambda: home.info(sid))


MEANWHILE = {
    "kill": kill_host,
    "resize": lambda home, sid: home.ok("resize", sid, "90x30"),
    "mark": lambda home, sid: home.run("mark", sid, "here"),
    "send": lambda home, sid: home.ok("send", sid, "--text", "typed"),
}


def type_line(home, sid, text=b""):
    """Type; the host has it then, or the session has ended because of it."""
    with Wire(home.dir(sid), replay="none") as typist:
        typist.data(text + b"\r")
        try:
            typist.sync()
        except (Closed, BrokenPipeError):
            pass


def print_over_full_disk(home, sid, case, goal, viewers):
    """One round: the disk is full, the program prints, the disk has room."""
    if case.fills == "before":
        fill(home)
    type_line(home, sid)
    wait_for(lambda: home.info(sid)["offset"] >= goal,
             lambda: (goal, home.info(sid)), seconds=60)
    if not case.ends:
        wait_for(lambda: behind(home, sid), lambda: home.info(sid))
    if case.meanwhile:
        MEANWHILE[case.meanwhile](home, sid)
    for viewer in viewers:
        viewer.until(lambda: (viewer.at or 0) >= goal, "all output", seconds=60)
    free(home)
    if not case.ends:
        wait_for(lambda: not behind(home, sid), lambda: home.info(sid))


@pytest.mark.parametrize("case", [c for c in CASES if FULL or c.always],
                         ids=str)
def test_a_full_disk_stops_no_program_and_the_loss_is_known(small, case):
    """It continues by itself when there is room again."""
    body = PROGRAMS[case.program][1]()
    sid = small.start("sh", "-c", script(case), options=case.options)
    small.wait_text(sid, "ready")
    viewers = [Wire(small.dir(sid)) for _ in range(case.viewers)]
    for number in range(1, case.times + 1):
        print_over_full_disk(small, sid, case,
                             len(READY) + number * len(body), viewers)
    if not case.ends:
        type_line(small, sid)
    for viewer in viewers:
        assert viewer.ended()["exit_code"] == 6
        viewer.close()
    ended = small.wait_status(sid, "exited")
    assert ended["exit_code"] == 6 and ended["degraded"] is None, ended
    wait_for(lambda: small.processes() == [], small.processes)
    gaps = is_all(small, sid, READY + body * case.times)
    print(f"{case}: gaps {gaps}")
    assert case.program != "quiet" or case.meanwhile == "kill" or gaps == []
    assert case.program == "quiet" or gaps != []


def test_full_disk_lets_no_session_begin(small):
    """The error is reported, and nothing is left."""
    fill(small)
    answer = small.run("run", "-d", "--", "cat")
    assert answer.status != 0 and "No space left" in answer.err, answer
    assert small.json("ls") == [], small.json("ls")
    assert small.processes() == []
    free(small)
    small.wait_status(small.start("true"), "exited")


def test_disk_without_room_for_names_lets_no_session_begin(small):
    fill_names(small)
    answer = small.run("run", "-d", "--", "cat")
    assert answer.status != 0 and "No space left" in answer.err, answer
    assert small.json("ls") == [] and small.processes() == []


def start_printing(home, *sizes, options=()):
    """A session that prints so many bytes of the stream on each request, and
    all that it will have printed."""
    rounds = "".join(f"read x; {BURST} {seed} {size}; "
                     for seed, size in enumerate(sizes))
    sid = home.start("sh", "-c", "stty -echo -opost; "
                     f"printf '{READY.decode()}'; {rounds}read y; exit 6",
                     options=options)
    home.wait_text(sid, "ready")
    return sid, READY + b"".join(oracle_stream.stream(seed, 0, size)
                                 for seed, size in enumerate(sizes))


def print_next(home, sid, size):
    goal = home.info(sid)["offset"] + size
    type_line(home, sid)
    wait_for(lambda: home.info(sid)["offset"] == goal,
             lambda: (goal, home.info(sid)), seconds=60)


def end(home, sid):
    type_line(home, sid)
    ended = home.wait_status(sid, "exited")
    assert ended["exit_code"] == 6, ended
    wait_for(lambda: home.processes() == [], home.processes)


@pytest.mark.parametrize("what", ["names", "room"])
def test_a_full_disk_at_a_change_of_segments_loses_nothing(small, what):
    """The old one is used until another can be made; nothing is missing."""
    free(small)
    sid, want = start_printing(small, 4_100_000, 1_000_000)
    print_next(small, sid, 4_100_000)
    if what == "names":
        fill_names(small)
    else:
        fill(small, leave=1_200_000)
    print_next(small, sid, 1_000_000)
    assert not (small.dir(sid) / "log" / "00000002.seg").exists() \
        or what == "room"
    free(small)
    end(small, sid)
    assert is_all(small, sid, want) == []


def test_a_full_disk_at_the_sealing_of_a_segment_loses_nothing(small):
    """A segment that cannot be compressed stays as it is until it can."""
    free(small)
    sid, want = start_printing(small, 5_000_000, 10_000, 10_000)
    print_next(small, sid, 5_000_000)
    log = small.dir(sid) / "log"
    wait_for(lambda: (log / "00000002.seg").exists(),
             lambda: sorted(log.iterdir()))
    if not (log / "00000001.zseg").exists():
        fill(small, leave=30_000)
    print_next(small, sid, 10_000)
    free(small)
    print_next(small, sid, 10_000)
    end(small, sid)
    assert is_all(small, sid, want) == []


def test_a_manifest_is_written_once_a_full_disk_has_room(small):
    """Changes of that time are in session.json when there is room again."""
    sid, want = start_printing(small, 40_000)
    fill(small)
    small.ok("label", sid, "colour=green")
    print_next(small, sid, 40_000)
    wait_for(lambda: behind(small, sid), lambda: small.info(sid))
    free(small)
    wait_for(lambda: small.manifests()[0]["labels"] == {"colour": "green"},
             small.manifests)
    end(small, sid)
    assert is_all(small, sid, want) == []


def test_removal_of_the_oldest_makes_room(small):
    """A log within its budget continues on a disk that it would fill."""
    subprocess.run(["mount", "-o", "remount,size=20m", small.path.parent],
                   check=True)
    size = 30_000_000
    sid, want = start_printing(small, size, options=("--max-log", "8M"))
    print_next(small, sid, size)
    wait_for(lambda: not behind(small, sid), lambda: small.info(sid))
    end(small, sid)
    first = next(e for e in small.events(sid) if e["type"] == "output")
    assert first["offset"] > 0
    is_all(small, sid, want, first["offset"])


def test_a_log_with_a_small_budget_keeps_the_newest_output(quick):
    """At any time it has the end of the output, and a good part of it."""
    step, times, budget = 1_100_000, 16, 8 << 20
    sid, want = start_printing(quick, *[step] * times,
                               options=("--max-log", f"{budget >> 10}K"))
    log = quick.dir(sid) / "log"
    for n in range(1, times + 1):
        print_next(quick, sid, step)
        with Wire(quick.dir(sid), mode="control") as control:
            control.call("session.flush")
        so_far = want[:n * step + len(READY)]
        kept = quick.raw(sid)
        assert so_far.endswith(kept)
        assert len(kept) >= min(len(so_far), 2 << 20), (n, len(kept))
        wait_for(lambda: disk_use(log) <= budget,
                 lambda: sorted(log.iterdir()))


# Two frames a second, all day and night, a thousand times as fast; and the
# room beside the budget: for segments that come while others are compressed,
# synced and removed.
DAY = 2 * 24 * 60 * 60 if FULL else 8000
PACE = 2000
BUDGET = 8 << 20
BESIDE = 3 * (4 << 20)


def disk_use(directory):
    """Bytes of all files of a log, without those that vanish meanwhile."""
    total = 0
    for path in directory.iterdir():
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total


def test_a_day_of_repainting_stays_within_its_budget(quick):
    """Segments are compressed and removed as fast as they come; the end of the
    day is there, and its last screen."""
    sid = quick.start("sh", "-c", "stty -echo -opost; read x; "
                      f"{sys.executable} {REPAINT} {DAY} {PACE}; read y; "
                      "exit 6", options=["--max-log", f"{BUDGET >> 10}K"])
    quick.wait_no_echo(sid)
    log, most = quick.dir(sid) / "log", 0
    goal = DAY * len(repaint.frame(0))
    type_line(quick, sid)

    def done():
        nonlocal most
        most = max(most, disk_use(log))
        return quick.info(sid)["offset"] >= goal

    wait_for(done, lambda: (goal, quick.info(sid)), seconds=300)
    assert most <= BUDGET + BESIDE, most
    wait_for(lambda: disk_use(log) <= BUDGET, lambda: disk_use(log))
    last = repaint.frame(DAY - 1)
    screen = "\n".join(quick.screen(sid)["lines"])
    assert f"{DAY - 1:06d}.00" in screen, screen
    end(quick, sid)
    kept = quick.raw(sid)
    print(f"{goal} bytes, at most {most} on disk, {len(kept)} kept")
    assert kept.endswith(last)
    tail = repaint.stream_end(DAY, len(kept))
    assert kept == tail, "what is kept is not the end of the day"
    assert not FULL or len(kept) < goal


# ------------------------------------------------- a log that is taken away


def remove_segments(home, sid):
    for path in (home.dir(sid) / "log").iterdir():
        path.unlink()


def remove_directory(home, sid):
    shutil.rmtree(home.dir(sid) / "log")


@pytest.mark.parametrize("remove", [remove_segments, remove_directory])
def test_a_removed_log_is_started_again(small, remove):
    """The program continues, and the log reports the loss."""
    sid, want = start_printing(small, 100_000, 100_000, 100_000)
    with Wire(small.dir(sid)) as viewer:
        print_next(small, sid, 100_000)
        remove(small, sid)
        print_next(small, sid, 100_000)
        log = small.dir(sid) / "log"
        wait_for(lambda: log.is_dir() and any(log.glob("*.seg")),
                 lambda: (small.dir(sid) / "host.log").read_text())
        print_next(small, sid, 100_000)
        viewer.until(lambda: (viewer.at or 0) == len(want), "all output")
    assert small.screen(sid)["offset"] == len(want)
    type_line(small, sid)
    wait_for(lambda: small.processes() == [], small.processes)
    answer = small.run("log", "--raw", sid)
    assert want.endswith(answer.out) and len(answer.out) >= 100_000, answer
    lost = len(want) - len(answer.out)
    assert answer.status == 10 and f"output 0 to {lost}" in answer.err, answer
    events = small.run("log", "--events", sid)
    assert events.status == 10, events.err
    first, *rest = map(json.loads, events.text.splitlines())
    assert first["type"] == "damaged", first
    troubles = [e for e in rest if e["type"] == "trouble"]
    assert any("sync" in str(e) for e in troubles), troubles


def test_a_log_removed_with_its_host_is_started_again(small):
    sid, want = start_printing(small, 100_000, 100_000)
    print_next(small, sid, 100_000)
    # Then no byte of it is in the ring, for the next host to log.
    wait_for(lambda: len(small.raw(sid)) == 100_006, lambda: small.info(sid))
    remove_directory(small, sid)
    kill_host(small, sid)
    print_next(small, sid, 100_000)
    end(small, sid)
    assert is_all(small, sid, want) == [(0, len(want) - 100_000)]


def make_read_only(home, sid):
    log = home.dir(sid) / "log"
    mount("--bind", log, log)
    mount("-o", "remount,bind,ro", log)
    return lambda: subprocess.run(["umount", "-l", log], check=True)


def hide(home, sid):
    """Something else is in its place."""
    log, away = home.dir(sid) / "log", home.dir(sid) / "away"
    log.rename(away)
    log.touch()

    def undo():
        log.unlink()
        away.rename(log)

    return undo


@pytest.mark.parametrize("take_away", [make_read_only, hide])
def test_a_host_that_cannot_open_the_log_serves_without_it(small, take_away):
    """It serves without a log, and continues the log when there is one."""
    sid, want = start_printing(small, 100_000, 3_000_000, 100_000)
    print_next(small, sid, 100_000)
    wait_for(lambda: len(small.run("log", "--raw", sid).out) == 100_006,
             lambda: small.events(sid)[-5:])
    give_back = take_away(small, sid)
    kill_host(small, sid)
    wait_for(lambda: behind(small, sid), lambda: small.info(sid))
    with Wire(small.dir(sid)) as viewer:
        print_next(small, sid, 3_000_000)
        viewer.until(lambda: (viewer.at or 0) >= 3_100_006, "all output")
        small.ok("resize", sid, "90x30")
        assert small.run("mark", sid, "here").status != 0
        give_back()
        viewer.event("logged")
    assert behind(small, sid) is None
    print_next(small, sid, 100_000)
    assert small.screen(sid)["cols"] == 90
    end(small, sid)
    # The newest bytes have waited in the ring until there was a log.
    (begin, stop), = is_all(small, sid, want)
    assert begin == 100_006 and 2_000_000 < stop <= 3_100_006, (begin, stop)


def test_keys_are_known_again_when_the_log_is_back(small):
    """The host cannot read them at its start, and refuses them until then."""
    read = small.path / "read"
    sid = small.start("sh", "-c", "stty raw -echo; printf ready; exec cat >$0",
                      read)
    small.wait_text(sid, "ready")
    ask = ("send", sid, "--key", "k", "--text", "once.")
    first = small.json(*ask)
    wait_for(lambda: read.read_bytes() == b"once.", read.read_bytes)
    give_back = hide(small, sid)
    kill_host(small, sid)
    wait_for(lambda: behind(small, sid), lambda: small.info(sid))
    small.error(*ask, status=8, code="storage")
    give_back()
    wait_for(lambda: behind(small, sid) is None, lambda: small.info(sid))
    assert small.json(*ask) == first
    assert read.read_bytes() == b"once."


# ------------------------------------------------------------- a disk that hangs

LITTLE = oracle_stream.stream(7, 0, 400_000)
MUCH = oracle_stream.stream(8, 0, 6_000_000)

# Echoes every key except three: a little output, much, and the end.
TYPIST = f"""
stty raw -echo; printf 'ready\\n'
while IFS= read -rN1 key; do
    case $key in
    l) {BURST} 7 {len(LITTLE)}; printf '<little>';;
    m) {BURST} 8 {len(MUCH)}; printf '<much>';;
    q) exit 6;;
    *) printf x;;
    esac
done"""


class Typist:
    """Types into that program and knows its output."""

    def __init__(self, home, sid):
        self.home, self.sid = home, sid
        self.viewer = Wire(home.dir(sid))
        self.viewer.sync()
        self.want = bytearray(READY)

    def press(self, key, prints):
        """Type a key, and wait until the viewer has its output."""
        self.want += prints
        self.viewer.data(key)
        self.viewer.until(lambda: (self.viewer.at or 0) >= len(self.want),
                          f"what {key} prints", seconds=60)

    def echo(self):
        """Seconds from a key to its output."""
        began = time.monotonic()
        self.press(b"x", b"x")
        return time.monotonic() - began

    def median_echo(self, n=40, rounds=10):
        """The best of some, because others use the machine as well."""
        return min(statistics.median(self.echo() for _ in range(n))
                   for _ in range(rounds))

    def little(self):
        self.press(b"l", LITTLE + b"<little>")

    def much(self):
        self.press(b"m", MUCH + b"<much>")

    def resize(self):
        self.viewer.call("session.resize", cols=90, rows=30)

    def label(self):
        self.viewer.call("session.label", labels={"colour": "green"})

    def mark(self):
        """The answer comes when it is in the log."""
        self.viewer.send(REQUEST, b'{"id":99,"op":"session.mark",'
                         b'"args":{"name":"here"}}')

    def look(self):
        wait_for(lambda: behind(self.home, self.sid),
                 lambda: self.home.info(self.sid))

    def another(self):
        with Wire(self.home.dir(self.sid)) as other:
            other.sync()


# Events meanwhile, and the session they happen to.
STALLS = {
    "nothing": "", "look": "look", "resize": "resize", "label": "label",
    "mark": "mark", "another": "another", "little": "little", "much": "much",
    "durable": "look", "everything": "resize label mark little another look "
    "much look",
}
SOME_STALLS = ["look", "everything"]


@pytest.mark.parametrize("what", STALLS if FULL else SOME_STALLS)
def test_a_hanging_disk_delays_no_client(stalling, what):
    """Typing is as fast as before, and the log has everything in the end, or
    reports the loss."""
    sid = stalling.start("bash", "-c", TYPIST, options=[
        "--durable"] if what == "durable" else [])
    stalling.wait_text(sid, "ready")
    typist = Typist(stalling, sid)
    before = typist.median_echo()
    stalling.disk.freeze()
    try:
        typist.echo()
        typist.viewer.event("unlogged")
        for action in STALLS[what].split():
            getattr(typist, action)()
        during = typist.median_echo()
    finally:
        stalling.disk.thaw()
    print(f"{what}: echo {before * 1e6:.0f} us, {during * 1e6:.0f} while the "
          "disk hangs")
    assert during < 2 * before + 0.001, (before, during)
    typist.viewer.event("logged")
    typist.viewer.data(b"q")
    assert typist.viewer.ended()["exit_code"] == 6
    typist.viewer.close()
    wait_for(lambda: stalling.processes() == [], stalling.processes)
    gaps = is_all(stalling, sid, bytes(typist.want))
    assert (gaps != []) == ("much" in STALLS[what]), gaps
