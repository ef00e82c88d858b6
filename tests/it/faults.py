"""System calls of a running process that fail when they are told to.

strace makes them: the call is not made, and an error is what it returns.  In
place of it another call is, for a host's sandbox ends a process that makes
none: see its syscall= in strace(1).
"""

import pathlib
import signal
import subprocess

from lib import wait_for

ERRORS = ("EIO", "ENOSPC", "EINTR", "ENOMEM")


class Fault:
    """The call that fails, how, and which of its kind does in each thread."""

    def __init__(self, call, error, when):
        self.call, self.error, self.when = call, error, when

    def __repr__(self):
        return f"{self.call}:{self.error}:{self.when}"

    @property
    def argument(self):
        return (f"inject=?{self.call}:error={self.error}:when={self.when}"
                ":syscall=gettid")


def tracers(pid):
    """Who traces the threads of a process; none when it is gone."""
    found = set()
    try:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            status = (task / "status").read_text()
            found.add(int(status.split("TracerPid:")[1].split()[0]))
    except (FileNotFoundError, ProcessLookupError):
        return set()
    return found


class Faults:
    """While it is there, the faults happen to a process and its children.

        with Faults(pid, faults, tmp_path / "trace") as happening:
            ...
        happening.hit()
    """

    def __init__(self, pid, faults, trace):
        self.trace = trace
        arguments = [word for fault in faults
                     for word in ("-e", fault.argument)]
        self.strace = subprocess.Popen(
            ["strace", "-f", "-qq", "-o", trace, "-p", str(pid), *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        wait_for(lambda: tracers(pid) <= {self.strace.pid}
                 or self.strace.poll() is not None,
                 lambda: f"strace of {pid}: {tracers(pid)}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.strace.poll() is None:
            self.strace.send_signal(signal.SIGINT)
        _, said = self.strace.communicate(timeout=60)
        assert b"invalid" not in said, said

    def hit(self):
        """How many calls failed so."""
        return self.trace.read_text(errors="replace").count("(INJECTED)")
