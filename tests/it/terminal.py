"""A real terminal for the tests: a PTY, read and answered by @xterm/headless."""

import base64
import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import threading
import time

import lib

NODE = lib.ROOT / "node_modules" / ".bin" / "node"
EMULATOR = lib.ROOT / "tests" / "it" / "terminal.mjs"
SECONDS = 30


class Terminal:
    """A window.  `run` starts a program in it; `screen` is its content.

    The test keeps the terminal's other side open, so that its settings can be
    compared after the program has ended.
    """

    def __init__(self, cols=80, rows=24, graphemes=True, answers=True):
        self.master, self.slave = pty.openpty()
        os.set_blocking(self.master, False)
        self.answers = answers
        self.raw = bytearray()
        self.dumps = {}
        self.asked = 0
        self.lock = threading.Condition()
        self.program = None
        self._set_size(cols, rows)
        self.node = subprocess.Popen([NODE, EMULATOR], cwd=lib.ROOT,
                                     stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
        self._tell({"cols": cols, "rows": rows, "graphemes": graphemes})
        self.threads = [threading.Thread(target=work, daemon=True)
                        for work in (self._from_program, self._from_node)]
        for thread in self.threads:
            thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.program is not None and self.program.poll() is None:
            self.program.send_signal(signal.SIGCONT)
            self.program.kill()
            self.program.wait()
        self.close()
        if self.slave is not None:
            os.close(self.slave)
        self.node.stdin.close()
        try:
            self.node.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.node.kill()
            self.node.wait()
            raise

    def close(self):
        """Close the window: programs in it get a hangup."""
        if self.master is None:
            return
        master, self.master = self.master, None
        self.threads[0].join(SECONDS)
        assert not self.threads[0].is_alive(), "the emulator takes no output"
        os.close(master)

    def _set_size(self, cols, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, cols, 0, 0))

    def _tell(self, message):
        with self.lock:
            self.node.stdin.write(json.dumps(message).encode() + b"\n")
            self.node.stdin.flush()

    def _from_program(self):
        while (master := self.master) is not None:
            if not select.select([master], [], [], 0.02)[0]:
                continue
            try:
                data = os.read(master, 1 << 16)
            except OSError:
                return
            # After a test sees bytes in `raw`, the screen shows them too.
            with self.lock:
                self.raw += data
                self._tell({"data": base64.b64encode(data).decode()})

    def _from_node(self):
        for line in self.node.stdout:
            message = json.loads(line)
            if "reply" in message:
                if self.answers and self.master is not None:
                    self.type(base64.b64decode(message["reply"]))
                continue
            with self.lock:
                self.dumps[message["dump"]] = message
                self.lock.notify_all()

    def resize(self, cols, rows):
        self._tell({"resize": [cols, rows]})
        self._set_size(cols, rows)

    def type(self, data):
        """Write all of it, or fail: the program in it may have stopped
        reading."""
        rest = data if isinstance(data, bytes) else data.encode()
        end = time.monotonic() + SECONDS
        while rest:
            if select.select([], [self.master], [], 0.1)[1]:
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(self.master, rest):]
            assert time.monotonic() < end, \
                f"nobody reads what is typed: {rest[:80]!r}"

    def screen(self):
        """The terminal's screen after everything sent so far."""
        with self.lock:
            self.asked += 1
            asked = self.asked
        self._tell({"dump": asked})
        with self.lock:
            assert self.lock.wait_for(lambda: asked in self.dumps, 30)
            return self.dumps.pop(asked)

    def text(self):
        return "\n".join(self.screen()["lines"])

    def wait(self, condition, what, seconds=30):
        """The first screen for which the condition is true."""
        def look():
            screen = self.screen()
            return screen if condition(screen) else None

        return lib.wait_for(look, lambda: f"{what} on:\n{self.text()}\n"
                            f"last bytes: {bytes(self.raw[-500:])!r}", seconds)

    def wait_text(self, text, seconds=30):
        return self.wait(lambda s: text in "\n".join(s["lines"]),
                         f"{text!r}", seconds)

    def settings(self):
        """State that must be as before when a program has left."""
        screen = self.screen()
        return {"termios": termios.tcgetattr(self.slave),
                "alt": screen["alt"], "visible": screen["visible"],
                "modes": screen["modes"]}

    def run(self, *command, env):
        """Start a program on this terminal, as a login would."""
        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.screen()  # It exists, and answers questions.
        self.program = subprocess.Popen(
            [str(part) for part in command], stdin=self.slave,
            stdout=self.slave, stderr=self.slave, env=env,
            preexec_fn=own_terminal)
        return self.program

    def ended(self, seconds=30):
        """The exit status of the program."""
        try:
            return self.program.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running:\n{self.text()}") from None
