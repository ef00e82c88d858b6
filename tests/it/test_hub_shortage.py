"""The hub while the system runs short of something: it refuses clearly, does
not spin, and serves again when there is enough (R7)."""

import concurrent.futures
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import pytest

from faults import Fault, Faults
from hub import Hub, wait_ready
from hub_load import launcher_of
from lib import BUILD, Home, own_mounts, wait_for
from sse import Events

API = "/api/v1/"
NOBODY = 64123  # a user without other processes


def create(hub, name):
    return hub.post(API + "session/create", {"command": ["cat"], "name": name})


# -------------------------------------------------------------- descriptors

def attempts(trace):
    """The calls of accept4 that failed."""
    text = trace.read_text(errors="replace") if trace.exists() else ""
    return sum("accept4(" in line and "(INJECTED)" in line
               for line in text.splitlines())


@pytest.mark.parametrize("error", ["ENFILE", "ENOMEM", "ENOBUFS"])
def test_a_system_without_files_makes_no_spinning_hub(home, tmp_path, error):
    """The kernel has no file for a client, who stays in the queue: the hub
    looks again ten times a second, not all the time."""
    trace = tmp_path / "trace"
    with Hub(home) as hub:
        wait_ready(hub)
        pid = hub.process.pid
        waiting = hub.connection(unix=False)
        with Faults(pid, [Fault("accept4", error, "1+")], trace):
            waiting.connect()
            waiting.request("GET", "/healthz")
            wait_for(lambda: attempts(trace) > 0, hub.log)
            began, before = time.monotonic(), attempts(trace)
            wait_for(lambda: attempts(trace) >= before + 20,
                     lambda: f"{attempts(trace)} attempts, {before} before")
            took = time.monotonic() - began
            assert took > 0.5, f"20 attempts within {took:.2f} s"
            assert hub.log().count("no descriptor is left") <= 2, hub.log()
        # Now there are files: the client that waits is served.
        assert waiting.getresponse().read() == b"ok\n"
        waiting.close()
        assert hub.get("/healthz").status == 200


def test_a_system_with_too_few_files_refuses_clearly(home, tmp_path):
    """The spare descriptor is enough to say so to every other client."""
    with Hub(home) as hub:
        wait_ready(hub)
        with Faults(hub.process.pid, [Fault("accept4", "ENFILE", "1+2")],
                    tmp_path / "trace"):
            got = wait_for(lambda: refusal(hub), hub.log)
        assert b"application/problem+json" in got, got
        assert b'"code":"busy"' in got and b"Retry-After" in got, got
        assert hub.get("/healthz").status == 200


def refusal(hub):
    """The answer to a client that asks nothing; "" if it is served."""
    with socket.create_connection(("127.0.0.1", hub.port)) as link:
        link.settimeout(1)
        try:
            got = link.recv(4096)
        except TimeoutError:
            return b""
    return got if got.startswith(b"HTTP/1.1 503 ") else b""


def test_a_launcher_without_descriptors_refuses_clearly(home):
    """R7: RLIMIT_NOFILE of the launcher, whatever number it has left."""
    with Hub(home) as hub:
        wait_ready(hub)
        assert create(hub, "before").status == 200
        launcher = launcher_of(hub)
        before = resource.prlimit(launcher, resource.RLIMIT_NOFILE)
        used = {int(n) for n in os.listdir(f"/proc/{launcher}/fd")}
        free = [n for n in range(len(used) + 40) if n not in used]
        made = ["before"]
        for i, n in enumerate(free[:24]):
            resource.prlimit(launcher, resource.RLIMIT_NOFILE, (n, before[1]))
            reply = create(hub, f"s{i}")
            if reply.status == 200:
                made.append(f"s{i}")
                continue
            assert reply.status == 503, reply
            assert reply.json["code"] == "busy", reply
            assert reply.json["retryable"], reply
        assert 1 < len(made) < 25, made
        resource.prlimit(launcher, resource.RLIMIT_NOFILE, before)
        assert create(hub, "after").status == 200
        assert launcher_of(hub) == launcher
        names = [s["name"] for s in hub.call("session/list", {"all": True})[
            "sessions"]]
        assert sorted(names) == sorted([*made, "after"]), names


# ---------------------------------------------------------------- terminals

TERMINALS = 2


def few_terminals(place):
    """A program that runs the hub where the kernel has so few terminals."""
    path = place / "hub"
    path.write_text(f"""#!/bin/sh
if [ -z "$INSIDE" ]; then
    INSIDE=1 exec {' '.join(own_mounts())} "$0" "$@"
fi
unset INSIDE
mount -t devpts -o newinstance,max={TERMINALS},ptmxmode=666 devpts /dev/pts
mount --bind /dev/pts/ptmx /dev/ptmx
exec {BUILD}/src/tend-hub "$@"
""")
    path.chmod(0o700)
    return path


