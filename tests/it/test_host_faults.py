"""Any system call of the host fails, once: the program continues, this host or
the next serves the session, and the log has every byte or reports which it
lacks."""

import itertools
import json
import os
import random
import signal
import subprocess
import time

import pytest

from faults import ERRORS, Fault, Faults, Truth, use
from lib import TEND, Home, is_running, wait_for

FULL = "TEND_TEST_FULL" in os.environ
SOAK = "TEND_TEST_SOAK" in os.environ
SEED = int(os.environ.get("TEND_TEST_SEED", "2026"))
WHEN = ("1", "2", "3", "1+")  # which of a thread; 1+: each

# Calls of a host while it serves, and while it starts under a keeper, which
# does not make these itself.
SERVING = """accept4 brk close epoll_ctl epoll_wait epoll_pwait fchmod fcntl
    fdatasync fsync ftruncate futex getsockopt ioctl mmap munmap newfstatat
    openat poll pwritev read recvfrom renameat sendto write""".split()
STARTING = """brk clone3 epoll_create1 epoll_ctl eventfd2 fchmod flock fstat
    getdents64 getrandom mmap mprotect newfstatat openat pipe2 prctl pread64
    pwritev renameat""".split()


# These may fail for the whole duration.
LASTING = """fchmod fdatasync fsync ftruncate mmap openat pwritev
    renameat""".split()


def is_real(call, error, when):
    return when != "1+" or (call in LASTING and error != "EINTR")


def picks(calls, small, full):
    """All of them in a soak; else this many, chosen at random from a fixed
    seed."""
    every = [Fault(*one) for one in itertools.product(calls, ERRORS, WHEN)
             if is_real(*one)]
    random.Random(SEED).shuffle(every)
    return every if SOAK else every[:full if FULL else small]


def try_fault(fault, tmp_path, happen):
    with Home() as home:
        truth = Truth(home, tmp_path / "truth")
        try:
            hit = happen(truth, fault, tmp_path / "trace")
            truth.is_served()
            gaps = truth.ends_whole()
        except BaseException:
            log = home.dir(truth.sid) / "host.log"
            print(f"with {fault}\n{log.read_text()}")
            raise
        finally:
            (tmp_path / "truth").unlink()
    print(f"{fault}: {hit} hit, gaps {gaps}")
    return hit


def while_serving(truth, fault, trace):
    with Faults(truth.info()["host_pid"], [fault], trace) as happening:
        use(truth)
    return happening.hit()


def while_starting(truth, fault, trace):
    """The host is killed, and the next one starts with faults."""
    before = truth.info()
    keeper, host = before["keeper_pid"], before["host_pid"]

    def another():
        pid = truth.info()["host_pid"]
        return happening.hit() > 0 or (
            pid not in (None, host) and is_running(pid))

    with Faults(keeper, [fault], trace) as happening:
        os.kill(host, signal.SIGKILL)
        wait_for(another, lambda: f"another host, {truth.info()}")
    return happening.hit()


@pytest.mark.parametrize("happen, faults", [
    (while_serving, picks(SERVING, 12, 300)),
    (while_starting, picks(STARTING, 8, 100)),
], ids=["serving", "starting"])
def test_a_call_that_fails_stops_no_program(tmp_path, happen, faults):
    """O-24: the program continues, and the loss is known."""
    hits = [try_fault(fault, tmp_path, happen) for fault in faults]
    print(f"{len(faults)} faults, {sum(map(bool, hits))} of them hit")
    assert sum(map(bool, hits)) > len(faults) / 4, hits


# ------------------------------------------------------ a sync that fails

def segments(home, sid):
    """The files of a log, the oldest first; a rewritten one has another
    name."""
    return sorted(path.name
                  for path in (home.dir(sid) / "log").glob("*.*seg"))


def echoing(home, *options):
    sid = home.start("sh", "-c", "stty -echo; echo ready; exec cat",
                     options=options)
    home.wait_text(sid, "ready")
    return sid, home.info(sid)["host_pid"]


def test_after_a_failed_sync_the_log_continues_in_another_file(tmp_path):
    """The kernel marks data that it could not write as written: the file is
    left, and its content is written again."""
    with Home() as home:
        sid, pid = echoing(home)
        assert segments(home, sid) == ["00000001.seg"]
        with Faults(pid, [Fault("fdatasync", "EIO", "1")],
                    tmp_path / "trace") as happening:
            home.ok("send", sid, "--text", "one\n")
            wait_for(lambda: len(segments(home, sid)) == 2,
                     lambda: f"{segments(home, sid)}, {happening.hit()} hit")
            trouble = home.events(sid, "trouble")
            assert [e["data"]["what"] for e in trouble] == ["sync"], trouble
            wait_for(lambda: segments(home, sid) == ["00000001.zseg",
                                                     "00000002.seg"],
                     lambda: f"{segments(home, sid)}, {happening.hit()} hit")
        home.ok("send", sid, "--text", "two\n")
        home.wait_text(sid, "two")
        assert home.raw(sid) == b"ready\r\none\r\ntwo\r\n"
        log = (home.dir(sid) / "host.log").read_text()
        assert 'what=sync error="Input/output error"' in log, log


def test_a_durable_input_is_acknowledged_only_when_synced(tmp_path):
    """While syncs fail nothing is acknowledged; then all of it is in other
    files."""
    with Home() as home:
        sid, pid = echoing(home, "--durable")
        began = time.monotonic()
        with Faults(pid, [Fault("fdatasync", "EIO", "1+")],
                    tmp_path / "trace") as happening:
            send = subprocess.Popen([TEND, "send", sid, "--text", "one\n",
                                     "--json"], env=home.env,
                                    stdout=subprocess.PIPE)
            wait_for(lambda: len(segments(home, sid)) > 2, lambda:
                     f"{segments(home, sid)}, {happening.hit()} hit")
            assert send.poll() is None, send.stdout.read()
            assert "Input/output error" in home.info(sid)["degraded"]
            tries = 2 + time.monotonic() - began
            bad = segments(home, sid)
            assert len(bad) <= 1 + tries, (tries, bad)
        out, _ = send.communicate(timeout=60)
        assert send.returncode == 0, out
        after = segments(home, sid)
        assert not set(bad) & set(after), (bad, after)
        wait_for(lambda: home.info(sid)["degraded"] is None,
                 lambda: home.info(sid))
        seq = json.loads(out)["result"]["seq"]
        assert seq in [e["seq"] for e in home.events(sid, "input")]
        assert home.raw(sid) == b"ready\r\none\r\n"
