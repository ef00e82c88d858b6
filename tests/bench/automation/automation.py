"""Measure the cost of driving terminals from a program, beside tmux.

  automation.py BUILD [--quick] [CASE...]

Measured are: snapshots and inputs per second, over one connection (tend's
socket, tmux's control mode) and with a process for each (`tend`, `tmux`); the
time from the write of a text to the return of a wait for it, where tmux is
polled; and the cost of one command, where tmux is typed into and polled until
the status is there.  The same Python drives both sides, in turns, round after
round; it prints medians and ratios to tmux.  CASES are the functions below
whose name begins with case_.
"""

import contextlib
import os
import pathlib
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ARGUMENTS = [a for a in sys.argv[1:] if a != "--quick"]
QUICK = "--quick" in sys.argv
os.environ["TEND_BUILD"] = str(pathlib.Path(ARGUMENTS[0]).resolve())
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "it"))

from lib import TEND, Home, wait_for  # noqa: E402
from wire import REQUEST, RESPONSE, Wire  # noqa: E402

ROUNDS = 1 if QUICK else 5
CALLS = 50 if QUICK else 2000      # over one connection, in a round
PROCESSES = 5 if QUICK else 100
WAITS = 20 if QUICK else 300
COMMANDS = 3 if QUICK else 50

# Writes to its terminal what arrives on a socket, and answers when it did.
SAYER = """
import os, socket, sys, time
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
for line in s.makefile('rb'):
    now = time.monotonic_ns()
    os.write(1, b'\\x1b[H\\x1b[2J' + line.strip())
    s.sendall(b'%d\\n' % now)
"""


# -------------------------------------------------------------------- peers


class Sayer:
    """Our end of the program that writes on request."""

    def __init__(self, directory):
        self.path = pathlib.Path(tempfile.mkdtemp(dir=directory)) / "say"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.command = ["python3", "-c", SAYER, str(self.path)]

    def come(self):
        self.listener.settimeout(30)
        self.sock, _ = self.listener.accept()
        self.answers = self.sock.makefile("rb")
        return self

    def say(self, text):
        """The time of the write, in ns."""
        self.tell(text)
        return self.written()

    def tell(self, text):
        self.sock.sendall(text.encode() + b"\n")

    def written(self):
        return int(self.answers.readline())


class Tend:
    name = "tend"
    shells = {"tend": ["bash"], "tend, unmarked shell": ["bash", "--norc"]}

    def __init__(self, home):
        self.home = home

    def start(self, *command):
        return self.home.start(*command)

    @contextlib.contextmanager
    def connect(self, session):
        with Wire(self.home.dir(session), "control") as wire:
            yield TendConnection(wire)

    def run(self, *args):
        return subprocess.run([TEND, *args], env=self.home.env, check=True,
                              capture_output=True).stdout

    def snapshot(self, session):
        return self.run("snapshot", session)

    def send(self, session, text):
        self.run("send", session, "--text", text)

    def finish(self):
        pass


class TendConnection:
    """Read frames: a response is a type, a length and JSON."""

    def __init__(self, wire):
        self.wire, self.stream = wire, wire.sock.makefile("rb")

    def ask(self, op, args):
        """The response as text, as tmux's is."""
        self.wire.send(REQUEST, f'{{"id":1,"op":"{op}","args":{args}}}'.encode())
        while True:
            kind, length = struct.unpack(">BI", self.stream.read(5))
            payload = self.stream.read(length)
            if kind == RESPONSE:
                assert b'"ok":true' in payload, payload
                return payload.decode()

    def snapshot(self):
        return self.ask("session.snapshot", '{"format":"text"}')

    def send(self, text):
        self.ask("session.send", f'{{"input":[{{"text":"{text}"}}]}}')

    def wait(self, text, then):
        """Wait for a text; `then` is called when the wait is under way."""
        id = self.wire.ask("session.wait", text=text)
        then()
        assert self.wire.answer(id)["matched"]

    def run(self, command):
        """Run a command; returns its exit status."""
        return self.wire.call("session.exec", command=command)["exit_code"]


