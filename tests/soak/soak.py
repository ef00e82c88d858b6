"""Run fifty sessions for a while.

  soak.py BUILD SECONDS [SEED]

Programs print reproducible output at a modest pace; ten viewers come and go
and check every byte they get; hosts are killed and upgraded meanwhile.  A hub
serves further clients, which list, view and type with keys; every five minutes
it is killed several times in a row.  Twice a minute the run notes memory and
descriptors of all keepers and hosts, and of the hub.  At the end it reads and
compares every log, stops everything, and prints the slopes of memory and
descriptors, per minute.
"""

import functools
import os
import pathlib
import random
import signal
import statistics
import sys
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
os.environ["TEND_BUILD"] = str(BUILD)
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "it"))

import hub_load  # noqa: E402
import oracle_stream  # noqa: E402
from hub import Hub  # noqa: E402
from lib import Home, is_running, missing, wait_for  # noqa: E402
from wire import Closed, Refused, Wire  # noqa: E402

SESSIONS, VIEWERS = 50, 10
ROUND = 4000                # bytes that a program prints on request
READY = b"ready\n"
PACE = 0.1                  # seconds between two actions
KILL, UPGRADE, NOTE = 10, 15, 30   # seconds
HUB_KILL, HUB_KILLS = 300, 10
STEADY = 600                # seconds after which a slope means something


@functools.lru_cache(maxsize=4096)
def printed(number):
    return oracle_stream.stream(number, 0, ROUND)


