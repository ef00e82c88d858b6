"""The sandbox of the hub.  The tests take over a running hub and make the calls
that an attacker would.
"""

import contextlib
import errno
import os
import pathlib
import resource
import signal
import socket

import pytest

from hub import Hub
from hub_load import GONE, Writers, launcher_of, nothing_is_left
from lib import Home, wait_for
from takeover import Ended, Takeover

AT_FDCWD = -100
AF_UNIX, AF_INET, AF_NETLINK = 1, 2, 16
STREAM = 1
BODY = 1 << 20


@pytest.fixture
def hub():
    with Home() as home, Hub(home) as running:
        yield running


def status_of(path):
    lines = pathlib.Path(path, "status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def opened(taken, path, flags=os.O_RDONLY):
    """0, or the errno of the hub's attempt to open it."""
    fd = taken.call("openat", AT_FDCWD, os.fsencode(path), flags, 0o600)
    if fd >= 0:
        assert taken.call("close", fd) == 0
    return -min(fd, 0)


def test_a_hub_that_was_taken_over_reaches_only_its_home(hub, tmp_path):
    """Landlock; /proc of other processes included."""
    sid = hub.call("session/create", {"command": ["cat"]})["id"]
    other = pathlib.Path(tmp_path, "outside")
    other.write_text("secret\n")
    host = hub.home.info(sid)["host_pid"]
    home = hub.home.path
    with Takeover(hub.process.pid) as taken:
        for path in (other, "/etc/passwd", "/", "/root", "/etc/shadow",
                     f"/proc/{host}/mem", f"/proc/{host}/environ",
                     f"/proc/{os.getpid()}/mem", f"/proc/{os.getpid()}/maps"):
            assert opened(taken, path) == errno.EACCES, path
        create = os.O_WRONLY | os.O_CREAT
        for path in (other, tmp_path / "new", "/etc/cron.d/new", "/proc/self/mem",
                     "/proc/self/oom_score_adj"):
            assert opened(taken, path, create) == errno.EACCES, path
        for path in (home / "tend.db", home / "sessions" / sid / "session.json",
                     f"/proc/{host}/stat", f"/proc/{host}/cmdline"):
            assert opened(taken, path) == 0, path
        assert opened(taken, home / "new", create) == 0
    assert other.read_text() == "secret\n"
    assert not (tmp_path / "new").exists()
    assert hub.call("session/get", {"session": sid})["id"] == sid


def test_a_hub_that_was_taken_over_cannot_call_out_or_signal(hub):
    """S15: the hub never connects to an address of the network."""
    hub.taken_over = True
    sid = hub.call("session/create", {"command": ["cat"]})["id"]
    host = hub.home.info(sid)["host_pid"]
    with Takeover(hub.process.pid) as taken:
        for family in (AF_INET, 10, AF_NETLINK, 17):
            assert taken.call("socket", family, STREAM, 0) == -errno.ENOSYS
        unix = taken.call("socket", AF_UNIX, STREAM, 0)
        assert unix >= 0
        abstract = b"\1\0\0no such name"
        assert taken.call("bind", unix, abstract, len(abstract)) == \
            -errno.ENOSYS
        assert taken.call("close", unix) == 0
        for pid in (host, os.getpid(), launcher_of(hub)):
            assert taken.call("kill", pid, 0) == -errno.EPERM, pid
        # A new process, not a thread.
        assert taken.call("clone", signal.SIGCHLD, 0, 0, 0, 0) == -errno.ENOSYS
    said = hub.log()
    assert said.count("system call refused") == 3, said
    assert hub.call("session/get", {"session": sid})["id"] == sid


@pytest.mark.parametrize("name, args", [
    ("execve", (b"/bin/true", 0, 0)),
    ("ptrace", (16, 1, 0, 0)),
    ("mmap", (0, 4096, 7, 0x22, -1, 0)),
])
def test_running_code_ends_the_hub_and_no_session(hub, name, args):
    sid = hub.call("session/create", {"command": ["cat"]})["id"]
    before = hub.home.info(sid)
    with pytest.raises(Ended) as ended:
        with Takeover(hub.process.pid) as taken:
            taken.call(name, *args)
    assert ended.value.args[0] == signal.SIGSYS, ended.value
    hub.process.wait(60)
    hub.start()
    after = hub.call("session/get", {"session": sid})
    for key in ("keeper_pid", "host_pid", "child_pid"):
        assert after[key] == before[key], (before, after)


def test_every_thread_of_the_hub_has_the_limits(hub):
    hub.call("session/create", {"command": ["cat"], "name": "c"})
    hub.call("token/create", {})
    waiting = hub.connection()
    waiting.request("GET", "/api/v1/session/list")
    tasks = pathlib.Path(f"/proc/{hub.process.pid}/task")
    for task in tasks.iterdir():
        status = status_of(task)
        assert status["Seccomp"] == "2", status
        assert status["NoNewPrivs"] == "1", status
        assert int(status["CapPrm"], 16) == 0, status
    assert waiting.getresponse().status == 200
    waiting.close()
    limit = resource.prlimit(hub.process.pid, resource.RLIMIT_CORE)
    assert limit == (0, 0)
    assert "files are limited" in hub.log(), hub.log()
    assert "system call refused" not in hub.log(), hub.log()


def test_the_launcher_holds_nothing_of_the_hub(hub):
    """Its only socket leads to the hub; it has no lock, no database, no log."""
    launcher = launcher_of(hub)
    status = status_of(f"/proc/{launcher}")
    assert status["Seccomp"] == "0", status
    fds = pathlib.Path(f"/proc/{launcher}/fd")
    targets = [os.readlink(fd) for fd in fds.iterdir()]
    sockets = [t for t in targets if t.startswith("socket:")]
    assert len(sockets) == 1, targets
    files = [t for t in targets if t.startswith("/") and t != "/dev/null"]
    assert files == [], targets
    inode = sockets[0][8:-1]
    for table in ("tcp", "tcp6"):
        text = pathlib.Path(f"/proc/net/{table}").read_text()
        assert f" {inode} " not in text, text


def test_sessions_of_the_hub_have_the_limits_of_its_starter(hub):
    """Those of the hub itself are not inherited."""
    done = hub.call("session/create", {"command": ["sh", "-c", "umask; ulimit "
                    "-Hc; grep Seccomp: /proc/self/status; cat"]})
    mask = os.umask(0)
    os.umask(mask)
    core = resource.getrlimit(resource.RLIMIT_CORE)[1]
    want = ["%04o" % mask,
            "unlimited" if core == resource.RLIM_INFINITY else str(core),
            "Seccomp:        0"]
    seen = wait_for(lambda: [s for s in hub.home.screen(done["id"])["lines"]
                             if s][2:] and hub.home.screen(done["id"]),
                    "three lines")
    assert [s for s in seen["lines"] if s] == want, seen


def limit_memory(hub, spare):
    """Leave it so many bytes."""
    status = pathlib.Path(f"/proc/{hub.process.pid}/status").read_text()
    size = int(status.split("VmSize:")[1].split()[0]) * 1024
    resource.prlimit(hub.process.pid, resource.RLIMIT_AS,
                     (size + spare, size + spare))


def ask_for_much(hub, stack):
    """A request whose body waits for its last byte."""
    link = stack.enter_context(socket.socket(socket.AF_UNIX))
    link.settimeout(60)
    link.connect(str(hub.home.path / "hub.sock"))
    link.sendall(b"POST /api/v1/session/send HTTP/1.1\r\nHost: hub\r\n"
                 b"Content-Type: application/json\r\n"
                 b"Content-Length: %d\r\n\r\n" % BODY + b" " * (BODY - 1))


def test_a_hub_without_memory_ends_and_the_next_one_serves():
    """Its address space is bounded; sessions do not notice its end."""
    with Home() as home, Writers(home, 3) as writers:
        hub = Hub(home)
        hub.launch()
        limit_memory(hub, 16 << 20)
        with contextlib.ExitStack() as stack:
            for _ in range(1000):
                with contextlib.suppress(GONE):
                    ask_for_much(hub, stack)
                if hub.process.poll() is not None:
                    break
            assert hub.process.wait(60) == -signal.SIGABRT
        hub.launch()
        assert hub.get("/api/v1/session/list").status == 200
        hub.stop()
        nothing_is_left(hub)
        writers.check()