class Tmux:
    name = "tmux"
    shells = {"tmux": ["bash", "--norc"]}

    def __init__(self, home):
        self.env = {**home.env, "TMUX": "", "LANG": "C.UTF-8"}
        self.argv = ["tmux", "-S", str(home.path / "tmux"), "-f", "/dev/null"]
        self.sessions = 0

    def start(self, *command):
        self.sessions += 1
        name = f"s{self.sessions}"
        self.run("new-session", "-d", "-s", name, "-x", "80", "-y", "24",
                 *command)
        return name

    @contextlib.contextmanager
    def connect(self, session):
        with subprocess.Popen([*self.argv, "-C", "attach", "-t", session],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=self.env) as proc:
            connection = TmuxConnection(proc, session)
            yield connection
            proc.stdin.close()
            proc.stdout.read()

    def run(self, *args):
        return subprocess.run([*self.argv, *args], env=self.env, check=True,
                              capture_output=True).stdout

    def snapshot(self, session):
        return self.run("capture-pane", "-p", "-t", session)

    def send(self, session, text):
        self.run("send-keys", "-t", session, "-l", text)

    def finish(self):
        subprocess.run([*self.argv, "kill-server"], env=self.env, check=False,
                       capture_output=True)


class TmuxConnection:
    """Control mode: an answer stands between %begin and %end."""

    def __init__(self, proc, session):
        self.proc, self.session = proc, session
        self.reply()  # to the attach itself

    def reply(self):
        lines, inside = [], False
        for line in self.proc.stdout:
            if line.startswith(b"%begin "):
                inside = True
            elif line.startswith((b"%end ", b"%error ")):
                assert line.startswith(b"%end "), lines
                return b"".join(lines).decode()
            elif inside:
                lines.append(line)
        raise SystemExit("tmux ended")

    def ask(self, command):
        self.proc.stdin.write(command.encode() + b"\n")
        self.proc.stdin.flush()
        return self.reply()

    def snapshot(self):
        return self.ask(f"capture-pane -p -t {self.session}")

    def send(self, text):
        self.ask(f"send-keys -t {self.session} -l '{text}'")

    def wait(self, text, then):
        """Poll as fast as tmux answers."""
        then()
        while text not in self.snapshot():
            pass

    def run(self, command):
        """Type the command and a print of its status; poll until that
        appears."""
        self.sequence = getattr(self, "sequence", 0) + 1
        mark = f"<{self.sequence}:"
        self.ask(f"send-keys -t {self.session} -l "
                 f"'clear; {command}; echo \"<\"{self.sequence}:$?'")
        self.ask(f"send-keys -t {self.session} Enter")
        while True:
            for line in self.snapshot().splitlines():
                if line.startswith(mark):
                    return int(line[len(mark):])


# ------------------------------------------------------------------ figures


class Figures:
    def __init__(self, title, unit):
        self.unit, self.of = unit, {}
        print(f"\n{title}", flush=True)

    def add(self, name, value):
        self.of.setdefault(name, []).append(value)

    def show(self, what=""):
        for name, values in self.of.items():
            print(f"  {name:24} {statistics.median(values):10.2f} {self.unit}"
                  f"   ({min(values):.2f}–{max(values):.2f}){what}", flush=True)

    def ratio(self, name, beside):
        return statistics.median(
            a / b for a, b in zip(self.of[name], self.of[beside]))


class Bench:
    def __init__(self, home):
        self.home, self.missed = home, []
        self.peers = [Tend(home), Tmux(home)]

    def goal(self, what, value, most, unit):
        met = value <= most
        print(f"  {'ok    ' if met else 'MISSED'} {what}: {value:.2f} {unit}, "
              f"goal at most {most} {unit}", flush=True)
        if not met:
            self.missed.append(what)


