"""A program like an agent: it repaints its whole screen continuously.

  repaint.py FRAMES [PER_SECOND]

Every frame is one synchronized update and can be computed again.
"""

import sys
import time
import zlib

ROWS, COLS = 20, 76


def frame(number):
    lines = [b"\x1b[?2026h\x1b[H"]
    for row in range(ROWS):
        words = b"%08x " % zlib.crc32(b"%d.%d" % (number, row)) * 7
        text = b"%06d.%02d " % (number, row) + words
        lines.append(b"\x1b[3%dm" % (row % 8) + text[:COLS] + b"\x1b[K\r\n")
    return b"".join(lines) + b"\x1b[0m\x1b[?2026l"


def stream(frames):
    return b"".join(frame(n) for n in range(frames))


def stream_end(frames, size):
    """The last bytes of that stream, because the whole may be too long."""
    parts, n = [], frames
    while size > 0 and n > 0:
        n -= 1
        parts.append(frame(n))
        size -= len(parts[-1])
    return b"".join(reversed(parts))[max(0, -size):]


def print_all(frames, per_second=None):
    begin = time.monotonic()
    for n in range(frames):
        sys.stdout.buffer.write(frame(n))
        sys.stdout.buffer.flush()
        if per_second is not None and n % 100 == 99:
            ahead = begin + n / per_second - time.monotonic()
            time.sleep(max(0, ahead))


if __name__ == "__main__":
    print_all(*map(int, sys.argv[1:]))
