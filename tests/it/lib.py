"""Shared by the integration tests: running the real `tend`, and checking
it."""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import termios
import threading
import time

import declared

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
BUILD = pathlib.Path(os.environ["TEND_BUILD"])
TEND = BUILD / "src" / "tend"

RECORDINGS = sorted(DATA.glob("*.cast"))


class Answer(str):
    """The result of a run of tend.  It is also a string of all of it: pytest
    shows a string whole when an assertion fails, and 240 characters of
    anything else."""

    def __new__(cls, args, done):
        err = done.stderr.decode("utf-8", "backslashreplace")
        answer = super().__new__(
            cls, f"tend {' '.join(map(str, args))}\n"
            f"exit status {done.returncode}\n"
            f"stdout: {done.stdout[:4000]!r}\nstderr: {err[:4000]}")
        answer.args = args
        answer.status = done.returncode
        answer.out = done.stdout
        answer.err = err
        return answer

    @property
    def text(self):
        return self.out.decode("utf-8")

    def __repr__(self):
        return str(self)


def tend(*args, input=b"", **kwargs):
    """Run tend; bytes on its standard input unless `stdin` is given."""
    if "stdin" not in kwargs:
        kwargs["input"] = input
    kwargs.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run([TEND, *args], stderr=subprocess.PIPE, timeout=120,
                          **kwargs)
    if done.stdout is None:
        done.stdout = b""
    if "--json" in args and done.stdout.startswith(b'{"ok":'):
        for line in done.stdout.splitlines():
            declared.check_command(json.loads(line))
    return Answer(args, done)


def shows(*args, input=b""):
    """The standard output of a run that must succeed without other output."""
    answer = tend(*args, input=input)
    assert answer.status == 0 and answer.err == "", answer
    return answer.text


def screen(*args, input=b""):
    """The screen object of a render that must succeed."""
    answer = json.loads(shows("render", "--json", *args, input=input))
    assert answer["ok"] is True and answer["command"] == "render"
    assert list(answer) == ["ok", "command", "result"]
    return answer["result"]


def own_mounts():
    """The command that gives another command mounts of its own."""
    if os.getuid() != 0:
        return ["unshare", "-Urm"]
    own = ["unshare", "-m"]
    if subprocess.run([*own, "true"], capture_output=True).returncode == 0:
        return own
    # In a chroot "/" is not a mount, so nothing there can be made private.
    mounts = pathlib.Path("/proc/self/mountinfo").read_text()
    assert " shared:" not in mounts, mounts
    return [*own, "--propagation", "unchanged"]


def wait_for(condition, what, seconds=30):
    """Wait until `condition` gives a true value, and return that.

    `what` names the awaited condition. It may be a function that describes the
    present state, called only after a timeout.
    """
    end = time.monotonic() + seconds
    pause = 0.002
    while True:
        seen = condition()
        if seen:
            return seen
        if time.monotonic() > end:
            what = what() if callable(what) else what
            raise AssertionError(f"not within {seconds} s: {what}\n"
                                 f"last seen: {seen!r}")
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


def as_another_user(fn):
    """The bytes that fn returns in a process of another user."""
    assert os.geteuid() == 0, "this test needs root, to become somebody else"
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            os.write(writer, fn())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        got = told.read()
    os.waitpid(pid, 0)
    return got


def unchecked(text):
    """session.json without its checksum, to be edited."""
    return re.sub(r',"crc":"[0-9a-f]{8}"', "", text)


class Stopwatch:
    """The time that something takes, without the time in which the machine
    stalled.

        with Stopwatch() as watch:
            ...
        assert watch.seconds < 2

    A thread reads the clock every hundredth of a second; a longer step counts
    as a tenth of a second at most.
    """

    def __enter__(self):
        self.seconds = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._count, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def _count(self):
        last, over = time.monotonic(), False
        while not over:
            over = self.over.wait(0.01)
            now = time.monotonic()
            self.seconds += min(now - last, 0.1)
            last = now