def per_second(n, call):
    for _ in range(n // 10):
        call()
    begin = time.perf_counter()
    for _ in range(n):
        call()
    return n / (time.perf_counter() - begin)


def compare(figures, kind):
    figures.show()
    ratio = figures.ratio(f"tend, {kind}", f"tmux, {kind}")
    print(f"  {'':6} {ratio:.2f} × tmux", flush=True)


# -------------------------------------------------------------------- cases


def is_there(peer, session, text):
    wait_for(lambda: text in peer.snapshot(session).decode(), text)


def over_connection(bench, title, call):
    """Time call(connection), repeated over one connection."""
    figures = Figures(title, "/s")
    with contextlib.ExitStack() as stack:
        open_ones = []
        for peer in bench.peers:
            session = peer.start("sh", "-c", "stty -echo; printf 'it is here'; "
                                 "exec cat >/dev/null")
            is_there(peer, session, "it is here")
            open_ones.append(
                (peer, stack.enter_context(peer.connect(session))))
        for _ in range(ROUNDS):
            for peer, connection in open_ones:
                figures.add(f"{peer.name}, one connection",
                            per_second(CALLS, lambda: call(connection)))
    compare(figures, "one connection")


def as_processes(bench, title, call):
    figures = Figures(title, "/s")
    sessions = []
    for peer in bench.peers:
        session = peer.start("sh", "-c", "stty -echo; printf 'it is here'; "
                             "exec cat >/dev/null")
        is_there(peer, session, "it is here")
        sessions.append((peer, session))
    for _ in range(ROUNDS):
        for peer, session in sessions:
            figures.add(f"{peer.name}, processes",
                        per_second(PROCESSES, lambda: call(peer, session)))
    compare(figures, "processes")


def case_snapshot(bench):
    def over(connection):
        assert "it is here" in connection.snapshot()

    over_connection(bench, "snapshots over one connection", over)
    as_processes(bench, "snapshots, a process each",
                 lambda peer, session: peer.snapshot(session))


def case_send(bench):
    over_connection(bench, "inputs over one connection",
                    lambda connection: connection.send("x"))
    as_processes(bench, "inputs, a process each",
                 lambda peer, session: peer.send(session, "x"))


def case_wait(bench):
    """Time from the write of a text to the return of a wait for it."""
    figures = Figures("a text is written, a wait for it returns", "ms")
    for peer in bench.peers:
        sayer = Sayer(bench.home.path)
        session = peer.start(*sayer.command)
        sayer.come()
        with peer.connect(session) as connection:
            for n in range(WAITS):
                connection.wait(f"<{n}>", lambda: sayer.tell(f"<{n}>"))
                now = time.monotonic_ns()
                figures.add(f"{peer.name}", (now - sayer.written()) / 1e6)
    figures.show()
    spread = statistics.quantiles(figures.of["tend"], n=100)
    print(f"  {'tend, p99':24} {spread[98]:10.2f} ms")
    bench.goal("a wait returns, p50", statistics.median(figures.of["tend"]),
               most=1, unit="ms")


def case_exec(bench):
    """Time one command, until its status is known."""
    figures = Figures("a command is run and its status known", "ms")
    with contextlib.ExitStack() as stack:
        open_ones = []
        for peer in bench.peers:
            for name, shell in peer.shells.items():
                session = peer.start(*shell)
                is_there(peer, session, "$" if os.getuid() else "#")
                open_ones.append(
                    (name, stack.enter_context(peer.connect(session))))
        for n in range(ROUNDS * COMMANDS):
            for name, connection in open_ones:
                begin = time.perf_counter()
                assert connection.run(f"(exit {n % 7})") == n % 7
                figures.add(name, (time.perf_counter() - begin) * 1000)
    figures.show()


CASES = {name[5:]: fn for name, fn in globals().items()
         if name.startswith("case_")}


def main():
    names = ARGUMENTS[1:]
    for name in names:
        if name not in CASES:
            sys.exit(f"there is no case {name}; there are {', '.join(CASES)}")
    with Home() as home:
        bench = Bench(home)
        try:
            for name in names or CASES:
                CASES[name](bench)
        finally:
            for peer in bench.peers:
                peer.finish()
    # A quick run shows that everything works, not how fast it is.
    if bench.missed and not QUICK:
        sys.exit("goals missed: " + ", ".join(bench.missed))


main()
