"""Requests as bytes to a hub, many at a time, and their answers."""

import re
import socket

LENGTH = re.compile(rb"\r\nContent-Length: ([0-9]+)\r\n")

# Every answer has these (S6b).
STRICT = [
    b"\r\nContent-Security-Policy: default-src 'none'; script-src 'self'; ",
    b"frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    b"\r\nX-Content-Type-Options: nosniff\r\n",
    b"\r\nX-Frame-Options: DENY\r\n",
    b"\r\nReferrer-Policy: no-referrer\r\n",
    b"\r\nCross-Origin-Opener-Policy: same-origin\r\n",
    b"\r\nCross-Origin-Resource-Policy: same-origin\r\n",
    b"\r\nCache-Control: no-store\r\n",
]


class Answer:
    def __init__(self, head, body):
        self.status = int(head[9:12])
        self.head = head
        self.body = body

    def __repr__(self):
        return f"{self.head!r}\n{self.body[:500]!r}"


def head(method, path, *fields):
    """The bytes of a request without a body."""
    return b"\r\n".join([f"{method} {path} HTTP/1.1".encode(),
                         *(f if isinstance(f, bytes) else f.encode()
                           for f in fields), b"", b""])


class Pipe:
    """A connection to the hub over TCP, as bytes."""

    def __init__(self, hub, timeout=60):
        self.sock = socket.create_connection(("127.0.0.1", hub.port), timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.got = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, data):
        self.sock.sendall(data)

    def receive(self):
        """More bytes; False at the end."""
        try:
            part = self.sock.recv(1 << 18)
        except ConnectionError:
            return False
        self.got += part
        return part != b""

    def answer(self, to_head=False):
        """The next answer, or None if the connection has ended."""
        at = 0
        while (end := self.got.find(b"\r\n\r\n", at)) < 0:
            at = max(0, len(self.got) - 3)
            if not self.receive():
                assert self.got == b"", self.got
                return None
        first = self.got[:end + 4]
        assert all(field in first for field in STRICT), first
        length = LENGTH.search(first)
        size = int(length[1]) if length and not to_head else 0
        while len(self.got) < end + 4 + size:
            assert self.receive(), self.got
        body = self.got[end + 4:end + 4 + size]
        self.got = self.got[end + 4 + size:]
        return Answer(first, body)

    def rest(self):
        """Everything until the end of the connection."""
        while self.receive():
            continue
        return self.got


def ask(hub, requests, batch=64):
    """All answers, in order.  Connections that the hub ends are replaced."""
    answers, at = [], 0
    while at < len(requests):
        with Pipe(hub) as pipe:
            alive = True
            while alive and at < len(requests):
                part = requests[at:at + batch]
                pipe.send(b"".join(part))
                for _ in part:
                    answer = pipe.answer()
                    if answer is None:
                        alive = False
                        break
                    answers.append(answer)
                    at += 1
    return answers