def is_running(pid):
    """True if a process exists and is not a zombie."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def copy_tree(source, target):
    """cp -a, repeated if a file vanished meanwhile, as in running sessions."""
    def copied():
        shutil.rmtree(target, ignore_errors=True)
        done = subprocess.run(["cp", "-a", source, target],
                              capture_output=True)
        return done.returncode == 0

    wait_for(copied, f"a copy of {source}")


class Home:
    """A home of its own for a test; its sessions end with it.

        with Home() as home:
            sid = home.start("cat")
            home.wait_text(sid, "ready")

    The directory is short enough for a socket's name, whatever the test's
    name is.
    """

    def __init__(self, path=None):
        self.made = path is None
        self.path = pathlib.Path(path or tempfile.mkdtemp(prefix="tend-it-"))
        self.env = {**os.environ, "TEND_HOME": str(self.path),
                    "MALLOC_PERTURB_": str(random.randrange(1, 256)),
                    "XDG_STATE_HOME": f"{self.path}-state",
                    "XDG_CONFIG_HOME": f"{self.path}-state/config"}
        for name in ("TEND_SESSION", "COLORFGBG", "LINES", "COLUMNS"):
            self.env.pop(name, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end_all()
        shutil.rmtree(self.env["XDG_STATE_HOME"], ignore_errors=True)
        if self.made:
            shutil.rmtree(self.path, ignore_errors=True)

    def processes(self):
        """The pids of all processes that were started in this home, or in one
        inside of it, and still run."""
        wanted = {f"TEND_HOME={self.path}".encode(),
                  f"XDG_STATE_HOME={self.path}-state".encode()}
        found = []
        for entry in os.scandir("/proc"):
            try:
                if entry.name.isdigit() and is_running(entry.name):
                    environ = pathlib.Path(entry.path, "environ").read_bytes()
                    if not wanted.isdisjoint(environ.split(b"\0")):
                        found.append(int(entry.name))
            except OSError:
                continue
        return found

    def end_all(self):
        """Kill -9 everything, and wait until it has ended."""
        def all_gone():
            for pid in self.processes():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            return not self.processes()

        wait_for(all_gone, lambda: f"the end of {self.processes()}")

    def lose(self, *sids):
        """End everything as a power failure does: nothing can record it."""
        sessions = [self.wait_status(sid, "running") for sid in sids]
        for who in ("keeper_pid", "host_pid"):
            for session in sessions:
                os.kill(session[who], signal.SIGKILL)
        self.end_all()

    def manifests(self):
        """Every session.json, as it is on disk."""
        found = []
        for path in sorted(self.path.glob("sessions/*/session.json")):
            try:
                found.append(json.loads(path.read_text()))
            except (OSError, ValueError):
                continue
        return found

    def dir(self, sid):
        return self.path / "sessions" / sid

    def run(self, *args, **kwargs):
        """Run tend in this home."""
        kwargs.setdefault("env", self.env)
        return tend(*args, **kwargs)

    def ok(self, *args, **kwargs):
        """Run tend, which must succeed; returns its standard output as
        text."""
        answer = self.run(*args, **kwargs)
        assert answer.status == 0, answer
        return answer.text

    def json(self, command, *args, **kwargs):
        """The result of a command that must succeed, from --json."""
        answer = self.run(command, "--json", *args, **kwargs)
        assert answer.status == 0, answer
        whole = json.loads(answer.out)
        assert list(whole) == ["ok", "command", "result"], answer
        assert whole["ok"] is True and whole["command"] == command, answer
        return whole["result"]

    def error(self, command, *args, status, code, **kwargs):
        """The error object of a command that must fail with this status."""
        answer = self.run(command, "--json", *args, **kwargs)
        assert answer.status == status, answer
        whole = json.loads(answer.out)
        assert list(whole) == ["ok", "command", "error"], answer
        assert whole["ok"] is False and whole["command"] == command, answer
        assert list(whole["error"]) == ["code", "message", "retryable",
                                        "details"], answer
        assert whole["error"]["code"] == code, answer
        return whole["error"]

    def start(self, *command, options=(), **kwargs):
        """Start a session in the background; its id."""
        sid = self.ok("run", "-d", *options, "--", *command, **kwargs).strip()
        assert len(sid) == 26, sid
        return sid

    def info(self, sid):
        return self.json("info", sid)

    def screen(self, sid):
        return self.json("snapshot", sid)

    def wait_text(self, sid, text, seconds=30):
        """Wait until the screen shows the text, echoed or not; the screen."""
        limit = ("--text", text, "--timeout", f"{seconds}s")
        answer = self.run("wait", sid, "--echo", *limit)
        if "no argument 'echo'" in answer.err:  # an older host, which has it so
            answer = self.run("wait", sid, *limit)
        assert answer.status == 0, answer
        return self.screen(sid)

    def wait_status(self, sid, *statuses, seconds=30):
        """Wait until the session has one of these; the session."""
        def look():
            session = self.info(sid)
            return session if session["status"] in statuses else None

        return wait_for(look, lambda: f"{sid} to be {statuses}: "
                        f"{self.info(sid)}", seconds)

    def wait_saved(self, sid, **fields):
        """Wait until session.json has these values: a host may answer a little
        before the file is on disk."""
        def look():
            text = (self.dir(sid) / "session.json").read_text()
            saved = json.loads(text)
            return all(saved[name] == value
                       for name, value in fields.items())

        wait_for(look, lambda: f"{fields} in session.json of {sid}")

    def wait_no_echo(self, sid):
        """Wait until its terminal echoes nothing; the session."""
        def look():
            session = self.info(sid)
            if session["child_pid"] is None:  # its host has not begun
                return None
            tty = os.open(f"/proc/{session['child_pid']}/fd/0",
                          os.O_RDWR | os.O_NOCTTY)
            with open(tty, "rb+", buffering=0):
                echoes = termios.tcgetattr(tty)[3] & termios.ECHO
            return None if echoes else session

        return wait_for(look, lambda: f"{self.info(sid)} to echo nothing")

    def wait_gone(self, sid):
        """Wait until it has ended and no process writes its files any more."""
        def look():
            session = self.info(sid)
            return (session["status"] == "exited"
                    and session["host_pid"] is None
                    and session["keeper_pid"] is None)

        wait_for(look, lambda: f"the end of {self.info(sid)}")

    def events(self, sid, *types):
        """All events, or those of these types: in a log with a hundred
        megabytes of output, that is far less to read."""
        wanted = [f',"type":"{kind}"'.encode() for kind in types]
        with subprocess.Popen([TEND, "log", "--events", sid], env=self.env,
                              stdout=subprocess.PIPE) as log:
            found = [json.loads(line) for line in log.stdout
                     if not wanted or any(w in line[:200] for w in wanted)]
        assert log.returncode == 0, f"tend log --events {sid}: {log.returncode}"
        for event in found:
            declared.check_event(event)
        return found

    def raw(self, sid):
        """Every byte the program wrote, from the log."""
        answer = self.run("log", "--raw", sid)
        assert answer.status == 0, answer
        return answer.out


def missing(home, sid):
    """The gaps of the log, as (from, to)."""
    return [(e["offset"], e["offset"] + e["bytes"])
            for e in home.events(sid, "gap")]


def is_all(home, sid, want, at=0):
    """Check that the log and its gaps are the stream, from byte `at` on."""
    gaps, kept = [gap for gap in missing(home, sid) if gap[1] > at], []
    for begin, end in [*gaps, (len(want), len(want))]:
        assert at <= begin, gaps
        kept.append(want[at:begin])
        at = end
    got, kept = home.run("log", "--raw", sid).out, b"".join(kept)
    if got != kept:
        i = next((i for i, (a, b) in enumerate(zip(got, kept)) if a != b),
                 min(len(got), len(kept)))
        raise AssertionError(f"{len(got)} bytes for {len(kept)}, other at {i}: "
                             f"{got[i - 40:i + 80]!r} for "
                             f"{kept[i - 40:i + 80]!r}; gaps {gaps}")
    return gaps
