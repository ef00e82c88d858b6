"""Measure sessions beside a bare terminal, dtach, tmux and screen.

  session.py BUILD [--quick] [CASE...]

BUILD is a release build directory.  Every case runs its peers in turn, round
after round, in the same minutes, and prints the median, the spread and the
ratio to the peer that the goal names (the median of the rounds' ratios).  A
peer whose output was not complete fails the run.  CASES are the functions
below whose name begins with case_.
"""

import contextlib
import json
import os
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MB = 1_000_000
LIMIT = 120  # seconds that anything may take
KINDS = ("plain", "sgr", "utf8")


class Failed(Exception):
    pass


# ------------------------------------------------------------------- pieces


def lines_of(stream, buffered):
    """The whole lines that a non-blocking descriptor has now."""
    try:
        data = os.read(stream, 1 << 20)
    except BlockingIOError:
        return []
    if not data:
        raise Failed("it ended too early")
    *lines, buffered[0] = (buffered[0] + data).split(b"\n")
    return [line.decode() for line in lines]


class Lines:
    """Lines of a descriptor; a caller waits for one by its beginning."""

    def __init__(self, fd):
        self.fd, self.rest, self.seen = fd, [b""], []
        os.set_blocking(fd, False)

    def until(self, wanted, what):
        end = time.monotonic() + LIMIT
        while True:
            for i, line in enumerate(self.seen):
                if wanted(line):
                    del self.seen[i]
                    return line
            if time.monotonic() > end:
                raise Failed(f"no {what} in {LIMIT} s; saw {self.seen[-3:]}")
            select.select([self.fd], [], [], 1)
            self.seen += lines_of(self.fd, self.rest)


class Load:
    """The program inside: our end of its control connection."""

    def __init__(self, listener):
        listener.settimeout(LIMIT)
        self.sock, _ = listener.accept()
        self.lines = Lines(self.sock.fileno())
        _, pid, self.ready_ns = self.lines.until(
            lambda s: s.startswith("ready"), "program").split()
        self.pid, self.ready_ns = int(pid), int(self.ready_ns)

    def tell(self, line):
        self.sock.sendall(line.encode() + b"\n")

    def go(self, kind, size, number):
        self.tell(f"go {kind} {size} {number}")
        line = self.lines.until(lambda s: s.startswith("done"), "end of output")
        start, end, written = (int(w) for w in line.split()[1:])
        return written / (end - start) * 1e9 / MB

    def close(self):
        self.sock.close()


class Probe:
    """Clients that read: see probe.c."""

    def __init__(self, build, n, argv, env):
        self.n = n
        self.proc = subprocess.Popen(
            [build / "tests/bench/session/probe", str(n), *argv],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.lines = Lines(self.proc.stdout.fileno())

    def tell(self, line):
        self.proc.stdin.write(line.encode() + b"\n")
        self.proc.stdin.flush()

    def mark(self, i, number):
        """(time, bytes) when client i got the marker."""
        line = self.lines.until(
            lambda s: s.startswith(f"mark {i} {number} "), f"marker {number}")
        return tuple(int(w) for w in line.split()[3:])

    def marks(self, number):
        return [self.mark(i, number) for i in range(self.n)]

    def echo(self, count):
        self.tell(f"echo {count}")
        line = self.lines.until(lambda s: s.startswith("echo"), "echo")
        return [int(w) / 1000 for w in line.split()[1:]]

    def spawned(self, i):
        return int(self.lines.until(
            lambda s: s.startswith(f"spawn {i} "), "start").split()[2])

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.tell("quit")
        self.proc.stdin.close()
        self.proc.wait(LIMIT)
        self.proc.stdout.close()


def cpu_ns(pids, thread=""):
    """Processor time of all threads, or some, from the scheduler itself."""
    total = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            # A thread may end between the listing and the read.
            with contextlib.suppress(FileNotFoundError,
                                     ProcessLookupError):
                if (task / "comm").read_text().startswith(thread):
                    total += int((task / "schedstat").read_text().split()[0])
    return total


def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]
               .split()[1])


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(w) for w in task.read_text().split()]
    return found


def pss_kib(pid):
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise Failed(f"no Pss of {pid}")


# -------------------------------------------------------------------- peers


