"""A crowd of viewers in a process of its own.

  crowd.py DIRECTORY QUICK SLOW FROZEN

attaches so many viewers to a session, prints `here` once all have their
picture, and reads until it is killed: quick ones read everything, slow ones 4
KiB in 50 ms, frozen ones nothing.
"""

import contextlib
import select
import sys
import time

from wire import Wire

PAUSE = 0.05


def attach(directory):
    viewer = Wire(directory)
    viewer.until(lambda: viewer.screens, "the first picture")
    viewer.sock.setblocking(False)
    return viewer


def read_slowly(viewers, buffer):
    for viewer in viewers:
        with contextlib.suppress(BlockingIOError):
            viewer.sock.recv_into(buffer, 4096)


def main():
    directory, counts = sys.argv[1], [int(n) for n in sys.argv[2:5]]
    viewers = [[attach(directory) for _ in range(n)] for n in counts]
    quick, slow = viewers[:2]
    poll = select.epoll()
    socks = {viewer.sock.fileno(): viewer.sock for viewer in quick}
    for fd in socks:
        poll.register(fd, select.EPOLLIN)
    buffer = bytearray(1 << 17)
    print("here", flush=True)
    due = time.monotonic()
    while True:
        for fd, _ in poll.poll(PAUSE):
            socks[fd].recv_into(buffer)
        if time.monotonic() >= due:
            due = time.monotonic() + PAUSE
            read_slowly(slow, buffer)


main()
