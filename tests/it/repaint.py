"""A program like an agent: it paints its whole screen again and again.

    repaint.py FRAMES

Every frame is one synchronized update, and can be made a second time.
"""

import sys

ROWS, COLS = 20, 76


def frame(number):
    lines = [b"\x1b[?2026h\x1b[H"]
    for row in range(ROWS):
        text = b"%06d.%02d " % (number, row) + b"%c" % (33 + number % 90) * 60
        lines.append(b"\x1b[3%dm" % (row % 8) + text[:COLS] + b"\x1b[K\r\n")
    return b"".join(lines) + b"\x1b[0m\x1b[?2026l"


def stream(frames):
    return b"".join(frame(n) for n in range(frames))


if __name__ == "__main__":
    for n in range(int(sys.argv[1])):
        sys.stdout.buffer.write(frame(n))
        sys.stdout.buffer.flush()
