"""WebSocket viewers of a hub: tests/bench/hub/viewers.c, for tests and
benchmarks.

    with Viewers(20, f"tcp:{hub.port}", subscribe(sid), secret=secret) as v:
        v.opened()
"""

import contextlib
import json
import os
import select
import subprocess
import time
from dataclasses import dataclass

from lib import BUILD

PROGRAM = BUILD / "tests" / "bench" / "hub" / "viewers"
LIMIT = 120  # seconds that anything may take
HELLO = {"type": "hello", "versions": [1], "features": [], "client": "viewers"}


def subscribe(sid, **fields):
    """The message that subscribes to a session's output."""
    return {"type": "subscribe", "id": 1, "sub": 1, "session": sid,
            "want": "output", **fields}


class Gone(Exception):
    """A viewer was closed, or its subscription refused."""


@dataclass
class Report:
    """The state of a viewer."""

    offset: int  # after its last byte
    bytes: int   # of output
    crc: str     # their CRC-32C
    messages: int
    gaps: int
    pictures: int
    hash: str  # of its screen, if it keeps one


class Viewers:
    """`n` viewers in one process.  Without a secret the target is no hub."""

    made = 0

    def __init__(self, n, target, *messages, secret=None, screen=False,
                 receive=None):
        self.n, self.closed = n, {}
        Viewers.made += 1
        self.bytes = "abcdefghijklmnopqrstuvwx"[2 * (Viewers.made % 12):][:2]
        options = ["-s"] if screen else []
        if receive is not None:
            options += ["-r", str(receive)]
        if secret is not None:
            options += ["-H", f"Authorization: Bearer {secret}"]
            messages = [json.dumps(m) for m in (HELLO, *messages)]
        self.proc = subprocess.Popen(
            [PROGRAM, *options, str(n), target,
             "/api/v1/stream" if secret is not None else "/", *messages],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.out = self.proc.stdout.fileno()
        os.set_blocking(self.out, False)
        self.rest, self.seen = b"", []
        self.line("connected")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.tell("quit")
        self.proc.stdin.close()
        self.proc.wait(LIMIT)
        self.proc.stdout.close()

    def tell(self, line):
        self.proc.stdin.write(line.encode() + b"\n")
        self.proc.stdin.flush()

    def _read(self, seconds):
        """Take the lines that come next."""
        select.select([self.out], [], [], seconds)
        try:
            data = os.read(self.out, 1 << 20)
        except BlockingIOError:
            return
        if not data:
            raise Gone("the viewers have ended")
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            word, _, fields = line.decode().partition(" ")
            if word == "end":
                i, code = fields.split()
                self.closed[int(i)] = int(code)
            elif word == "error":
                raise Gone(fields)
            else:
                self.seen.append(line.decode())

    def line(self, begin, viewer=None, seconds=LIMIT):
        """The words after this beginning, of the next line with it."""
        end = time.monotonic() + seconds
        while True:
            for i, line in enumerate(self.seen):
                if line.startswith(begin):
                    del self.seen[i]
                    return line[len(begin):].split()
            if viewer in self.closed:
                raise Gone(f"viewer {viewer}: {self.closed[viewer]}")
            if time.monotonic() > end:
                raise Gone(f"no {begin!r} in {seconds} s; "
                           f"saw {self.seen[-3:]}, closed {self.closed}")
            self._read(1)

    def opened(self):
        for i in range(self.n):
            self.line(f"opened {i}", i)
        return self

    def marks(self, number):
        """(time, bytes) when each viewer got the marker."""
        return [tuple(map(int, self.line(f"mark {i} {number} ", i)))
                for i in range(self.n)]

    def echo(self, count):
        """Round trips in µs, with bytes that no other viewers type."""
        self.tell(f"echo {count} {self.bytes}")
        return [int(w) / 1000 for w in self.line("echo ", 0)]

    def report(self):
        """A Report of each viewer."""
        self.tell(f"report 0 {self.n}")
        reports = []
        for i in range(self.n):
            *numbers, crc, messages, gaps, pictures, screen = self.line(
                f"viewer {i} ")
            reports.append(Report(int(numbers[0]), int(numbers[1]), crc,
                                  int(messages), int(gaps), int(pictures),
                                  screen))
        return reports