def test_without_terminals_starting_a_session_is_refused(home, tmp_path):
    """R7: kernel.pty.max.  The others go on, and one that ends makes room."""
    with Hub(home, program=few_terminals(tmp_path)) as hub:
        wait_ready(hub)
        for i in range(TERMINALS):
            reply = create(hub, f"s{i}")
            assert reply.status == 200, reply
        for _ in range(3):
            reply = create(hub, "more")
            assert reply.status == 503, reply
            assert reply.json["code"] == "busy", reply
            assert reply.json["retryable"] and "pty/max" in \
                reply.json["detail"], reply
            assert reply.headers["Retry-After"], reply
        names = [s["name"] for s in hub.call("session/list", {"all": True})[
            "sessions"]]
        assert sorted(names) == ["s0", "s1"], names
        hub.call("session/send", {"session": "s0", "input": [
            {"text": "here\n"}]})
        assert hub.call("session/wait", {"session": "s0", "text": "here",
                                         "timeout": "30s"})["matched"]
        hub.call("session/kill", {"session": "s1"})
        wait_for(lambda: create(hub, "again").status == 200, "room")


# ---------------------------------------------------------------- processes

@pytest.fixture
def crowded():
    """A hub of a user of its own, whose number of processes has a limit only
    for that user."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="tend-it-"))
    for name in ("tend-hub", "tend-keeper", "tend-host"):
        shutil.copy(BUILD / "src" / name, place)
    become = ""
    if os.getuid() == 0:
        become = (f"setpriv --reuid={NOBODY} --regid={NOBODY} "
                  "--clear-groups ")
    program = place / "hub"
    program.write_text(f'#!/bin/sh\nexec {become}{place}/tend-hub "$@"\n')
    program.chmod(0o755)
    path = place / "home"
    path.mkdir(mode=0o700)
    if os.getuid() == 0:
        os.chown(place, NOBODY, NOBODY)
        os.chown(path, NOBODY, NOBODY)
    with Home(path) as home, Hub(home, program=program, env={
            "HOME": str(place), "XDG_STATE_HOME": str(place),
            "XDG_CONFIG_HOME": str(place)}) as hub:
        wait_ready(hub)
        yield hub
    shutil.rmtree(place)


def limit_processes(pid, most):
    """As the user of the process; "" as a limit is the hard one."""
    become = [] if os.getuid() != 0 else [
        "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    hard = subprocess.run(
        [*become, "prlimit", f"--pid={pid}", "--nproc", "--output=HARD",
         "--noheadings"], check=True, capture_output=True, text=True)
    hard = hard.stdout.strip()
    subprocess.run([*become, "prlimit", f"--pid={pid}",
                    f"--nproc={most or hard}:{hard}"], check=True)


def test_without_processes_starting_a_session_is_refused(crowded):
    """R7: RLIMIT_NPROC of the launcher."""
    hub = crowded
    assert create(hub, "before").status == 200
    launcher = launcher_of(hub)
    limit_processes(launcher, 1)
    for _ in range(3):
        reply = create(hub, "more")
        assert reply.status == 503, reply
        assert reply.json["code"] == "busy" and reply.json["retryable"], reply
    assert [s["name"] for s in hub.call("session/list", {"all": True})[
        "sessions"]] == ["before"]
    limit_processes(launcher, "")
    assert create(hub, "after").status == 200
    assert launcher_of(hub) == launcher


def test_without_threads_the_hub_answers_all_the_same(crowded):
    """R7: RLIMIT_NPROC of the hub, which cannot add threads for calls."""
    hub = crowded
    assert create(hub, "one").status == 200
    limit_processes(hub.process.pid, 1)

    def call(i):
        if i % 2:
            return hub.post(API + "session/output", {"session": "one"})
        return hub.post(API + "session/send", {
            "session": "one", "input": [{"text": f"line {i}\n"}]})

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(call, range(64)))
    for reply in replies:
        assert reply.status == 200 or (
            reply.status == 503 and reply.json["retryable"]), reply
    assert hub.get("/healthz").status == 200
    limit_processes(hub.process.pid, "")
    assert call(0).status == call(1).status == 200
    assert hub.process.poll() is None, hub.log()


# ------------------------------------------------------------------ inotify

def test_more_changes_than_the_kernel_remembers_are_read_again(home):
    """The queue of inotify overflows while the hub is stopped; then it reads
    the whole home."""
    queue = int(pathlib.Path(
        "/proc/sys/fs/inotify/max_queued_events").read_text())
    renamed = home.start("cat", options=["-n", "old"])
    removed = home.start("true")
    home.wait_status(removed, "exited")
    with Hub(home) as hub, Events(hub) as events:
        events.wait("current")
        hub.process.send_signal(signal.SIGSTOP)
        try:
            place = home.path / "sessions" / "passing"
            for _ in range(queue // 2 + 100):
                place.mkdir()
                place.rmdir()
            # The kernel reports none of these.
            made = home.start("cat", options=["-n", "made"])
            home.ok("rename", renamed, "new")
            home.ok("destroy", "--purge", removed)
        finally:
            hub.process.send_signal(signal.SIGCONT)
        wait_for(lambda: "too many changes at once" in hub.log(), hub.log)
        events.wait("created", made)
        events.wait("renamed", renamed)
        events.wait("removed", removed)
        wait_for(lambda: {s["id"]: s for s in home.json("ls", "--all")}
                 == events.sessions, lambda: f"{events.sessions}")
        # Changes after that come as before.
        home.ok("rename", made, "last")
        assert events.wait("renamed", made)["from"] == "made"
        noted = hub.log().count("too many changes at once")
        assert noted == 1, hub.log()