class Peer:
    """A way to run the program; one session of it, or more."""

    name = ""
    detached = True

    def __init__(self, build, where):
        self.build, self.where = build, where / self.name
        self.where.mkdir()
        self.env = dict(os.environ, TERM="xterm-256color", LANG="C.UTF-8",
                        TEND_HOME=str(self.where / "home"),
                        XDG_STATE_HOME=str(self.where / "state"),
                        SCREENDIR=str(self.where / "screen"))
        for name in ("TMUX", "STY", "TEND_SESSION"):
            self.env.pop(name, None)
        (self.where / "screen").mkdir(mode=0o700)
        self.sessions = 0

    def program(self, path):
        return [str(self.build / "tests/bench/session/load"), str(path)]

    def run(self, argv):
        subprocess.run(argv, env=self.env, check=True, timeout=LIMIT,
                       stdout=subprocess.DEVNULL)

    def listen(self):
        self.sessions += 1
        path = self.where / f"c{self.sessions}"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
        return listener, path, f"s{self.sessions}"

    def start(self):
        """A session; returns its Load and its name."""
        listener, path, name = self.listen()
        with listener:
            self.run(self.start_argv(name, self.program(path)))
            return Load(listener), name

    def servers(self, load):
        return [parent(load.pid)]

    def probe(self, n, name):
        return Probe(self.build, n, self.attach_argv(name), self.env)

    def finish(self):
        pass


class Bare(Peer):
    """The harness holds the terminal: the upper limit of speed."""

    name = "bare"
    detached = False

    def probe_new(self, n=1):
        listener, path, _ = self.listen()
        with listener:
            probe = Probe(self.build, n, self.program(path), self.env)
            return Load(listener), probe


class Dtach(Peer):
    name = "dtach"

    def start_argv(self, name, program):
        return ["dtach", "-n", str(self.where / name), *program]

    def attach_argv(self, name):
        return ["dtach", "-a", str(self.where / name), "-r", "winch"]


class Tmux(Peer):
    name = "tmux"

    def __init__(self, build, where):
        super().__init__(build, where)
        # The server is warm, and does not end with a session.
        self.run([*self.server(), "new", "-d", "-s", "keep", "exec cat"])

    def server(self):
        return ["tmux", "-S", str(self.where / "socket"), "-f", "/dev/null"]

    def start_argv(self, name, program):
        return [*self.server(), "new", "-d", "-s", name, "-x", "80", "-y",
                "24", "exec " + " ".join(program)]

    def attach_argv(self, name):
        return [*self.server(), "attach", "-t", name]

    def finish(self):
        subprocess.run([*self.server(), "kill-server"], env=self.env,
                       check=False, stderr=subprocess.DEVNULL)


class Screen(Peer):
    name = "screen"

    def start_argv(self, name, program):
        return ["screen", "-U", "-c", "/dev/null", "-dmS", name, *program]

    def attach_argv(self, name):
        return ["screen", "-U", "-x", name]


class Tend(Peer):
    name = "tend"
    options = ()

    def tend(self):
        return str(self.build / "src/tend")

    def start_argv(self, name, program):
        return [self.tend(), "run", "-d", "-n", name, "--size", "80x24",
                *self.options, "--", *program]

    def attach_argv(self, name):
        return [self.tend(), "attach", name]

    def servers(self, load):
        keeper = parent(load.pid)
        return [keeper, *(p for p in children(keeper) if p != load.pid)]

    def directory(self, name):
        said = subprocess.run(
            [self.tend(), "info", "--json", name], env=self.env, check=True,
            capture_output=True, timeout=LIMIT).stdout
        return self.where / "home/sessions" / json.loads(said)["result"]["id"]

    def compressed(self, load, name):
        """Wait until the log is complete; returns the time of its thread."""
        log = self.directory(name) / "log"
        end = time.monotonic() + LIMIT
        while len(list(log.glob("*.seg"))) > 1:
            if time.monotonic() > end:
                raise Failed(f"not compressed: {sorted(log.iterdir())}")
            time.sleep(0.05)
        return cpu_ns(self.servers(load), "tend-press")

    def viewers(self, n, name):
        return Probe(self.build, n,
                     ["--socket", str(self.directory(name) / "sock")], self.env)

    def output(self, name):
        return subprocess.run([self.tend(), "log", "--raw", name], env=self.env,
                              check=True, capture_output=True).stdout

    def finish(self):
        home = self.where / "home/sessions"
        for path in home.iterdir() if home.is_dir() else []:
            subprocess.run([self.tend(), "kill", path.name], env=self.env,
                           check=False, capture_output=True)


# ------------------------------------------------------------------ figures


