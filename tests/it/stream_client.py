"""A client of /api/v1/stream, written from docs/stream.md alone.

It shares no code with tend: plain sockets, RFC 6455 and the document.

    with Stream(hub) as stream:
        stream.subscribe(1, session=sid, want="output")
        stream.until(lambda: b"ready" in stream.subs[1].data, "ready")
"""

import base64
import itertools
import json
import os
import select
import socket
import struct
import time

SECONDS = 30
OUTPUT, PICTURE, INPUT = 1, 2, 3


class Closed(Exception):
    """The hub has closed the connection: its code, or None."""

    def __init__(self, code=None, reason=""):
        super().__init__(f"{code} {reason}")
        self.code = code


class Refused(Exception):
    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]


class Sub:
    """One subscription: its bytes, the offset after them, and its events."""

    def __init__(self):
        self.data, self.at = bytearray(), None
        self.pictures, self.events, self.gaps = [], [], []

    def named(self, name):
        return [e for e in self.events if e["event"] == name]

    def take(self, kind, offset, payload):
        if kind == PICTURE:
            seq, cols, rows = struct.unpack_from(">QHH", payload)
            self.pictures.append((offset, seq, cols, rows, payload[12:]))
            payload = b""
        assert self.at in (None, offset), f"{offset} follows {self.at}"
        self.data += payload
        self.at = offset + len(payload)

    def note(self, event):
        self.events.append(event)
        if event["event"] == "gap":
            assert self.at in (None, event["from"]), f"{event} at {self.at}"
            self.gaps.append((event["from"], event["to"], event["why"]))
            self.at = event["to"]


class Stream:
    def __init__(self, hub, token=None, headers=None, key=None, hello=True):
        self.hub, self.ids, self.buffer = hub, itertools.count(1), bytearray()
        self.subs, self.answers, self.messages = {}, {}, []
        if token is None and headers is None:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(str(hub.home.path / "hub.sock"))
            host = "hub"
        else:
            self.sock = socket.create_connection(("127.0.0.1", hub.port))
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            host = f"127.0.0.1:{hub.port}"
        self.sock.settimeout(SECONDS)
        headers = {"Host": host, "Upgrade": "websocket",
                   "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                   "Sec-WebSocket-Protocol": "tend.v1",
                   "Sec-WebSocket-Key": base64.b64encode(os.urandom(16))
                   .decode(), **(headers or {})}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self.sock.sendall(b"GET /api/v1/stream HTTP/1.1\r\n" + b"".join(
            f"{k}: {v}\r\n".encode() for k, v in headers.items()) + b"\r\n")
        while b"\r\n\r\n" not in self.buffer:
            self._read(time.monotonic() + SECONDS)
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        if self.status == 101 and hello:
            self.send(type="hello", versions=[1], features=[], client="test",
                      **({"key": key} if key else {}))
            self.until(lambda: self.messages, "hello")
            self.hello = self.messages[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def frame(self, opcode, payload, fin=0x80):
        """Send a frame, masked as a client must."""
        n, mask = len(payload), os.urandom(4)
        head = (struct.pack(">BB", fin | opcode, 0x80 | n) if n < 126 else
                struct.pack(">BBH", fin | opcode, 0xfe, n) if n < 65536 else
                struct.pack(">BBQ", fin | opcode, 0xff, n))
        key = int.from_bytes((mask * (n // 4 + 1))[:n], "big")
        masked = (int.from_bytes(payload, "big") ^ key).to_bytes(n, "big")
        self.sock.sendall(head + mask + masked)

    def send(self, **message):
        self.frame(1, json.dumps(message).encode())

    def _read(self, end):
        left = end - time.monotonic()
        if left <= 0 or not select.select([self.sock], [], [], left)[0]:
            return False
        try:
            got = self.sock.recv(1 << 18)
        except ConnectionResetError:
            got = b""
        if not got:
            raise Closed()
        self.buffer += got
        return True

    def _take(self):
        """Handle the next frame; False if it is incomplete."""
        b, at = self.buffer, 2
        if len(b) < 2:
            return False
        n = b[1]
        if n > 125:
            at = 4 if n == 126 else 10
            if len(b) < at:
                return False
            n = int.from_bytes(b[2:at], "big")
        if len(b) < at + n:
            return False
        opcode, payload = b[0] & 15, bytes(b[at:at + n])
        del b[:at + n]
        if opcode == 8:
            raise Closed(int.from_bytes(payload[:2], "big"), payload[2:])
        if opcode == 2:
            kind, sub, offset = struct.unpack_from(">B3xIQ", payload)
            self.subs.setdefault(sub, Sub()).take(kind, offset, payload[16:])
        elif opcode == 1:
            self._note(json.loads(payload))
        return True

    def _note(self, message):
        if message["type"] == "event":
            self.subs.setdefault(message["sub"], Sub()).note(message)
        elif message["type"] == "answer":
            self.answers[message["id"]] = message
        else:
            self.messages.append(message)

    def until(self, condition, what, seconds=SECONDS):
        """Take messages until the condition is true; its value."""
        end = time.monotonic() + seconds
        while not (value := condition()):
            if not self._take() and not self._read(end):
                seen = {n: (s.at, s.gaps, bytes(s.data[-200:]), s.events[-5:])
                        for n, s in self.subs.items()}
                what = what() if callable(what) else what
                raise AssertionError(f"{what} did not come\n{seen}\n"
                                     f"{list(self.answers.values())[-5:]}")
        return value

    def answer(self, number):
        """The result of the message with this id, or Refused."""
        self.until(lambda: number in self.answers, f"answer {number}")
        got = self.answers.pop(number)
        if not got["ok"]:
            raise Refused(got["error"])
        return got["result"]

    def post(self, what, **fields):
        number = next(self.ids)
        self.send(type=what, id=number, **fields)
        return number

    def ask(self, what, **fields):
        return self.answer(self.post(what, **fields))

    def subscribe(self, sub, **fields):
        self.subs[sub] = Sub()
        return self.ask("subscribe", sub=sub, **fields)

    def call(self, op, **args):
        return self.ask("call", op=op, args=args)

    def event(self, sub, name, seconds=SECONDS):
        """The next event of that name, which is taken out of the list."""
        found = self.until(lambda: self.subs[sub].named(name),
                           f"{name} of {sub}", seconds)[0]
        self.subs[sub].events.remove(found)
        return found

    def type(self, sub, text):
        return self.ask("input", sub=sub, kind="text", text=text)

    def type_binary(self, sub, text, kind=1):
        number = next(self.ids)
        self.frame(2, struct.pack(">BBHIQ", INPUT, kind, 0, sub, number)
                   + text)
        return self.answer(number)

    def until_closed(self, seconds=SECONDS):
        """The code with which the hub closes."""
        try:
            self.until(lambda: False, "the end", seconds)
        except Closed as closed:
            return closed.code
        return None
