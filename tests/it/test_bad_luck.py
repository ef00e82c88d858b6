"""Bad luck: stopped processes, clocks that continue meanwhile, exhausted
limits, and a thousand ends that leave nothing."""

import contextlib
import ctypes
import itertools
import os
import pathlib
import resource
import signal
import subprocess
import time

import pytest

import oracle_stream
from disks import quick
from lib import BUILD, TEND, wait_for
from terminal import Terminal
from wire import Wire, connect

FULL = "TEND_TEST_FULL" in os.environ
BURST = BUILD / "tests" / "it" / "burst"
SEED = 33


@pytest.fixture
def home(quick):
    return quick


# ------------------------------------------------------ processes that stop

SIZE = 8_000_000
FIRST = 1_000_000


def start_flood(home):
    """A session that prints the stream on request, then waits."""
    sid = home.start("sh", "-c", f"stty -echo; echo ready; read x; {BURST} "
                     f"{SEED} {SIZE}; read y", options=["--max-log", "64M"])
    home.wait_text(sid, "ready")
    return sid


class Watcher:
    """A viewer that the program waits for, so that it decides the speed; it
    starts the flood."""

    BEFORE = len(b"ready\r\n")

    def __init__(self, directory):
        self.wire = Wire(directory, replay="raw", behind="lossless",
                         flow="block", flow_ms=10000, **{"from": 0})
        self.wire.until_output(b"ready\r\n")
        self.wire.data(b"\n")

    def read(self, size):
        self.wire.until(lambda: len(self.wire.output) >= self.BEFORE + size,
                        f"{size} bytes", seconds=120)

    def read_what_is_there(self):
        """The bytes that a stopped host has sent."""
        while self.wire.frame(0.3) is not None:
            pass

    def read_what_comes(self):
        """Wait until many turns of the host have brought nothing."""
        def look():
            self.wire.sync()
            return len(self.wire.output)

        return wait_until_same(look, "what is shown")

    def is_whole(self):
        assert self.wire.gaps == [], self.wire
        where = oracle_stream.difference(self.wire.output[self.BEFORE:], SEED)
        assert where is None, where
        assert len(self.wire.output) == self.BEFORE + SIZE, self.wire


def called(home, name):
    """The pid of the one process of that name in this home."""
    found = [pid for pid in home.processes() if
             pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == name]
    assert len(found) == 1, found
    return found[0]


@contextlib.contextmanager
def stopped(*pids):
    """Some may have ended, such as the short commands of a shell loop."""
    def send(number):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    send(signal.SIGSTOP)
    try:
        yield
    finally:
        send(signal.SIGCONT)


def bytes_written(pid):
    text = pathlib.Path(f"/proc/{pid}/io").read_text()
    return int(text.split("wchar:")[1].split()[0])


def wait_until_same(look, what):
    """The value, once it has been the same for twenty checks."""
    seen = []

    def twenty():
        seen.append(look())
        return len(seen) > 20 and all(one == seen[-1] for one in seen[-20:])

    wait_for(twenty, lambda: f"{what} to stay: {seen[-20:]}")
    return seen[-1]


def test_a_stopped_host_makes_the_program_wait(home):
    """Nothing is lost or repeated, and others read the files."""
    sid = start_flood(home)
    watcher = Watcher(home.dir(sid))
    watcher.read(FIRST)
    program = called(home, "burst")
    home.wait_saved(sid, status="running")
    with stopped(home.info(sid)["host_pid"]):
        wait_until_same(lambda: bytes_written(program), "what it wrote")
        watcher.read_what_is_there()
        assert len(watcher.wire.output) < SIZE
        assert FIRST <= bytes_written(program) < SIZE
        seen = [m for m in home.manifests() if m["id"] == sid]
        assert seen[0]["status"] == "running"
        assert oracle_stream.difference(
            home.raw(sid)[watcher.BEFORE:], SEED) is None
    finish(home, sid, watcher)


