"""Any system call of the host fails, once: the program goes on, the session is
served by this host or the next, and the log has every byte or says which it
has not."""

import itertools
import os
import random
import signal

import pytest

from faults import ERRORS, Fault, Faults, Truth, use
from lib import Home, is_running, wait_for

FULL = "TEND_TEST_FULL" in os.environ
SOAK = "TEND_TEST_SOAK" in os.environ
SEED = int(os.environ.get("TEND_TEST_SEED", "2026"))
WHEN = ("1", "2", "3", "1+")  # which of a thread; 1+: each

# What a host calls while it serves, and while it starts under a keeper, which
# does not call these itself.
SERVING = """accept4 brk close epoll_ctl epoll_wait epoll_pwait fchmod fcntl
    fdatasync fsync ftruncate futex getsockopt ioctl mmap munmap newfstatat
    openat poll pwritev read recvfrom renameat sendto write""".split()
STARTING = """brk clone3 epoll_create1 epoll_ctl eventfd2 fchmod flock fstat
    getdents64 getrandom mmap mprotect newfstatat openat pipe2 prctl pread64
    pwritev renameat""".split()


# Of these, all may fail for as long as the bad day lasts.
LASTING = """fchmod fdatasync fsync ftruncate mmap openat pwritev
    renameat""".split()


def is_real(call, error, when):
    return when != "1+" or (call in LASTING and error != "EINTR")


def picks(calls, small, full):
    """All there are in a soak; else as many, by chance that can be had
    again."""
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
    """The host is killed, and the next one starts badly."""
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
def test_a_call_that_fails_stops_nobody(tmp_path, happen, faults):
    """O-24: the program goes on, and what is missing is known."""
    hits = [try_fault(fault, tmp_path, happen) for fault in faults]
    print(f"{len(faults)} faults, {sum(map(bool, hits))} of them hit")
    assert sum(map(bool, hits)) > len(faults) / 4, hits
