"""Sessions that must survive faults, and system calls that fail on request.

strace injects the failures: the call is not made, and returns an error.
Another call is made in its place, because a host's sandbox ends a process that
makes none: see syscall= in strace(1).
"""

import pathlib
import signal
import subprocess

from lib import BUILD, is_all, wait_for

BURST = BUILD / "tests" / "it" / "burst"
ERRORS = ("EIO", "ENOSPC", "EINTR", "ENOMEM")


class Fault:
    """The call that fails, the error, and which call of each thread fails."""

    def __init__(self, call, error, when):
        self.call, self.error, self.when = call, error, when

    def __repr__(self):
        return f"{self.call}:{self.error}:{self.when}"

    @property
    def argument(self):
        return (f"inject=?{self.call}:error={self.error}:when={self.when}"
                ":syscall=gettid")


class Delay:
    """Each such call takes so much longer."""

    def __init__(self, call, seconds):
        self.call, self.seconds = call, seconds

    @property
    def argument(self):
        return f"inject=?{self.call}:delay_enter={int(self.seconds * 1e6)}"


def tracers(pid):
    """The tracers of a process's threads; none if it has ended."""
    found = set()
    try:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            status = (task / "status").read_text()
            found.add(int(status.split("TracerPid:")[1].split()[0]))
    except (FileNotFoundError, ProcessLookupError):
        return set()
    return found


class Faults:
    """Inject the faults into a process and its children.

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
        """The number of calls that failed."""
        return self.trace.read_text(errors="replace").count("(INJECTED)")


class Truth:
    """A session, and all that its program wrote to the terminal."""

    def __init__(self, home, path, **kwargs):
        self.home, self.path = home, path
        script = (f"stty -echo -opost; i=0; echo ready | tee -a {path}; "
                  "while read -r word; do case $word in "
                  f"go) i=$((i+1)); {BURST} $i 30000 | tee -a {path} ;; "
                  "end) exit 6 ;; esac; done")
        self.sid = home.start("sh", "-c", script, **kwargs)
        home.wait_status(self.sid, "running")
        wait_for(lambda: path.exists() and self.size() == len("ready\n"),
                 "the program")

    def size(self):
        return self.path.stat().st_size

    def info(self):
        return self.home.info(self.sid)

    def type(self, word):
        """End a partly typed line first."""
        return self.home.run("send", self.sid, "--keys", "Enter", "--text",
                             word, "--keys", "Enter")

    def is_served(self):
        """Check that it takes input, and shows and logs all output."""
        def answers():
            return self.type("go").status == 0

        wait_for(answers, lambda: f"{self.type('go')}\n{self.info()}")
        wait_for(lambda: self.info()["offset"] == self.size()
                 and self.info()["degraded"] is None,
                 lambda: f"{self.size()} bytes, {self.info()}", seconds=60)

    def ends_whole(self):
        """Make it end, and check that nothing is missing; returns the gaps."""
        def ended():
            self.type("end")
            return self.info()["status"] == "exited"

        wait_for(ended, self.info, seconds=60)
        assert self.info()["exit_code"] == 6, self.info()
        wait_for(lambda: self.home.processes() == [], self.home.processes)
        return is_all(self.home, self.sid, self.path.read_bytes())


def use(truth):
    """A request to a host; it may fail."""
    home, sid = truth.home, truth.sid
    truth.type("go")
    home.run("resize", sid, "90x30")
    home.run("snapshot", sid)
    home.run("label", sid, "colour=green")
    home.run("mark", sid, "here")
    truth.type("go")
    home.run("log", "--raw", sid)
