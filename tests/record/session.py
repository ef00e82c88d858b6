"""One program in one PTY: types, waits, resizes, and keeps the output.

Nothing here sleeps for a fixed time.  Every step waits for a condition on the
program's output, and fails if it is not met within TIMEOUT_S.
"""

import codecs
import fcntl
import json
import os
import re
import select
import signal
import struct
import termios
import time

TIMEOUT_S = 30
QUIET_S = 0.25
ECHO_S = 0.15

# Questions and this terminal's answers.  The kitty keyboard query gets no
# answer, as from a terminal that does not know it.
ANSWERS = (
    (rb"\x1b\[0?c", b"\x1b[?62;22c"),
    (rb"\x1b\[>0?c", b"\x1b[>41;390;0c"),
    (rb"\x1b\[5n", b"\x1b[0n"),
    (rb"\x1b\[6n", b"\x1b[1;1R"),
    (rb"\x1b\[\?(\d+)\$p", b"\x1b[?%s;2$y"),
    (rb"\x1b\](1[01]);\?(?:\x07|\x1b\\)", b"\x1b]%s;rgb:0000/0000/0000\x1b\\"),
    (rb"\x1b\]7501;\?\x07", b"\x1b]7501;?\x07"),
    (rb"\x1bP\+q[0-9A-Fa-f;]*\x1b\\", b"\x1bP0+r\x1b\\"),
    (rb"\x1bP\$q[^\x1b]*\x1b\\", b"\x1bP0$r\x1b\\"),
)

CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1bP[^\x1b]*\x1b\\|\x1b[ -/]*[0-~]|[\x00-\x08\x0b-\x1f]")


class Failed(Exception):
    pass


class Full(Exception):
    """The recording has reached the recipe's limit; cut it here."""


class Session:
    def __init__(self, recipe, env, home, preexec):
        self.limit = recipe.limit
        self.events = []
        self.size = recipe.size
        self.bytes = 0
        self.fresh = ""         # output since the last input
        self.unanswered = b""
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.pid, self.fd = self.spawn(recipe, env, home, preexec)
        self.start = time.monotonic()

    def spawn(self, recipe, env, home, preexec):
        ready, go = os.pipe()
        pid, fd = os.forkpty()
        if pid == 0:
            os.close(go)
            os.read(ready, 1)   # the window has its size from here on
            os.chdir(home)
            if preexec:
                preexec()
            os.execvpe(recipe.argv[0], list(recipe.argv), env)
        os.close(ready)
        self.set_size(fd, recipe.size)
        os.close(go)
        return pid, fd

    @staticmethod
    def set_size(fd, size):
        cols, rows = size
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def event(self, kind, text):
        now = round(time.monotonic() - self.start, 3)
        self.events.append([now, kind, text])

    def pump(self, timeout):
        """Read once; False if nothing came in time or the program ended."""
        if not select.select([self.fd], [], [], max(timeout, 0))[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        if not data:
            raise EOFError
        self.answer(data)
        # Not UTF-8?  JSON could not hold it: the decoder raises, no file.
        text = self.decoder.decode(data)
        if text:
            self.event("o", text)
            self.fresh += text
            self.bytes += len(text.encode())
        if self.bytes >= self.limit:
            raise Full
        return True

    def answer(self, data):
        self.unanswered += data
        last = 0
        for query, reply in ANSWERS:
            for found in re.finditer(query, self.unanswered):
                os.write(self.fd, reply % found.groups()
                         if found.groups() else reply)
                last = max(last, found.end())
        self.unanswered = self.unanswered[last:][-256:]

    def until(self, done, what):
        deadline = time.monotonic() + TIMEOUT_S
        while not done():
            if time.monotonic() > deadline:
                raise Failed(f"waited for {what}; since the last input came:\n"
                             f"{self.fresh[-2000:]!r}")
            self.pump(0.05)

    def wait(self, pattern):
        self.until(lambda: re.search(pattern, CONTROL.sub("", self.fresh)),
                   f"/{pattern}/")

    def more(self, count):
        goal = self.bytes + count
        self.until(lambda: self.bytes >= goal, f"{count} more bytes")

    def quiet(self):
        deadline = time.monotonic() + TIMEOUT_S
        while self.pump(QUIET_S):
            if time.monotonic() > deadline:
                raise Failed("the program never came to rest")

    def key(self, keys):
        self.fresh = ""
        os.write(self.fd, keys.encode())

    def text(self, text):
        """Type like a person: the next key after the echo of the last."""
        for char in text:
            self.key(char)
            self.pump(ECHO_S)

    def resize(self, cols, rows):
        self.set_size(self.fd, (cols, rows))
        self.event("r", f"{cols}x{rows}")
        self.fresh = ""

    def end(self):
        try:
            self.until(lambda: False, "the program's end")
        except EOFError:
            pass

    def finish(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def cast(self):
        cols, rows = self.size
        header = {"version": 2, "width": cols, "height": rows,
                  "env": {"TERM": "xterm-256color"}}
        lines = [header, *self.events]
        return "".join(json.dumps(line, ensure_ascii=False) + "\n"
                       for line in lines)


def record(recipe, env, home, preexec):
    """Play the recipe's steps; returns the text of the asciicast file."""
    it = Session(recipe, env, home, preexec)
    try:
        for step, *args in recipe.steps:
            getattr(it, step)(*args)
    except (EOFError, Full):
        pass
    finally:
        it.finish()
    if it.decoder.getstate()[0]:
        raise Failed("the output ends inside a UTF-8 sequence")
    return it.cast()