class Figures:
    """The figures of a case: a list of numbers for each name."""

    def __init__(self):
        self.of = {}

    def add(self, name, value):
        self.of.setdefault(name, []).append(value)

    def median(self, name):
        return statistics.median(self.of[name])

    def ratio(self, name, peer):
        pairs = zip(self.of[name], self.of[peer])
        return statistics.median(a / b for a, b in pairs)

    def show(self, title, unit):
        print(f"\n{title}")
        for name, values in self.of.items():
            print(f"  {name:36} {statistics.median(values):10.2f} {unit}"
                  f"   ({min(values):.2f}–{max(values):.2f})")


class Bench:
    def __init__(self, build, quick):
        self.build, self.quick = build, quick
        self.rounds = 1 if quick else 5
        self.rate_rounds = 1 if quick else 11  # they spread most
        self.missed = []
        self.top = Path(tempfile.mkdtemp(prefix="tend-bench."))

    @contextlib.contextmanager
    def peers(self, *kinds):
        where = Path(tempfile.mkdtemp(dir=self.top))
        made = [kind(self.build, where) for kind in kinds]
        try:
            yield made
        finally:
            for peer in made:
                peer.finish()
            shutil.rmtree(where, ignore_errors=True)

    def size(self, peer, mb):
        if self.quick:
            return 2 * MB
        slow = {"tmux": 4, "screen": 8}
        return mb * MB // slow.get(peer.name, 1)

    def goal(self, what, value, least=None, most=None, unit="×"):
        met = value >= least if least is not None else value <= most
        sign, bound = ("≥", least) if least is not None else ("≤", most)
        print(f"  {'ok    ' if met else 'MISSED'} {what}: {value:.2f} {unit}, "
              f"goal {sign} {bound} {unit}")
        if not met:
            self.missed.append(what)


def settle(probe, load, number):
    """Wait until every client has seen output from after its start."""
    while True:
        load.tell(f"say {number}")
        ready = select.select([probe.lines.fd], [], [], 0.05)[0]
        if ready:
            probe.lines.seen += lines_of(probe.lines.fd, probe.lines.rest)
        got = {line.split()[1] for line in probe.lines.seen
               if line.startswith("mark") and line.split()[2] == str(number)}
        if len(got) == probe.n:
            probe.tell("plain")
            return


# -------------------------------------------------------------------- cases


def rate_once(bench, peer, kind, attached, rate, cpu):
    if peer.detached:
        load, name = peer.start()
        probe = peer.probe(1, name) if attached else None
    else:
        load, probe = peer.probe_new()
    if probe:
        settle(probe, load, 1)
        probe.echo(1)  # a client that types gets no greeting any more
    size = bench.size(peer, 64)
    before = cpu_ns(peer.servers(load)) if peer.detached else 0
    rate.add(peer.name, load.go(kind, size, 2))
    if probe and peer.name not in ("tmux", "screen"):
        (_, got), = probe.marks(2)
        if got < size:
            raise Failed(f"{peer.name}: the client got {got} of {size} bytes")
    if peer.detached:
        used = cpu_ns(peer.servers(load)) - before
        cpu.add(peer.name, used / 1e9 * 100 * MB / size)
        if peer.name == "tend" and not attached:
            later = peer.compressed(load, name)
            cpu.add("tend, zstd, later", later / 1e9 * 100 * MB / size)
    if probe:
        probe.close()
    load.close()


def rates(bench, attached):
    for kind in KINDS:
        rate, cpu = Figures(), Figures()
        with bench.peers(Bare, Dtach, Tend, Tmux, Screen) as peers:
            for _ in range(bench.rate_rounds):
                for peer in peers:
                    rate_once(bench, peer, kind, attached, rate, cpu)
        how = "one client reads" if attached else "nobody attached"
        rate.show(f"output, {kind}, {how}", "MB/s")
        bench.goal(f"output rate, {kind}, {how}, of dtach's",
                   rate.ratio("tend", "dtach"), least=0.9)
        if attached:
            continue
        cpu.show(f"server's processor time, {kind}", "s/100 MB")
        peer, most = {"plain": ("dtach", 2), "sgr": ("tmux", 0.35),
                      "utf8": ("tmux", 0.2)}[kind]
        bench.goal(f"processor time, {kind}, of {peer}'s",
                   cpu.ratio("tend", peer), most=most)


def case_rate(bench):
    rates(bench, attached=False)


def case_attached(bench):
    rates(bench, attached=True)


