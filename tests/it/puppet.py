"""A program in a session that writes exactly what the test orders.

    sid = puppet.start(home)
    with puppet.strings(home, sid) as pull:
        seq = pull(b"\\x1b[2Jhello")

Each line it reads is @ and bytes in hexadecimal digits, which it writes with
one write(2).  So the test decides what one PTY read has, and what a frame is.
The program echoes nothing and does not read the terminal's answers.
"""

import contextlib
import re

from wire import Wire

PROGRAM = """
import os, tty
tty.setraw(0)
os.write(1, b"ready")
rest = b""
while True:
    got = os.read(0, 1 << 16)
    if not got:
        break
    rest += got
    *lines, rest = rest.split(b"\\n")
    for line in lines:
        os.write(1, bytes.fromhex(line.rpartition(b"@")[2].decode()))
"""


def command(name="python3"):
    """The command of such a program, whose process has this name."""
    return ("/bin/bash", "-c", 'exec -a "$0" /usr/bin/python3 -u -c "$1"',
            name, PROGRAM)


def start(home, options=(), name="python3"):
    """A session that is ready for orders."""
    sid = home.start(*command(name), options=options)
    with Wire(home.dir(sid), mode="control") as w:
        got = w.call("session.wait", text="ready")
        assert got["matched"], got
    return sid


def told(data):
    """The input that makes it write this."""
    return f"@{data.hex()}\n"


@contextlib.contextmanager
def strings(home, sid):
    """A function that has bytes written and returns the seq of the input."""
    with Wire(home.dir(sid), mode="control") as w:
        def pull(data):
            got = w.call("session.send", input=[{"text": told(data)}])
            return got["seq"]

        yield pull


def ask(w, **args):
    """Send a session.wait, and return its id once the host has begun it."""
    number = w.ask("session.wait", **args)
    w.sync()
    return number


def until(w, text):
    """Take snapshots until one shows the text; returns that one."""
    while True:
        screen = w.call("session.snapshot")
        if text in screen["lines"]:
            return screen


def lines(n, width=10):
    """n numbered lines, with line ends for a terminal in raw mode."""
    return b"".join(b"%0*d\r\n" % (width, i) for i in range(n))


def is_hash(text):
    return re.fullmatch("[0-9a-f]{64}", text) is not None
