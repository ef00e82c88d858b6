"""Sessions and clients that keep a hub busy while it is killed again and again.

    with Writers(home, 20) as writers, Load(hub, 3) as load:
        ...
        load.check()
        writers.check()

Every byte that a session prints can be computed, and every input is typed with a
key until a hub confirms it.
"""

import contextlib
import functools
import http.client
import pathlib
import random
import socket
import threading

import oracle_stream
from lib import BUILD, is_running, missing, wait_for
from stream_client import Closed, Stream

BURST = BUILD / "tests" / "it" / "burst"
ROUND = 4000
VIEWERS = 3

# A hub that is killed: no socket yet, nobody listens, an answer that ends.
GONE = (OSError, http.client.HTTPException)


@functools.lru_cache(maxsize=4096)
def printed(number):
    return oracle_stream.stream(number, 0, ROUND)


class Writers:
    """Sessions that print until the test ends them."""

    def __init__(self, home, number, pause=0.3):
        self.home, self.number, self.pause = home, number, pause
        self.end = home.path / "end"

    def __enter__(self):
        script = (f"stty -opost; i=0; until [ -e {self.end} ]; do i=$((i+1)); "
                  f"{BURST} $i {ROUND}; sleep {self.pause}; done; printf end")
        self.sids = [self.home.start("sh", "-c", script)
                     for _ in range(self.number)]
        for sid in self.sids:
            self.home.wait_status(sid, "running")
        self.before = self.processes()
        self.descriptors = self.count_descriptors()
        return self

    def __exit__(self, *_):
        self.end.touch()

    def processes(self):
        """The pid and the start time of each session's processes."""
        found = {}
        for m in self.home.manifests():
            if m["id"] in self.sids:
                pids = [m[who] for who in ("keeper_pid", "host_pid",
                                           "child_pid")]
                assert all(is_running(pid) for pid in pids), m
                found[m["id"]] = [(pid, start_of(pid)) for pid in pids]
        assert len(found) == self.number, found
        return found

    def count_descriptors(self):
        hosts = [host for _, (host, _), _ in self.processes().values()]
        return {pid: len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
                for pid in hosts}

    def wait_output(self, rounds=2):
        """Wait until each has printed so much more."""
        begin = {sid: self.home.info(sid)["offset"] for sid in self.sids}
        for sid, offset in begin.items():
            wait_for(lambda sid=sid, offset=offset: self.home.info(sid)[
                "offset"] >= offset + rounds * ROUND, f"output of {sid}", 60)

    def check(self):
        """They are the same processes as in the beginning, hold no more
        descriptors, and no byte of their output is missing or doubled."""
        assert self.processes() == self.before
        wait_for(lambda: all(count <= self.descriptors[pid] for pid, count
                             in self.count_descriptors().items()),
                 lambda: (self.count_descriptors(), self.descriptors))
        self.end.touch()
        total = 0
        for sid in self.sids:
            self.home.wait_gone(sid)
            raw = self.home.raw(sid)
            rounds, rest = divmod(len(raw) - len(b"end"), ROUND)
            want = b"".join(printed(n + 1) for n in range(rounds)) + b"end"
            assert rest == 0 and raw == want, (sid, len(raw), len(want))
            assert missing(self.home, sid) == [], sid
            total += len(raw)
        return total


def start_of(pid):
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[19])


class Client(threading.Thread):
    """Repeats a step until the end; hubs come and go."""

    def __init__(self, hub):
        super().__init__(daemon=True)
        self.hub, self.over, self.error = hub, threading.Event(), None
        self.done = self.lost = 0
        self.pause = 0  # seconds between two steps

    def run(self):
        try:
            while not self.over.is_set():
                try:
                    self.step()
                    self.done += 1
                    self.over.wait(self.pause)
                except GONE:
                    self.lost += 1
                    self.over.wait(0.002)
        except BaseException as error:
            self.error = error

    def finish(self):
        self.over.set()
        self.join(60)
        assert not self.is_alive(), self
        if self.error is not None:
            raise self.error