def echo_clients(bench, peers):
    """(name, probe, load) of everything that echoes."""
    for peer in peers:
        if not peer.detached:
            load, probe = peer.probe_new()
            yield peer.name, probe, load
            continue
        load, name = peer.start()
        yield peer.name, peer.probe(1, name), load
        if peer.name == "tend":
            yield "tend, socket", peer.viewers(1, name), load


def echo_figures(bench, peers, flood):
    clients, floods = list(echo_clients(bench, peers)), []
    for _, probe, load in clients:
        settle(probe, load, 1)
    p50, p99 = Figures(), Figures()
    block = 50 if bench.quick else 200
    for peer in peers if flood else []:
        if peer.detached:
            load, _ = peer.start()
            floods.append((peer.name, load))
    for _ in range(1 if bench.quick else 25):
        for name, probe, _ in clients:
            for owner, load in floods:
                if owner == name.split(",")[0]:
                    load.tell("go plain 24000000 3")
            times = sorted(probe.echo(block))
            p50.add(name, times[len(times) // 2])
            p99.add(name, times[len(times) * 99 // 100])
            for owner, load in floods:
                if owner == name.split(",")[0]:
                    load.lines.until(lambda s: s.startswith("done"), "flood")
    for _, probe, load in clients:
        probe.close()
        load.close()
    for _, load in floods:
        load.close()
    return p50, p99


def case_echo(bench):
    with bench.peers(Bare, Dtach, Tend, Tmux, Screen) as peers:
        p50, p99 = echo_figures(bench, peers, flood=False)
    p50.show("keystroke to echo, p50", "µs")
    p99.show("keystroke to echo, p99 (not a goal)", "µs")
    bench.goal("echo through attach, of dtach's", p50.ratio("tend", "dtach"),
               most=1)
    bench.goal("echo through attach, of tmux's", p50.ratio("tend", "tmux"),
               most=1)
    bare = p50.median("bare")
    bench.goal("echo added through attach", p50.median("tend") - bare, most=75,
               unit="µs")
    bench.goal("echo added on the socket", p50.median("tend, socket") - bare,
               most=50, unit="µs")


def case_echo_flood(bench):
    with bench.peers(Dtach, Tend, Tmux) as peers:
        p50, p99 = echo_figures(bench, peers, flood=True)
    p50.show("keystroke to echo while another session floods, p50", "µs")
    p99.show("the same, p99 (not a goal)", "µs")
    bench.goal("echo under flood, of dtach's", p50.ratio("tend", "dtach"),
               most=1.5)


def start_once(peer):
    listener, path, name = peer.listen()
    with listener:
        began = time.monotonic_ns()
        peer.run(peer.start_argv(name, peer.program(path)))
        load = Load(listener)
    took = (load.ready_ns - began) / 1e6
    load.close()
    return took


def case_start(bench):
    took = Figures()
    with bench.peers(Dtach, Tend, Tmux) as peers:
        for peer in peers:
            start_once(peer)  # tmux's server is warm, everything is cached
        for _ in range(3 if bench.quick else 40):
            for peer in peers:
                took.add(peer.name, start_once(peer))
    took.show("start: from the command to the program's first byte", "ms")
    bench.goal("start, of dtach's", took.ratio("tend", "dtach"), most=2)
    bench.goal("start, of tmux's", took.ratio("tend", "tmux"), most=1)


def memory(bench, size):
    n = 3 if bench.quick else 100
    pss = Figures()
    with bench.peers(Dtach, Tend) as peers:
        for peer in peers:
            loads = [peer.start()[0] for _ in range(n)]
            for load in loads if size else []:
                load.go("plain", size, 2)
            total = sum(pss_kib(pid) for load in loads
                        for pid in peer.servers(load))
            pss.add(peer.name, total / n)
            for load in loads:
                load.close()
    return pss


def case_memory(bench):
    idle = memory(bench, 0)
    idle.show("memory of an idle session (PSS, 100 sessions)", "KiB")
    bench.goal("memory, idle", idle.median("tend"), most=400, unit="KiB")
    used = memory(bench, 2 * MB if bench.quick else 10 * MB)
    used.show("memory after 10 MB of output", "KiB")
    bench.goal("memory after output", used.median("tend"), most=850,
               unit="KiB")


def history_session(bench, peer, size):
    load, name = peer.start()
    done = 0
    while done < size:
        step = min(size - done, 64 * MB)
        load.go("plain", step, 7)
        done += step
    return load, name


def attach_time(peer, name):
    probe = peer.probe(1, name)
    began = probe.spawned(0)
    seen, _ = probe.mark(0, 7)
    probe.close()
    return (seen - began) / 1e6


def case_history(bench):
    size = 8 * MB if bench.quick else 1000 * MB
    first, seek = Figures(), Figures()
    with bench.peers(Tend, Tmux) as (tend, tmux):
        tend.options = ("--max-log", "4G")  # a gigabyte is to be kept
        full, name = history_session(bench, tend, size)
        empty, bare = history_session(bench, tend, 1)
        other, theirs = history_session(bench, tmux, 2 * MB)
        for _ in range(3 if bench.quick else 15):
            first.add("tend, 1 GB", attach_time(tend, name))
            first.add("tend, empty", attach_time(tend, bare))
            first.add("tmux, 2000 lines", attach_time(tmux, theirs))
        for i in range(3 if bench.quick else 15):
            at = size // 17 * (i + 1)
            began = time.monotonic_ns()
            subprocess.run([tend.tend(), "snapshot", "--at", f"@{at}", name],
                           env=tend.env, check=True, timeout=LIMIT,
                           stdout=subprocess.DEVNULL)
            seek.add("tend", (time.monotonic_ns() - began) / 1e6)
        for load in (full, empty, other):
            load.close()
    first.show("attach: from the command to the whole screen", "ms")
    bench.goal("attach to 1 GB, of tmux's with 2000 lines",
               first.ratio("tend, 1 GB", "tmux, 2000 lines"), most=1.5)
    bench.goal("attach to 1 GB, of an empty session",
               first.ratio("tend, 1 GB", "tend, empty"), most=1.25)
    seek.show("screen at a moment of 1 GB, as a process", "ms")
    bench.goal("screen at any moment", seek.median("tend"), most=50, unit="ms")


def fan_out_rate(bench, peer, n, stalled=0):
    load, name = peer.start()
    if peer.name == "tend":
        probe = peer.viewers(n + stalled, name)
    else:
        probe = peer.probe(n, name)
    settle(probe, load, 1)
    for i in range(stalled):
        probe.tell(f"stall {n + i}")
    size = bench.size(peer, 64)
    start = time.monotonic_ns()
    rate = load.go("plain", size, 2)
    if peer.name == "tend":
        ends = [probe.mark(i, 2) for i in range(n)]
        for _, got in ends:
            if got < size:
                raise Failed(f"a viewer got {got} of {size} bytes")
        rate = size / (max(t for t, _ in ends) - start) * 1e9 / MB
    probe.close()
    load.close()
    return rate


def case_fan_out(bench):
    rate = Figures()
    with bench.peers(Tend, Tmux) as (tend, tmux):
        for _ in range(bench.rounds):
            rate.add("tend, 1 viewer", fan_out_rate(bench, tend, 1))
            rate.add("tend, 10 viewers", fan_out_rate(bench, tend, 10))
            rate.add("tend, 10 and 1 stalled",
                     fan_out_rate(bench, tend, 10, 1))
            rate.add("tmux, 10 clients", fan_out_rate(bench, tmux, 10))
    rate.show("fan-out: the rate at which every viewer has every byte", "MB/s")
    bench.goal("10 viewers, of 1", rate.ratio("tend, 10 viewers",
                                              "tend, 1 viewer"), least=0.6)
    bench.goal("10 viewers, of tmux's session rate with 10 clients",
               rate.ratio("tend, 10 viewers", "tmux, 10 clients"), least=2)
    bench.goal("with a stalled viewer, of without",
               rate.ratio("tend, 10 and 1 stalled", "tend, 10 viewers"),
               least=0.9)


CASES = {name[5:]: fn for name, fn in globals().items()
         if name.startswith("case_")}


def main():
    args = sys.argv[1:]
    quick = "--quick" in args
    build, *names = [a for a in args if a != "--quick"]
    for name in names:
        if name not in CASES:
            sys.exit(f"there is no case {name}; there are {', '.join(CASES)}")
    bench = Bench(Path(build).resolve(), quick)
    try:
        for name in names or CASES:
            CASES[name](bench)
    finally:
        shutil.rmtree(bench.top, ignore_errors=True)
    if bench.missed:
        print(f"\n{len(bench.missed)} goals missed: " + "; ".join(bench.missed))
    # A quick run shows that everything works, not how fast it is.
    sys.exit(1 if bench.missed and not quick else 0)


if __name__ == "__main__":
    main()
