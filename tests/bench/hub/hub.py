"""Measure the hub beside a bare WebSocket server and a session's own socket.

  hub.py BUILD [--quick] [--sessions N] [PART...]

BUILD is a release build directory.  Every part runs its peers in turn, round
after round, and prints the median, the spread and the goals.  An incomplete
output fails the run, and so does a missed goal.  N sessions (200) are there for
the figures of an idle hub and of long lists; the goals are for 1000.  PARTS are
the functions below whose name begins with part_.
"""

import contextlib
import importlib.util
import os
import pathlib
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
os.environ["TEND_BUILD"] = str(BUILD)
sys.path.insert(0, str(HERE.parents[1] / "it"))
sys.path.insert(0, str(HERE.parent / "session"))

import session  # noqa: E402
from lib import TEND, Home, wait_for  # noqa: E402
from session import LIMIT, MB, Failed, Figures, Probe  # noqa: E402
from viewers import Viewers, subscribe  # noqa: E402

# tests/it/hub.py has the name of this file.
_spec = importlib.util.spec_from_file_location(
    "hub_process", HERE.parents[1] / "it" / "hub.py")
hub_process = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(hub_process)

TOOLS = BUILD / "tests/bench/hub"
IDLE = 10  # seconds

# ------------------------------------------------------------------- pieces


