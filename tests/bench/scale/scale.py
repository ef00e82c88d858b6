"""Measure a thousand sessions, beside tmux with a thousand windows.

  scale.py BUILD [SESSIONS]

BUILD is a release build directory.  The run starts sessions of `cat`, leaves
them alone, lists them and stops them all.  It prints each figure beside its
goal, which is for a thousand.  A missed goal fails the run, and so does
anything left behind.
"""

import concurrent.futures
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
os.environ["TEND_BUILD"] = str(BUILD)
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "it"))

from lib import TEND, Home, is_running, wait_for  # noqa: E402

IDLE = 10   # seconds
LISTS = 21
AT_ONCE = 2 * len(os.sched_getaffinity(0))
LIMIT = 300


class Bench:
    """The figures, and the goals that were missed."""

    def __init__(self):
        self.missed = []

    def row(self, what, value, unit, goal, beside=""):
        met = value <= goal
        print(f"  {'ok    ' if met else 'MISSED'} {what:28} {value:9.2f} {unit}"
              f", goal at most {goal:g}{beside}", flush=True)
        if not met:
            self.missed.append(what)


def seconds(work):
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


def quietly(*argv, env):
    done = subprocess.run(argv, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LIMIT)
    if done.returncode != 0:
        raise SystemExit(f"{argv}: {done.stderr.decode()}")
    return done.stdout.decode()


def for_each(work, items):
    """Run a few at a time, as scripts and several people do."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, items))


def pss_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(text.split("\nPss:")[1].split()[0])


def cpu_ns(pids):
    """The time that all threads of the processes have run."""
    total = 0
    for pid in pids:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
    return total


def open_files():
    return int(pathlib.Path("/proc/sys/fs/file-nr").read_text().split()[0])


def traces(home):
    """The number of this home's sockets that the kernel knows."""
    with open("/proc/net/unix", encoding="utf-8") as table:
        return sum(str(home.path) in line for line in table)


def processes(home, n):
    """Keepers and hosts, once all are there."""
    pids = [m[who] for m in home.manifests()
            for who in ("keeper_pid", "host_pid")]
    return pids if len(pids) == 2 * n and 0 not in pids else None


def idle_share(pids):
    """The part of a core that they use when nothing happens, in percent."""
    def settled():
        before = cpu_ns(pids)
        time.sleep(1)
        return cpu_ns(pids) - before < 50e6

    wait_for(settled, "all is quiet", seconds=LIMIT)
    before = cpu_ns(pids)
    took = seconds(lambda: time.sleep(IDLE))
    return (cpu_ns(pids) - before) / took / 1e9 * 100


class Tmux:
    """The same in windows of one server."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="tend-scale-")
        self.env = {**os.environ, "TMUX_TMPDIR": self.dir}

    def run(self, *argv):
        return quietly("tmux", "-f", "/dev/null", *argv, env=self.env)

    def figures(self, n):
        """Seconds to make them, KiB each, list and end."""
        try:
            made = seconds(lambda: self.make(n))
            pid = int(self.run("display-message", "-p", "#{pid}"))
            kib = pss_kib(pid) / n
            listed = statistics.median(
                seconds(lambda: self.run("list-windows", "-a"))
                for _ in range(LISTS)) * 1000
            idle = idle_share([pid])
            ended = seconds(lambda: self.end(pid))
            return made, kib, idle, listed, ended
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)

    def make(self, n):
        self.run("new-session", "-d", "-x", "80", "-y", "24", "cat")
        for_each(lambda _: self.run("new-window", "-d", "cat"), range(n - 1))

    def end(self, pid):
        self.run("kill-server")
        wait_for(lambda: not is_running(pid), "tmux to end")


def beside(value):
    return f"; tmux {value:.2f}"


def measure(bench, home, n, tmux):
    def start(_):
        return quietly(TEND, "run", "-d", "--", "cat", env=home.env).strip()

    def stop(sid):
        quietly(TEND, "stop", sid, env=home.env)

    files, sids = open_files(), []
    took = seconds(lambda: sids.extend(for_each(start, range(n))))
    bench.row("created", took, "s", 10, beside(tmux[0]))
    ours = wait_for(lambda: processes(home, n), "hosts of all", LIMIT)
    bench.row("idle CPU of all", idle_share(ours), "% of a core", 1,
              beside(tmux[2]))
    bench.row("memory of one (PSS)", sum(map(pss_kib, ours)) / n, "KiB", 400,
              beside(tmux[1]))
    listed = [seconds(lambda: quietly(TEND, "ls", env=home.env))
              for _ in range(LISTS)]
    bench.row("tend ls, p50", statistics.median(listed) * 1000, "ms", 50,
              beside(tmux[3]))
    took = seconds(lambda: for_each(stop, sids))
    bench.row("stopped", took, "s", 30, beside(tmux[4]))
    wait_for(lambda: home.processes() == [],
             lambda: f"{len(home.processes())} processes are left", LIMIT)
    bench.row("sockets left", traces(home), "", 0)
    bench.row("sessions not ended",
              sum(m["status"] != "exited" for m in home.manifests()), "", 0)
    print(f"  open files of the machine: {open_files() - files:+d}")


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    bench = Bench()
    print(f"{n} sessions of cat; load average before: {os.getloadavg()[0]:.1f}")
    tmux = Tmux().figures(n)
    with Home() as home:
        measure(bench, home, n, tmux)
    if bench.missed:
        raise SystemExit("goals missed: " + ", ".join(bench.missed))


if __name__ == "__main__":
    main()