@pytest.mark.parametrize("who", ["tend-keeper", "burst"])
def test_a_stopped_keeper_or_program_leaves_a_host_that_answers(home, who):
    """Output so far is shown; the rest comes when it continues."""
    sid = start_flood(home)
    watcher = Watcher(home.dir(sid))
    watcher.read(FIRST)
    with stopped(called(home, who)):
        shown = watcher.read_what_comes()
        assert FIRST <= shown < SIZE
        screen = home.screen(sid)
        last = oracle_stream.line(SEED, (shown - watcher.BEFORE) // 80 - 1)
        assert last.decode().rstrip() in "\n".join(screen["lines"]), screen
        assert home.info(sid)["status"] == "running"
        assert watcher.wire.call("session.get")["offset"] == shown
    finish(home, sid, watcher)


def test_a_stopped_client_stops_no_other(home):
    """It shows the newest screen when it continues."""
    sid = start_flood(home)
    with Terminal() as window:
        client = window.run(TEND, "attach", sid, env=home.env)
        window.wait_text("ready")
        watcher = Watcher(home.dir(sid))
        watcher.read(FIRST)
        with stopped(client.pid):
            watcher.read(SIZE)
            last = oracle_stream.line(SEED, SIZE // 80 - 1).decode().rstrip()
            home.wait_text(sid, last)
            assert last not in window.text()
        window.wait_text(last)
        finish(home, sid, watcher)


def finish(home, sid, watcher):
    watcher.read(SIZE)
    watcher.is_whole()
    watcher.wire.data(b"\n")
    home.wait_status(sid, "exited")
    assert home.raw(sid) == bytes(watcher.wire.output)
    assert home.events(sid, "gap") == []
    watcher.wire.close()


# ----------------------------------------------- clocks that go on meanwhile


def let_pass(seconds):
    """The passed time shows that a machine was suspended."""
    end = time.monotonic() + seconds
    wait_for(lambda: time.monotonic() > end, "time does not pass")


@pytest.mark.parametrize("whole", [False, True])
def test_a_busy_session_is_not_idle_because_its_host_slept(home, whole):
    """Output of that time is read before the idle timeout counts."""
    sid = home.start("sh", "-c", "while :; do echo line; sleep 0.1; done",
                     options=["--idle-timeout", "2s"])
    home.wait_text(sid, "line")
    with stopped(*(home.processes() if whole
                   else [home.info(sid)["host_pid"]])):
        let_pass(3.5)
    before = home.info(sid)["offset"]
    wait_for(lambda: home.info(sid)["offset"] > before + 30 * 6,
             lambda: home.info(sid))
    assert home.info(sid)["status"] == "running"
    assert home.events(sid, "signal") == []


def test_an_idle_session_that_slept_is_stopped_once(home):
    sid = home.start("cat", options=["--idle-timeout", "2s"])
    home.wait_status(sid, "running")
    with stopped(*home.processes()):
        let_pass(3.5)
    ended = home.wait_status(sid, "exited")
    assert ended["outcome"] == "stopped", ended
    sent = home.events(sid, "signal")
    assert [e["by"] for e in sent] == ["idle-timeout"], sent


def test_a_grace_that_ends_in_sleep_ends_the_session(home):
    sid = home.start("sh", "-c", "trap '' TERM HUP; echo ready; "
                     "while :; do read x; done")
    home.wait_text(sid, "ready")
    stop = subprocess.Popen([TEND, "stop", "--grace", "2s", sid],
                            env=home.env, stdout=subprocess.DEVNULL)
    wait_for(lambda: home.events(sid, "signal"),
             lambda: home.events(sid))
    with stopped(*(pid for pid in home.processes() if pid != stop.pid)):
        let_pass(3)
    ended = home.wait_status(sid, "exited")
    assert ended["outcome"] == "stopped", ended
    assert stop.wait(60) == 0
    sent = [e["number"] for e in home.events(sid) if e["type"] == "signal"]
    assert sent == [signal.SIGTERM, signal.SIGKILL], sent


# ------------------------------------------------- limits that are reached


def descriptors(pid):
    return {int(fd) for fd in os.listdir(f"/proc/{pid}/fd")}


def files(directory):
    return len(list((directory / "log").glob("*seg")))


def print_more(driver, size):
    """Let it print so much more, and wait for it."""
    end = driver.at + size
    driver.data(b"%d\n" % size)
    driver.until(lambda: driver.at == end, f"byte {end}", seconds=60)


def test_without_descriptors_the_log_continues(home):
    """O-24: in the present segment; with descriptors again, in new ones."""
    sid = home.start("sh", "-c", f"stty -echo; while read n; do {BURST} "
                     f"{SEED} $n; done", options=["--max-log", "64M"])
    pid = home.wait_no_echo(sid)["host_pid"]
    directory = home.dir(sid)
    with Wire(directory) as driver:
        driver.sync()
        driver.until(lambda: driver.screens, "the first picture")
        used = wait_until_same(lambda: descriptors(pid), "descriptors")
        free = next(fd for fd in range(len(used) + 1) if fd not in used)
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (free, before[1]))
        sizes = []

        def go_on(size):
            sizes.append(size)
            print_more(driver, size)
            return files(directory) > 1

        def seen():
            return (f"{files(directory)} files, {len(home.raw(sid))} of "
                    f"{sum(sizes)} bytes")

        go_on(12_000_000)
        let_pass(1.5)  # so that it had to be synced, too
        go_on(800_000)
        wait_for(lambda: len(home.raw(sid)) == sum(sizes), seen)
        assert files(directory) == 1
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        wait_for(lambda: go_on(80_000), seen)
    wait_for(lambda: len(home.raw(sid)) == sum(sizes), seen)
    raw = home.raw(sid)
    for at, size in zip(itertools.accumulate([0, *sizes]), sizes):
        assert oracle_stream.difference(raw[at:at + size], SEED) is None
    assert home.events(sid, "gap") == []


def cpu_seconds(pid):
    """The time that all threads of a process have run."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0])
               for task in tasks) / 1e9


def test_without_descriptors_no_process_spins(home):
    """O-24: new clients wait, the host sleeps, and accepts them when it
    can."""
    sid = home.start("cat")
    info = home.wait_status(sid, "running")
    pids = info["host_pid"], info["keeper_pid"]
    with Wire(home.dir(sid), mode="control") as inside:
        used = wait_until_same(lambda: descriptors(pids[0]), "descriptors")
        before = resource.prlimit(pids[0], resource.RLIMIT_NOFILE)
        resource.prlimit(pids[0], resource.RLIMIT_NOFILE,
                         (max(used) + 1, before[1]))
        outside = [connect(home.dir(sid)) for _ in range(100)]
        for knocking in outside:
            knocking.sendall(b'{"tend":1,"mode":"control"}\n')
        seconds = 10 if FULL else 3
        begin = [cpu_seconds(pid) for pid in pids]
        let_pass(seconds)
        took = [cpu_seconds(pid) - was for pid, was in zip(pids, begin)]
        assert max(took) < 0.05 * seconds, took
        assert inside.call("session.get")["status"] == "running"
        resource.prlimit(pids[0], resource.RLIMIT_NOFILE, before)
        for knocking in outside:
            knocking.settimeout(30)
            assert knocking.recv(1) == b"{"
            knocking.close()


def test_clients_that_come_and_go_leave_no_descriptor(home):
    sid = home.start("cat")
    pid = home.wait_status(sid, "running")["host_pid"]
    with Wire(home.dir(sid), mode="control") as stays:
        before = wait_until_same(lambda: descriptors(pid), "descriptors")
        for number in range(1000 if FULL else 100):
            with Wire(home.dir(sid), replay=("screen", "raw")[number % 2]) as w:
                w.data(b"x\n") if number % 3 else w.call("session.get")
        wait_for(lambda: stays.call("session.get")["observers"] == 0
                 and descriptors(pid) == before,
                 lambda: f"{before}, now {descriptors(pid)}")


# ----------------------------------------------- ends that leave nothing

PR_SET_CHILD_SUBREAPER = 36

ENDS = [["true"], ["sh", "-c", "exit 7"], ["sh", "-c", "kill -9 $$"],
        ["seq", "1", "2000"], ["sh", "-c", "sleep 1000 & exit 0"]]


@contextlib.contextmanager
def inherit_orphans():
    """Orphans become children of this process."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    assert prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    try:
        yield
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def reap():
    """The statuses of all children that have ended; the rest still run."""
    statuses = []
    with contextlib.suppress(ChildProcessError):
        while (got := os.waitpid(-1, os.WNOHANG))[0] != 0:
            statuses.append(got[1])
    return statuses


def traces(home):
    """All parts of the machine that name this home, or that tend made
    outside."""
    with open("/proc/net/unix", encoding="utf-8") as table:
        found = [line.split()[-1] for line in table if str(home.path) in line]
    for place in ("/dev/shm", "/run", "/var/tmp"):
        if os.path.isdir(place):
            found += [f"{place}/{name}" for name in os.listdir(place)
                      if "tend" in name]
    return found


def test_cycles_leave_nothing_behind(home, tmp_path):
    """O-24, O-28: no process, zombie, socket or file is left, a thousand
    times; every eighth session loses its host on the way."""
    cycles = 1000 if FULL else 50
    env = {**home.env, "TMPDIR": str(tmp_path)}
    before = traces(home)
    with inherit_orphans():
        statuses = []
        for number in range(cycles):
            sid = home.start(*ENDS[number % len(ENDS)], env=env)
            if number % 8 == 0:
                kill_host(home, sid)
            if number % 25 == 24:
                wait_for(lambda: home.processes() == [],
                         lambda: home.processes())
                statuses += reap()
        wait_for(lambda: home.processes() == [], lambda: home.processes())
        statuses += reap()
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
    # Every keeper ends well.  A background process that the hangup ends may
    # outlive its keeper by a moment.
    assert statuses.count(0) == cycles, statuses
    assert set(statuses) <= {0, signal.SIGHUP}, statuses
    done = home.manifests()
    assert len(done) == cycles
    assert {m["status"] for m in done} == {"exited"}, done
    assert "lost" not in {m["outcome"] for m in done}
    assert list(home.path.glob("sessions/*/sock")) == []
    for manifest in done:
        home.ok("destroy", "--purge", manifest["id"])
    assert list(home.path.glob("sessions/*")) == []
    assert list(home.path.glob("names/*")) == []
    assert list(tmp_path.iterdir()) == [] and traces(home) == before


def kill_host(home, sid):
    pid = next(m["host_pid"] for m in home.manifests() if m["id"] == sid)
    if pid > 0:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