class Lister(Client):
    """Every list that it gets has all sessions."""

    def __init__(self, hub, sids):
        super().__init__(hub)
        self.sids = set(sids)

    def step(self):
        reply = self.hub.get("/api/v1/session/list")
        assert reply.status == 200, reply
        assert self.sids <= {s["id"] for s in reply.json["sessions"]}, reply


class Sender(Client):
    """Types numbers, each with a key, and repeats a request until it is
    confirmed."""

    def __init__(self, hub, sid):
        super().__init__(hub)
        self.sid, self.number, self.unknown = sid, 0, 0

    def step(self):
        reply = self.hub.post("/api/v1/session/send", {
            "session": self.sid, "key": f"k{self.number}",
            "input": [{"text": f"<{self.number}>"}]})
        if reply.status == 200:
            self.number += 1
            return
        assert reply.json["code"] in ("unknown", "unreachable", "busy"), reply
        self.unknown += reply.json["code"] == "unknown"
        self.over.wait(0.002)


class Creator(Client):
    """Starts sessions, each with a name, and stops them: the second attempt
    tells whether the first one succeeded."""

    def __init__(self, hub):
        super().__init__(hub)
        self.names, self.unanswered = [], 0
        self.tried, self.stage = False, self.create

    def step(self):
        first, self.tried = not self.tried, True
        if self.stage(f"c{len(self.names)}", first):
            self.tried = False
        else:
            self.over.wait(0.002)

    def create(self, name, first):
        reply = self.hub.post("/api/v1/session/create",
                              {"command": ["cat"], "name": name})
        if reply.status != 200 and not self.again(reply, first, "exists"):
            return False
        self.stage = self.stop
        return True

    def stop(self, name, first):
        reply = self.hub.post("/api/v1/session/stop", {"session": name})
        if reply.status != 200 and not self.again(reply, first,
                                                  "not_running"):
            return False
        self.names.append(name)
        self.stage = self.create
        return True

    def again(self, reply, first, code):
        """True if an attempt without an answer had succeeded."""
        if reply.json["code"] == code and not first:
            self.unanswered += 1
            return True
        assert reply.json["code"] in ("busy", "unknown", "unreachable"), reply
        return False