def expected(start, end):
    """The expected bytes at an offset of any session's output."""
    if start < len(READY):
        return READY[start:end] + expected(len(READY), max(end, len(READY)))
    first, at = divmod(start - len(READY), ROUND)
    last = -(-(end - len(READY)) // ROUND)
    whole = b"".join(printed(n + 1) for n in range(first, last))
    return whole[at:at + end - start]


def same(got, start, who):
    want = expected(start, start + len(got))
    if got != want:
        i = next(i for i, (a, b) in enumerate(zip(got, want)) if a != b)
        raise AssertionError(f"{who}: byte {start + i} is {got[i:i + 40]!r}, "
                             f"not {want[i:i + 40]!r}")


class Viewer:
    """Views a session from some offset, and continues after its host was
    replaced."""

    def __init__(self, soak):
        self.home, self.sid = soak.home, soak.chance.choice(soak.sids)
        offset = self.home.info(self.sid)["offset"]
        self.at = max(0, offset - soak.chance.randrange(10 * ROUND))
        self.wire = None
        self.checked = 0

    def look(self):
        try:
            if self.wire is None:
                self.wire = Wire(self.home.dir(self.sid), replay="raw",
                                 behind="lossless", **{"from": self.at})
            while self.wire.frame(0) is not None:
                pass
            self.check()
        except (Closed, Refused, OSError):
            self.check()
            self.close()

    def check(self):
        """Compare the bytes received, and drop them."""
        if self.wire is None or not self.wire.output:
            return
        got = bytes(self.wire.output)
        assert self.wire.gaps == [], (self.sid, self.wire.gaps)
        assert self.wire.at == self.at + len(got), (self.wire.at, self.at)
        same(got, self.at, f"viewer of {self.sid}")
        self.at += len(got)
        self.checked += len(got)
        self.wire.output.clear()

    def close(self):
        if self.wire is not None:
            self.wire.close()
        self.wire = None


def slope(notes, field):
    """The slope of the line through the notes, per minute."""
    notes = notes[len(notes) // 4:]
    if len(notes) < 2:
        return 0.0
    return statistics.linear_regression(
        [note["s"] / 60 for note in notes],
        [note[field] for note in notes]).slope


class HubViewer(hub_load.Viewer):
    """As Viewer, through the hub; its session prints when chance wants it."""

    quiet = 600

    def finish(self):
        self.end_view()
        same(bytes(self.data), 0, f"viewer of {self.sid} through the hub")


class Soak:
    def __init__(self, home, seed):
        self.home, self.chance = home, random.Random(seed)
        burst = BUILD / "tests" / "it" / "burst"
        script = (f"stty -echo -opost; printf 'ready\\n'; i=0; while read -r x;"
                  f" do i=$((i+1)); {burst} $i {ROUND}; done")
        self.sids = [home.start("sh", "-c", script) for _ in range(SESSIONS)]
        for sid in self.sids:
            home.wait_text(sid, "ready")
        self.viewers = [Viewer(self) for _ in range(VIEWERS)]
        self.start_hub()
        self.begin = time.monotonic()
        self.counts = dict.fromkeys(
            ("rounds", "viewers", "kills", "upgrades", "refused", "bytes",
             "hubs"),
            0)
        self.notes = []

    def start_hub(self):
        home = self.home
        self.hub, self.read = Hub(home), home.path / "read"
        self.hub.launch()
        self.reader = home.start("sh", "-c", "stty raw -echo; printf ready; "
                                 "exec cat >$0", self.read)
        home.wait_text(self.reader, "ready")
        self.sender = hub_load.Sender(self.hub, self.reader)
        self.clients = [
            self.sender, hub_load.Lister(self.hub, self.sids),
            *(HubViewer(self.hub, sid) for sid in self.sids[:3])]
        for client in self.clients:
            client.pause = PACE
            client.start()

    def kill_hub(self):
        for _ in range(HUB_KILLS):
            self.hub.kill()
            self.hub.launch()
            self.counts["hubs"] += 1
            time.sleep(self.chance.uniform(0, PACE))

    def end_hub(self):
        for client in self.clients:
            client.finish()
        self.hub.stop()
        hub_load.nothing_is_left(self.hub)
        want = b"".join(b"<%d>" % n for n in range(self.sender.number))
        last = b"<%d>" % self.sender.number
        wait_for(lambda: self.read.read_bytes() in (want, want + last),
                 "the typed text")
        assert self.sender.unknown == 0
        print(f"{self.sender.number} inputs through hubs came once each; "
              f"{sum(c.lost for c in self.clients)} requests were cut off")
        self.home.ok("stop", self.reader)

    def tell(self):
        """One program prints the next bytes; input may be lost with a host."""
        self.home.run("send", self.chance.choice(self.sids), "--keys", "Enter")
        self.counts["rounds"] += 1

    def change_viewer(self):
        i = self.chance.randrange(VIEWERS)
        self.viewers[i].look()
        self.viewers[i].close()
        self.counts["bytes"] += self.viewers[i].checked
        self.viewers[i] = Viewer(self)
        self.counts["viewers"] += 1

    def kill(self):
        sid = self.chance.choice(self.sids)
        pid = self.home.info(sid)["host_pid"]
        if pid:
            os.kill(pid, signal.SIGKILL)
            self.counts["kills"] += 1
            self.wait_other(sid, pid)

    def wait_other(self, sid, pid):
        def other():
            now = self.home.info(sid)["host_pid"]
            return now not in (None, pid) and is_running(now)

        wait_for(other, lambda: f"another host: {self.home.info(sid)}", 60)

    def upgrade(self):
        sid = self.chance.choice(self.sids)
        answer = self.home.run("upgrade", sid)
        if answer.status == 0:
            self.counts["upgrades"] += 1
            return
        # On a busy machine the program may be too slow for it.
        print(answer, flush=True)
        self.counts["refused"] += 1
        assert self.counts["refused"] <= 1 + self.counts["upgrades"] // 10

    def note(self):
        pids = [m[who] for m in self.home.manifests()
                for who in ("keeper_pid", "host_pid") if m[who]]
        kib = fds = 0
        for pid in pids:
            try:
                proc = pathlib.Path(f"/proc/{pid}")
                text = (proc / "smaps_rollup").read_text()
                kib += int(text.split("\nPss:")[1].split()[0])
                fds += len(list((proc / "fd").iterdir()))
            except (FileNotFoundError, ProcessLookupError):
                continue
        hub = pathlib.Path(f"/proc/{self.hub.process.pid}")
        hub_kib = int((hub / "smaps_rollup").read_text()
                      .split("\nPss:")[1].split()[0])
        hub_fds = len(list((hub / "fd").iterdir()))
        self.notes.append({"s": time.monotonic() - self.begin, "kib": kib,
                           "fds": fds, "processes": len(pids),
                           "hub_kib": hub_kib, "hub_fds": hub_fds})
        print(f"{self.notes[-1]['s']:7.0f} s: {kib} KiB, {fds} descriptors, "
              f"{len(pids)} processes; the hub: {hub_kib} KiB, {hub_fds} "
              f"descriptors; {self.counts}", flush=True)

    def live(self, seconds):
        last = dict.fromkeys((self.kill, self.upgrade, self.note), self.begin)
        last[self.kill_hub] = self.begin - HUB_KILL + NOTE
        every = {self.kill: KILL, self.upgrade: UPGRADE, self.note: NOTE,
                 self.kill_hub: HUB_KILL}
        while (now := time.monotonic()) < self.begin + seconds:
            self.tell()
            if self.chance.randrange(10) == 0:
                self.change_viewer()
            for viewer in self.viewers:
                viewer.look()
            for work, pause in every.items():
                if now >= last[work] + pause:
                    last[work] = now
                    work()
            time.sleep(PACE)

    def finish(self):
        self.note()
        self.end_hub()
        for viewer in self.viewers:
            viewer.close()
        total = 0
        for sid in self.sids:
            raw = self.home.raw(sid)
            same(raw, 0, f"log of {sid}")
            assert missing(self.home, sid) == [], sid
            total += len(raw)
            self.home.ok("stop", sid)
        wait_for(lambda: self.home.processes() == [], self.home.processes)
        print(f"{total} bytes in {SESSIONS} logs are right; {self.counts}")
        kib, fds = slope(self.notes, "kib"), slope(self.notes, "fds")
        print(f"slope per minute, of all: memory {kib:+.2f} KiB, "
              f"descriptors {fds:+.3f}")
        # Earlier notes only show how the processes settle.
        assert fds < 1 or self.notes[-1]["s"] < STEADY, "descriptors are lost"


def main():
    seconds = int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
    print(f"{SESSIONS} sessions for {seconds} s, seed {seed}", flush=True)
    with Home() as home:
        soak = Soak(home, seed)
        soak.note()
        soak.live(seconds)
        soak.finish()


if __name__ == "__main__":
    main()
