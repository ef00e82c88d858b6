"""A program whose every byte can be recomputed, for tests of viewers.

It prints `ready`, waits for a line, prints n numbered lines, then `done`,
waits for another line and ends.
"""


def program(n):
    return ["sh", "-c", "stty -echo; printf ready; read x; "
            f"seq -f 'line %08.0f' 1 {n}; printf 'done'; read y"]


def stream(n):
    """The bytes that the terminal gets, from byte 0 to the end."""
    return (b"ready" + b"".join(b"line %08d\r\n" % i for i in range(1, n + 1))
            + b"done")