class Viewer(Client):
    """Views the output of a session over the stream, and continues with the next
    hub where the last one ended."""

    quiet = 30  # seconds without output that are an error

    def __init__(self, hub, sid):
        super().__init__(hub)
        self.sid, self.at, self.data, self.stream = sid, 0, bytearray(), None

    def step(self):
        try:
            if self.stream is None:
                self.stream = Stream(self.hub)
                self.stream.subscribe(1, session=self.sid, want="output",
                                      **{"from": self.at})
            begin = len(self.stream.subs[1].data)
            self.stream.until(lambda: len(self.stream.subs[1].data) > begin
                              or self.over.is_set(), self.missed, self.quiet)
        except (Closed, *GONE):
            self.keep()
            raise OSError("the hub has gone") from None

    def missed(self):
        end = self.hub.home.info(self.sid)["offset"]
        return f"more output of {self.sid}, which ends at {end},"

    def end_view(self):
        """End it even if its session prints nothing more."""
        self.over.set()
        stream = self.stream
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.sock.shutdown(socket.SHUT_RDWR)
        super().finish()
        self.keep()

    def keep(self):
        """Take over the bytes that the last hub has sent."""
        if self.stream is None:
            return
        sub = self.stream.subs.get(1)
        if sub is not None and sub.at is not None:
            assert sub.gaps == [], sub.gaps
            assert sub.at == self.at + len(sub.data), (sub.at, self.at)
            self.data += sub.data
            self.at = sub.at
        self.stream.sock.close()
        self.stream = None

    def finish(self):
        self.end_view()
        want = b"".join(printed(n + 1)
                        for n in range(len(self.data) // ROUND + 1))
        assert self.data == want[:len(self.data)], len(self.data)


class Load:
    """Clients of all kinds, until the end."""

    def __init__(self, hub, sids):
        self.hub, self.home, self.sids = hub, hub.home, sids

    def __enter__(self):
        self.read = self.home.path / "read"
        self.sid = self.home.start(
            "sh", "-c", "stty raw -echo; printf ready; exec cat >$0",
            self.read)
        self.home.wait_text(self.sid, "ready")
        self.lister = Lister(self.hub, [*self.sids, self.sid])
        self.sender = Sender(self.hub, self.sid)
        self.creator = Creator(self.hub)
        self.viewers = [Viewer(self.hub, sid) for sid in self.sids[:VIEWERS]]
        self.clients = [self.lister, self.sender, self.creator, *self.viewers]
        for client in self.clients:
            client.start()
        return self

    def __exit__(self, *_):
        for client in self.clients:
            client.over.set()

    def check(self):
        """The last hub serves.  Every confirmed input was typed once, in
        order; every session is whole."""
        for client in self.clients:
            before = client.done
            wait_for(lambda client=client, before=before:
                     client.done > before + 1 or client.error,
                     lambda client=client: (client, client.done, client.lost))
            client.finish()
        # The last one may be unconfirmed.
        want = b"".join(b"<%d>" % n for n in range(self.sender.number))
        last = b"<%d>" % self.sender.number
        wait_for(lambda: self.read.read_bytes() in (want, want + last),
                 lambda: (self.read.read_bytes()[-200:], want[-200:]))
        self.check_sessions()

    def check_sessions(self):
        home = self.home
        listed = {s["id"]: s for s in home.json("ls", "--all")}
        folders = {p.name for p in (home.path / "sessions").iterdir()}
        assert set(listed) == folders, set(listed) ^ folders
        names = sorted(s["name"] for s in listed.values())
        assert len(names) == len(set(names)), names
        made = {s["name"] for sid, s in listed.items()
                if sid not in (*self.sids, self.sid)}
        # The last one may have begun.
        assert set(self.creator.names) <= made, (self.creator.names, names)
        assert len(made) <= len(self.creator.names) + 1, names
        for name in self.creator.names:
            home.wait_gone(name)
            assert home.info(name)["outcome"] == "stopped", home.info(name)
        # A session without an answer is there, whole, or not: never half.
        for name in made - set(self.creator.names):
            home.ok("stop", name)


def launcher_of(hub):
    """Its pid: the hub's only child."""
    task = pathlib.Path(f"/proc/{hub.process.pid}/task/{hub.process.pid}")
    child, = (task / "children").read_text().split()
    name = pathlib.Path(f"/proc/{child}/comm")
    wait_for(lambda: name.read_text() == "tend-launcher\n", name.read_text)
    return int(child)


def seen_by(home, pid):
    """True if a process was started for this home."""
    try:
        environ = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return f"TEND_HOME={home.path}".encode() in environ.split(b"\0")


def processes_named(home, *names):
    found = []
    for path in pathlib.Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        try:
            if (path / "comm").read_text().strip() in names and \
                    is_running(path.name) and seen_by(home, path.name):
                found.append(int(path.name))
        except OSError:
            continue
    return found


def nothing_is_left(hub):
    """After the last hub: no launcher, no socket, no temporary file."""
    home = hub.home
    # A new launcher still has the hub's name for a moment.
    wait_for(lambda: processes_named(home, "tend-hub", "tend-launcher") == [],
             lambda: processes_named(home, "tend-hub", "tend-launcher"))
    sockets = pathlib.Path("/proc/net/unix").read_text()
    assert f"{home.path}/hub.sock" not in sockets
    files = {p.name for p in home.path.iterdir()}
    known = {"sessions", "names", "last", "hub.lock", "hub.log", "tend.db",
             "tend.db-wal", "tend.db-shm", "rate", "end", "read", "hits"}
    assert files <= known | {f for f in files if f.startswith("hits.")}, files


def moments(seed):
    """Times after the start at which to kill a hub: 0 to 30 ms."""
    chance = random.Random(seed)
    while True:
        yield chance.uniform(0, 0.03)