class Place:
    """A home with a hub."""

    def __init__(self, *options):
        self.home = Home()
        # Filling freed memory takes time, and makes it resident.
        self.home.env.pop("MALLOC_PERTURB_", None)
        self.home.env["TEND_MAX_SESSIONS"] = "5000"
        self.hub = hub_process.Hub(self.home, *options)
        self.listened = 0

    def __enter__(self):
        self.home.__enter__()
        self.hub.__enter__()
        self.secret = self.hub.call("token/create",
                                    {"label": "bench"})["secret"]
        return self

    def __exit__(self, *why):
        self.hub.__exit__(*why)
        self.home.__exit__(*why)

    @property
    def targets(self):
        return {"TCP": f"tcp:{self.hub.port}",
                "hub.sock": f"unix:{self.home.path}/hub.sock"}

    def idle(self, n):
        """n sessions of cat."""
        with ThreadPoolExecutor(2) as pool:
            sids = list(pool.map(lambda _: self.home.start("cat"), range(n)))
        wait_for(lambda: all(self.home.dir(s).joinpath("sock").exists()
                             for s in sids), "all sockets", LIMIT)
        return sids

    def load(self):
        """The program of session.py in a session; its end, and the id."""
        self.listened += 1
        path = self.home.path / f"c{self.listened}"
        with session.socket.socket(session.socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen()
            sid = self.home.start(str(BUILD / "tests/bench/session/load"),
                                  str(path), options=("--size", "80x24"))
            return session.Load(listener), sid

    def probe(self, n, sid):
        """Viewers on the session's own socket."""
        return Probe(BUILD, n, ["--socket", str(self.home.dir(sid) / "sock")],
                     self.home.env)

    def viewers(self, n, message, target=None):
        """Viewers on the hub's stream."""
        return Viewers(n, target or self.targets["TCP"], message,
                       secret=self.secret)


@contextlib.contextmanager
def bare_server():
    """A server with wslay alone; its target."""
    proc = subprocess.Popen([TOOLS / "bare"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)
    try:
        yield f"tcp:{int(proc.stdout.readline())}"
    finally:
        proc.stdin.close()
        proc.wait(LIMIT)
        proc.stdout.close()


def memory_kib(pids, field):
    total = 0
    for pid in pids:
        text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
        total += int(text.split(f"\n{field}:")[1].split()[0])
    return total


def processes(place):
    """The hub and its launcher."""
    pid = place.hub.process.pid
    return [pid, *session.children(pid)]


# --------------------------------------------------------------------- echo


def settle(clients, load):
    """Wait until each client has seen output from after its start."""
    for i, client in enumerate(clients):
        if isinstance(client, Probe):
            session.settle(client, load, i + 1)
        else:
            client.opened()


def part_echo(bench):
    p50, p99 = Figures(), Figures()
    with Place() as place, bare_server() as bare:
        load, sid = place.load()
        clients = {
            "the session's socket": place.probe(1, sid),
            "the stream, TCP": place.viewers(
                1, subscribe(sid, access="readwrite", replay="none")),
            "the stream, hub.sock": place.viewers(
                1, subscribe(sid, access="readwrite", replay="none"),
                target=place.targets["hub.sock"]),
            "bare wslay, TCP": Viewers(1, bare),
        }
        settle([c for name, c in clients.items() if "bare" not in name], load)
        for _ in range(1 if bench.quick else 25):
            for name, client in clients.items():
                times = sorted(client.echo(50 if bench.quick else 200))
                p50.add(name, times[len(times) // 2])
                p99.add(name, times[len(times) * 99 // 100])
        for client in clients.values():
            client.close()
        load.close()
    p50.show("keystroke to echo, p50", "µs")
    p99.show("keystroke to echo, p99 (not a goal)", "µs")
    direct = p50.of["the session's socket"]
    for name in ("TCP", "hub.sock"):
        pairs = zip(p50.of[f"the stream, {name}"], direct)
        bench.goal(f"echo added to the socket's by the stream, {name}",
                   statistics.median(a - b for a, b in pairs), most=60,
                   unit="µs")


# --------------------------------------------------------------------- rate


def expected(place, sid):
    """The length and the hash of a session's output, from its log."""
    with subprocess.Popen([TEND, "log", "--raw", sid], env=place.home.env,
                          stdout=subprocess.PIPE) as log:
        said = subprocess.run([TOOLS / "viewers", "sum"], stdin=log.stdout,
                              capture_output=True, check=True, timeout=LIMIT)
    return said.stdout.decode().split()


def stream_rate(bench, place, n, size, sizes):
    """The rate at which n viewers have every byte; their message sizes."""
    load, sid = place.load()
    viewers = place.viewers(n, subscribe(sid, behind="lossless", **{
        "from": 0})).opened()
    start = time.monotonic_ns()
    load.go("plain", size, 2)
    end = max(t for t, _ in viewers.marks(2))
    want = expected(place, sid)
    for i, got in enumerate(viewers.report()):
        if [str(got.bytes), got.crc] != want:
            raise Failed(f"viewer {i} of {n} has {got}, not {want}")
        sizes.append(got.bytes // got.messages)
    viewers.close()
    load.close()
    return int(want[0]) / (end - start) * 1e9 / MB


def socket_rate(bench, place, n, size):
    load, sid = place.load()
    probe = place.probe(n, sid)
    session.settle(probe, load, 1)
    start = time.monotonic_ns()
    load.go("plain", size, 2)
    ends = [probe.mark(i, 2) for i in range(n)]
    for _, got in ends:
        if got < size:
            raise Failed(f"a viewer got {got} of {size} bytes")
    probe.close()
    load.close()
    return size / (max(t for t, _ in ends) - start) * 1e9 / MB


def bare_rate(target, n, size, message):
    count = size // message
    viewers = Viewers(n, target)
    viewers.tell(f"expect 0 {n} {message * count}")
    start = time.monotonic_ns()
    viewers.tell(f"send 0 {n} push {message} {count}")
    end = max(int(viewers.line(f"all {i} ", i)[0]) for i in range(n))
    viewers.close()
    return message * count / (end - start) * 1e9 / MB


def part_rate(bench):
    rate, sizes = Figures(), []
    sizes_of = {1: 32, 10: 32, 100: 4}
    with Place() as place, bare_server() as bare:
        for _ in range(bench.rounds):
            for n, mb in sizes_of.items():
                size = 2 * MB if bench.quick else mb * MB
                rate.add(f"the stream, {n}",
                         stream_rate(bench, place, n, size, sizes))
                rate.add(f"the session's socket, {n}",
                         socket_rate(bench, place, n, size))
                rate.add(f"bare wslay, {n}",
                         bare_rate(bare, n, size,
                                   int(statistics.median(sizes))))
    rate.show("output: the rate at which so many viewers have every byte",
              "MB/s")
    print(f"  a message has {int(statistics.median(sizes))} bytes, the median")
    bench.goal("10 viewers, of 1",
               rate.ratio("the stream, 10", "the stream, 1"), least=0.6)


# ------------------------------------------------------------------- memory


def part_memory(bench):
    idle, active, own = Figures(), Figures(), Figures()
    viewers_n = 20 if bench.quick else 100
    with Place() as place:
        own.add("PSS with its launcher, 0 sessions",
                memory_kib(processes(place), "Pss") / 1024)
        place.idle(bench.sessions)
        wait_for(lambda: len(place.hub.call("session/list", method="GET")
                             ["sessions"]) == bench.sessions, "a list", LIMIT)
        cpu = idle_share(processes(place))
        own.add(f"PSS, {bench.sessions} sessions",
                memory_kib(processes(place), "Pss") / 1024)
        own.add(f"RSS of the hub, {bench.sessions} sessions",
                memory_kib([place.hub.process.pid], "Rss") / 1024)
        own.show("memory of the hub", "MiB")
        bench.goal("RSS of the hub", own.median(
            f"RSS of the hub, {bench.sessions} sessions"), most=20, unit="MiB")
        bench.goal("idle processor time, of a core", cpu, most=1, unit="%")
        for _ in range(bench.rounds):
            per_viewer(bench, place, viewers_n, idle, active)
    idle.show("memory of an idle viewer (PSS of the hub)", "KiB")
    active.show("memory of an active viewer (PSS of the hub)", "KiB")
    # Later rounds use the memory that earlier ones have left.
    bench.goal("memory of an idle viewer", max(idle.of["idle"]), most=64,
               unit="KiB")


def cpu_seconds(pids):
    """Processor time, also of threads that have ended."""
    ticks = 0
    for pid in pids:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        ticks += sum(int(w) for w in stat.rpartition(")")[2].split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


def idle_share(pids):
    """The part of a core that they use when nothing happens, in percent."""
    def settled():
        before = cpu_seconds(pids)
        time.sleep(1)
        return cpu_seconds(pids) - before < 0.05

    wait_for(settled, "all is quiet", seconds=LIMIT)
    before, began = cpu_seconds(pids), time.monotonic()
    time.sleep(IDLE)
    return (cpu_seconds(pids) - before) / (time.monotonic() - began) * 100


def per_viewer(bench, place, n, idle, active):
    """Viewers of a session that prints nothing, then of one that does."""
    load, sid = place.load()
    pids = processes(place)
    before = memory_kib(pids, "Pss")
    viewers = place.viewers(n, subscribe(sid)).opened()
    idle.add("idle", (memory_kib(pids, "Pss") - before) / n)
    most = before
    load.tell(f"go plain {2 * MB if bench.quick else 16 * MB} 2")
    done = False
    while not done:
        most = max(most, memory_kib(pids, "Pss"))
        ready = session.select.select([load.sock], [], [], 0.02)[0]
        done = bool(ready)
    active.add("active, at most", (most - before) / n)
    viewers.close()
    load.close()


# ----------------------------------------------------------------- requests


class Asking:
    """Questions to the hub: the rate, and the times of answers."""

    def __init__(self, place, bench):
        self.place, self.bench = place, bench
        self.rate, self.p50, self.p99 = Figures(), Figures(), Figures()

    def take(self, name, count, argv, text=""):
        done = subprocess.run([TOOLS / "requests", *argv], timeout=LIMIT,
                              input=text.encode(), capture_output=True)
        if done.returncode != 0:
            raise Failed(f"{name}: {done.stderr.decode()}")
        took, p50, p99, _ = (int(w) for w in done.stdout.split())
        self.rate.add(name, count / took * 1e9)
        self.p50.add(name, p50 / 1000)
        self.p99.add(name, p99 / 1000)

    def http(self, what, path, count):
        for where, target in self.place.targets.items():
            host = f"127.0.0.1:{self.place.hub.port}" if where == "TCP" else \
                "localhost"
            text = (f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: "
                    f"Bearer {self.place.secret}\r\n\r\n")
            for n in (1, 4):
                self.take(f"{what}, {where}, {n} connection{'s'[:n > 1]}",
                          count, ["http", target, str(n), str(count)], text)

    def socket(self, what, op, sid, count):
        self.take(f"{what}, the session's socket", count,
                  ["frames", str(self.place.home.dir(sid) / "sock"),
                   str(count), op, "{}"])

    def command(self, what, count):
        took = []
        for _ in range(count):
            began = time.monotonic_ns()
            subprocess.run([TEND, "ls", "--json"], env=self.place.home.env,
                           check=True, stdout=subprocess.DEVNULL)
            took.append(time.monotonic_ns() - began)
        self.rate.add(f"{what}, a process", count / sum(took) * 1e9)
        self.p50.add(f"{what}, a process", statistics.median(took) / 1000)
        self.p99.add(f"{what}, a process", max(took) / 1000)

    def show(self):
        self.rate.show("requests", "/s")
        self.p50.show("time of an answer, p50", "µs")
        self.p99.show("time of an answer, p99", "µs")


def part_requests(bench):
    few, many = 20, bench.sessions
    count = 100 if bench.quick else 2000
    with Place() as place:
        asking = Asking(place, bench)
        sid = place.idle(few)[0]
        for _ in range(bench.rounds):
            asking.http("snapshot", f"/api/v1/session/snapshot?session={sid}",
                        count)
            asking.socket("snapshot", "session.snapshot", sid, count)
            asking.http(f"list of {few}", "/api/v1/session/list", count // 5)
            asking.command(f"list of {few}", 5)
        place.idle(many - few if many > few else 1)
        many = max(many, few + 1)
        for _ in range(bench.rounds):
            asking.http(f"list of {many}", "/api/v1/session/list",
                        max(count // 50, 4))
            asking.command(f"list of {many}", 5)
        asking.show()


# --------------------------------------------------------------------- main

PARTS = {name[5:]: fn for name, fn in globals().items()
         if name.startswith("part_")}


def main():
    args = sys.argv[2:]
    quick = "--quick" in args
    args = [a for a in args if a != "--quick"]
    sessions = 20 if quick else 200
    if "--sessions" in args:
        at = args.index("--sessions")
        sessions = int(args[at + 1])
        del args[at:at + 2]
    for name in args:
        if name not in PARTS:
            sys.exit(f"there is no part {name}; there are {', '.join(PARTS)}")
    bench = session.Bench(BUILD, quick)
    bench.sessions = max(sessions, 20)
    print(f"load average before: {os.getloadavg()[0]:.1f}")
    for name in args or PARTS:
        PARTS[name](bench)
    if bench.missed:
        print(f"\n{len(bench.missed)} goals missed: " + "; ".join(bench.missed))
    # A quick run shows that everything works, not how fast it is.
    sys.exit(1 if bench.missed and not quick else 0)


main()
